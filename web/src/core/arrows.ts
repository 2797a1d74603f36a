/**
 * Arrows: a mixture u G + v H of the regression on the map, G, and of its part within the tangent spaces around, H.
 * Two halves of the neighbourhood tell signal from noise: what they agree on is signal.
 */

import type { Mixture } from "../record";
import type { Model } from "./model";
import { counted, halves, type Neighbourhood } from "./neighbourhood";
import { Moments, multiplied } from "./regression";
import { gramOf, inner } from "./products";
import { tangentNeighbours, type Space, type Tangents } from "./tangents";

const SINGULAR = 1e-9; // of the product of the diagonal; a Gram matrix below has no inverse to speak of

/** The tangent spaces of a row and of its neighbours that are connected. */
export function spacesOfFit(model: Model, tangents: Tangents, row: number): Space[] {
  return centers(model, row).map((center) => tangents.space(center, tangents.ofFit(center)));
}

/** The same made without some rows, whose own spaces do not count. */
export function spacesWithout(model: Model, tangents: Tangents, row: number, leftOut: Set<number>): Space[] {
  const left = centers(model, row).filter((center, number) => number === 0 || !leftOut.has(center));
  return left.map((center) => tangents.space(center, tangents.without(center, leftOut)));
}

function centers(model: Model, row: number): number[] {
  const k = model.head.nTangentNeighbours;
  const near = tangentNeighbours(model, row);
  return [row, ...near.filter((_, a) => !model.hasEdge || model.hasEdge[row * k + a] === 1)];
}

/** The moments of a neighbourhood and of its two halves. */
export function withHalves(model: Model, found: Neighbourhood): [Moments, Moments, Moments] {
  const [first, second] = halves(found);
  return [new Moments(model, found), new Moments(model, first), new Moments(model, second)];
}

/**
 * A = u G + v H: (dim, features), with the mixtures of the point or given ones. Features without loadings, whose H is
 * 0, are a set of their own with a mixture of their own.
 */
export function blended(
  model: Model,
  row: number,
  parts: [Moments, Moments, Moments],
  spaces: Space[],
  given: Mixture[] | null,
): Float64Array {
  const { dim, nFeatures: n, hasLoadings } = model;
  const nLines = 3 * dim;
  const lines = new Float64Array(nLines * n);
  parts.forEach((moments, part) => lines.set(moments.products, part * dim * n));
  const [ofAll, ofFirst, ofSecond] = parts.map((moments, part) => combination(moments.inverse, part, dim));
  const ofMean = ofFirst.map((value, i) => (value + ofSecond[i]) / 2);
  const mixes = new Float64Array([...ofAll, ...ofMean]);
  const { products, projected } = projections(model, row, lines, nLines, mixes, 2 * dim, spaces);
  const H = projected.subarray(0, dim * n);
  const G = parts[0].slopes();
  const mixtures = given ?? ownMixtures();
  return G.map((slope, i) => {
    const [u, v] = mixtures[!hasLoadings || hasLoadings[i % n] ? 0 : 1];
    return u * slope + v * H[i];
  });

  function ownMixtures(): Mixture[] {
    const squares = parts[0].squares;
    /** ⟨A, B⟩ = tr(Aᵀ S B) of A = αL and B = βL, which compares the changes that they predict. */
    const compared = (first: Float64Array, gram: Float64Array, second: Float64Array) => {
      const left = multiplied(first, gram, dim, nLines, nLines);
      let sum = 0;
      for (let a = 0; a < dim; a++) {
        for (let b = 0; b < dim; b++) {
          sum += squares[a * dim + b] * inner(left, a * nLines, second, b * nLines, nLines);
        }
      }
      return sum;
    };
    const meanH = projected.subarray(dim * n);
    const sizeOfH = inner(squares, 0, gramOf(meanH, dim, n), 0, dim * dim);
    const ofH = [compared(ofFirst, products, ofSecond), compared(ofMean, products, ofMean), sizeOfH];
    return gramsOfSets(lines, nLines, n, hasLoadings).map((gram, set) => {
      const [signalOfH, across, size] = set === 0 ? ofH : [0, 0, 0];
      const [signal, sizeOfG] = [compared(ofFirst, gram, ofSecond), compared(ofMean, gram, ofMean)];
      return bestMixture([signal, signalOfH], [sizeOfG, across, size]);
    });
  }
}

/** L Lᵀ over all features or, where some have no loadings, over those that have and over those that have not. */
function gramsOfSets(lines: Float64Array, nLines: number, n: number, hasLoadings: Uint8Array | null): Float64Array[] {
  if (!hasLoadings) return [gramOf(lines, nLines, n)];
  return [1, 0].map((has) => {
    const part = lines.filter((_, i) => hasLoadings[i % n] === has);
    return gramOf(part, nLines, part.length / nLines);
  });
}

