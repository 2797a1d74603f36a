/** "Why is it here?" of a point and of a group: what is apart, what changes, what is hidden. */

import type { Numbers } from "../record";
import type { Around, GroupAnswer, PointAnswer } from "../source";
import { apartOf, type Apart } from "./apart";
import { blended, fidelities, spacesOfFit, withHalves } from "./arrows";
import { beatsChance } from "./chance";
import { restored, type Model } from "./model";
import { around, counted, together, widely, type Neighbourhood } from "./neighbourhood";
import { explainedVariance, multiplied, type Moments } from "./regression";
import { Tangents } from "./tangents";

const MOST_COMPARED = 1000; // rows of a group that are compared with all rows
const MOST_ARROWS = 100; // rows of a group whose arrows are drawn
const ROUNDING = 1e-4; // importances that differ by less are equal: with as many directions as features all are 1

/** What the map shows around one row: an entry for each feature, scaled; arrows are (dim, features). */
interface Local {
  explained: Float64Array;
  isShown: Uint8Array;
  arrows: Float64Array;
  /** The standard deviation that the arrow accounts for around the row. */
  change: Float64Array;
  smallest: Float64Array;
  largest: Float64Array;
  importance: Float64Array;
  isVarying: Uint8Array;
}

export function pointAnswer(model: Model, row: number): PointAnswer {
  const found = around(model, row);
  const tangents = new Tangents(model);
  const local = localOf(model, row, found, tangents);
  const own = new Float64Array(model.nFeatures);
  model.data.row(row, own);
  const { ofArrows, ofRegression } = fidelities(model, row, found, tangents);
  return {
    ...put(model, apartOf(model, widely(model, row, found), own, true), own, local),
    row,
    intrinsicDim: model.intrinsicDim[row],
    near: found.near,
    weights: found.weights,
    fidelity: ofArrows,
    fidelityOfRegression: ofRegression,
    isConnected: model.graph.isConnected[row] === 1,
  };
}

/** Yields the part that is done. */
export function* groupAnswer(model: Model, given: Int32Array): Generator<number, GroupAnswer> {
  const rows = Int32Array.from(new Set(given)).sort();
  const compared = spreadOut(rows, MOST_COMPARED);
  const explained = spreadOut(rows, MOST_ARROWS);
  const work = compared.length / 20 + explained.length; // arrows of a row take about 20 times as long
  const wide: Neighbourhood[] = [];
  for (const row of compared) {
    wide.push(widely(model, row, around(model, row)));
    if (wide.length % 20 === 0) yield wide.length / 20 / work;
  }
  const own = meanRow(model, compared);
  const isOneRow = rows.length === 1;
  const apart = apartOf(model, isOneRow ? wide[0] : together(wide), own, isOneRow);
  const locals = new Means(model);
  for (const row of explained) {
    locals.add(localOf(model, row, around(model, row), new Tangents(model)));
    yield (compared.length / 20 + locals.count) / work;
  }
  return {
    ...put(model, apart, own, locals.mean()),
    rows,
    nCompared: compared.length,
    nExplained: explained.length,
  };
}

/** All rows of a small group, or every so many of a large one. */
function spreadOut(rows: Int32Array, most: number): Int32Array {
  if (rows.length === 1) return rows;
  const n = Math.min(rows.length, most);
  const last = rows.length - 1;
  return Int32Array.from({ length: n }, (_, i) => rows[i === n - 1 ? last : Math.floor(i * (last / (n - 1)))]);
}

function localOf(model: Model, row: number, found: Neighbourhood, tangents: Tangents): Local {
  const { dim, nFeatures: n } = model;
  const parts = withHalves(model, found);
  const isConnected = model.graph.isConnected[row] === 1;
  const spaces = spacesOfFit(model, tangents, row);
  const drawn = blended(model, row, parts, spaces, model.head.mixtures?.drawn ?? null);
  const arrows = isConnected ? drawn : new Float64Array(dim * n);
  const explained = isConnected ? explainedVariance(parts[1], parts[2]) : new Float64Array(n);
  const isShown = beatsChance(model, row, found).map((beats, h) => (explained[h] > 0 ? beats : 0));
  const importance = tangents.importance(row);
  const usual = Math.sqrt(model.intrinsicDim[row] / n);
  return {
    explained,
    isShown,
    arrows,
    change: changesAlong(parts[0], arrows, dim, n),
    ...model.data.ranges(counted(found).rows),
    importance: joined(importance, model.groups),
    isVarying: Uint8Array.from(importance, (value) => (value > usual + ROUNDING ? 1 : 0)),
  };
}

/** √(aᵀ S a) of every arrow a, S = Σ w Δy Δyᵀ. */
function changesAlong(moments: Moments, arrows: Float64Array, dim: number, n: number): Float64Array {
  const predicted = multiplied(moments.squares, arrows, dim, dim, n);
  const changes = new Float64Array(n);
  for (let c = 0; c < dim; c++) for (let h = 0; h < n; h++) changes[h] += arrows[c * n + h] * predicted[c * n + h];
  return changes.map((square) => Math.sqrt(Math.max(square, 0)));
}

/** The means over the rows of a group; flags hold for half of its rows. */
class Means {
  count = 0;
  private readonly sums: Record<"explained" | "isShown" | "arrows" | "change" | "importance" | "isVarying", Float64Array>;
  private readonly smallest: Float64Array;
  private readonly largest: Float64Array;

