/** Which points lie within a drawn line: the even-odd rule, edge by edge as matplotlib's Path.contains_points has it. */
import type { Places } from "./bulk";

/** Corners of a closed line, x and y in turn. */
export type Polygon = readonly number[];

const DIGITS = 7; // of a corner, so that a link and a line of Python have the polygon of the screen

export function rounded(polygon: Polygon): number[] {
  return polygon.map((value) => Number(value.toPrecision(DIGITS)));
}

export function contains(polygon: Polygon, x: number, y: number): boolean {
  const n = polygon.length;
  let inside = false;
  let [x0, y0] = [polygon[n - 2], polygon[n - 1]];
  let above = y0 >= y;
  for (let i = 0; i < n; i += 2) {
    const x1 = polygon[i];
    const y1 = polygon[i + 1];
    const isAbove = y1 >= y;
    if (isAbove !== above && (y1 - y) * (x0 - x1) >= (x1 - x) * (y0 - y1) === isAbove) inside = !inside;
    [x0, y0, above] = [x1, y1, isAbove];
  }
  return inside;
}

/** The rows within a polygon, in rising order. Fewer than three corners hold nothing. */
export function rowsWithin(polygon: Polygon, places: Places): Uint32Array {
  const found: number[] = [];
  if (polygon.length < 6) return new Uint32Array(0);
  const [left, right] = range(polygon, 0);
  const [bottom, top] = range(polygon, 1);
  for (let row = 0; 2 * row < places.length; row++) {
    const x = places[2 * row];
    const y = places[2 * row + 1];
    if (x < left || x > right || y < bottom || y > top) continue;
    if (contains(polygon, x, y)) found.push(row);
  }
  return Uint32Array.from(found);
}

function range(polygon: Polygon, coordinate: 0 | 1): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = coordinate; i < polygon.length; i += 2) {
    low = Math.min(low, polygon[i]);
    high = Math.max(high, polygon[i]);
  }
  return [low, high];
}
