/** The record as the page draws it: maps, the user's columns, and what is known of features as a whole. */
import { categoryColour, missing, type Theme } from "./palette";
import { partOf, partsToDraw, type Head, type Numbers, type Parts, type Shelf } from "./record";
import { bulkOf, outside, type Places } from "./points/bulk";
import type { Box } from "./points/camera";
import { gridOf, type Grid } from "./points/grid";
import type { Limits } from "./state";

export interface MapOfRows {
  readonly name: string;
  readonly places: Places;
  readonly grid: Grid;
  readonly home: Box; // what is seen at first
  readonly far: Places; // of points outside of it
}

export interface ColumnOfRows {
  readonly name: string;
  readonly categories: readonly string[] | null; // null if it has numbers
  readonly values: Numbers;
}

/** What is known of every feature over all rows; arrays are empty where the record does not say it. */
export interface FeaturesOfAll {
  readonly overall: Numbers;
  readonly spread: Numbers;
  readonly mapVariance: Numbers;
  readonly backing: Numbers;
  readonly groups: Numbers;
}

export interface Atlas {
  readonly head: Head;
  readonly maps: readonly MapOfRows[];
  readonly columns: readonly ColumnOfRows[];
  readonly features: FeaturesOfAll;
  readonly limits: Limits;
  readonly rowNumbers: Numbers | null; // in the user's model, where the file holds a part of its rows
  readonly featureNumbers: Numbers | null;
}

const FEATURE_PARTS = ["overall", "spread", "mapExplained", "backing", "groups", "rowNumbers", "featureNumbers"];
const NOTHING = new Float64Array(0);

export function atlasOf(given: Head, parts: Parts): Atlas {
  const head = named(given, parts);
  const columns = head.columns.map((column) => ({
    name: column.name,
    categories: column.kind === "category" ? column.categories : null,
    values: parts.get(column.part)!,
  }));
  const others = head.maps.map((map) => mapOf(map.name, parts.get(map.part)!, head));
  const maps = [mapOf(head.maker, parts.get("places")!, head), ...others];
  const limits = {
    nRows: head.nRows,
    nFeatures: head.nFeatures,
    nMaps: maps.length,
    categories: columns.map((column) => column.categories?.length ?? null),
  };
  const [rowNumbers, featureNumbers] = [parts.get("rowNumbers") ?? null, parts.get("featureNumbers") ?? null];
  return { head, maps, columns, features: featuresOf(parts), limits, rowNumbers, featureNumbers };
}

/** Rows and features of a part of a model are called by their numbers in the model, unless they have names. */
function named(head: Head, parts: Parts): Head {
  const called = (what: string, numbers: Numbers | undefined) =>
    numbers === undefined ? null : Array.from(numbers, (number) => `${what} ${number}`);
  return {
    ...head,
    ids: head.ids ?? called("Row", parts.get("rowNumbers")),
    featureNames: head.featureNames ?? called("feature", parts.get("featureNumbers")),
  };
}

/** The parts of a record that the page reads itself. */
export async function partsOfPage(shelf: Shelf): Promise<Parts> {
  const has = new Set(shelf.head.parts.map((part) => part.name));
  const names = FEATURE_PARTS.filter((name) => has.has(name));
  const found = await Promise.all(names.map(async (name) => [name, await partOf(shelf, name)] as const));
  return new Map([...(await partsToDraw(shelf)), ...found]);
}

function featuresOf(parts: Parts): FeaturesOfAll {
  const known = (name: string) => parts.get(name) ?? NOTHING;
  return {
    overall: known("overall"), spread: known("spread"), mapVariance: known("mapExplained"), backing: known("backing"),
    groups: known("groups"),
  };
}

function mapOf(name: string, values: Numbers, head: Head): MapOfRows {
  const places = plane(values, head.nRows);
  const home = bulkOf(places);
  return { name, places, grid: gridOf(places, home), home, far: outside(places, home) };
}

/** The first two coordinates of every row; 0 where a map has one only. */
function plane(values: Numbers, nRows: number): Places {
  const width = values.length / nRows;
  if (width === 2) return Float32Array.from(values);
  const places = new Float32Array(2 * nRows);
  for (let row = 0; row < nRows; row++) {
    places[2 * row] = values[row * width];
    if (width > 1) places[2 * row + 1] = values[row * width + 1];
  }
  return places;
}

/** The category of a row, or null where it is missing. */
export function categoryOf(column: ColumnOfRows, row: number): number | null {
  const code = column.values[row];
  return column.categories !== null && code < column.categories.length ? code : null;
}

/** The colour of a row's category. */
export function labelColour(column: ColumnOfRows, row: number, theme: Theme): string {
  const category = categoryOf(column, row);
  return category === null ? missing(theme) : categoryColour(category, theme);
}

/** What a column says of a row, in words. */
export function cellText(column: ColumnOfRows, row: number): string {
  if (column.categories === null) return Number.isNaN(column.values[row]) ? "missing" : String(column.values[row]);
  const category = categoryOf(column, row);
  return category === null ? "missing" : column.categories[category];
}

/** The rows of a category, in rising order. */
export function rowsOf(column: ColumnOfRows, category: number): Int32Array {
  const rows: number[] = [];
  for (let row = 0; row < column.values.length; row++) if (column.values[row] === category) rows.push(row);
  return Int32Array.from(rows);
}

/** How many features the user has: all values of a category are one. */
export function nUserFeatures(head: Head): number {
  if (head.levels === null) return head.nFeatures;
  const categories = head.levels.filter((level) => level !== null).map((level) => level[0]);
  return head.nFeatures - categories.length + new Set(categories).size;
}

/** The name of a feature as a sentence has it. */
export function featureName(head: Head, feature: number): string {
  if (head.featureNames !== null) return head.featureNames[feature];
  return head.imageShape === null ? `feature ${feature}` : pixelName(head.imageShape, feature);
}

function pixelName([, width, channels]: readonly [number, number, number], feature: number): string {
  const pixel = Math.floor(feature / channels);
  const place = `pixel (${Math.floor(pixel / width)}, ${pixel % width})`;
  return channels === 1 ? place : `${place} channel ${feature % channels}`;
}

/** The name of a row as a sentence has it. */
export function rowName(head: Head, row: number): string {
  return head.ids === null ? `Row ${row}` : head.ids[row];
}

/** The same within a sentence. */
export function rowNameWithin(head: Head, row: number): string {
  return head.ids === null ? `row ${row}` : head.ids[row];
}
