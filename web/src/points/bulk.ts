/** The view of a map at first: its bulk fills the picture, and points beyond are counted at the edge. */
import { toScreen, type Box, type Camera, type Place, type Size } from "./camera";

/** Places of all points, x and y in turn. */
export type Places = Float32Array;

const CENTRAL = [0.05, 0.95] as const; // quantiles between which the centre of the map lies
const FAR = 2; // points further from the centre than so many times its larger side are far
const WORTHWHILE = 0.7; // all points are shown if the view without far ones is not smaller than this part of the whole
const MOST_SORTED = 50_000; // points that quantiles are taken of
const APART = 0.35; // far points are counted together if their directions differ by less, in radians
const INSET = 14; // of a mark from the edge, in pixels

export function boxOf(places: Places, counts: (x: number, y: number) => boolean = () => true): Box {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; i += 2) {
    const x = places[i];
    const y = places[i + 1];
    if (!counts(x, y)) continue;
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  return left <= right ? { left, bottom, right, top } : { left: -1, bottom: -1, right: 1, top: 1 };
}

/** The box of the points that are shown at first: of all, or of all but a few that are far from the others. */
export function bulkOf(places: Places): Box {
  const whole = boxOf(places);
  const [left, right] = central(places, 0);
  const [bottom, top] = central(places, 1);
  const reach = FAR * Math.max(right - left, top - bottom);
  if (!(reach > 0)) return whole;
  const isNear = (x: number, y: number) =>
    x >= left - reach && x <= right + reach && y >= bottom - reach && y <= top + reach;
  const bulk = boxOf(places, isNear);
  return side(bulk) > WORTHWHILE * side(whole) ? whole : bulk;
}

/** The places of the points outside of a box. */
export function outside(places: Places, box: Box): Places {
  const found: number[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const [x, y] = [places[i], places[i + 1]];
    if (x < box.left || x > box.right || y < box.bottom || y > box.top) found.push(x, y);
  }
  return Float32Array.from(found);
}

function side(box: Box): number {
  return Math.max(box.right - box.left, box.top - box.bottom);
}

function central(places: Places, coordinate: 0 | 1): [number, number] {
  const step = Math.max(1, Math.floor(places.length / 2 / MOST_SORTED));
  const values = new Float32Array(Math.floor(places.length / 2 / step));
  for (let i = 0; i < values.length; i++) values[i] = places[2 * i * step + coordinate];
  values.sort();
  return [quantile(values, CENTRAL[0]), quantile(values, CENTRAL[1])];
}

function quantile(sorted: Float32Array, part: number): number {
  if (!sorted.length) return 0;
  const at = part * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** A mark at the edge of the picture: how many points lie beyond it in about that direction. */
export interface FarMark {
  readonly at: Place; // in pixels
  readonly angle: number; // where the points are, in radians, clockwise from the right as pixels go
  readonly count: number;
}

interface Beyond {
  readonly angle: number;
  readonly x: number;
  readonly y: number;
}

/** Marks for the points outside of the picture. */
export function farMarks(places: Places, camera: Camera, size: Size): FarMark[] {
  const groups = byDirection(beyondEdge(places, camera, size));
  return groups.map((group) => markOf(group, size));
}

function beyondEdge(places: Places, camera: Camera, size: Size): Beyond[] {
  const found: Beyond[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const [left, top] = toScreen(camera, size, places[i], places[i + 1]);
    const x = (2 * left) / size.width - 1;
    const y = (2 * top) / size.height - 1;
    if (Math.max(Math.abs(x), Math.abs(y)) > 1) found.push({ angle: Math.atan2(y, x), x, y });
  }
  return found;
}

/** Groups of directions. The circle is cut at its widest gap, so that no group is divided by the ends of the scale. */
function byDirection(offsets: Beyond[]): Beyond[][] {
  if (!offsets.length) return [];
  const sorted = [...offsets].sort((a, b) => a.angle - b.angle);
  const gap = (i: number) =>
    i > 0 ? sorted[i].angle - sorted[i - 1].angle : sorted[0].angle + 2 * Math.PI - sorted[sorted.length - 1].angle;
  let start = 0;
  for (let i = 1; i < sorted.length; i++) if (gap(i) > gap(start)) start = i;
  const groups: Beyond[][] = [];
  for (let step = 0; step < sorted.length; step++) {
    const i = (start + step) % sorted.length;
    if (step === 0 || gap(i) >= APART) groups.push([]);
    groups[groups.length - 1].push(sorted[i]);
  }
  return groups;
}

function markOf(group: Beyond[], size: Size): FarMark {
  const x = group.reduce((sum, each) => sum + each.x, 0);
  const y = group.reduce((sum, each) => sum + each.y, 0);
  const longest = Math.max(Math.abs(x), Math.abs(y)) || 1;
  const at: Place = [
    size.width / 2 + (x / longest) * (size.width / 2 - INSET),
    size.height / 2 + (y / longest) * (size.height / 2 - INSET),
  ];
  return { at, angle: Math.atan2(y * size.height, x * size.width), count: group.length };
}
