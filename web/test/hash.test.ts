import assert from "node:assert/strict";
import test from "node:test";

import { hashed, sampled } from "../src/core/hash";

test("hashes are those of Python, which never change", () => {
  assert.deepEqual([0, 1, 2, 3].map((i) => hashed(0, i)), [2926543089, 2692512407, 242732726, 2115752334]);
  assert.equal(hashed(7, 70_000), 1785657897);
  assert.deepEqual([...sampled(Int32Array.from({ length: 100 }, (_, i) => i), 5, 0)], [2, 15, 73, 85, 96]);
});
