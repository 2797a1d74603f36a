/** What sets the rows around a point, or around a group of points, apart from all rows. */

import { studentTails } from "./beta";
import type { Model } from "./model";
import { nEffective, type Neighbourhood } from "./neighbourhood";

const FROM_CHANCE = 2; // standard errors
const LEAST_SCORE = 0.3; // of a feature that is worth a word, in standard deviations of the data
const RATE = 0.05; // of rows with a chance finding among their own values, if values were normal
const LEAST_AWAY = 1; // of an own value that is worth a word: what is to be believed of its distance
const ROUNDING = 1e-6; // a smaller part of a value is rounding of float32

/** Arrays have one entry for each feature; means are scaled. */
export interface Apart {
  nAround: number;
  mean: Float64Array;
  z: Float64Array;
  score: Float64Array;
  said: Uint8Array;
  alone: Uint8Array;
  /** By how many standard deviations the point itself is above the rows around it, and what is to be believed of it. */
  away: Float64Array;
  awayScore: Float64Array;
  /** 1 where the point itself is unlike the rows around it; nowhere for a group. */
  unlike: Uint8Array;
}

/** By the rows around, whose weights are widely spread, and the scaled values of the point itself or of a group. */
export function apartOf(model: Model, wide: Neighbourhood, own: Float64Array, isOneRow: boolean): Apart {
  const { features, nFeatures: n } = model;
  const nAround = nEffective(wide);
  const nRows = Math.max(nAround, 1);
  const hasRows = nAround > 0;
  const moments = localMoments(model, wide);
  const found: Apart = {
    nAround,
    mean: hasRows ? moments.meanAsGiven : features.meanAsGiven.slice(),
    z: new Float64Array(n),
    score: new Float64Array(n),
    said: new Uint8Array(n),
    alone: new Uint8Array(n),
    away: new Float64Array(n),
    awayScore: new Float64Array(n),
    unlike: new Uint8Array(n),
  };
  const correction = nRows > 1 ? nRows / Math.max(nRows - 1, ROUNDING) : 1;
  for (let h = 0; h < n; h++) {
    const mean = hasRows ? moments.mean[h] : features.mean[h];
    const variance = moments.variance[h] * correction;
    const sd = features.sd[h] > 0 ? features.sd[h] : 1;
    const z = features.sd[h] > 0 ? (mean - features.mean[h]) / sd : 0;
    const factor = features.factors[h];
    const error = Math.max(Math.sqrt(variance / nRows) / sd, 1 / Math.sqrt(nRows));
    const isBeyondChance = hasRows && Math.abs(z) > FROM_CHANCE * error;
    const inside = clipped(own[h], features.lowest[h], features.highest[h]);
    const away = hasRows && features.sd[h] > 0 ? (inside - mean) / sd : 0;
    const reliability = features.reliability[h];
    found.z[h] = z;
    found.score[h] = z * factor;
    found.said[h] = isBeyondChance && Math.abs(z) * factor >= LEAST_SCORE ? 1 : 0;
    found.alone[h] = isBeyondChance && Math.abs(z) >= LEAST_SCORE && factor === 0 ? 1 : 0;
    found.away[h] = away;
    found.awayScore[h] = away * reliability;
    const isFar = isOneRow && Math.abs(away) * reliability >= LEAST_AWAY;
    found.unlike[h] = isFar && tailsBeyond(away, variance / sd ** 2, nRows, reliability) < RATE / n ? 1 : 0;
  }
  return found;
}

/**
 * How often a row is as far from the mean of the rows around it by chance. A distance of the reliability r is compared
 * with √((1 − r)/r) where the rows around vary less: a rare count is far from rows that have none, and tells little.
 */
function tailsBeyond(away: number, variance: number, nRows: number, reliability: number): number {
  if (!(nRows > 1)) return 1;
  const error = Math.sqrt(Math.max(variance, (1 - reliability) / reliability) * (1 + 1 / nRows));
  return studentTails(away / error, nRows - 1);
}

/** Weighted means as given, and means and variances between the limits of every feature. */
function localMoments(model: Model, { near, weights }: Neighbourhood) {
  const { nFeatures: n, features } = model;
  const moments = {
    meanAsGiven: new Float64Array(n),
    mean: new Float64Array(n),
    variance: new Float64Array(n),
  };
  const rows = near.filter((_, j) => weights[j] > 0);
  if (!rows.length) return moments;
  const positive = weights.filter((weight) => weight > 0);
  const base = new Float64Array(n);
  model.data.row(rows[0], base);
  const seen = new Uint8Array(n);
  const whole = positive.reduce((sum, weight) => sum + weight, 0);
  model.data.eachFeature(rows, (h, stored, at, start, count, other) => {
    const { lowest, highest } = features;
    const [low, high] = [lowest[h], highest[h]];
    const origin = base[h]; // from which values are measured, so that nearly constant features keep their variance
    const inside = clipped(origin, low, high);
    let [asGiven, mean, squares, rest] = [0, 0, 0, whole];
    for (let i = start; i <= start + count; i++) {
      // After the stored values comes the value of all others, with what is left of the weight.
      const isStored = i < start + count;
      if (!isStored && count === rows.length) break;
      const value = isStored ? stored[i] : other;
      const weight = isStored ? positive[at[i]] : rest;
      const change = clipped(value, low, high) - inside;
      rest -= weight;
      asGiven += weight * (value - origin);
      mean += weight * change;
      squares += weight * change * change;
    }
    seen[h] = 1;
    moments.meanAsGiven[h] = asGiven + origin;
    moments.mean[h] = mean + inside;
    moments.variance[h] = Math.max(squares - mean * mean, 0);
  });
  for (let h = 0; h < n; h++) {
    if (seen[h]) continue;
    moments.meanAsGiven[h] = base[h];
    moments.mean[h] = clipped(base[h], features.lowest[h], features.highest[h]);
  }
  return moments;
}

function clipped(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
