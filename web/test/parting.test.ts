import assert from "node:assert/strict";
import { test } from "node:test";

import { sampled } from "../src/core/hash";
import { parting } from "../src/parting";
import type { Column, ColumnAnswer, Source } from "../src/source";

const N_ROWS = 5000;

/** A source whose values are the numbers of rows, and how many rows it was asked for each time. */
function counting(): { source: Source; sizes: (number | null)[] } {
  const sizes: (number | null)[] = [];
  const column = async (_: Column, rows?: Int32Array | null): Promise<ColumnAnswer> => {
    sizes.push(rows?.length ?? null);
    return { rows: rows ?? null, values: Float64Array.from(rows ?? []), width: 1 };
  };
  return { source: { column } as unknown as Source, sizes };
}

test("a long column comes in parts, with what is done, and is the sample of a file", async () => {
  const { source, sizes } = counting();
  const told: number[] = [];
  const answer = await parting(source, N_ROWS).column({ kind: "fidelity" }, null, { progress: (done) => told.push(done) });
  const all = Int32Array.from({ length: N_ROWS }, (_, row) => row);
  assert.deepEqual(answer.rows, sampled(all, 300, 0));
  assert.deepEqual(Int32Array.from(answer.values), answer.rows);
  assert.deepEqual(sizes, [50, 50, 50, 50, 50, 50]);
  assert.deepEqual(told.map((done) => done.toFixed(2)), ["0.17", "0.33", "0.50", "0.67", "0.83", "1.00"]);
});

test("a column of all rows says so", async () => {
  const { source, sizes } = counting();
  const answer = await parting(source, 45_000).column({ kind: "kept" });
  assert.equal(answer.rows, null);
  assert.equal(answer.values.length, 45_000);
  assert.deepEqual(sizes, [20_000, 20_000, 5000]);
});

test("what is only looked up, and rows that were named, are asked for at once", async () => {
  const { source, sizes } = counting();
  await parting(source, N_ROWS).column({ kind: "feature", feature: 0 });
  await parting(source, N_ROWS).column({ kind: "fidelity" }, Int32Array.of(1, 2));
  assert.deepEqual(sizes, [null, 2]);
});

test("nothing is asked after the question was taken back", async () => {
  const { source, sizes } = counting();
  const control = new AbortController();
  const asking = { signal: control.signal, progress: () => control.abort() };
  await assert.rejects(parting(source, N_ROWS).column({ kind: "fidelity" }, null, asking), { name: "AbortError" });
  assert.deepEqual(sizes, [50]);
});
