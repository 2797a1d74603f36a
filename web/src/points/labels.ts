/** Names on the map at the places of their groups, so that none covers another. */
import type { Place, Size } from "./camera";
import type { Places } from "./bulk";

const MOST_TRIED = 600; // points of a group that are looked at
const SHARE = 0.25; // a place is dense if this part of the group is near
const TURNS = 16; // directions in which a free place is looked for
const RINGS = 14; // distances at which it is looked for
const RING = 9; // pixels between these distances
const NEAR = 16; // a line leads to a name that is further from its place, in pixels

/** The place of the point around which the nearest quarter of its group is nearest. */
export function densestPlace(places: Places, rows: ArrayLike<number>): Place {
  const n = Math.min(rows.length, MOST_TRIED);
  const tried = Array.from({ length: n }, (_, i) => rows[Math.floor((i * rows.length) / n)]);
  const rank = Math.min(Math.max(Math.round(SHARE * n), 3), n) - 1;
  const squares = new Float64Array(n);
  let [best, least] = [tried[0], Infinity];
  for (const row of tried) {
    const [x, y] = [places[2 * row], places[2 * row + 1]];
    for (let i = 0; i < n; i++) squares[i] = (places[2 * tried[i]] - x) ** 2 + (places[2 * tried[i] + 1] - y) ** 2;
    const reach = squares.sort()[rank];
    if (reach < least) [best, least] = [row, reach];
  }
  return [places[2 * best], places[2 * best + 1]];
}

/** A name that wants to be at a place, with its size in pixels. */
export interface Wish {
  readonly text: string;
  readonly anchor: Place; // in pixels
  readonly width: number;
  readonly height: number;
}

/** A name at its place in pixels, and where a line to it starts, if it is far from its place. */
export interface Placed<W extends Wish> {
  readonly wish: W;
  readonly at: Place; // its middle
  readonly from: Place | null;
}

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Names where they cover neither each other nor what is in the way, the first first. Those that find no free place near
 * theirs are left out.
 */
export function placeLabels<W extends Wish>(wishes: readonly W[], size: Size, inTheWay: readonly Place[] = []): Placed<W>[] {
  const taken: Rectangle[] = inTheWay.map(([x, y]) => ({ x, y, width: 2, height: 2 }));
  const placed: Placed<W>[] = [];
  for (const wish of wishes) {
    const { anchor } = wish;
    if (anchor[0] < 0 || anchor[1] < 0 || anchor[0] > size.width || anchor[1] > size.height) continue;
    const at = freePlace(wish, anchor, taken, size);
    if (at === null) continue;
    taken.push({ x: at[0], y: at[1], width: wish.width, height: wish.height });
    placed.push({ wish, at, from: isFar(wish, anchor, at) ? anchor : null });
  }
  return placed;
}

function freePlace(wish: Wish, anchor: Place, taken: readonly Rectangle[], size: Size): Place | null {
  for (let ring = 0; ring < RINGS; ring++) {
    for (let turn = 0; turn < (ring ? TURNS : 1); turn++) {
      const angle = (2 * Math.PI * turn) / TURNS - Math.PI / 2;
      const x = anchor[0] + 1.6 * ring * RING * Math.cos(angle);
      const y = anchor[1] + ring * RING * Math.sin(angle);
      const here = { x, y, width: wish.width, height: wish.height };
      if (isWithin(here, size) && !taken.some((other) => overlap(here, other))) return [x, y];
    }
  }
  return null;
}

function isWithin(box: Rectangle, size: Size): boolean {
  const [x, y] = [box.width / 2, box.height / 2];
  return box.x >= x && box.y >= y && box.x <= size.width - x && box.y <= size.height - y;
}

export function overlap(a: Rectangle, b: Rectangle): boolean {
  return Math.abs(a.x - b.x) * 2 < a.width + b.width && Math.abs(a.y - b.y) * 2 < a.height + b.height;
}

function isFar(wish: Wish, anchor: Place, at: Place): boolean {
  const right = Math.max(0, Math.abs(at[0] - anchor[0]) - wish.width / 2);
  const down = Math.max(0, Math.abs(at[1] - anchor[1]) - wish.height / 2);
  return Math.hypot(right, down) > NEAR;
}
