/** Colours of points: by category, by value, or by the regions that are compared. */
import { categoryColour, faint, missing, pack, plain, sequentialTable, type Theme } from "./palette";

/** What every row is coloured by. */
export type Shade =
  | { readonly kind: "plain" }
  | { readonly kind: "categories"; readonly title: string; readonly names: readonly string[]; readonly codes: ArrayLike<number> }
  | Values;

export interface Values {
  readonly kind: "values";
  readonly title: string;
  readonly values: Float64Array; // of every row, NaN where there is none
  readonly low: number;
  readonly high: number;
  readonly nKnown: number;
}

const STEPS = 256;
const ENDS = [0.01, 0.99] as const; // quantiles that the scale of colours runs between
const MOST_SORTED = 100_000;
export const REGION_COLOUR = {
  light: { a: "#d55e00", b: "#0072b2" },
  dark: { a: "#ed732a", b: "#4699ca" },
} as const;

export function valuesShade(title: string, values: Float64Array): Values {
  const step = Math.max(1, Math.floor(values.length / MOST_SORTED));
  const known = values.filter((value, i) => i % step === 0 && Number.isFinite(value)).sort();
  const at = (part: number) => known[Math.round(part * (known.length - 1))] ?? 0;
  let [low, high] = [at(ENDS[0]), at(ENDS[1])];
  // Most values of a rare feature are equal. Then the whole range is shown.
  if (low === high) [low, high] = [at(0), at(1)];
  let nKnown = 0;
  for (const value of values) if (Number.isFinite(value)) nKnown++;
  return { kind: "values", title, values, low, high, nKnown };
}

/** Values of some rows as values of all: NaN for the others. */
export function spreadOut(rows: Int32Array | null, values: Float64Array, nRows: number): Float64Array {
  if (rows === null) return values;
  const all = new Float64Array(nRows).fill(NaN);
  for (let i = 0; i < rows.length; i++) all[rows[i]] = values[i];
  return all;
}

export function coloursOf(shade: Shade, nRows: number, theme: Theme): Uint32Array {
  const colours = new Uint32Array(nRows);
  if (shade.kind === "plain") return colours.fill(pack(plain(theme)));
  if (shade.kind === "values") return valueColours(shade, colours, theme);
  const table = shade.names.map((_, category) => pack(categoryColour(category, theme)));
  const none = pack(missing(theme));
  for (let row = 0; row < nRows; row++) colours[row] = table[shade.codes[row]] ?? none;
  return colours;
}

function valueColours(shade: Values, colours: Uint32Array, theme: Theme): Uint32Array {
  const table = sequentialTable(STEPS, theme);
  const none = pack(missing(theme));
  const factor = (STEPS - 1) / (shade.high - shade.low || 1);
  for (let row = 0; row < colours.length; row++) {
    const value = shade.values[row];
    const step = Math.round((value - shade.low) * factor);
    colours[row] = Number.isNaN(value) ? none : table[Math.max(0, Math.min(STEPS - 1, step))];
  }
  return colours;
}

/** The colours of two regions; all other rows are faint. */
export function regionColours(a: Int32Array, b: Int32Array, nRows: number, theme: Theme): Uint32Array {
  const colours = new Uint32Array(nRows).fill(pack(faint(theme)));
  for (const row of b) colours[row] = pack(REGION_COLOUR[theme].b);
  for (const row of a) colours[row] = pack(REGION_COLOUR[theme].a);
  return colours;
}

/** Makes the rows faint that do not count. */
export function fade(colours: Uint32Array, counts: (row: number) => boolean, theme: Theme): void {
  const colour = pack(faint(theme));
  for (let row = 0; row < colours.length; row++) if (!counts(row)) colours[row] = colour;
}
