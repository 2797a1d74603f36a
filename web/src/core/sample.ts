/** Which rows have a value at first, of what a map can be coloured by. */

import type { Column } from "../source";
import { sampled } from "./hash";

/** How many rows stand for all where each takes long, by what each takes; they are drawn with this seed. */
const SAMPLED: Partial<Record<Column["kind"], number>> = {
  importance: 2000,
  explained: 2000,
  false: 2000,
  arrow: 300,
  fidelity: 300,
};
const SEED = 0;

export function takesLong(kind: Column["kind"]): boolean {
  return kind in SAMPLED;
}

/** All rows, or a sample where each takes long. */
export function rowsFor(kind: Column["kind"], nRows: number): Int32Array {
  const all = Int32Array.from({ length: nRows }, (_, row) => row);
  return sampled(all, SAMPLED[kind] ?? nRows, SEED);
}
