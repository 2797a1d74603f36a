/**
 * The data in unit size, as the library computes with them: scaled = (user's value − center) · scale.
 *
 * A table answers for all features at once. Dense rows are read as they are stored; of sparse rows only stored entries
 * are touched, measured from the values of those that are not stored.
 */

import type { Numbers } from "../record";
import { gramOf, inner, largestOnDiagonal } from "./products";

/** Some rows side by side: (rows, columns), for the columns in which any of them differ. */
export interface Gathered {
  values: Float64Array;
  width: number;
  /** The features of the columns; null if they are all features in order. */
  columns: Int32Array | null;
}

export interface Table {
  readonly nFeatures: number;
  /** A row with all its features. */
  row(row: number, out: Float64Array): void;
  /** Values of a feature for some rows. */
  values(feature: number, rows: Int32Array): Float64Array;
  /** Some rows, up to a translation that is common to all of them. */
  gather(rows: Int32Array): Gathered;
  /** Inner products of the differences of some rows from the first of them. */
  productsFromFirst(rows: Int32Array): Products;
  /** out[v] = Σ_j coefficients[v, j]·(x_j − o), o the row `origin`: (lines, features). Exactly 0 where all equal o. */
  combine(rows: Int32Array, coefficients: Float64Array, nLines: number, origin: number): Float64Array;
  /** Σ w Δx² of every feature, Δ from the weighted mean. Weights sum to 1. Exactly 0 where all rows are equal. */
  spreads(rows: Int32Array, weights: Float64Array): Float64Array;
  /** (x_j − o)·line of every row and line, o the row `origin`: (rows, lines). */
  dots(rows: Int32Array, lines: Float64Array, nLines: number, origin: number): Float64Array;
  /** The smallest and the largest value of every feature among some rows. */
  ranges(rows: Int32Array): { smallest: Float64Array; largest: Float64Array };
  /**
   * Calls `visit` with every feature that differs among some rows: the values that are stored and their places in
   * `rows`, from which entry on and how many of them, and the value of all other rows.
   */
  eachFeature(rows: Int32Array, visit: Visit): void;
  /** What sums over some rows are measured from; rows are times their lengths, if these are given. */
  originOf(rows: Int32Array, lengths: Float64Array | null): Float64Array;
  /** Adds the values of some rows minus an origin, in float32, then their squares, then their cubes: (3, features). */
  addPowers(rows: Int32Array, lengths: Float64Array | null, origin: Float64Array, sums: Float64Array): void;
}

export type Visit = (
  feature: number,
  stored: Float64Array,
  at: Int32Array,
  first: number,
  n: number,
  other: number,
) => void;

/** Inner products of some rows, measured from the first of them, which is left out. */
export interface Products {
  /** (rows − 1, rows − 1). */
  products: Float64Array;
  /** What of them may be rounding. */
  noise: number;
}

export class DenseTable implements Table {
  private readonly decoded = new Map<number, Float32Array>();
  private readonly mostDecoded: number;
  /** For the values of some rows by feature; both are used again. */
  private stored = new Float64Array(0);
  private at = new Int32Array(0);
  private room = new Float64Array(0);
  private readonly buffer: Float32Array;

  /** Scaled values are data · step + low, by feature. Both are null if the data are scaled already. */
  constructor(
    private readonly data: Numbers,
    readonly nFeatures: number,
    private readonly step: Float64Array | null,
    private readonly low: Float64Array | null,
  ) {
    this.buffer = new Float32Array(nFeatures);
    this.mostDecoded = Math.max(1000, Math.floor(DECODED_BYTES / (4 * nFeatures)));
  }

  /** A row as it is held; it is not to be changed. */
  protected line(row: number): Float32Array {
    if (!this.step && this.data instanceof Float32Array) {
      return this.data.subarray(row * this.nFeatures, (row + 1) * this.nFeatures);
    }
    let line = this.decoded.get(row);
    if (!line) {
      if (this.decoded.size >= this.mostDecoded) this.decoded.clear();
      line = this.made(row);
      this.decoded.set(row, line);
    }
    return line;
  }

  protected made(row: number): Float32Array {
    return this.decode(row, new Float32Array(this.nFeatures));
  }

  private decode(row: number, out: Float32Array): Float32Array {
    const { data, nFeatures } = this;
    const [step, low] = [this.step!, this.low!];
    const first = row * nFeatures;
    for (let h = 0; h < nFeatures; h++) out[h] = data[first + h] * step[h] + low[h];
    return out;
  }

  row(row: number, out: Float64Array): void {
    out.set(this.line(row));
  }

