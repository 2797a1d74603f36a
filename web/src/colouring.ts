/** What points are coloured by: asked for, filled in and painted. */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import { answerOf, following, type Asked } from "./asking";
import { featureName, type Atlas } from "./atlas";
import { hashed } from "./core/hash";
import type { Theme } from "./palette";
import { drawingOrder } from "./points/splat";
import { coloursOf, fade, regionColours, spreadOut, valuesShade, type Shade } from "./shading";
import type { Asking, Column, ColumnAnswer, Source } from "./source";
import type { Colour, RowQuantity, State } from "./state";

export const QUANTITY_NAMES: Readonly<Record<RowQuantity, string>> = {
  densityOfData: "density in the data",
  densityOfMap: "density on the map",
  kept: "neighbours that the map keeps",
  torn: "how far neighbours are torn apart",
  false: "how false neighbours on the map are",
  fidelity: "how true the arrows are",
  dimension: "number of local directions",
};
const NAMES_OF = { feature: "", importance: "importance of ", explained: "R² on the map of " } as const;
const KEPT_ANSWERS = 12;
const FIELD_ROWS = 300; // that have an arrow in the field of a feature
const FIELD_ROWS_AT_ONCE = 20;
const ROWS_AT_ONCE = 200; // that are filled in

/** How points are drawn: their colours, and the order in which they are drawn. */
export interface Paint {
  readonly colours: Uint32Array;
  readonly order: Uint32Array;
  readonly counts: (row: number) => boolean; // whether a row is in front
}

/** Values that are computed while the reader watches, beyond the rows that were answered at once. */
export interface Filled {
  readonly key: string; // of the colour
  readonly values: Float64Array;
  readonly isGoingOn: boolean;
}

export interface Colouring {
  readonly shade: ReadonlySignal<Shade>;
  readonly shading: ReadonlySignal<Asked<ColumnAnswer>>;
  readonly filled: Signal<Filled | null>;
  readonly field: ReadonlySignal<Asked<ColumnAnswer>>;
}

/** The colours that the state asks for, and the field of arrows of its feature. */
export function makeColouring(atlas: Atlas, source: Source, state: Signal<State>): Colouring {
  const columns = keeping<ColumnAnswer>(KEPT_ANSWERS);
  const colour = computed(() => state.value.colour);
  const colourKey = computed(() => askedColour(colour.value));
  const askColumn = (key: string, asking: Asking) => columns(key, () => source.column(columnOf(key), null, asking));
  const shading = following(() => colourKey.value, askColumn);
  const filled = signal<Filled | null>(null);
  const shade = computed(() => {
    const more = filled.value;
    if (more !== null && more.key === colourKey.value) return valuesShade(colourName(atlas, colour.value), more.values);
    return shadeOf(atlas, colour.value, answerOf(shading.value));
  });
  const fieldKey = computed(() => fieldOf(state.value));
  const askField = (key: string, { signal: stop }: Asking, show: (part: ColumnAnswer) => void) =>
    columns(key, () => askByParts(source, key, someRows(atlas.head.nRows), stop, show));
  return { shade, shading, filled, field: following(() => fieldKey.value, askField) };
}

function columnOf(key: string): Column {
  return JSON.parse(key) as Column;
}

function fieldOf({ tab, feature }: State): string | null {
  return tab === "feature" && feature !== null ? JSON.stringify({ kind: "arrow", feature } satisfies Column) : null;
}

/** At most so many rows, always the same, in an order without meaning. */
function someRows(nRows: number): Int32Array {
  if (nRows <= FIELD_ROWS) return Int32Array.from({ length: nRows }, (_, row) => row);
  const chosen = new Set<number>();
  for (let i = 0; chosen.size < FIELD_ROWS; i++) chosen.add(hashed(0, i) % nRows);
  return Int32Array.from(chosen);
}

/** Asks for a column part by part, and shows what is known so far. */
async function askByParts(
  source: Source, key: string, rows: Int32Array, signal: AbortSignal | undefined, show: (part: ColumnAnswer) => void,
): Promise<ColumnAnswer> {
  let known: ColumnAnswer | null = null;
  for (let start = 0; start < rows.length; start += FIELD_ROWS_AT_ONCE) {
    const here = rows.slice(start, start + FIELD_ROWS_AT_ONCE);
    const part = await source.column(columnOf(key), here, signal ? { signal } : {});
    const values: number[] = known === null ? [] : [...known.values];
    known = { ...part, rows: rows.slice(0, start + here.length), values: Float64Array.from([...values, ...part.values]) };
    show(known);
  }
  return known!;
}

