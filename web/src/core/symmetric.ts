/** Eigenvectors of small symmetric matrices by Jacobi's rotations. */

import { largestOnDiagonal } from "./products";

const SWEEPS = 40;
/** What is beside the diagonal counts as zero below this part of the largest entry on it. */
const NOTHING = 1e-17;

export interface Eigen {
  /** The largest first. */
  values: Float64Array;
  /** Row l is the eigenvector of value l. */
  vectors: Float64Array;
}

/** Of a symmetric matrix (k, k), row by row. */
export function eigenOf(matrix: Float64Array, k: number): Eigen {
  const a = matrix.slice();
  const v = new Float64Array(k * k);
  for (let i = 0; i < k; i++) v[i * k + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const nothing = NOTHING * largestOnDiagonal(a, k);
    let isDone = true;
    for (let p = 0; p < k - 1; p++) {
      for (let q = p + 1; q < k; q++) {
        if (Math.abs(a[p * k + q]) <= nothing) continue;
        rotate(a, v, k, p, q);
        isDone = false;
      }
    }
    if (isDone) break;
  }
  return sorted(a, v, k);
}

/** Makes a[p, q] zero, which is above the diagonal; only this half of the matrix is kept up to date. */
function rotate(a: Float64Array, v: Float64Array, k: number, p: number, q: number): void {
  const off = a[p * k + q];
  const half = (a[q * k + q] - a[p * k + p]) / (2 * off);
  const t = (half >= 0 ? 1 : -1) / (Math.abs(half) + Math.sqrt(half * half + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  a[p * k + p] -= t * off;
  a[q * k + q] += t * off;
  a[p * k + q] = 0;
  for (let i = 0; i < p; i++) turn(a, i * k + p, i * k + q, c, s);
  for (let i = p + 1; i < q; i++) turn(a, p * k + i, i * k + q, c, s);
  for (let i = q + 1; i < k; i++) turn(a, p * k + i, q * k + i, c, s);
  for (let i = 0; i < k; i++) turn(v, p * k + i, q * k + i, c, s);
}

function turn(a: Float64Array, i: number, j: number, c: number, s: number): void {
  const x = a[i];
  const y = a[j];
  a[i] = c * x - s * y;
  a[j] = s * x + c * y;
}

function sorted(a: Float64Array, v: Float64Array, k: number): Eigen {
  const order = Array.from({ length: k }, (_, i) => i).sort((i, j) => a[j * k + j] - a[i * k + i] || i - j);
  const values = Float64Array.from(order, (i) => a[i * k + i]);
  const vectors = new Float64Array(k * k);
  order.forEach((i, l) => vectors.set(v.subarray(i * k, (i + 1) * k), l * k));
  return { values, vectors };
}

/** The inverse without directions that have less than `flat` of the largest eigenvalue. */
export function pseudoInverse(matrix: Float64Array, k: number, flat: number): Float64Array {
  const { values, vectors } = eigenOf(matrix, k);
  const inverse = new Float64Array(k * k);
  for (let l = 0; l < k; l++) {
    if (values[l] <= flat * values[0] || values[l] === 0) continue;
    for (let i = 0; i < k; i++) {
      for (let j = 0; j < k; j++) inverse[i * k + j] += (vectors[l * k + i] * vectors[l * k + j]) / values[l];
    }
  }
  return inverse;
}
