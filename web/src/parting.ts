/**
 * Asks Python for a long column part by part, as the worker of a file computes it: the page is told how much is done,
 * and whoever stops it, or clicks a point meanwhile, waits for one part at most.
 */

import { rowsFor, takesLong } from "./core/sample";
import type { Asking, Column, ColumnAnswer, Source } from "./source";

const SLOW_ROWS_AT_ONCE = 50;
const ROWS_AT_ONCE = 20_000;
const AT_ONCE: readonly Column["kind"][] = ["feature", "dimension", "densityOfData"]; // which are only looked up

export function parting(source: Source, nRows: number): Source {
  const column = async (what: Column, given?: Int32Array | null, asking: Asking = {}): Promise<ColumnAnswer> => {
    if (given || AT_ONCE.includes(what.kind)) return source.column(what, given, asking);
    const rows = rowsFor(what.kind, nRows);
    const size = takesLong(what.kind) ? SLOW_ROWS_AT_ONCE : ROWS_AT_ONCE;
    const values: number[] = [];
    let width = 1;
    for (let start = 0; start < rows.length; start += size) {
      asking.signal?.throwIfAborted();
      const part = await source.column(what, rows.slice(start, start + size), asking);
      for (const value of part.values) values.push(value);
      width = part.width;
      asking.progress?.(Math.min(1, (start + size) / rows.length));
    }
    return { rows: rows.length === nRows ? null : rows, values: Float64Array.from(values), width };
  };
  return { ...source, column };
}