/** Answers by their keys; the oldest are forgotten. */
function keeping<A>(most: number): (key: string, ask: () => Promise<A>) => Promise<A> {
  const kept = new Map<string, A>();
  return async (key, ask) => {
    const answer = kept.get(key) ?? (await ask());
    kept.delete(key);
    kept.set(key, answer);
    if (kept.size > most) kept.delete(kept.keys().next().value!);
    return answer;
  };
}

function askedColour(colour: Colour): string | null {
  if (colour.by === "none" || colour.by === "column") return null;
  const what: Column = "feature" in colour ? { kind: colour.by, feature: colour.feature } : { kind: colour.by };
  return JSON.stringify(what);
}

export function colourName(atlas: Atlas, colour: Colour): string {
  if (colour.by === "none") return "nothing";
  if (colour.by === "column") return atlas.columns[colour.column].name;
  if ("feature" in colour) return NAMES_OF[colour.by] + featureName(atlas.head, colour.feature);
  return QUANTITY_NAMES[colour.by];
}

function shadeOf(atlas: Atlas, colour: Colour, answer: ColumnAnswer | null): Shade {
  const title = colourName(atlas, colour);
  if (colour.by === "none") return { kind: "plain" };
  if (colour.by === "column") {
    const column = atlas.columns[colour.column];
    if (column.categories === null) return valuesShade(title, Float64Array.from(column.values));
    return { kind: "categories", title, names: column.categories, codes: column.values };
  }
  if (answer === null) return { kind: "plain" };
  return valuesShade(title, spreadOut(answer.rows, answer.values, atlas.head.nRows));
}

/** What is painted: the regions while they are compared, else the colours. */
export function makePaint(
  nRows: number,
  shade: ReadonlySignal<Shade>,
  state: Signal<State>,
  theme: ReadonlySignal<Theme>,
  regions: ReadonlySignal<readonly Int32Array[] | null>,
): ReadonlySignal<Paint> {
  const off = computed(() => state.value.off);
  return computed(() => {
    const compared = regions.value;
    if (compared === null) return paintShade(shade.value, off.value, nRows, theme.value);
    return paintRegions(compared[0], compared[1] ?? new Int32Array(0), nRows, theme.value);
  });
}

function paintShade(shade: Shade, off: readonly number[], nRows: number, theme: Theme): Paint {
  const colours = coloursOf(shade, nRows, theme);
  const counts = (row: number) => {
    if (shade.kind === "categories") return !off.includes(shade.codes[row]);
    return shade.kind === "plain" || !Number.isNaN(shade.values[row]);
  };
  fade(colours, counts, theme);
  return { colours, order: drawingOrder(nRows, counts), counts };
}

function paintRegions(a: Int32Array, b: Int32Array, nRows: number, theme: Theme): Paint {
  const isIn = new Uint8Array(nRows);
  for (const rows of [a, b]) for (const row of rows) isIn[row] = 1;
  const order = drawingOrder(nRows, (row) => isIn[row] === 1);
  return { colours: regionColours(a, b, nRows, theme), order, counts: () => true };
}

interface Fillable extends Colouring {
  readonly atlas: Atlas;
  readonly source: Source;
  readonly state: Signal<State>;
}

/** Computes the colours of all rows, part by part, until that is done, stopped, or no longer wanted. */
export async function fillIn({ atlas, source, filled, shade, state }: Fillable): Promise<void> {
  const key = askedColour(state.value.colour);
  if (key === null || shade.value.kind !== "values") return;
  let values = shade.value.values;
  const wanted = drawingOrder(atlas.head.nRows).filter((row) => Number.isNaN(values[row]));
  let mine: Filled = { key, values, isGoingOn: true };
  filled.value = mine;
  try {
    for (let start = 0; start < wanted.length; start += ROWS_AT_ONCE) {
      const rows = Int32Array.from(wanted.subarray(start, start + ROWS_AT_ONCE));
      const answer = await source.column(columnOf(key), rows);
      if (filled.value !== mine || askedColour(state.value.colour) !== key) break;
      values = values.slice();
      rows.forEach((row, i) => (values[row] = answer.values[i]));
      filled.value = mine = { key, values, isGoingOn: true };
    }
  } finally {
    if (filled.value === mine) filled.value = { ...mine, isGoingOn: false };
  }
}

export function stopFilling({ filled }: Fillable): void {
  if (filled.value !== null) filled.value = { ...filled.value, isGoingOn: false };
}
