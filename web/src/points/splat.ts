/** Points drawn on the CPU: every point stamps a small disc into the pixels of a picture. */
import { hashed } from "../core/hash";
import type { Places } from "./bulk";
import type { Camera, Size } from "./camera";

/** The pixels of a disc: where they are relative to its corner, and how much of each is covered, of 256. */
export interface Stamp {
  readonly side: number;
  readonly cover: Uint16Array;
}

const FINE = 8; // a pixel is looked at in so many steps each way
const MOST_MOVING = 300_000; // points drawn while the map moves

export function stampOf(diameter: number): Stamp {
  const side = Math.max(1, Math.ceil(diameter));
  const cover = new Uint16Array(side * side);
  if (diameter <= 2) return { side, cover: cover.fill(256) };
  for (let i = 0; i < cover.length; i++) cover[i] = covered(i % side, Math.floor(i / side), side, diameter);
  return { side, cover };
}

function covered(column: number, line: number, side: number, diameter: number): number {
  let count = 0;
  for (let step = 0; step < FINE * FINE; step++) {
    const x = column + ((step % FINE) + 0.5) / FINE - side / 2;
    const y = line + (Math.floor(step / FINE) + 0.5) / FINE - side / 2;
    if (4 * (x * x + y * y) <= diameter * diameter) count++;
  }
  return Math.round((256 * count) / (FINE * FINE));
}

/** How large points are drawn, in pixels: small where there are many. */
export function diameterFor(nPoints: number, zoom: number, ratio: number): number {
  const usual = nPoints > 400_000 ? 1 : nPoints > 60_000 ? 2 : nPoints > 15_000 ? 3 : nPoints > 3_000 ? 4.5 : 7;
  return Math.round(Math.min(usual * Math.max(1, zoom) ** 0.35, 14) * ratio * 2) / 2;
}

/** Points in the order in which they are drawn, side by side in memory. */
export interface Painted {
  readonly places: Places;
  readonly colours: Uint32Array;
}

export function painted(places: Places, colours: Uint32Array, order: Uint32Array): Painted {
  const found = { places: new Float32Array(2 * order.length), colours: new Uint32Array(order.length) };
  for (let i = 0; i < order.length; i++) {
    const row = order[i];
    found.places[2 * i] = places[2 * row];
    found.places[2 * i + 1] = places[2 * row + 1];
    found.colours[i] = colours[row];
  }
  return found;
}

/**
 * Draws every so many points, so that later ones cover earlier ones. Colours are those of `ImageData`, red in the
 * lowest byte; the colour 0 leaves a point out.
 */
export function splat(pixels: Uint32Array, size: Size, camera: Camera, points: Painted, stamp: Stamp, step = 1): void {
  const { width, height } = size;
  const { side, cover } = stamp;
  const { places, colours } = points;
  const left = width / 2 - camera.x * camera.scale - side / 2 + 0.5;
  const top = height / 2 + camera.y * camera.scale - side / 2 + 0.5;
  const isSolid = cover.every((part) => part === 256);
  for (let i = 0; i < colours.length; i += step) {
    const colour = colours[i];
    if (colour === 0) continue;
    const column = Math.floor(left + places[2 * i] * camera.scale);
    const line = Math.floor(top - places[2 * i + 1] * camera.scale);
    if (column < 0 || line < 0 || column + side > width || line + side > height) continue;
    if (isSolid) fill(pixels, line * width + column, width, side, colour);
    else press(pixels, line * width + column, width, side, cover, colour);
  }
}

function fill(pixels: Uint32Array, corner: number, width: number, side: number, colour: number): void {
  for (let line = 0, at = corner; line < side; line++, at += width) {
    for (let column = 0; column < side; column++) pixels[at + column] = colour;
  }
}

function press(
  pixels: Uint32Array, corner: number, width: number, side: number, cover: Uint16Array, colour: number,
): void {
  for (let i = 0, line = 0, start = corner; line < side; line++, start += width) {
    for (let at = start; at < start + side; at++, i++) {
      const part = cover[i];
      if (part === 256) pixels[at] = colour;
      else if (part > 0) pixels[at] = mixed(pixels[at], colour, part);
    }
  }
}

/** The mean of two opaque colours, so many parts of 256 of the second: red and blue at once, then green. */
export function mixed(below: number, above: number, part: number): number {
  const rest = 256 - part;
  const redBlue = (((below & 0xff00ff) * rest + (above & 0xff00ff) * part) >>> 8) & 0xff00ff;
  const green = (((below & 0x00ff00) * rest + (above & 0x00ff00) * part) >>> 8) & 0x00ff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

/** Every so many points are drawn while the map moves, all when it is still. */
export function stepFor(nPoints: number, isMoving: boolean): number {
  return isMoving ? Math.max(1, Math.ceil(nPoints / MOST_MOVING)) : 1;
}

/** Rows in an order without meaning, always the same, with those in front last. */
export function drawingOrder(nPoints: number, isInFront: (row: number) => boolean = () => true): Uint32Array {
  const order = new Uint32Array(nPoints);
  for (let row = 0; row < nPoints; row++) {
    const other = hashed(0, row) % (row + 1);
    order[row] = order[other];
    order[other] = row;
  }
  const behind = order.filter((row) => !isInFront(row));
  if (!behind.length) return order;
  const front = order.filter(isInFront);
  order.set(behind);
  order.set(front, behind.length);
  return order;
}
