/** What a map can be coloured by, and the neighbours of a row. */

import type { Column, ColumnAnswer, NeighboursAnswer } from "../source";
import { blended, fidelities, spacesOfFit, withHalves } from "./arrows";
import type { Model } from "./model";
import { around, halves } from "./neighbourhood";
import { explainedVariance, Moments } from "./regression";
import { rowsFor } from "./sample";
import { MadeTable } from "./table";
import { Tangents } from "./tangents";

const ROWS_AT_ONCE = 16;

/** Without rows: all of them, or a sample where each takes long. Yields the part that is done. */
export function* columnAnswer(model: Model, what: Column, given: Int32Array | null): Generator<number, ColumnAnswer> {
  const rows = given ?? rowsFor(what.kind, model.nRows);
  const width = what.kind === "arrow" ? model.dim : 1;
  const values = what.kind === "feature" ? featureValues(model, what.feature, rows) : new Float64Array(rows.length * width);
  if (what.kind !== "feature") {
    const of = valueOf(model, what);
    for (let i = 0; i < rows.length; i++) {
      values.set(of(rows[i]), i * width);
      if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield i / rows.length;
    }
  }
  return { rows: !given && rows.length === model.nRows ? null : rows, values, width };
}

/** In the user's units; those of unit rows are times their lengths. */
function featureValues(model: Model, feature: number, rows: Int32Array): Float64Array {
  const values = model.data.values(feature, rows);
  const { lengths } = model;
  if (lengths) return values.map((value, i) => value * lengths[rows[i]]);
  return values.map((value) => value / model.scale[feature] + model.center[feature]);
}

function valueOf(model: Model, what: Exclude<Column, { kind: "feature" }>): (row: number) => number[] {
  switch (what.kind) {
    case "importance":
      return (row) => [new Tangents(model).importance(row)[what.feature]];
    case "explained": {
      const feature = oneFeature(model, what.feature);
      return (row) => [explainedOf(model, feature, row)];
    }
    case "arrow":
      return (row) => arrowOf(model, row, what.feature);
    case "fidelity":
      return (row) => [fidelities(model, row, around(model, row), new Tangents(model)).ofArrows];
    case "dimension":
      return (row) => [model.intrinsicDim[row]];
    case "densityOfData":
      return (row) => [model.densityOfData[row]];
    case "densityOfMap":
      return (row) => [densityOfMap(model, row)];
    case "kept":
      return (row) => [neighboursAnswer(model, row).kept];
    case "torn":
      return (row) => [stretched(model, row, (other) => distanceOnMap(model, row, other), "inData", "onMap")];
    case "false":
      return (row) => [stretched(model, row, distanceInData(model, row), "onMap", "inData")];
  }
}

/** The model as if there were one feature only. */
function oneFeature(model: Model, feature: number): Model {
  const data = new MadeTable(1, (row) => Float32Array.from(model.data.values(feature, Int32Array.of(row))));
  return { ...model, nFeatures: 1, data };
}

/** Cross-fitted R² of the one feature. */
function explainedOf(model: Model, feature: Model, row: number): number {
  if (!model.graph.isConnected[row]) return 0;
  const [first, second] = halves(around(model, row));
  return explainedVariance(new Moments(feature, first), new Moments(feature, second))[0];
}

function arrowOf(model: Model, row: number, feature: number): number[] {
  if (!model.graph.isConnected[row]) return new Array<number>(model.dim).fill(0);
  const parts = withHalves(model, around(model, row));
  const spaces = spacesOfFit(model, new Tangents(model), row);
  const arrows = blended(model, row, parts, spaces, model.head.mixtures?.drawn ?? null);
  return Array.from({ length: model.dim }, (_, c) => arrows[c * model.nFeatures + feature] / model.scale[feature]);
}

/** −½ log of the weighted mean of squared distances to the row's own neighbours; NaN without any, or at one place. */
function densityOfMap(model: Model, row: number): number {
  const { dim, places, neighbours, edgeWeights } = model;
  const k = model.head.nNeighbours;
  let [sum, weights] = [0, 0];
  for (let e = row * k; e < (row + 1) * k; e++) {
    for (let c = 0; c < dim; c++) {
      sum += edgeWeights[e] * (places[neighbours[e] * dim + c] - places[row * dim + c]) ** 2;
    }
    weights += edgeWeights[e];
  }
  return sum > 0 ? -0.5 * Math.log(sum / weights) : NaN;
}

/** The mean distance to one list of neighbours relative to that to the other: 1 if they are equally far. */
function stretched(
  model: Model,
  row: number,
  distance: (other: number) => number,
  these: "onMap" | "inData",
  those: "onMap" | "inData",
): number {
  const found = neighboursAnswer(model, row);
  const mean = (rows: Int32Array) => rows.reduce((sum, other) => sum + distance(other), 0) / rows.length;
  return mean(found[these]) / mean(found[those]);
}

function distanceOnMap({ places, dim }: Model, row: number, other: number): number {
  let sum = 0;
  for (let c = 0; c < dim; c++) sum += (places[other * dim + c] - places[row * dim + c]) ** 2;
  return Math.sqrt(sum);
}

/** Euclidean distances from a row, in the space of neighbourhoods. */
function distanceInData({ space }: Model, row: number): (other: number) => number {
  return (other) => {
    const { values, width } = space.gather(Int32Array.of(row, other));
    let sum = 0;
    for (let h = 0; h < width; h++) sum += (values[width + h] - values[h]) ** 2;
    return Math.sqrt(sum);
  };
}

export function neighboursAnswer(model: Model, row: number): NeighboursAnswer {
  const k = model.head.nNeighbours;
  const hasEdge = (_: number, a: number) => !model.hasEdge || model.hasEdge[row * model.head.nTangentNeighbours + a] === 1;
  const inData = model.neighbours.slice(row * k, (row + 1) * k).filter(hasEdge);
  const { rows: onMap, squares } = model.search.others(row, k);
  const isInData = Uint8Array.from(onMap, (other) => (inData.includes(other) ? 1 : 0));
  return {
    row,
    onMap,
    distanceOnMap: squares.map(Math.sqrt),
    isInData,
    inData,
    weightInData: Float64Array.from(model.edgeWeights.slice(row * k, (row + 1) * k).filter(hasEdge)),
    isOnMap: Uint8Array.from(inData, (other) => (onMap.includes(other) ? 1 : 0)),
    kept: isInData.reduce((sum, is) => sum + is, 0) / k,
  };
}