  constructor({ nFeatures: n, dim }: Model) {
    const zeros = () => new Float64Array(n);
    this.sums = {
      explained: zeros(),
      isShown: zeros(),
      arrows: new Float64Array(dim * n),
      change: zeros(),
      importance: zeros(),
      isVarying: zeros(),
    };
    this.smallest = new Float64Array(n).fill(Infinity);
    this.largest = new Float64Array(n).fill(-Infinity);
  }

  add(local: Local): void {
    this.count++;
    for (const name of Object.keys(this.sums) as (keyof Means["sums"])[]) {
      const [sums, values] = [this.sums[name], local[name]];
      for (let i = 0; i < sums.length; i++) sums[i] += values[i];
    }
    for (let h = 0; h < this.smallest.length; h++) {
      this.smallest[h] = Math.min(this.smallest[h], local.smallest[h]);
      this.largest[h] = Math.max(this.largest[h], local.largest[h]);
    }
  }

  mean(): Local {
    const mean = (name: keyof Means["sums"]) => this.sums[name].map((sum) => sum / this.count);
    const holds = (name: keyof Means["sums"]) => Uint8Array.from(mean(name), (part) => (part >= 0.5 ? 1 : 0));
    return {
      explained: mean("explained"),
      isShown: holds("isShown"),
      arrows: mean("arrows"),
      change: mean("change"),
      smallest: this.smallest,
      largest: this.largest,
      importance: mean("importance"),
      isVarying: holds("isVarying"),
    };
  }
}

function meanRow(model: Model, rows: Int32Array): Float64Array {
  const row = new Float64Array(model.nFeatures);
  const sums = new Float64Array(model.nFeatures);
  for (const one of rows) {
    model.data.row(one, row);
    for (let h = 0; h < sums.length; h++) sums[h] += row[h];
  }
  return sums.map((sum) => sum / rows.length);
}

/** The answer in the user's units, with the lists in their order. */
function put(model: Model, apart: Apart, own: Float64Array, local: Local): Around {
  const { nFeatures: n, dim, scale, groups } = model;
  const { factors } = model.features;
  const arrows = new Float64Array(n * dim);
  for (let c = 0; c < dim; c++) for (let h = 0; h < n; h++) arrows[h * dim + c] = local.arrows[c * n + h] / scale[h];
  const hasArrow = (h: number) => arrows.subarray(h * dim, (h + 1) * dim).some((length) => length !== 0);
  const shown = new Set(groups ? Array.from(groups).filter((_, h) => local.isShown[h] === 1) : []);
  const isShown = (h: number) => (groups ? shown.has(groups[h]) : local.isShown[h] === 1);
  const mean = restored(model, apart.mean);
  const [smallest, largest] = [restored(model, local.smallest), restored(model, local.largest)];
  const within = (value: number, h: number) => Math.min(Math.max(value, smallest[h]), largest[h]);
  return {
    nAround: apart.nAround,
    apart: largestOf(apart.score, apart.said, groups),
    unlike: largestOf(apart.awayScore, apart.unlike, groups),
    changes: firstOf(
      local.explained.map((value, h) => value * factors[h]),
      (h) => local.isShown[h] === 1 && factors[h] > 0 && hasArrow(h),
      groups,
    ),
    hidden: firstOf(
      local.importance.map((value, h) => value * factors[h]),
      (h) => !isShown(h) && local.isVarying[h] === 1 && factors[h] > 0,
      groups,
    ),
    alone: firstOf(apart.score.map(Math.abs), (h) => apart.alone[h] === 1, groups),
    mean,
    own: restored(model, own),
    z: apart.z,
    score: apart.score,
    away: apart.away,
    explained: local.explained,
    isShown: local.isShown,
    arrows,
    low: mean.map((value, h) => within(value - local.change[h] / scale[h], h)),
    high: mean.map((value, h) => within(value + local.change[h] / scale[h], h)),
    importance: local.importance,
  };
}

/**
 * Features that are worth a word, the largest score of either sign first. A category is told by what rows have, and by
 * what they lack only if there is nothing else to say.
 */
function largestOf(score: Float64Array, said: Uint8Array, groups: Numbers | null): Int32Array {
  const isSaid = (h: number) => said[h] === 1;
  const had = new Set(groups ? Array.from(groups).filter((_, h) => isSaid(h) && score[h] > 0) : []);
  const isTold = (h: number) => isSaid(h) && (!groups || score[h] > 0 || !had.has(groups[h]));
  return firstOf(score.map(Math.abs), isTold, groups);
}

/** Features that count, the largest score first, of equal ones the first column; of each group its first. */
export function firstOf(
  score: Float64Array,
  counts: (feature: number) => boolean,
  groups: Numbers | null,
): Int32Array {
  const found = Array.from(score.keys()).filter(counts);
  const order = found.sort((g, h) => score[h] - score[g] || g - h);
  if (!groups) return Int32Array.from(order);
  const seen = new Set<number>();
  return Int32Array.from(order.filter((h) => !seen.has(groups[h]) && seen.add(groups[h])));
}

/** The root of the sum of squares over the columns of each group, at each of them. */
export function joined(importance: Float64Array, groups: Numbers | null): Float64Array {
  if (!groups) return importance;
  const sums = new Map<number, number>();
  importance.forEach((value, h) => sums.set(groups[h], (sums.get(groups[h]) ?? 0) + value * value));
  return importance.map((_, h) => Math.sqrt(sums.get(groups[h])!));
}
