/** The record as whoever answers needs it: tables, the graph, and what is known of every feature. */

import { decoded, type Head, type Numbers, type Parts } from "../record";
import { graphOf, type Graph } from "./graph";
import { MapSearch } from "./nearest";
import { inner } from "./products";
import { DenseTable, MadeTable, SparseTable, type Table } from "./table";

/** What is known of every feature over all rows, scaled as the data are. */
export interface Features {
  lowest: Float64Array;
  highest: Float64Array;
  mean: Float64Array;
  sd: Float64Array;
  meanAsGiven: Float64Array;
  /** What a feature counts: 0 if no other feature goes with it. */
  factors: Float64Array;
  /** What part of the distance of a single value from those around is to be believed. */
  reliability: Float64Array;
}

export interface Model {
  head: Head;
  nRows: number;
  nFeatures: number;
  dim: number;
  places: Float32Array;
  search: MapSearch;
  graph: Graph;
  /** (rows, nNeighbours) neighbours in the graph, and the weights of these edges. */
  neighbours: Int32Array;
  edgeWeights: Float32Array;
  /** (rows, nTangentNeighbours) neighbours behind tangent spaces, their weights, and whether they are connected. */
  tangentNeighbours: Int32Array;
  tangentWeights: Float32Array;
  hasEdge: Uint8Array | null;
  intrinsicDim: Numbers;
  /** Rows that depend on each other have the same number. */
  units: Int32Array;
  /** Minus the logarithm of the radius of the neighbourhood in the data. */
  densityOfData: Float32Array;
  /** The features, and what tangent spaces are of: the features again, or their principal components. */
  data: Table;
  space: Table;
  /** (features, components), if there are components. */
  directions: Float64Array | null;
  /** Of each feature whether the components know it: its row of the directions is not 0. Null if they know all. */
  hasLoadings: Uint8Array | null;
  features: Features;
  center: Float64Array;
  /** Of each feature: what a scaled value is divided by to be in the user's units. */
  scale: Float64Array;
  /** Columns of one feature of the user, such as the values of a category, have the same number. */
  groups: Numbers | null;
  /** Of unit rows, in the units of the user. */
  lengths: Float64Array | null;
}

/** The model of a record, from the compressed bytes of its parts. */
export async function openModel(head: Head, bytes: Record<string, Uint8Array<ArrayBuffer>>): Promise<Model> {
  const parts = await decodedParts(head, bytes);
  const get = <T extends Numbers>(name: string) => parts.get(name) as T;
  const find = <T extends Numbers>(name: string) => (parts.get(name) as T | undefined) ?? null;
  const places = get<Float32Array>("places");
  const neighbours = get<Int32Array>("neighbours");
  const edgeWeights = get<Float32Array>("weights");
  const data = tableOf(head, parts);
  const center = get<Float64Array>("center");
  const lengths = find<Float64Array>("lengths");
  const directions = find<Numbers>("directions");
  const factors = get<Float64Array>("factors");
  const B = directions && Float64Array.from(directions);
  return {
    head,
    nRows: head.nRows,
    nFeatures: head.nFeatures,
    dim: head.nComponents,
    places,
    search: new MapSearch(places, head.nComponents),
    graph: graphOf(neighbours, edgeWeights, head.nRows, head.nNeighbours),
    neighbours,
    edgeWeights,
    tangentNeighbours: find<Int32Array>("tangentNeighbours") ?? neighbours,
    tangentWeights: find<Float32Array>("tangentWeights") ?? edgeWeights,
    hasEdge: find<Uint8Array>("hasEdge"),
    intrinsicDim: get("intrinsicDim"),
    units: find<Int32Array>("units") ?? Int32Array.from({ length: head.nRows }, (_, i) => i),
    densityOfData: get("densityOfData"),
    data,
    space: B ? componentsOf(data, B, lengths !== null) : data,
    directions: B,
    hasLoadings: B && loadingsOf(B, head.nFeatures),
    features: {
      lowest: Float64Array.from(get("lowest")),
      highest: Float64Array.from(get("highest")),
      mean: get("mean"),
      sd: get("sd"),
      meanAsGiven: get("meanAsGiven"),
      factors,
      reliability: reliabilityOf(head, get<Float64Array>("backing"), factors),
    },
    center,
    scale: scalesOf(head, find<Float64Array>("unitFactors")),
    groups: find("groups"),
    lengths,
  };
}

/** The backing, times the factor that leaves out noise; one half where features are not judged. */
function reliabilityOf({ isJudged }: Head, backing: Float64Array, factors: Float64Array): Float64Array {
  return factors.map((factor, h) => (isJudged ? factor * Math.min(Math.max(backing[h], 0), 1) : 0.5));
}

function scalesOf(head: Head, factors: Float64Array | null): Float64Array {
  return Float64Array.from({ length: head.nFeatures }, (_, h) => head.data.scale / (factors ? factors[h] : 1));
}

async function decodedParts(head: Head, bytes: Record<string, Uint8Array<ArrayBuffer>>): Promise<Parts> {
  const byName = new Map(head.parts.map((part) => [part.name, part]));
  const order = (await decoded(byName.get("order")!, bytes["order"])) as Uint32Array;
  const found = await Promise.all(
    head.parts.map(async (part) => [part.name, await decoded(part, bytes[part.name], order)] as const),
  );
  return new Map(found);
}

function tableOf(head: Head, parts: Parts): Table {
  const step = parts.get("step") as Float64Array | undefined;
  const low = parts.get("low") as Float64Array | undefined;
  const values = parts.get("x")!;
  if (head.data.form === "dense") return new DenseTable(values, head.nFeatures, step ?? null, low ?? null);
  const zeros = Float64Array.from(parts.get("zeros")!);
  const columns = parts.get("xColumns")!;
  const deltas = new Float64Array(values.length);
  for (let e = 0; e < deltas.length; e++) {
    const h = columns[e];
    deltas[e] = Math.fround(step && low ? values[e] * step[h] + low[h] : values[e]) - zeros[h];
  }
  return new SparseTable(parts.get("xStarts") as Uint32Array, columns, deltas, zeros);
}

/**
 * Principal components of the rows, of which tangent spaces are. Only differences count, so rows may be measured from
 * anywhere, and in any unit. Unit rows are not translated, and their components are scaled to length 1 in turn.
 */
function componentsOf(data: Table, B: Float64Array, areUnitRows: boolean): Table {
  const n = data.nFeatures;
  const q = B.length / n;
  const transposed = new Float64Array(B.length);
  for (let h = 0; h < n; h++) for (let a = 0; a < q; a++) transposed[a * n + h] = B[h * q + a];
  const row = new Float64Array(n);
  return new MadeTable(q, (i) => {
    data.row(i, row);
    const made = Float64Array.from({ length: q }, (_, a) => inner(row, 0, transposed, a * n, n));
    const length = areUnitRows ? Math.sqrt(inner(made, 0, made, 0, q)) : 1;
    return Float32Array.from(made, (value) => (length > 0 ? value / length : 0));
  });
}

function loadingsOf(B: Float64Array, n: number): Uint8Array | null {
  const q = B.length / n;
  const found = Uint8Array.from({ length: n }, (_, h) => (B.subarray(h * q, (h + 1) * q).some((b) => b !== 0) ? 1 : 0));
  return found.includes(0) ? found : null;
}

/** A scaled value of a feature in the user's units. */
export function restored(model: Model, values: Float64Array): Float64Array {
  return values.map((value, h) => value / model.scale[h] + model.center[h]);
}
