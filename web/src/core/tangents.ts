/** Tangent spaces: the directions in which the neighbours of a row vary, from the inner products of their differences. */

import type { Model } from "./model";
import { toOne } from "./neighbourhood";
import { inner } from "./products";
import { eigenOf } from "./symmetric";
import type { Gathered, Products } from "./table";

const EXPLAINED_VARIANCE = 0.9;
/** Directions with a singular value below this part of the largest come from the rounding of float32 data. */
const RANK_TOLERANCE = 1e-4;

/** F of a tangent space, V = Xᵀ F: (directions, k), one direction after the other; and how many of them count. */
export interface Factors {
  columns: Float64Array;
  nAxes: number;
}

/** A tangent space by the rows that it is made of: V Vᵀ = Xᵀ B X, X these rows minus any point. */
export interface Space {
  members: Int32Array;
  /** B: (members, members). */
  pairs: Float64Array;
}

/** The neighbours behind a row's tangent space. */
export function tangentNeighbours(model: Model, row: number): Int32Array {
  const k = model.head.nTangentNeighbours;
  return model.tangentNeighbours.subarray(row * k, (row + 1) * k);
}

/** Makes tangent spaces of rows; those of the same question share the rows that they read. */
export class Tangents {
  private readonly products = new Map<number, Products>();
  private readonly k: number;

  constructor(private readonly model: Model) {
    this.k = model.head.nTangentNeighbours;
  }

  /** The factors as the library found them: of all directions up to the row's intrinsic dimension. */
  ofFit(row: number): Factors {
    const weights = Float64Array.from(this.model.tangentWeights.subarray(row * this.k, (row + 1) * this.k));
    return { columns: this.factors(row, weights).columns, nAxes: this.model.intrinsicDim[row] };
  }

  /** The factors without some rows. */
  without(row: number, leftOut: Set<number>): Factors {
    const near = tangentNeighbours(this.model, row);
    const weights = Float64Array.from(near, (other, a) =>
      leftOut.has(other) ? 0 : this.model.tangentWeights[row * this.k + a],
    );
    const { columns, values } = this.factors(row, weights);
    return { columns, nAxes: countDimensions(values, this.model.head.intrinsicDim) };
  }