  values(feature: number, rows: Int32Array): Float64Array {
    const { data, step, low, nFeatures } = this;
    const [a, b] = step && low ? [step[feature], low[feature]] : [1, 0];
    return Float64Array.from(rows, (row) => Math.fround(data[row * nFeatures + feature] * a + b));
  }

  gather(rows: Int32Array): Gathered {
    const values = new Float64Array(rows.length * this.nFeatures);
    rows.forEach((row, j) => values.set(this.line(row), j * this.nFeatures));
    return { values, width: this.nFeatures, columns: null };
  }

  productsFromFirst(rows: Int32Array): Products {
    const { nFeatures: n } = this;
    const size = rows.length - 1;
    if (this.room.length < size * n) this.room = new Float64Array(size * n);
    const { room } = this;
    const start = this.line(rows[0]);
    for (let a = 0; a < size; a++) {
      const line = this.line(rows[a + 1]);
      for (let h = 0, i = a * n; h < n; h++, i++) room[i] = line[h] - start[h];
    }
    const products = gramOf(room, size, n);
    return { products, noise: NOISE * largestOnDiagonal(products, size) };
  }

  combine(rows: Int32Array, coefficients: Float64Array, nLines: number, origin: number): Float64Array {
    const { nFeatures } = this;
    const out = new Float64Array((nLines + (nLines % 2)) * nFeatures);
    const start = this.line(origin);
    const n = rows.length;
    for (let v = 0; v < nLines; v += 2) {
      const [a, b] = [v * n, v + 1 < nLines ? (v + 1) * n : v * n];
      // Four rows at a time: what is summed is read and written once for them. Beyond the last row comes the origin.
      for (let j = 0; j < n; j += 4) {
        const at = (i: number) => (j + i < n ? this.line(rows[j + i]) : start);
        const of = (first: number, i: number) => (j + i < n ? coefficients[first + j + i] : 0);
        const c = [of(a, 0), of(a, 1), of(a, 2), of(a, 3), of(b, 0), of(b, 1), of(b, 2), of(b, 3)];
        if (c.some((one) => one !== 0)) addFour(at(0), at(1), at(2), at(3), start, c, out, v * nFeatures);
      }
    }
    return out.subarray(0, nLines * nFeatures);
  }

  spreads(rows: Int32Array, weights: Float64Array): Float64Array {
    const { nFeatures } = this;
    const sums = new Float64Array(nFeatures);
    const squares = new Float64Array(nFeatures);
    const start = rows.length ? this.line(rows[0]) : new Float32Array(nFeatures);
    for (let j = 0; j < rows.length; j++) addMoments(this.line(rows[j]), start, weights[j], sums, squares);
    for (let h = 0; h < nFeatures; h++) squares[h] = Math.max(squares[h] - sums[h] * sums[h], 0);
    return squares;
  }

  dots(rows: Int32Array, lines: Float64Array, nLines: number, origin: number): Float64Array {
    const out = new Float64Array(rows.length * nLines);
    const start = this.line(origin);
    const change = new Float64Array(this.nFeatures);
    for (let j = 0; j < rows.length; j++) {
      const line = this.line(rows[j]);
      for (let h = 0; h < change.length; h++) change[h] = line[h] - start[h];
      for (let v = 0; v < nLines; v++) {
        out[j * nLines + v] = inner(change, 0, lines, v * this.nFeatures, this.nFeatures);
      }
    }
    return out;
  }

  ranges(rows: Int32Array): { smallest: Float64Array; largest: Float64Array } {
    const smallest = new Float64Array(this.nFeatures).fill(Infinity);
    const largest = new Float64Array(this.nFeatures).fill(-Infinity);
    for (const row of rows) {
      const line = this.line(row);
      for (let h = 0; h < line.length; h++) {
        const x = line[h];
        if (x < smallest[h]) smallest[h] = x;
        if (x > largest[h]) largest[h] = x;
      }
    }
    return { smallest, largest };
  }

  /** The smallest value of a feature counts as not stored: of pictures and counts most values are equal to it. */
  eachFeature(rows: Int32Array, visit: Visit): void {
    const n = rows.length;
    const { smallest } = this.ranges(rows);
    const counts = new Int32Array(this.nFeatures);
    if (this.stored.length < n * this.nFeatures) {
      this.stored = new Float64Array(n * this.nFeatures);
      this.at = new Int32Array(n * this.nFeatures);
    }
    const { stored, at } = this;
    for (let j = 0; j < n; j++) {
      const line = this.line(rows[j]);
      for (let h = 0; h < line.length; h++) {
        if (line[h] === smallest[h]) continue;
        const place = h * n + counts[h]++;
        stored[place] = line[h];
        at[place] = j;
      }
    }
    for (let h = 0; h < this.nFeatures; h++) if (counts[h]) visit(h, stored, at, h * n, counts[h], smallest[h]);
  }

