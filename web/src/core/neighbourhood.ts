/** The rows around a point on the map, with weights that a walk on the graph gives them; and how they are halved. */

import type { Graph } from "./graph";
import type { Model } from "./model";

const STEPS = 8;
const LEAST = 1e-4; // of the largest weight; rows below have none
const FEWEST_WALKED = 16; // with weight; if there are fewer, the nearest on the map count as well
const NEAREST = 30;
const BASE = 1e-3; // what each of these nearest gets in addition
const FEWEST_CAPPED = 30; // no row has more than one part in so many of all weight

/** Rows near a point on the map, by distance. Weights sum to 1, or are all 0. */
export interface Neighbourhood {
  near: Int32Array;
  weights: Float64Array;
  /** Rows of one unit depend on each other and stay together. */
  units: Int32Array;
}

/** The K nearest on the map, weighted by a walk on the graph. */
export function around(model: Model, row: number): Neighbourhood {
  const near = model.search.others(row, model.head.nNear).rows;
  const weights = toOne(walkWeights(model.graph, row, near));
  return { near, weights, units: near.map((other) => model.units[other]) };
}

function walkWeights(graph: Graph, row: number, near: Int32Array): Float64Array {
  let weights = visits(graph, row, near);
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  weights = weights.map((weight) => (largest > 0 && weight / largest >= LEAST ? weight / largest : 0));
  const nReached = weights.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0);
  if (nReached >= FEWEST_WALKED && near.length >= NEAREST) return weights;
  return weights.map((weight, j) => (j < NEAREST ? weight + BASE : 0));
}

/** Σ_s p_s(j)/d_j over the steps of a walk from the row among the rows near it, of which it is the last. */
function visits(graph: Graph, row: number, near: Int32Array): Float64Array {
  const k = near.length;
  const edges = edgesAmong(graph, Int32Array.from([...near, row]));
  let here = new Float64Array(k + 1);
  here[k] = 1;
  const sums = new Float64Array(k + 1);
  for (let step = 0; step < STEPS; step++) {
    const there = new Float64Array(k + 1);
    for (let a = 0; a <= k; a++) {
      if (here[a] === 0 || edges.degrees[a] === 0) continue;
      const part = here[a] / edges.degrees[a];
      for (let e = edges.starts[a]; e < edges.starts[a + 1]; e++) there[edges.ends[e]] += part * edges.weights[e];
    }
    for (let a = 0; a <= k; a++) sums[a] += there[a];
    here = there;
  }
  return sums.subarray(0, k).map((sum, j) => (edges.degrees[j] > 0 ? sum / edges.degrees[j] : 0));
}

/** The edges of the graph among some rows, by their places in the list. */
function edgesAmong(graph: Graph, rows: Int32Array) {
  const places = new Map<number, number>();
  rows.forEach((row, a) => places.set(row, a));
  const starts = new Int32Array(rows.length + 1);
  const degrees = new Float64Array(rows.length);
  const ends: number[] = [];
  const weights: number[] = [];
  rows.forEach((row, a) => {
    for (let e = graph.starts[row]; e < graph.starts[row + 1]; e++) {
      const place = places.get(graph.ends[e]);
      if (place === undefined) continue;
      ends.push(place);
      weights.push(graph.weights[e]);
      degrees[a] += graph.weights[e];
    }
    starts[a + 1] = ends.length;
  });
  return { starts, ends, weights, degrees };
}

export function toOne(weights: Float64Array): Float64Array {
  const sum = total(weights);
  return sum > 0 ? weights.map((weight) => weight / sum) : new Float64Array(weights.length);
}

/** Every second unit of those with weight, in the order of distance, and the others. */
export function halves({ near, weights, units }: Neighbourhood): [Neighbourhood, Neighbourhood] {
  const sides = new Map<number, number>();
  weights.forEach((weight, j) => {
    if (weight > 0 && !sides.has(units[j])) sides.set(units[j], sides.size % 2);
  });
  const half = (side: number): Neighbourhood => ({
    near,
    weights: toOne(weights.map((weight, j) => (weight > 0 && sides.get(units[j]) === side ? weight : 0))),
    units,
  });
  return [half(0), half(1)];
}

/** K_eff = 1/Σ w², where the units of dependent rows count once; 0 without weights. */
export function nEffective({ weights, units }: Neighbourhood): number {
  const sums = new Map<number, number>();
  weights.forEach((weight, j) => sums.set(units[j], (sums.get(units[j]) ?? 0) + weight));
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  return squares > 0 ? 1 / squares : 0;
}

/** The rows that have weight, and their weights. */
export function counted({ near, weights }: Neighbourhood): { rows: Int32Array; weights: Float64Array } {
  return {
    rows: near.filter((_, j) => weights[j] > 0),
    weights: weights.filter((weight) => weight > 0),
  };
}

/** The same rows with no weight above 1/30; without weights if the point has no edges. */
export function widely(model: Model, row: number, found: Neighbourhood): Neighbourhood {
  const weights = model.graph.isConnected[row] ? capped(found.weights) : new Float64Array(found.weights.length);
  return { ...found, weights };
}

/** Weights that sum to 1, none above 1/30: what is cut off goes to the others in proportion. */
function capped(given: Float64Array): Float64Array {
  const fewest = Math.min(FEWEST_CAPPED, given.length);
  const weights = atLeast(given, fewest);
  const falling = weights.slice().sort().reverse();
  let rest = 0;
  const rests = new Float64Array(falling.length);
  for (let s = falling.length - 1; s >= 0; s--) rests[s] = rest += falling[s];
  // With the s largest cut off, all others are multiplied by one factor: the first s whose largest fits.
  let s = 0;
  const factor = (cut: number) => (1 - cut / fewest) / rests[cut];
  while (s < fewest - 1 && !(factor(s) * falling[s] <= (1 + 1e-9) / fewest)) s++;
  if (!(factor(s) * falling[s] <= (1 + 1e-9) / fewest)) s = 0;
  const common = factor(s);
  return weights.map((weight) => Math.min(weight * common, 1 / fewest));
}

/** The weights, or equal ones for the rows with weight and the first others where there are too few of them. */
function atLeast(weights: Float64Array, fewest: number): Float64Array {
  const withWeight = Array.from(weights.keys()).filter((j) => weights[j] > 0);
  if (withWeight.length >= fewest) return weights;
  const others = Array.from(weights.keys()).filter((j) => !(weights[j] > 0));
  const equal = new Float64Array(weights.length);
  for (const j of [...withWeight, ...others].slice(0, fewest)) equal[j] = 1;
  return equal;
}

/** The rows around several points as one neighbourhood, each with its mean weight over the points. */
export function together(found: Neighbourhood[]): Neighbourhood {
  const sums = new Map<number, number>();
  const unitOf = new Map<number, number>();
  for (const one of found) {
    one.near.forEach((row, j) => {
      sums.set(row, (sums.get(row) ?? 0) + one.weights[j]);
      unitOf.set(row, one.units[j]);
    });
  }
  const near = Int32Array.from(sums.keys()).sort();
  const weights = toOne(Float64Array.from(near, (row) => sums.get(row)!));
  return { near, weights, units: near.map((row) => unitOf.get(row)!) };
}

export function total(numbers: Float64Array): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