  /** B = F Fᵀ with the row itself as the first member, whose factor is minus the sum of the others. */
  space(row: number, { columns, nAxes }: Factors): Space {
    const size = this.k + 1;
    const members = this.members(row);
    const pairs = new Float64Array(size * size);
    const nCounted = Math.min(Math.max(nAxes, this.model.dim), columns.length / this.k);
    const line = new Float64Array(size);
    for (let l = 0; l < nCounted; l++) {
      line.set(columns.subarray(l * this.k, (l + 1) * this.k), 1);
      line[0] = 0;
      line[0] = -line.reduce((sum, factor) => sum + factor, 0);
      for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) pairs[a * size + b] += line[a] * line[b];
    }
    return { members, pairs };
  }

  /** ‖f_h‖ of every feature, in float32: the length of its part in the tangent space of the fit. */
  importance(row: number): Float64Array {
    const { columns, nAxes } = this.ofFit(row);
    const { values, width, columns: features }: Gathered = this.model.space.gather(this.members(row));
    const squares = new Float64Array(this.model.space.nFeatures);
    const axes = new Float64Array(nAxes * width);
    for (let l = 0; l < nAxes; l++) {
      for (let a = 0; a < this.k; a++) {
        const factor = columns[l * this.k + a];
        if (factor === 0) continue;
        const [from, to] = [(a + 1) * width, l * width];
        for (let h = 0; h < width; h++) axes[to + h] += factor * (values[from + h] - values[h]);
      }
    }
    if (this.model.directions) return importanceThrough(this.model.directions, axes, nAxes, width);
    for (let l = 0; l < nAxes; l++) {
      for (let h = 0; h < width; h++) squares[features ? features[h] : h] += axes[l * width + h] ** 2;
    }
    return squares.map((square) => Math.fround(Math.sqrt(square)));
  }

  /** The row, then its neighbours. */
  private members(row: number): Int32Array {
    return Int32Array.from([row, ...tangentNeighbours(this.model, row)]);
  }

  /** Inner products of the neighbours, measured from the row. */
  private productsOf(row: number): Products {
    let found = this.products.get(row);
    if (!found) {
      found = this.model.space.productsFromFirst(this.members(row));
      this.products.set(row, found);
    }
    return found;
  }

  /** F = W U Σ⁻¹ for these weights of the neighbours, and σ. Neighbours without weight have no part in it. */
  private factors(row: number, weights: Float64Array): { columns: Float64Array; values: Float64Array } {
    const { k, model } = this;
    const { products, noise } = this.productsOf(row);
    const active = Array.from(weights.keys()).filter((a) => weights[a] > 0);
    const n = active.length;
    const shares = model.head.tangentCenter === "mean" && n > 1 ? toOne(weights) : new Float64Array(k);
    const centred = aboutMean(products, shares, k);
    const roots = active.map((a) => Math.sqrt(weights[a]));
    const weighted = new Float64Array(n * n);
    for (let a = 0; a < n; a++) {
      for (let b = 0; b < n; b++) weighted[a * n + b] = roots[a] * centred[active[a] * k + active[b]] * roots[b];
    }
    const { values: squares, vectors } = eigenOf(weighted, n);
    const nDirections = Math.min(n, model.space.nFeatures);
    const values = presentValues(squares.subarray(0, nDirections), noise);
    const columns = new Float64Array(Math.max(nDirections, model.dim) * k);
    for (let l = 0; l < nDirections && values[l] > 0; l++) {
      const first = l * k;
      let sum = 0;
      for (let a = 0; a < n; a++) sum += columns[first + active[a]] = (roots[a] * vectors[l * n + a]) / values[l];
      for (const a of active) columns[first + a] -= shares[a] * sum;
    }
    return { columns, values };
  }
}

/** Inner products about the mean with these shares, from those about any point: (k, k). */
function aboutMean(products: Float64Array, shares: Float64Array, k: number): Float64Array {
  const ofMean = new Float64Array(k);
  for (let a = 0; a < k; a++) ofMean[a] = inner(products, a * k, shares, 0, k);
  const square = inner(ofMean, 0, shares, 0, k);
  return products.map((product, i) => product - ofMean[Math.floor(i / k)] - ofMean[i % k] + square);
}

/** σ from σ², the largest first, 0 where a direction is nothing but rounding. */
function presentValues(squares: Float64Array, noise: number): Float64Array {
  const least = Math.max(RANK_TOLERANCE ** 2 * Math.max(squares[0] ?? 0, 0), noise);
  return squares.map((square) => (square > least ? Math.sqrt(square) : 0));
}

/** d: how many singular values reach 90 % of Σσ², or a fixed number, but at most the local rank. */
function countDimensions(values: Float64Array, intrinsicDim: "auto" | number): number {
  const rank = values.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);
  if (intrinsicDim !== "auto") return Math.min(rank, intrinsicDim);
  const whole = values.reduce((sum, value) => sum + value * value, 0);
  let reached = 0;
  let count = 0;
  while (count < rank && reached < EXPLAINED_VARIANCE * whole) reached += values[count++] ** 2;
  return count;
}

/** The same of axes along principal components: B V in place of V. */
function importanceThrough(B: Float64Array, axes: Float64Array, nAxes: number, q: number): Float64Array {
  const importance = new Float64Array(B.length / q);
  for (let h = 0; h < importance.length; h++) {
    let squares = 0;
    for (let l = 0; l < nAxes; l++) squares += inner(B, h * q, axes, l * q, q) ** 2;
    importance[h] = Math.fround(Math.sqrt(squares));
  }
  return importance;
}