  /** Their mean. */
  originOf(rows: Int32Array, lengths: Float64Array | null): Float64Array {
    const sums = new Float64Array(this.nFeatures);
    for (const row of rows) {
      const line = this.stretched(row, lengths);
      for (let h = 0; h < line.length; h++) sums[h] += line[h];
    }
    return sums.map((sum) => sum / rows.length);
  }

  addPowers(rows: Int32Array, lengths: Float64Array | null, origin: Float64Array, sums: Float64Array): void {
    const n = this.nFeatures;
    for (const row of rows) {
      const line = this.stretched(row, lengths);
      for (let h = 0; h < n; h++) {
        const x = Math.fround(line[h] - origin[h]);
        sums[h] += x;
        sums[n + h] += x * x;
        sums[2 * n + h] += x * x * x;
      }
    }
  }

  /** A row that is looked at once, times its length if there is one: it is not kept. */
  private stretched(row: number, lengths: Float64Array | null): Float32Array {
    const line = this.step ? this.decode(row, this.buffer) : this.line(row);
    return lengths ? line.map((value) => value * lengths[row]) : line;
  }
}

const DECODED_BYTES = 2 ** 24;
/** Of the largest number among those whose differences count. */
const NOISE = 1e-15;

/** Adds to two lines of sums, from `first` on, the rows minus `start` times their coefficients, four for either. */
function addFour(
  x0: Float32Array,
  x1: Float32Array,
  x2: Float32Array,
  x3: Float32Array,
  start: Float32Array,
  [a0, a1, a2, a3, b0, b1, b2, b3]: number[],
  out: Float64Array,
  first: number,
): void {
  const n = start.length;
  for (let h = 0; h < n; h++) {
    const o = start[h];
    const [d0, d1, d2, d3] = [x0[h] - o, x1[h] - o, x2[h] - o, x3[h] - o];
    out[first + h] += a0 * d0 + a1 * d1 + a2 * d2 + a3 * d3;
    out[first + n + h] += b0 * d0 + b1 * d1 + b2 * d2 + b3 * d3;
  }
}

function addMoments(
  line: Float32Array,
  start: Float32Array,
  weight: number,
  sums: Float64Array,
  squares: Float64Array,
): void {
  for (let h = 0; h < line.length; h++) {
    const change = line[h] - start[h];
    const weighted = weight * change;
    sums[h] += weighted;
    squares[h] += weighted * change;
  }
}

/** A table whose rows are made when they are asked for: principal components of the data, or one of their features. */
export class MadeTable extends DenseTable {
  constructor(
    nFeatures: number,
    private readonly make: (row: number) => Float32Array,
  ) {
    super(new Float64Array(0), nFeatures, null, null);
  }

  protected override made(row: number): Float32Array {
    return this.make(row);
  }

  override values(feature: number, rows: Int32Array): Float64Array {
    return Float64Array.from(rows, (row) => this.line(row)[feature]);
  }
}

export class SparseTable implements Table {
  readonly nFeatures: number;
  private readonly places: Int32Array;
  /** For one row with all its features; zero while it is not used. */
  private readonly dense: Float64Array;
  private last: ByFeature | null = null;

  /** Entries of row i are those from starts[i] to starts[i + 1]: features, in order, and values from `zeros` on. */
  constructor(
    private readonly starts: Uint32Array,
    private readonly features: Numbers,
    private readonly deltas: Float64Array,
    private readonly zeros: Float64Array,
  ) {
    this.nFeatures = zeros.length;
    this.places = new Int32Array(this.nFeatures).fill(-1);
    this.dense = new Float64Array(this.nFeatures);
  }

  row(row: number, out: Float64Array): void {
    out.set(this.zeros);
    for (let e = this.starts[row]; e < this.starts[row + 1]; e++) {
      const h = this.features[e];
      out[h] = Math.fround(this.zeros[h] + this.deltas[e]);
    }
  }

  values(feature: number, rows: Int32Array): Float64Array {
    return Float64Array.from(rows, (row) => {
      const e = this.entryOf(row, feature);
      return e < 0 ? this.zeros[feature] : Math.fround(this.zeros[feature] + this.deltas[e]);
    });
  }

  /** The entry of a feature in a row, −1 if it is not stored. */
  private entryOf(row: number, feature: number): number {
    let first = this.starts[row];
    let last = this.starts[row + 1] - 1;
    while (first <= last) {
      const middle = (first + last) >> 1;
      if (this.features[middle] === feature) return middle;
      if (this.features[middle] < feature) first = middle + 1;
      else last = middle - 1;
    }
    return -1;
  }

