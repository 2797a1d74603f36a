/** The rows of a selection, and how a selection is called. */
import { rowName, rowsOf, type Atlas } from "./atlas";
import { rowsWithin } from "./points/lasso";
import type { Selection } from "./state";
import { count } from "./words";

export function rowsOfSelection(atlas: Atlas, selection: Selection): Int32Array {
  if (selection.kind === "lasso") return Int32Array.from(rowsWithin(selection.polygon, atlas.maps[selection.map].places));
  if (selection.kind === "category") return rowsOf(atlas.columns[selection.column], selection.category);
  return Int32Array.from(selection.rows);
}

/** Rows of the second that are not in the first: a row counts once. */
export function without(second: Int32Array, first: Int32Array): Int32Array {
  const taken = new Set(first);
  return second.filter((row) => !taken.has(row));
}

export function selectionName(atlas: Atlas, selection: Selection): string {
  if (selection.kind === "category") {
    const column = atlas.columns[selection.column];
    return `${column.name} ${column.categories?.[selection.category] ?? ""}`;
  }
  if (selection.kind === "lasso") return atlas.maps.length > 1 ? `drawn on ${atlas.maps[selection.map].name}` : "drawn";
  return selection.rows.length === 1 ? rowName(atlas.head, selection.rows[0]) : "rows by number";
}

export interface Share {
  readonly name: string;
  readonly category: number;
  readonly count: number;
}

/** How many rows of each category a group has, the largest first. */
export function composition(atlas: Atlas, column: number, rows: Int32Array): Share[] {
  const { categories, values } = atlas.columns[column];
  const counts = new Float64Array(categories?.length ?? 0);
  for (const row of rows) if (values[row] < counts.length) counts[values[row]]++;
  return [...counts]
    .map((number, category) => ({ name: categories![category], category, count: number }))
    .filter((share) => share.count > 0)
    .sort((a, b) => b.count - a.count);
}

export function compositionText(shares: readonly Share[], nRows: number, most = 3): string {
  const named = shares.slice(0, most).map((share) => `${share.name}: ${percent(share.count, nRows)}`);
  const rest = shares.length - named.length;
  return named.join(", ") + (rest > 0 ? ` and ${count(rest)} more` : "");
}

function percent(part: number, whole: number): string {
  const value = (100 * part) / whole;
  return value > 0 && value < 1 ? "under 1 %" : value < 100 && value > 99 ? "over 99 %" : `${value.toFixed(0)} %`;
}
