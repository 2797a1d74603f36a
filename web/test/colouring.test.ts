import { signal } from "@preact/signals";
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Atlas } from "../src/atlas";
import { fillIn, makeColouring, stopFilling } from "../src/colouring";
import type { Source } from "../src/source";
import { firstState } from "../src/state";

const N_ROWS = 700;
const N_SAMPLED = 300;

/** A page that is coloured by fidelity, of which some rows are known at first. `more` answers for the others. */
async function coloured(more: () => Promise<number>) {
  const rows = Int32Array.from({ length: N_SAMPLED }, (_, row) => row);
  const source = {
    column: async (_: unknown, asked: Int32Array | null) => {
      if (!asked) return { rows, values: new Float64Array(N_SAMPLED), width: 1 };
      return { rows: asked, values: new Float64Array(asked.length).fill(await more()), width: 1 };
    },
  } as unknown as Source;
  const atlas = { head: { nRows: N_ROWS }, columns: [] } as unknown as Atlas;
  const limits = { nRows: N_ROWS, nFeatures: 1, nMaps: 1, categories: [] };
  const state = signal({ ...firstState(limits), colour: { by: "fidelity" as const } });
  const page = { atlas, source, state, ...makeColouring(atlas, source, state) };
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(page.shade.value.kind, "values");
  return page;
}

function nKnown({ shade }: Awaited<ReturnType<typeof coloured>>): number {
  return shade.value.kind === "values" ? shade.value.nKnown : 0;
}

test("the other rows are filled in", async () => {
  const page = await coloured(async () => 1);
  assert.equal(nKnown(page), N_SAMPLED);
  await fillIn(page);
  assert.equal(nKnown(page), N_ROWS);
  assert.equal(page.filled.value!.isGoingOn, false);
});

test("a question that fails ends the filling in, and can be asked again", async () => {
  let nAsked = 0;
  const page = await coloured(async () => {
    if (++nAsked === 2) throw new Error("The server does not answer.");
    return 1;
  });
  await assert.rejects(fillIn(page), /does not answer/);
  assert.equal(page.filled.value!.isGoingOn, false);
  assert.equal(nKnown(page), N_SAMPLED + 200);
  await fillIn(page);
  assert.equal(nKnown(page), N_ROWS);
});

test("whoever stops it keeps what is known", async () => {
  let nAsked = 0;
  const page = await coloured(async () => {
    if (++nAsked === 2) stopFilling(page);
    return 1;
  });
  await fillIn(page);
  assert.equal(page.filled.value!.isGoingOn, false);
  assert.equal(nKnown(page), N_SAMPLED + 200);
});
