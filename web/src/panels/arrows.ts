/** Arrows on the map: those of the features that change around a point, and the field of one feature. */
import type { Atlas, MapOfRows } from "../atlas";
import type { Trust } from "../record";
import type { ColumnAnswer, PointAnswer } from "../source";
import { arrowOf, type Features } from "../words";

export const MOST_ARROWS = 5;
const FAINTEST = 0.25;
const SOLID = 0.5; // arrows of features of which the map shows half or more are solid
const CELLS = 20; // of the field, along the longer side of the map
export const HARDLY = 0.12; // arrows of a smaller part of the longest are not worth a word

/** An arrow from the pinned point: its length is 1 for the longest. y grows upwards. */
export interface PointArrow {
  readonly feature: number;
  readonly x: number;
  readonly y: number;
  readonly opacity: number;
}

/** How solid an arrow is. On a map whose arrows are poor all are as faint as can be. */
export function opacityOf(explained: number, trust: Trust): number {
  if (trust.word === "poor") return FAINTEST;
  return FAINTEST + (1 - FAINTEST) * Math.max(0, Math.min(1, explained / SOLID));
}

/** Arrows of the features that the map shows best here, measured in spreads of each feature. */
export function arrowsOfPoint(answer: PointAnswer, features: Features, trust: Trust): PointArrow[] {
  const arrows = [...answer.changes.subarray(0, MOST_ARROWS)].map((feature) => {
    const [x, y] = arrowOf(answer, feature, features.nComponents);
    const unit = features.spread[feature] || 1;
    return { feature, x: x / unit, y: y / unit, opacity: opacityOf(answer.explained[feature], trust) };
  });
  const longest = Math.max(...arrows.map(({ x, y }) => Math.hypot(x, y)), 1e-300);
  return arrows.map((arrow) => ({ ...arrow, x: arrow.x / longest, y: arrow.y / longest }));
}

/** An arrow of the field, at a place of the map. The longest ones have length 1. */
export interface FieldArrow {
  readonly place: readonly [number, number];
  readonly x: number;
  readonly y: number;
  readonly nRows: number;
}

/** The mean arrow of a feature in every cell of the map, where it is worth drawing. */
export function fieldOf(atlas: Atlas, map: MapOfRows, answer: ColumnAnswer): FieldArrow[] {
  const { home } = map;
  const cell = Math.max(home.right - home.left, home.top - home.bottom) / CELLS || 1;
  const cells = new Map<string, { x: number; y: number; right: number; up: number; n: number }>();
  const nRows = answer.rows?.length ?? atlas.head.nRows;
  for (let i = 0; i < nRows; i++) {
    const row = answer.rows?.[i] ?? i;
    const [x, y] = [map.places[2 * row], map.places[2 * row + 1]];
    const [right, up] = [answer.values[i * answer.width], answer.width > 1 ? answer.values[i * answer.width + 1] : 0];
    if (!Number.isFinite(right) || !Number.isFinite(up)) continue;
    const key = `${Math.floor(x / cell)},${Math.floor(y / cell)}`;
    const sum = cells.get(key) ?? { x: 0, y: 0, right: 0, up: 0, n: 0 };
    cells.set(key, { x: sum.x + x, y: sum.y + y, right: sum.right + right, up: sum.up + up, n: sum.n + 1 });
  }
  return inUnits([...cells.values()]);
}

function inUnits(sums: { x: number; y: number; right: number; up: number; n: number }[]): FieldArrow[] {
  const lengths = sums.map((sum) => Math.hypot(sum.right, sum.up) / sum.n).sort((a, b) => a - b);
  const longest = lengths[Math.floor(0.95 * (lengths.length - 1))] || 1;
  const arrows = sums.map((sum) => {
    const [right, up] = [sum.right / sum.n / longest, sum.up / sum.n / longest];
    const cut = Math.max(1, Math.hypot(right, up));
    return { place: [sum.x / sum.n, sum.y / sum.n] as const, x: right / cut, y: up / cut, nRows: sum.n };
  });
  return arrows.filter(({ x, y }) => Math.hypot(x, y) >= HARDLY);
}

/** The mean arrow of some rows; null if none of them is known. */
export function meanArrow(answer: ColumnAnswer, counts: (row: number) => boolean): [number, number] | null {
  let [x, y, n] = [0, 0, 0];
  for (let i = 0; i * answer.width < answer.values.length; i++) {
    const [right, up] = [answer.values[i * answer.width], answer.width > 1 ? answer.values[i * answer.width + 1] : 0];
    if (!counts(answer.rows?.[i] ?? i) || !Number.isFinite(right + up)) continue;
    [x, y, n] = [x + right, y + up, n + 1];
  }
  return n > 0 ? [x / n, y / n] : null;
}
