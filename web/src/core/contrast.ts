/** Two groups of rows compared, feature by feature: means, effect sizes, and Welch's test. */

import type { ContrastAnswer } from "../source";
import { firstOf, joined } from "./around";
import { adjusted, studentTails } from "./beta";
import { sampled } from "./hash";
import type { Model } from "./model";
import { Tangents } from "./tangents";

/** Rows of a group whose importance is averaged. */
const MOST_DESCRIBED = 200;
const SEED = 0;
const ROUNDING = 1e-12; // a smaller part of the mean square is not variance but rounding
/** Groups in which nothing varies are compared as if their spread were this part of that of all rows. */
const LEAST_SPREAD = 0.01;
/** Effect sizes of the two levels of a category differ by rounding only. */
const ROUNDED = 1e-9;
/** Features with a larger q-value come last. */
const DISCOVERED = 0.05;
const TINY = 2.2250738585072014e-308;
const ROWS_AT_ONCE = 1000;

/** The size of a group, and the mean, variance and third central moment of one feature in it. */
interface Moments {
  size: number;
  mean: number;
  variance: number;
  third: number;
}

/** Yields the part that is done. */
export function* contrastAnswer(model: Model, a: Int32Array, b: Int32Array | null): Generator<number, ContrastAnswer> {
  const first = Int32Array.from(new Set(a)).sort();
  const second = b ? Int32Array.from(new Set(b)).sort() : theRest(model.nRows, first);
  if (first.length < 2 || second.length < 2) throw new Error("Each group needs at least two rows.");
  const inFirst = new Set(first);
  if (second.some((row) => inFirst.has(row))) throw new Error("The groups must have no row in common.");
  const { sums, origin, units } = yield* groupSums(model, first, second);
  const n = model.nFeatures;
  const zeros = () => new Float64Array(n);
  const found = { meanA: zeros(), meanB: zeros(), difference: zeros(), effectSize: zeros(), statistic: zeros(), p: zeros() };
  for (let h = 0; h < n; h++) {
    const [ofA, ofB] = [sums[0], sums[1]].map((sum) => [sum[h], sum[n + h], sum[2 * n + h]]);
    const one = momentsOf(first.length, ofA);
    const two = momentsOf(second.length, ofB);
    const whole = momentsOf(first.length + second.length, ofA.map((sum, power) => sum + ofB[power]));
    const difference = whole.variance > 0 ? one.mean - two.mean : 0;
    found.meanA[h] = one.mean / units[h] + origin[h];
    found.meanB[h] = two.mean / units[h] + origin[h];
    found.difference[h] = difference / units[h];
    found.effectSize[h] = difference / spreadWithin(one, two, whole);
    found.statistic[h] = normalScore(difference, one, two, Math.max(ROUNDING * whole.variance, TINY));
    found.p[h] = welch(difference, one, two);
  }
  const described = [first, second].map((rows) => sampled(rows, MOST_DESCRIBED, SEED));
  const importance: Float64Array[] = [];
  for (const rows of described) importance.push(yield* meanImportance(model, rows, 0.5 + importance.length / 4));
  const { groups } = model;
  const said = mostDifferentOfEach(found.effectSize, groups);
  const p = ofFeatures(found.p, groups);
  const q = qValues(p, said, groups);
  return {
    sizes: [first.length, second.length],
    ...found,
    p,
    q,
    importanceA: importance[0],
    importanceB: importance[1],
    nImportance: [described[0].length, described[1].length],
    order: discoveredFirst(firstOf(found.effectSize.map(Math.abs), (h) => said.has(h), null), q),
  };
}

function discoveredFirst(order: Int32Array, q: Float64Array): Int32Array {
  return Int32Array.from([...order.filter((h) => q[h] <= DISCOVERED), ...order.filter((h) => q[h] > DISCOVERED)]);
}

/** Of each feature of the user the column with the largest effect size, the first of those that are equal. */
function mostDifferentOfEach(effectSize: Float64Array, groups: Model["groups"]): Set<number> {
  const sizes = effectSize.map((value) => Math.round(Math.abs(value) / ROUNDED) * ROUNDED);
  return new Set(firstOf(sizes, () => true, groups));
}

/** p-values that pay for the choice of one of the levels of a category: times their number, at most 1. */
function ofFeatures(p: Float64Array, groups: Model["groups"]): Float64Array {
  if (!groups) return p;
  const counts = new Map<number, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  return p.map((value, h) => Math.min(value * counts.get(groups[h])!, 1));
}

/** Over features, each by the column that is told; all columns of a feature have its q-value. */
function qValues(p: Float64Array, said: Set<number>, groups: Model["groups"]): Float64Array {
  const columns = [...said];
  const q = adjusted(Float64Array.from(columns, (h) => p[h]));
  const found = new Map(columns.map((h, i) => [groups ? groups[h] : h, q[i]]));
  return p.map((_, h) => found.get(groups ? groups[h] : h)!);
}

