/** What the page shows, as one value that fits into a link. Whatever a link says that is not so is left out. */
import type { Camera } from "./points/camera";
import { rounded } from "./points/lasso";

export type Tab = "point" | "region" | "feature" | "check" | "about";
export type ThemeChoice = "auto" | "light" | "dark";

/** What points are coloured by: nothing, a column of the record, something of a feature, or something of every row. */
export type Colour =
  | { readonly by: "none" }
  | { readonly by: "column"; readonly column: number }
  | { readonly by: "feature" | "importance" | "explained"; readonly feature: number }
  | { readonly by: RowQuantity };

export const ROW_QUANTITIES = ["densityOfData", "densityOfMap", "kept", "torn", "false", "fidelity", "dimension"] as const;
export type RowQuantity = (typeof ROW_QUANTITIES)[number];
const OF_FEATURES = ["feature", "importance", "explained"] as const;

/** A group of rows: those within a line drawn on a map, those of a category, or rows by their numbers. */
export type Selection =
  | { readonly kind: "lasso"; readonly map: number; readonly polygon: readonly number[] }
  | { readonly kind: "category"; readonly column: number; readonly category: number }
  | { readonly kind: "rows"; readonly rows: readonly number[] };

export interface State {
  readonly tab: Tab;
  readonly colour: Colour;
  readonly row: number | null;
  readonly feature: number | null;
  readonly a: Selection | null;
  readonly b: Selection | null;
  readonly off: readonly number[]; // categories that the legend leaves out
  readonly camera: Camera | null; // of the first map; null shows its bulk
  readonly beside: number | null; // the map beside the first
  readonly theme: ThemeChoice;
}

/** How many of everything there is, so that a link cannot name what is not there. */
export interface Limits {
  readonly nRows: number;
  readonly nFeatures: number;
  readonly nMaps: number;
  readonly categories: readonly (number | null)[]; // for each column how many; null if it has numbers
}

const TABS: readonly Tab[] = ["point", "region", "feature", "check", "about"];
const MOST_CORNERS = 2000;

export function firstState(limits: Limits): State {
  const colour: Colour = limits.categories.length ? { by: "column", column: 0 } : { by: "none" };
  return {
    tab: "point", colour, row: null, feature: null, a: null, b: null, off: [], camera: null, beside: null,
    theme: "auto",
  };
}

/** The state as the part of a link after "#". What is as at first is left out. */
export function hashOf(state: State, limits: Limits): string {
  const first = firstState(limits);
  const entries: [string, string][] = [
    ["tab", state.tab],
    ["colour", colourText(state.colour)],
    ["row", text(state.row)],
    ["feature", text(state.feature)],
    ["a", selectionText(state.a)],
    ["b", selectionText(state.b)],
    ["off", state.off.join(",")],
    ["camera", cameraText(state.camera)],
    ["beside", text(state.beside)],
    ["theme", state.theme],
  ];
  const plain: Record<string, string> = { tab: first.tab, colour: colourText(first.colour), theme: first.theme };
  return entries.filter(([key, value]) => value !== (plain[key] ?? "")).map((entry) => entry.join("=")).join("&");
}

export function stateOf(hash: string, limits: Limits): State {
  const said = new Map(hash.replace(/^#/, "").split("&").map((entry) => split(entry, "=")));
  const get = (key: string) => said.get(key) ?? "";
  const first = firstState(limits);
  return {
    tab: TABS.find((tab) => tab === get("tab")) ?? first.tab,
    colour: readColour(get("colour"), limits) ?? first.colour,
    row: index(get("row"), limits.nRows),
    feature: index(get("feature"), limits.nFeatures),
    a: readSelection(get("a"), limits),
    b: readSelection(get("b"), limits),
    off: indices(get("off"), Math.max(0, ...limits.categories.map((count) => count ?? 0))),
    camera: readCamera(get("camera")),
    beside: index(get("beside"), limits.nMaps),
    theme: (["light", "dark"] as const).find((theme) => theme === get("theme")) ?? first.theme,
  };
}

function text(value: number | null): string {
  return value === null ? "" : String(value);
}

function colourText(colour: Colour): string {
  if (colour.by === "column") return `column:${colour.column}`;
  return "feature" in colour ? `${colour.by}:${colour.feature}` : colour.by;
}

function readColour(said: string, limits: Limits): Colour | null {
  const [by, which] = split(said, ":");
  if (by === "none") return { by };
  const column = index(which, limits.categories.length);
  if (by === "column") return column === null ? null : { by, column };
  const feature = index(which, limits.nFeatures);
  const ofFeature = OF_FEATURES.find((each) => each === by);
  if (ofFeature) return feature === null ? null : { by: ofFeature, feature };
  const quantity = ROW_QUANTITIES.find((each) => each === by);
  return quantity ? { by: quantity } : null;
}

export function selectionText(selection: Selection | null): string {
  if (selection === null) return "";
  if (selection.kind === "lasso") return `lasso:${selection.map}:${rounded(selection.polygon).join(",")}`;
  if (selection.kind === "category") return `category:${selection.column}:${selection.category}`;
  return `rows:${selection.rows.join(",")}`;
}

export function readSelection(said: string, limits: Limits): Selection | null {
  const [kind, rest] = split(said, ":");
  if (kind === "rows") {
    const rows = indices(rest, limits.nRows);
    return rows.length ? { kind, rows } : null;
  }
  const [first, second] = split(rest, ":");
  if (kind === "category") return readCategory(first, second, limits);
  return kind === "lasso" ? readLasso(first, second, limits) : null;
}

function readCategory(first: string, second: string, limits: Limits): Selection | null {
  const column = index(first, limits.categories.length);
  const category = column === null ? null : index(second, limits.categories[column] ?? 0);
  return column === null || category === null ? null : { kind: "category", column, category };
}

function readLasso(first: string, second: string, limits: Limits): Selection | null {
  const map = index(first, limits.nMaps);
  const polygon = numbers(second);
  const isWhole = polygon !== null && polygon.length >= 6 && polygon.length % 2 === 0;
  return map === null || !isWhole || polygon.length > 2 * MOST_CORNERS ? null : { kind: "lasso", map, polygon };
}

function cameraText(camera: Camera | null): string {
  return camera === null ? "" : rounded([camera.x, camera.y, camera.scale]).join(",");
}

function readCamera(said: string): Camera | null {
  const read = numbers(said);
  if (read === null || read.length !== 3 || !(read[2] > 0)) return null;
  return { x: read[0], y: read[1], scale: read[2] };
}

function split(said: string, by: string): [string, string] {
  const at = said.indexOf(by);
  return at < 0 ? [said, ""] : [said.slice(0, at), said.slice(at + 1)];
}

function numbers(said: string): number[] | null {
  const read = said ? said.split(",").map(Number) : [];
  return read.length && read.every(Number.isFinite) ? read : null;
}

function index(said: string, count: number): number | null {
  return /^\d{1,9}$/.test(said) && Number(said) < count ? Number(said) : null;
}

function indices(said: string, count: number): number[] {
  const read = said.split(",").map((each) => index(each, count)).filter((each) => each !== null);
  return [...new Set(read)].sort((a, b) => a - b);
}