/** α of a part: its inverse at its own lines and 0 at those of the other parts, (dim, 3 dim). */
function combination(inverse: Float64Array, part: number, dim: number): Float64Array {
  const out = new Float64Array(dim * 3 * dim);
  for (let c = 0; c < dim; c++) {
    out.set(inverse.subarray(c * dim, (c + 1) * dim), c * 3 * dim + part * dim);
  }
  return out;
}

/** (u, v) that minimises θᵀMθ − 2cᵀθ over θ ≥ 0, with M = [[m0, m1], [m1, m2]]. */
export function bestMixture([c0, c1]: [number, number], [m0, m1, m2]: [number, number, number]): Mixture {
  const determinant = m0 * m2 - m1 * m1;
  if (determinant > SINGULAR * m0 * m2) {
    const u = (m2 * c0 - m1 * c1) / determinant;
    const v = (m0 * c1 - m1 * c0) / determinant;
    if (u >= 0 && v >= 0) return [u, v];
  }
  const [first, second] = [Math.max(c0, 0), Math.max(c1, 0)];
  const u = m0 > 0 ? first / m0 : 0;
  const v = m2 > 0 ? second / m2 : 0;
  return first * u >= second * v ? [u, 0] : [0, v];
}

/** L P Lᵀ and M L P, with P the mean of V Vᵀ over some spaces: (lines, lines) and (mixes, features). */
function projections(
  model: Model,
  row: number,
  lines: Float64Array,
  nLines: number,
  mixes: Float64Array,
  nMixed: number,
  spaces: Space[],
): { products: Float64Array; projected: Float64Array } {
  const { space, directions } = model;
  const inside = directions ? withinComponents(lines, nLines, directions, model.nFeatures) : lines;
  const places = new Map<number, number>();
  for (const { members } of spaces) {
    for (const member of members) if (!places.has(member)) places.set(member, places.size);
  }
  const rows = Int32Array.from(places.keys());
  const along = space.dots(rows, inside, nLines, row);
  const products = new Float64Array(nLines * nLines);
  const coefficients = new Float64Array(nMixed * rows.length);
  for (const { members, pairs } of spaces) {
    const at = members.map((member) => places.get(member)!);
    const size = members.length;
    const here = new Float64Array(nLines * size);
    for (let v = 0; v < nLines; v++) for (let a = 0; a < size; a++) here[v * size + a] = along[at[a] * nLines + v];
    const there = multiplied(here, pairs, nLines, size, size); // B is symmetric
    for (let v = 0; v < nLines; v++) {
      for (let w = 0; w < nLines; w++) {
        products[v * nLines + w] += inner(here, v * size, there, w * size, size) / spaces.length;
      }
    }
    const mixed = multiplied(mixes, there, nMixed, nLines, size);
    for (let v = 0; v < nMixed; v++) {
      for (let a = 0; a < size; a++) coefficients[v * rows.length + at[a]] += mixed[v * size + a] / spaces.length;
    }
  }
  const found = space.combine(rows, coefficients, nMixed, row);
  return { products, projected: directions ? inFeatures(found, nMixed, directions, model.nFeatures) : found };
}

/** Lines of the features as lines of the components, L B: (lines, components). */
function withinComponents(lines: Float64Array, nLines: number, B: Float64Array, n: number): Float64Array {
  return multiplied(lines, B, nLines, n, B.length / n);
}

/** Lines of the components as lines of the features, L Bᵀ: (lines, features). */
function inFeatures(lines: Float64Array, nLines: number, B: Float64Array, n: number): Float64Array {
  const q = B.length / n;
  const out = new Float64Array(nLines * n);
  for (let v = 0; v < nLines; v++) for (let h = 0; h < n; h++) out[v * n + h] = inner(lines, v * q, B, h * q, q);
  return out;
}

/** How true arrows are around a row: those of the mixture, and those of the regression alone. Cross-fitted. */
export function fidelities(
  model: Model,
  row: number,
  found: Neighbourhood,
  tangents: Tangents,
): { ofArrows: number; ofRegression: number } {
  if (!model.graph.isConnected[row]) return { ofArrows: 0, ofRegression: 0 };
  const both = halves(found);
  const parts = both.map((half) => withHalves(model, half));
  let [ofArrows, ofRegression] = [0, 0];
  for (const fitted of [0, 1]) {
    const scored = parts[1 - fitted][0];
    const leftOut = new Set(counted(both[1 - fitted]).rows);
    const spaces = spacesWithout(model, tangents, row, leftOut);
    const arrows = blended(model, row, parts[fitted], spaces, model.head.mixtures?.scored ?? null);
    ofArrows += scored.cosine(arrows) / 2;
    ofRegression += scored.cosine(parts[fitted][0].slopes()) / 2;
  }
  return { ofArrows, ofRegression };
}
