import assert from "node:assert/strict";
import { test } from "node:test";

import { gathering } from "../src/gathering";
import type { Source } from "../src/source";
import { packed, unpacked } from "../src/wire";

// The same bytes are in tests/test_explorer_wire.py.
const SAME = { kind: "abc", rows: Int32Array.of(1, -2), x: NaN, y: [null, Float64Array.of(0.5)] };
const BYTES =
  "760000007b2276616c7565223a7b226b696e64223a22616263222c22726f7773223a7b226172726179223a307d2c2278223a7b226e756d62" +
  "6572223a224e614e227d2c2279223a5b6e756c6c2c7b226172726179223a317d5d7d2c22617272617973223a5b5b22693332222c325d2c5b" +
  "22663634222c315d5d7d00000000000001000000feffffff000000000000e03f";

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g)!, (pair) => parseInt(pair, 16));
}

test("the bytes are those of Python", () => {
  assert.equal(Array.from(packed(SAME), (byte) => byte.toString(16).padStart(2, "0")).join(""), BYTES);
  assert.deepEqual(unpacked(fromHex(BYTES)), SAME);
});

test("bytes that begin anywhere in a buffer are read", () => {
  const bytes = fromHex(`ffffff${BYTES}`);
  assert.deepEqual(unpacked(bytes.subarray(3)), SAME);
});

test("looks at rows are gathered and shared out again", async () => {
  const asked: number[][] = [];
  const source = {
    values: async (rows: Int32Array) => {
      asked.push(Array.from(rows));
      return Float64Array.from([...rows].flatMap((row) => [row, 10 * row]));
    },
  } as unknown as Source;
  const gathered = gathering(source);
  const found = await Promise.all([[1], [2, 3], [4]].map((rows) => gathered.values(Int32Array.from(rows))));
  assert.deepEqual(asked, [[1, 2, 3, 4]]);
  assert.deepEqual(found.map((values) => Array.from(values)), [[1, 10], [2, 20, 3, 30], [4, 40]]);
});
