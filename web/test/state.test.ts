import assert from "node:assert/strict";
import { test } from "node:test";

import { csvCell, csvOf, fileName, rowsText, xml, xmlText } from "../src/export";
import { categoryColour, diverging, inkOn, pack, sequential, sequentialTable } from "../src/palette";
import { firstState, hashOf, stateOf, type State } from "../src/state";
import { count, direction, number } from "../src/words";

const LIMITS = { nRows: 100, nFeatures: 10, nMaps: 2, categories: [3, null] };

const FULL: State = {
  tab: "region",
  colour: { by: "importance", feature: 7 },
  row: 42,
  feature: 3,
  a: { kind: "lasso", map: 1, polygon: [0, 0, 1.5, 0, 1, -2.25] },
  b: { kind: "category", column: 0, category: 2 },
  off: [0, 2],
  camera: { x: 1.5, y: -2, scale: 30 },
  beside: 1,
  theme: "dark",
};

test("a link restores the state", () => {
  assert.deepEqual(stateOf("#" + hashOf(FULL, LIMITS), LIMITS), FULL);
  const rows: State = { ...FULL, b: { kind: "rows", rows: [1, 5, 99] }, colour: { by: "kept" } };
  assert.deepEqual(stateOf(hashOf(rows, LIMITS), LIMITS), rows);
});

test("the first state has an empty link", () => {
  assert.equal(hashOf(firstState(LIMITS), LIMITS), "");
  assert.deepEqual(stateOf("", LIMITS), firstState(LIMITS));
});

test("what a link says that is not there is left out", () => {
  const wrong = "tab=x&colour=feature:10&row=100&feature=-1&a=lasso:0:1,2,3&b=category:1:0&off=7,1,zz&camera=1,2,0&beside=2";
  assert.deepEqual(stateOf(wrong, LIMITS), { ...firstState(LIMITS), off: [1] });
  for (const hostile of ["row=1e1", "row=0x1", "row=<b>", "a=rows:", "a=lasso:0:NaN,1,2,3,4,5", "colour=__proto__"]) {
    assert.deepEqual(stateOf(hostile, LIMITS), firstState(LIMITS), hostile);
  }
});

test("spreadsheets do not compute text", () => {
  for (const text of ["=1+1", "+1", "-1", "@A1", "\t=1", " =1", "\r=1"]) assert.ok(/^"?'/.test(csvCell(text)), text);
  assert.equal(csvCell(-1.5), "-1.5");
  assert.equal(csvCell('a "b", c'), '"a ""b"", c"');
  assert.equal(csvCell(NaN), "");
  assert.equal(csvOf({ title: "", header: ["a", "=b"], lines: [[1, "x"]] }), "a,'=b\r\n1,x\r\n");
});

test("text is text in XML", () => {
  assert.equal(xmlText(`<b a="1">&'\u0000\ud800x`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;x");
  assert.equal(xmlText("\u{1f600}"), "\u{1f600}");
  assert.equal(xml("text", { x: 1, id: '"' }, "a"), '<text x="1" id="&quot;">a</text>');
  assert.equal(rowsText([3, 4]), "3\n4\n");
  assert.equal(fileName("../a b<c>", "csv"), "a_b_c.csv");
  assert.equal(fileName("///", "csv"), "featmap.csv");
});

test("numbers are written as the library writes them", () => {
  const cases: [number, number, string][] = [
    [1940.4, 0, "1,940"], [17.44, 0, "17.4"], [0.01234, 0, "0.0123"], [1e-9, 1, "0.00"], [-0.001, 1, "0.00"],
    [1234567, 0, "1,234,567"], [2.5e9, 0, "2.50e+09"], [3e-7, 0, "3.00e-07"], [0, 1, "0"], [-12.3456, 0.5, "-12.35"],
  ];
  for (const [value, spread, written] of cases) assert.equal(number(value, spread), written);
  assert.equal(count(70000), "70,000");
});

test("directions are those of the compass", () => {
  assert.equal(direction([1, 0]), "to the right");
  assert.equal(direction([0, -1]), "downwards");
  assert.equal(direction([-1, -0.01]), "to the left");
  assert.equal(direction([1, -1]), "to the lower right");
});

test("forty categories have forty colours in both themes", () => {
  for (const theme of ["light", "dark"] as const) {
    const colours = Array.from({ length: 40 }, (_, i) => categoryColour(i, theme));
    assert.equal(new Set(colours).size, 40);
    assert.ok(colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)));
    assert.equal(sequentialTable(16, theme).length, 16);
  }
  assert.equal(pack("#010203"), 0xff030201);
  assert.equal(diverging(0, "light"), "#ffffff");
  assert.equal(sequential(0, "light"), "#440154");
  assert.equal(inkOn("#ffffff"), "#111111");
});

test("beyond the plane a direction is the axis along which an arrow is longest", () => {
  assert.equal(direction([0.5, -0.2, -2]), "down axis 3");
  assert.equal(direction(Float64Array.of(3, 1, 2)), "up axis 1");
  assert.equal(direction([-1]), "to the left");
  assert.equal(direction([1]), "to the right");
});
