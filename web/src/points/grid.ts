/** Points in the cells of a grid, so that the one under the pointer is found without looking at all. */
import { bulkOf, type Places } from "./bulk";
import type { Box } from "./camera";

const POINTS_PER_CELL = 2;
const MOST_CELLS_ALONG = 2048;

export interface Grid {
  readonly places: Places;
  readonly box: Box;
  readonly across: number; // cells along each side
  readonly starts: Uint32Array; // where the rows of each cell begin
  readonly rows: Uint32Array; // cell by cell, each in rising order
}

/** A grid over the bulk of the points. Points beyond are in the cells at its border. */
export function gridOf(places: Places, box: Box = bulkOf(places)): Grid {
  const n = places.length / 2;
  const across = Math.max(1, Math.min(MOST_CELLS_ALONG, Math.ceil(Math.sqrt(n / POINTS_PER_CELL))));
  const cells = new Uint32Array(n);
  const starts = new Uint32Array(across * across + 1);
  for (let row = 0; row < n; row++) {
    const cell = cellAlong(places[2 * row + 1], box.bottom, box.top, across) * across;
    cells[row] = cell + cellAlong(places[2 * row], box.left, box.right, across);
    starts[cells[row] + 1]++;
  }
  for (let cell = 0; cell < across * across; cell++) starts[cell + 1] += starts[cell];
  const next = starts.slice();
  const rows = new Uint32Array(n);
  for (let row = 0; row < n; row++) rows[next[cells[row]]++] = row;
  return { places, box, across, starts, rows };
}

function cellAlong(value: number, low: number, high: number, across: number): number {
  const cell = Math.floor(((value - low) / (high - low || 1)) * across);
  return Math.max(0, Math.min(across - 1, cell));
}

/** The nearest row within a distance that counts; null if there is none. Of equally near rows the first. */
export function nearestRow(
  grid: Grid,
  x: number,
  y: number,
  reach: number,
  counts: (row: number) => boolean = () => true,
): number | null {
  let best: number | null = null;
  let least = reach * reach;
  eachWithin(grid, { left: x - reach, bottom: y - reach, right: x + reach, top: y + reach }, (row) => {
    const distance = (grid.places[2 * row] - x) ** 2 + (grid.places[2 * row + 1] - y) ** 2;
    const isBetter = best === null ? distance <= least : distance < least || (distance === least && row < best);
    if (!isBetter || !counts(row)) return;
    [best, least] = [row, distance];
  });
  return best;
}

/** Calls a function with every row of the cells that a box touches, which may lie a little outside of it. */
export function eachWithin(grid: Grid, box: Box, visit: (row: number) => void): void {
  const { across, starts, rows } = grid;
  const left = cellAlong(box.left, grid.box.left, grid.box.right, across);
  const right = cellAlong(box.right, grid.box.left, grid.box.right, across);
  const bottom = cellAlong(box.bottom, grid.box.bottom, grid.box.top, across);
  const top = cellAlong(box.top, grid.box.bottom, grid.box.top, across);
  for (let line = bottom; line <= top; line++) {
    const stop = starts[line * across + right + 1];
    for (let at = starts[line * across + left]; at < stop; at++) visit(rows[at]);
  }
}

/** The row that a step in a direction leads to: near, and more ahead than aside. */
export function rowTowards(grid: Grid, from: number, right: number, up: number): number | null {
  const { places } = grid;
  const [x, y] = [places[2 * from], places[2 * from + 1]];
  const cell = Math.max(grid.box.right - grid.box.left, grid.box.top - grid.box.bottom) / grid.across;
  for (let reach = 2 * cell; reach < 4 * cell * grid.across; reach *= 2) {
    const found = bestAhead(grid, from, x, y, right, up, reach);
    if (found !== null) return found;
  }
  return null;
}

function bestAhead(
  grid: Grid, from: number, x: number, y: number, right: number, up: number, reach: number,
): number | null {
  let best: number | null = null;
  let least = reach;
  eachWithin(grid, { left: x - reach, bottom: y - reach, right: x + reach, top: y + reach }, (row) => {
    const [dx, dy] = [grid.places[2 * row] - x, grid.places[2 * row + 1] - y];
    const ahead = dx * right + dy * up;
    const aside = Math.abs(dx * up - dy * right);
    const cost = ahead + 2 * aside;
    if (row === from || ahead <= aside || cost >= least) return;
    [best, least] = [row, cost];
  });
  return best;
}
