/** Which arrows beat chance: the R² of the ranks of each feature around a point, and its p-value. */

import { incompleteBeta } from "./beta";
import type { Model } from "./model";
import { counted, nEffective, type Neighbourhood } from "./neighbourhood";
import { centredPlaces } from "./regression";
import { pseudoInverse } from "./symmetric";

const FLAT = 1e-12;
const RATE = 0.05;

/** 1 for features whose slope on the map is no accident, at a false discovery rate of 0.05 over the features. */
export function beatsChance(model: Model, row: number, found: Neighbourhood): Uint8Array {
  const p = pValues(model, row, found);
  const limit = largestDiscovery(p);
  return Uint8Array.from(p, (one) => (one <= limit ? 1 : 0));
}

/** The largest p-value that is a discovery by the procedure of Benjamini and Hochberg; −1 if there is none. */
function largestDiscovery(p: Float64Array): number {
  const rising = p.slice().sort();
  for (let i = rising.length - 1; i >= 0; i--) if (rising[i] * (p.length / (i + 1)) <= RATE) return rising[i];
  return -1;
}

/** p = I_{1−R²}((K_eff − d' − 1)/2, d'/2); 1 where a feature does not vary or there are too few rows. */
export function pValues(model: Model, row: number, found: Neighbourhood): Float64Array {
  const p = new Float64Array(model.nFeatures).fill(1);
  const spare = (nEffective(found) - model.dim - 1) / 2;
  if (!(spare > 0) || !model.graph.isConnected[row]) return p;
  explainedRanks(model, found, (h, explained) => {
    p[h] = incompleteBeta(spare, model.dim / 2, 1 - explained);
  });
  return p;
}

/** The weighted R² of the ranks of every feature that varies among the rows with weight. */
function explainedRanks(model: Model, found: Neighbourhood, tell: (feature: number, explained: number) => void): void {
  const { dim } = model;
  const { rows, weights } = counted(found);
  const changes = centredPlaces(model, rows, weights);
  const squares = new Float64Array(dim * dim);
  for (let a = 0; a < dim; a++) {
    for (let b = 0; b < dim; b++) {
      for (let j = 0; j < rows.length; j++) {
        squares[a * dim + b] += weights[j] * changes[a * rows.length + j] * changes[b * rows.length + j];
      }
    }
  }
  const inverse = pseudoInverse(squares, dim, FLAT);
  const ranker = new Ranker(rows.length);
  const products = new Float64Array(dim);
  model.data.eachFeature(rows, (feature, stored, at, first, n, other) => {
    const ranks = ranker.rank(stored, first, n, other);
    // Ranks are measured from that of the values that are not stored, so that these have no part in the sums.
    let [mean, spread] = [0, 0];
    products.fill(0);
    for (let i = 0; i < n; i++) {
      const j = at[first + i];
      const weighted = weights[j] * ranks[i];
      mean += weighted;
      spread += weighted * ranks[i];
      for (let c = 0; c < dim; c++) products[c] += weighted * changes[c * rows.length + j];
    }
    spread -= mean * mean;
    if (!(spread > 1e-12)) return; // ranks are halves of whole numbers: a smaller spread is rounding
    let fitted = 0;
    for (let a = 0; a < dim; a++) for (let b = 0; b < dim; b++) fitted += products[a] * inverse[a * dim + b] * products[b];
    tell(feature, Math.min(Math.max(fitted / spread, 0), 1));
  });
}

/**
 * Ranks of values, of equal ones their mean, among some values and others that are all equal.
 *
 * A value and its place make one whole number below 2⁵³, so that plain numbers are sorted and know where they came from.
 */
class Ranker {
  private readonly keys: Float64Array;
  private readonly ranks: Float64Array;
  private readonly float = new Float32Array(1);
  private readonly bits = new Uint32Array(this.float.buffer);

  constructor(private readonly nRows: number) {
    this.keys = new Float64Array(nRows);
    this.ranks = new Float64Array(nRows);
  }

  /** Ranks of the n stored values, which are float32, minus that of the others; if there are none, minus any number. */
  rank(stored: Float64Array, start: number, n: number, other: number): Float64Array {
    const { keys } = this;
    for (let i = 0; i < n; i++) keys[i] = this.ordinal(stored[start + i]) * PLACES + i;
    sortFirst(keys, n);
    const nOthers = this.nRows - n;
    const threshold = this.ordinal(other);
    let [first, below, origin] = [0, 0, (this.nRows + 1) / 2];
    let wasOther = nOthers === 0;
    while (first < n || !wasOther) {
      const value = first < n ? Math.floor(keys[first] / PLACES) : Infinity;
      const isOther = !wasOther && value >= threshold;
      let last = first;
      if (!isOther || value === threshold) {
        while (last < n && Math.floor(keys[last] / PLACES) === value) last++;
      }
      const equal = last - first + (isOther ? nOthers : 0);
      const rank = below + (equal + 1) / 2;
      if (isOther) [origin, wasOther] = [rank, true];
      for (let i = first; i < last; i++) this.ranks[keys[i] % PLACES] = rank;
      below += equal;
      first = last;
    }
    for (let i = 0; i < n; i++) this.ranks[i] -= origin;
    return this.ranks;
  }

  /** A whole number of 32 bits for a float32, in the same order. */
  private ordinal(value: number): number {
    this.float[0] = value + 0; // −0 becomes 0
    const bits = this.bits[0];
    return bits >>> 31 ? 0xffffffff - bits : bits + 0x80000000;
  }
}

const PLACES = 2 ** 20;
const FEW = 12;

/** Sorts the first n numbers. A few are put in their places one by one, which is faster than to call for a sort. */
function sortFirst(numbers: Float64Array, n: number): void {
  if (n > FEW) {
    numbers.subarray(0, n).sort();
    return;
  }
  for (let i = 1; i < n; i++) {
    const number = numbers[i];
    let place = i;
    for (; place > 0 && numbers[place - 1] > number; place--) numbers[place] = numbers[place - 1];
    numbers[place] = number;
  }
}