function theRest(nRows: number, rows: Int32Array): Int32Array {
  const isIn = new Uint8Array(nRows);
  for (const row of rows) isIn[row] = 1;
  return Int32Array.from({ length: nRows }, (_, i) => i).filter((row) => !isIn[row]);
}

/** Sums of values, squares and cubes of each group, (3, n) each, of values minus an origin, in units of the data. */
function* groupSums(model: Model, a: Int32Array, b: Int32Array) {
  const { data } = model;
  const unit = model.lengths ? powerOfTwoBelow(model.lengths, [a, b]) : 1;
  const units = model.lengths ? model.scale.map(() => unit) : model.scale;
  const lengths = model.lengths && model.lengths.map((length) => Math.fround(length * unit));
  const origin = data.originOf(Int32Array.from([...a, ...b]).sort(), lengths);
  yield 0.25;
  const sums: Float64Array[] = [];
  for (const rows of [a, b]) {
    const sum = new Float64Array(3 * model.nFeatures);
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
      data.addPowers(rows.subarray(first, first + ROWS_AT_ONCE), lengths, origin, sum);
      yield 0.25 + (0.25 * (sums.length * a.length + first)) / (a.length + b.length);
    }
    sums.push(sum);
  }
  return { sums, origin: origin.map((value, h) => value / units[h] + model.center[h]), units };
}

/** The power of two that brings the largest length into [1/2, 1). */
function powerOfTwoBelow(lengths: Float64Array, groups: Int32Array[]): number {
  let largest = 0;
  for (const rows of groups) for (const i of rows) largest = Math.max(largest, lengths[i]);
  if (largest === 0) return 1;
  let exponent = Math.floor(Math.log2(largest)) + 1;
  while (largest * 2 ** -exponent >= 1) exponent++;
  while (largest * 2 ** -exponent < 0.5) exponent--;
  return 2 ** -exponent;
}

function momentsOf(size: number, [sum, sumOfSquares, sumOfCubes]: number[]): Moments {
  const [mean, square, cube] = [sum / size, sumOfSquares / size, sumOfCubes / size];
  let variance = square - mean * mean;
  if (!(variance > ROUNDING * square)) variance = 0;
  return { size, mean, variance, third: variance > 0 ? cube - 3 * mean * square + 2 * mean ** 3 : 0 };
}

/** Of the mean. */
function squaredError({ variance, size }: Moments): number {
  return variance / (size - 1);
}

/** The root of the mean of both variances; 1 for constant features. */
function spreadWithin(a: Moments, b: Moments, whole: Moments): number {
  const variance = (squaredError(a) * a.size + squaredError(b) * b.size) / 2;
  const spread = Math.sqrt(Math.max(variance, LEAST_SPREAD ** 2 * whole.variance));
  return spread > 0 ? spread : 1;
}

/** Welch's t as a normal variable. */
function normalScore(difference: number, a: Moments, b: Moments, flat: number): number {
  const error = Math.max(squaredError(a) + squaredError(b), flat * (1 / a.size + 1 / b.size));
  const freedom = degreesOfFreedom(a, b);
  const size =
    ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((difference * difference) / error / freedom));
  return difference < 0 ? -size : size;
}

/** Those of Welch and Satterthwaite. Where nothing varies they are those of the larger group. */
function degreesOfFreedom(a: Moments, b: Moments): number {
  const error = squaredError(a) + squaredError(b);
  if (!(error > 0)) return Math.max(a.size, b.size) - 1;
  const part = squaredError(a) / error;
  return 1 / (part ** 2 / (a.size - 1) + (1 - part) ** 2 / (b.size - 1));
}

/** Welch's p-value by Student's distribution; Hall's correction for skewness counts where it makes t smaller. */
function welch(difference: number, a: Moments, b: Moments): number {
  const error = squaredError(a) + squaredError(b);
  if (!(error > 0)) return difference === 0 ? 1 : 0;
  const root = Math.sqrt(error);
  const t = (a.mean - b.mean) / root;
  const skewness = (a.third / a.size ** 2 - b.third / b.size ** 2) / root ** 3;
  const corrected = t + (skewness * t * t) / 3 + (skewness ** 2 * t ** 3) / 27 + skewness / 6;
  const smaller = corrected * t > 0 ? Math.min(Math.abs(t), Math.abs(corrected)) : 0;
  return studentTails(smaller, degreesOfFreedom(a, b));
}

function* meanImportance(model: Model, rows: Int32Array, before: number): Generator<number, Float64Array> {
  const sums = new Float64Array(model.nFeatures);
  const tangents = new Tangents(model);
  for (const [i, row] of rows.entries()) {
    const importance = joined(tangents.importance(row), model.groups);
    for (let h = 0; h < sums.length; h++) sums[h] += importance[h] / rows.length;
    if (i % 50 === 49) yield before + i / rows.length / 4;
  }
  return sums;
}