  gather(rows: Int32Array): Gathered {
    const { starts, features, deltas, places } = this;
    const columns: number[] = [];
    for (const row of rows) {
      for (let e = starts[row]; e < starts[row + 1]; e++) {
        if (places[features[e]] < 0) places[features[e]] = columns.push(features[e]) - 1;
      }
    }
    const width = columns.length;
    const values = new Float64Array(rows.length * width);
    rows.forEach((row, j) => {
      for (let e = starts[row]; e < starts[row + 1]; e++) values[j * width + places[features[e]]] = deltas[e];
    });
    for (const h of columns) places[h] = -1;
    return { values, width, columns: Int32Array.from(columns) };
  }

  productsFromFirst(rows: Int32Array): Products {
    const size = rows.length;
    const grams = this.grams(rows);
    const products = new Float64Array((size - 1) * (size - 1));
    for (let a = 1; a < size; a++) {
      for (let b = 1; b < size; b++) {
        products[(a - 1) * (size - 1) + b - 1] = grams[a * size + b] - grams[a] - grams[b] + grams[0];
      }
    }
    return { products, noise: NOISE * largestOnDiagonal(grams, size) };
  }

  /** Inner products of some rows. */
  private grams(rows: Int32Array): Float64Array {
    const { starts, features, deltas, dense } = this;
    const size = rows.length;
    const grams = new Float64Array(size * size);
    for (let a = 0; a < size; a++) {
      for (let e = starts[rows[a]]; e < starts[rows[a] + 1]; e++) dense[features[e]] = deltas[e];
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let e = starts[rows[b]]; e < starts[rows[b] + 1]; e++) sum += deltas[e] * dense[features[e]];
        grams[a * size + b] = grams[b * size + a] = sum;
      }
      for (let e = starts[rows[a]]; e < starts[rows[a] + 1]; e++) dense[features[e]] = 0;
    }
    return grams;
  }

  combine(rows: Int32Array, coefficients: Float64Array, nLines: number, origin: number): Float64Array {
    const { starts, features, deltas, nFeatures } = this;
    const out = new Float64Array((nLines + (nLines % 2)) * nFeatures);
    const from = this.originsOfFull(rows, origin);
    const n = rows.length;
    for (let v = 0; v < nLines; v += 2) {
      const [first, second] = [v * nFeatures, (v + 1) * nFeatures];
      const other = v + 1 < nLines ? v + 1 : v; // an odd last line is summed twice
      const add = (row: number, a: number, b: number) => {
        for (let e = starts[row]; e < starts[row + 1]; e++) {
          const h = features[e];
          const change = deltas[e] - from[h];
          out[first + h] += a * change;
          out[second + h] += b * change;
        }
      };
      let [allA, allB] = [0, 0];
      for (let j = 0; j < n; j++) {
        const [a, b] = [coefficients[v * n + j], coefficients[other * n + j]];
        allA += a;
        allB += b;
        if (a !== 0 || b !== 0) add(rows[j], a, b);
      }
      add(origin, -allA, -allB);
    }
    return out.subarray(0, nLines * nFeatures);
  }

  /**
   * What entries are measured from: those of the origin in features that all of the rows store, so that sums of equal
   * values are exactly 0; nothing in all others.
   */
  private originsOfFull(rows: Int32Array, origin: number): Float64Array {
    const { starts, features, deltas } = this;
    const counts = this.countsOf(rows);
    const from = new Float64Array(this.nFeatures);
    for (let e = starts[origin]; e < starts[origin + 1]; e++) {
      if (counts[features[e]] === rows.length) from[features[e]] = deltas[e];
    }
    return from;
  }

  /** How many of some rows store each feature. */
  private countsOf(rows: Int32Array): Int32Array {
    const counts = new Int32Array(this.nFeatures);
    for (const row of rows) for (let e = this.starts[row]; e < this.starts[row + 1]; e++) counts[this.features[e]]++;
    return counts;
  }

  spreads(rows: Int32Array, weights: Float64Array): Float64Array {
    const { starts, features, deltas, nFeatures } = this;
    const sums = new Float64Array(nFeatures);
    const squares = new Float64Array(nFeatures);
    if (!rows.length) return squares;
    const from = this.originsOfFull(rows, rows[0]);
    for (let j = 0; j < rows.length; j++) {
      const weight = weights[j];
      for (let e = starts[rows[j]]; e < starts[rows[j] + 1]; e++) {
        const h = features[e];
        const change = deltas[e] - from[h];
        sums[h] += weight * change;
        squares[h] += weight * change * change;
      }
    }
    for (let h = 0; h < nFeatures; h++) squares[h] = Math.max(squares[h] - sums[h] * sums[h], 0);
    return squares;
  }

  dots(rows: Int32Array, lines: Float64Array, nLines: number, origin: number): Float64Array {
    const out = new Float64Array(rows.length * nLines);
    const ofOrigin = new Float64Array(nLines);
    this.addDots(origin, lines, nLines, ofOrigin, 0);
    for (let j = 0; j < rows.length; j++) {
      this.addDots(rows[j], lines, nLines, out, j * nLines);
      for (let v = 0; v < nLines; v++) out[j * nLines + v] -= ofOrigin[v];
    }
    return out;
  }

  private addDots(row: number, lines: Float64Array, nLines: number, out: Float64Array, at: number): void {
    const { starts, features, deltas, nFeatures } = this;
    for (let v = 0; v < nLines; v++) {
      let sum = 0;
      for (let e = starts[row]; e < starts[row + 1]; e++) sum += deltas[e] * lines[v * nFeatures + features[e]];
      out[at + v] += sum;
    }
  }

  ranges(rows: Int32Array): { smallest: Float64Array; largest: Float64Array } {
    const { starts, features, deltas, zeros, nFeatures } = this;
    const smallest = new Float64Array(nFeatures).fill(Infinity);
    const largest = new Float64Array(nFeatures).fill(-Infinity);
    const stored = new Int32Array(nFeatures);
    for (const row of rows) {
      for (let e = starts[row]; e < starts[row + 1]; e++) {
        const h = features[e];
        const value = Math.fround(zeros[h] + deltas[e]);
        stored[h]++;
        if (value < smallest[h]) smallest[h] = value;
        if (value > largest[h]) largest[h] = value;
      }
    }
    for (let h = 0; h < nFeatures; h++) {
      if (stored[h] === rows.length) continue;
      smallest[h] = Math.min(smallest[h], zeros[h]);
      largest[h] = Math.max(largest[h], zeros[h]);
    }
    return { smallest, largest };
  }

  eachFeature(rows: Int32Array, visit: Visit): void {
    const { firsts, values, at } = this.byFeature(rows);
    for (let h = 0; h < this.nFeatures; h++) {
      const n = firsts[h + 1] - firsts[h];
      if (n) visit(h, values, at, firsts[h], n, this.zeros[h]);
    }
  }

  /** The entries of some rows by feature. They are kept, since one question often asks twice. */
  private byFeature(rows: Int32Array): ByFeature {
    const { starts, features, deltas, zeros, nFeatures } = this;
    if (this.last && this.last.rows.length === rows.length && rows.every((row, j) => row === this.last!.rows[j])) {
      return this.last;
    }
    const firsts = new Int32Array(nFeatures + 1);
    firsts.set(this.countsOf(rows), 1);
    for (let h = 0; h < nFeatures; h++) firsts[h + 1] += firsts[h];
    const next = firsts.slice();
    const values = new Float64Array(firsts[nFeatures]);
    const at = new Int32Array(firsts[nFeatures]);
    for (let j = 0; j < rows.length; j++) {
      for (let e = starts[rows[j]]; e < starts[rows[j] + 1]; e++) {
        const place = next[features[e]]++;
        values[place] = Math.fround(zeros[features[e]] + deltas[e]);
        at[place] = j;
      }
    }
    this.last = { rows: rows.slice(), firsts, values, at };
    return this.last;
  }

  /** The value of what is not stored, in features that not all of the rows store; else 0. */
  originOf(rows: Int32Array): Float64Array {
    const counts = this.countsOf(rows);
    return this.zeros.map((zero, h) => (counts[h] < rows.length ? zero : 0));
  }

  addPowers(rows: Int32Array, lengths: Float64Array | null, origin: Float64Array, sums: Float64Array): void {
    const { starts, features, deltas, zeros, nFeatures: n } = this;
    for (const row of rows) {
      const length = lengths ? lengths[row] : 1;
      for (let e = starts[row]; e < starts[row + 1]; e++) {
        const h = features[e];
        const x = Math.fround(Math.fround(Math.fround(zeros[h] + deltas[e]) * length) - origin[h]);
        sums[h] += x;
        sums[n + h] += x * x;
        sums[2 * n + h] += x * x * x;
      }
    }
  }
}

/** Entries of some rows by feature: those of feature h are from firsts[h] to firsts[h + 1]. */
interface ByFeature {
  rows: Int32Array;
  firsts: Int32Array;
  values: Float64Array;
  at: Int32Array;
}
