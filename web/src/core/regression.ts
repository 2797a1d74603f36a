/** Local regressions of the features on the map: weighted second moments around a point, both sides centred. */

import type { Model } from "./model";
import { counted, total, type Neighbourhood } from "./neighbourhood";
import { pseudoInverse } from "./symmetric";
import { inner } from "./products";

/** A direction on the map with less than this part of the largest variance does not count as one. */
const FLAT = 1e-12;

/** Each array is computed when it is first needed. Matrices are row by row. */
export class Moments {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
  /** w Δy of every row: (dim, rows). */
  readonly steps: Float64Array;
  /** Σ w Δy Δyᵀ: (dim, dim). */
  readonly squares: Float64Array;
  readonly inverse: Float64Array;
  private foundProducts: Float64Array | null = null;
  private foundSpreads: Float64Array | null = null;

  constructor(
    private readonly model: Model,
    around: Neighbourhood,
  ) {
    const { rows, weights } = counted(around);
    const dim = model.dim;
    this.rows = rows;
    this.weights = weights;
    const changes = centredPlaces(model, rows, weights);
    this.steps = changes.map((change, i) => weights[i % rows.length] * change);
    this.squares = new Float64Array(dim * dim);
    for (let a = 0; a < dim; a++) {
      for (let b = 0; b < dim; b++) {
        for (let j = 0; j < rows.length; j++) {
          this.squares[a * dim + b] += this.steps[a * rows.length + j] * changes[b * rows.length + j];
        }
      }
    }
    this.inverse = pseudoInverse(this.squares, dim, FLAT);
  }

  /** Σ w Δy Δxᵀ: (dim, features). */
  get products(): Float64Array {
    const { model, rows } = this;
    this.foundProducts ??= rows.length
      ? model.data.combine(rows, this.steps, model.dim, rows[0])
      : new Float64Array(model.dim * model.nFeatures);
    return this.foundProducts;
  }

  /** Σ w Δx². */
  get spreads(): Float64Array {
    this.foundSpreads ??= this.model.data.spreads(this.rows, this.weights);
    return this.foundSpreads;
  }

  /** G = (Σ w Δy Δyᵀ)⁺ Σ w Δy Δxᵀ: (dim, features). */
  slopes(): Float64Array {
    return multiplied(this.inverse, this.products, this.model.dim, this.model.dim, this.model.nFeatures);
  }

  /** R² of every feature for slopes that other rows were fitted to; negative if they predict worse than the mean. */
  explained(slopes: Float64Array): Float64Array {
    const { dim, nFeatures: n } = this.model;
    const predicted = multiplied(this.squares, slopes, dim, dim, n);
    const { products, spreads } = this;
    const fitted = new Float64Array(n);
    for (let c = 0; c < dim; c++) {
      for (let h = 0, i = c * n; h < n; h++, i++) fitted[h] += slopes[i] * (2 * products[i] - predicted[i]);
    }
    return fitted.map((value, h) => (spreads[h] > 0 ? value / spreads[h] : 0));
  }

  /** The cosine between all changes that slopes predict and all true ones. */
  cosine(slopes: Float64Array): number {
    const { dim, nFeatures: n } = this.model;
    const predicted = multiplied(this.squares, slopes, dim, dim, n);
    const agreement = inner(slopes, 0, this.products, 0, dim * n);
    const size = inner(slopes, 0, predicted, 0, dim * n);
    const whole = total(this.spreads);
    const lengths = Math.sqrt(Math.max(size, 0) * whole);
    return lengths > 0 ? agreement / lengths : 0;
  }
}

/** Places of some rows, minus their weighted mean: (dim, rows). */
export function centredPlaces(model: Model, rows: Int32Array, weights: Float64Array): Float64Array {
  const { dim, places } = model;
  const changes = new Float64Array(dim * rows.length);
  for (let c = 0; c < dim; c++) {
    let mean = 0;
    for (let j = 0; j < rows.length; j++) mean += weights[j] * places[rows[j] * dim + c];
    for (let j = 0; j < rows.length; j++) changes[c * rows.length + j] = places[rows[j] * dim + c] - mean;
  }
  return changes;
}

/** The product of an (a, b) matrix and a (b, c) matrix. */
export function multiplied(left: Float64Array, right: Float64Array, a: number, b: number, c: number): Float64Array {
  const out = new Float64Array(a * c);
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      const factor = left[i * b + j];
      if (factor === 0) continue;
      for (let h = 0; h < c; h++) out[i * c + h] += factor * right[j * c + h];
    }
  }
  return out;
}

/** Cross-fitted R² of every feature around a point, from 0 to 1. */
export function explainedVariance(first: Moments, second: Moments): Float64Array {
  const one = second.explained(first.slopes());
  const two = first.explained(second.slopes());
  return one.map((value, h) => Math.min(Math.max((value + two[h]) / 2, 0), 1));
}
