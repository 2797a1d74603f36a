import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { bulkOf, boxOf, farMarks } from "../src/points/bulk";
import { fitted, panned, seen, toMap, toScreen, zoomed } from "../src/points/camera";
import { gridOf, nearestRow, rowTowards } from "../src/points/grid";
import { densestPlace, overlap, placeLabels, type Wish } from "../src/points/labels";
import { contains, rounded, rowsWithin } from "../src/points/lasso";
import { diameterFor, drawingOrder, mixed, painted, splat, stampOf, stepFor } from "../src/points/splat";

const SIZE = { width: 200, height: 100 };

/** Numbers between 0 and 1, always the same. */
function uniform(seed: number): () => number {
  let value = seed;
  return () => (value = (Math.imul(value, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function cloud(n: number, seed = 1): Float32Array {
  const next = uniform(seed);
  return Float32Array.from({ length: 2 * n }, () => next() + next() + next());
}

test("the map and the screen are inverse to each other, and y grows upwards", () => {
  const camera = { x: 3, y: -2, scale: 7 };
  const [left, top] = toScreen(camera, SIZE, 4, -1);
  assert.deepEqual([left, top], [107, 43]);
  assert.deepEqual(toMap(camera, SIZE, left, top), [4, -1]);
});

test("a drag keeps the place under the pointer, and so does the wheel", () => {
  const camera = { x: 3, y: -2, scale: 7 };
  assert.deepEqual(toMap(panned(camera, 14, -7), SIZE, 114, 43), toMap(camera, SIZE, 100, 50));
  const near = toMap(zoomed(camera, SIZE, 2, 30, 80), SIZE, 30, 80);
  const before = toMap(camera, SIZE, 30, 80);
  assert.ok(Math.hypot(near[0] - before[0], near[1] - before[1]) < 1e-12);
});

test("the first view shows the whole box with a margin", () => {
  const view = seen(fitted({ left: 0, bottom: 0, right: 10, top: 1 }, SIZE), SIZE);
  assert.ok(view.left < 0 && view.right > 10 && view.bottom < 0 && view.top > 1);
});

test("a far point does not shrink the map; it is marked at the edge", () => {
  const places = cloud(1000);
  const whole = boxOf(places);
  places.set([500, 1.5], 0);
  const bulk = bulkOf(places);
  assert.ok(bulk.right <= whole.right + 1e-6);
  const marks = farMarks(places, fitted(bulk, SIZE), SIZE);
  assert.equal(marks.length, 1);
  assert.equal(marks[0].count, 1);
  assert.ok(marks[0].at[0] > 180 && Math.abs(marks[0].angle) < 0.3);
});

test("a map without far points is shown whole", () => {
  const places = cloud(1000);
  assert.deepEqual(bulkOf(places), boxOf(places));
  assert.deepEqual(farMarks(places, fitted(boxOf(places), SIZE), SIZE), []);
});

test("the point under the pointer is the nearest of all", () => {
  const places = cloud(3000);
  places.set([40, 40], 10);
  const grid = gridOf(places);
  const next = uniform(9);
  for (let trial = 0; trial < 300; trial++) {
    const [x, y] = [3.2 * next() - 0.1, 3.2 * next() - 0.1];
    assert.equal(nearestRow(grid, x, y, 0.2), nearestOfAll(places, x, y, 0.2));
  }
  assert.equal(nearestRow(grid, 41, 40, 2), 5);
  assert.equal(nearestRow(grid, 41, 40, 0.5), null);
  assert.notEqual(nearestRow(grid, places[0], places[1], 1, (row) => row !== 0), 0);
});

function nearestOfAll(places: Float32Array, x: number, y: number, reach: number): number | null {
  let [best, least]: [number | null, number] = [null, reach * reach];
  for (let row = 0; row < places.length / 2; row++) {
    const distance = (places[2 * row] - x) ** 2 + (places[2 * row + 1] - y) ** 2;
    if (distance < least) [best, least] = [row, distance];
  }
  return best;
}

test("a step leads to a point in its direction", () => {
  const places = Float32Array.from([0, 0, 1, 0.1, 0, 1, -1, 0, 0.2, -1]);
  const grid = gridOf(places);
  const steps = [[1, 0], [0, 1], [-1, 0], [0, -1]].map(([right, up]) => rowTowards(grid, 0, right, up));
  assert.deepEqual(steps, [1, 2, 3, 4]);
  assert.equal(rowTowards(grid, 1, 1, 0), null);
});

test("a line holds the points that matplotlib's Path.contains_points finds", () => {
  const cases = JSON.parse(readFileSync("test/lassos.json", "utf8")) as { polygon: number[]; places: number[]; rows: number[] }[];
  assert.ok(cases.length >= 20);
  for (const { polygon, places, rows } of cases) {
    assert.deepEqual([...rowsWithin(polygon, Float32Array.from(places))], rows);
  }
});

test("where a line crosses itself, the even-odd rule counts", () => {
  const star = [0, 3, 2, -3, -3, 1, 3, 1, -2, -3];
  assert.equal(contains(star, 0, 0), false);
  assert.equal(contains(star, 0, 2), true);
  assert.deepEqual([...rowsWithin([0, 0, 1, 1], Float32Array.from([0.5, 0.5]))], []);
  assert.deepEqual(rounded([1 / 3, 123456789]), [0.3333333, 123456800]);
});

test("stamps are discs", () => {
  assert.deepEqual([...stampOf(1).cover], [256]);
  assert.deepEqual([...stampOf(2).cover], [256, 256, 256, 256]);
  const { side, cover } = stampOf(5);
  assert.equal(side, 5);
  assert.equal(cover[12], 256);
  assert.ok(cover[0] < 64);
  const area = cover.reduce((sum, part) => sum + part / 256, 0);
  assert.ok(Math.abs(area - (Math.PI * 25) / 4) < 0.5);
});

test("points are drawn where they are, later ones above earlier ones", () => {
  const pixels = new Uint32Array(200 * 100);
  const places = Float32Array.from([0, 0, 0, 0, 50, 25, 1e6, 0]);
  const colours = Uint32Array.from([0xff0000ff, 0xff00ff00, 0xffff0000, 0xffffffff]);
  splat(pixels, SIZE, { x: 0, y: 0, scale: 1 }, painted(places, colours, Uint32Array.from([0, 1, 2, 3])), stampOf(1));
  assert.equal(pixels[50 * 200 + 100], 0xff00ff00);
  assert.equal(pixels[25 * 200 + 150], 0xffff0000);
  assert.equal(pixels.filter((pixel) => pixel !== 0).length, 2);
});

test("the colour 0 leaves a point out, and the step draws every so many", () => {
  const pixels = new Uint32Array(200 * 100);
  const places = Float32Array.from({ length: 20 }, (_, i) => (i % 2 ? 0 : i));
  const colours = new Uint32Array(10).fill(0xff112233);
  colours[0] = 0;
  splat(pixels, SIZE, { x: 0, y: 0, scale: 1 }, painted(places, colours, drawingOrder(10)), stampOf(1));
  assert.equal(pixels.filter((pixel) => pixel !== 0).length, 9);
  pixels.fill(0);
  colours[0] = 1;
  splat(pixels, SIZE, { x: 0, y: 0, scale: 1 }, painted(places, colours, drawingOrder(10)), stampOf(1), 2);
  assert.equal(pixels.filter((pixel) => pixel !== 0).length, 5);
});

test("colours mix channel by channel", () => {
  assert.equal(mixed(0xff000000, 0xffffffff, 128), 0xff7f7f7f);
  assert.equal(mixed(0xff204060, 0xffa0c0e0, 0), 0xff204060);
});

test("rows are drawn in an order without meaning, those in front last", () => {
  const order = drawingOrder(1000, (row) => row < 300);
  assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: 1000 }, (_, i) => i));
  assert.ok(order.subarray(700).every((row) => row < 300));
  assert.notDeepEqual([...order.subarray(700)], Array.from({ length: 300 }, (_, i) => i));
});

test("a moving map draws at most 300,000 points, a still one all", () => {
  assert.equal(stepFor(70_000, true), 1);
  assert.ok(1_000_000 / stepFor(1_000_000, true) <= 300_000);
  assert.equal(stepFor(1_000_000, false), 1);
  assert.ok(diameterFor(500, 1, 1) > diameterFor(1_000_000, 1, 1));
});

test("a name is at the densest place of its group", () => {
  const places = cloud(500);
  const far = Float32Array.from({ length: 200 }, (_, i) => 10 + i / 100);
  const both = Float32Array.from([...places, ...far]);
  const [x, y] = densestPlace(both, Array.from({ length: 600 }, (_, i) => i));
  assert.ok(Math.hypot(x - 1.5, y - 1.5) < 0.8, `${x}, ${y}`);
});

test("names do not overlap, and stay within the picture", () => {
  const wishes: Wish[] = Array.from({ length: 8 }, (_, i) => ({
    text: String(i), anchor: [100 + i, 50] as const, width: 40, height: 14,
  }));
  const placed = placeLabels(wishes, SIZE);
  assert.ok(placed.length >= 5);
  const boxes = placed.map(({ wish, at }) => ({ x: at[0], y: at[1], width: wish.width, height: wish.height }));
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b))));
  boxes.forEach((box) => assert.ok(box.x >= 20 && box.x <= 180 && box.y >= 7 && box.y <= 93));
  assert.equal(placeLabels([{ text: "", anchor: [-1, 50], width: 10, height: 10 }], SIZE).length, 0);
});
