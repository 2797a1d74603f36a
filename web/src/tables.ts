/** Everything that is drawn, as tables: what CSV files hold, with all digits. */
import { cellText, featureName, rowName, type Atlas } from "./atlas";
import type { Cell, Table } from "./export";
import type { ContrastAnswer, NeighboursAnswer, PointAnswer } from "./source";
import { arrowOf } from "./words";

/** The number of a row or of a feature in the user's model. */
export function userRow(atlas: Atlas, row: number): number {
  return atlas.rowNumbers?.[row] ?? row;
}

export function userFeature(atlas: Atlas, feature: number): number {
  return atlas.featureNumbers?.[feature] ?? feature;
}

/** Every point of the map with the user's columns and whatever else is shown. */
export function pointsTable(atlas: Atlas, extra: ReadonlyMap<string, ArrayLike<Cell>>): Table {
  const { head, maps, columns } = atlas;
  const names = maps.flatMap((map, i) => (i === 0 ? ["x", "y"] : [`x of ${map.name}`, `y of ${map.name}`]));
  const header = ["row", ...(head.ids ? ["id"] : []), ...names, ...columns.map((column) => column.name), ...extra.keys()];
  const lines = Array.from({ length: head.nRows }, (_, row) => [
    userRow(atlas, row),
    ...(head.ids ? [head.ids[row]] : []),
    ...maps.flatMap(({ places }) => [places[2 * row], places[2 * row + 1]]),
    ...columns.map((column) => (column.categories === null ? column.values[row] : cellText(column, row))),
    ...[...extra.values()].map((values) => values[row]),
  ]);
  return { title: "points", header, lines };
}

/** What is known of every feature around a point. */
export function pointTable(atlas: Atlas, answer: PointAnswer): Table {
  const { head, features } = atlas;
  const lists: [string, Int32Array][] = [
    ["apart", answer.apart], ["unlike", answer.unlike], ["changes", answer.changes], ["hidden", answer.hidden], ["alone", answer.alone],
  ];
  const questions = lists.map(([name, found]) => [name, new Set(found)] as const);
  const lines = Array.from({ length: head.nFeatures }, (_, h) => [
    featureName(head, h), userFeature(atlas, h),
    questions.filter(([, found]) => found.has(h)).map(([name]) => name).join(" "),
    answer.mean[h], features.overall[h] ?? null, features.spread[h] ?? null, answer.own[h], answer.z[h], answer.score[h],
    answer.away[h], answer.explained[h], answer.isShown[h] === 1,
    ...arrowOf(answer, h, head.nComponents), answer.low[h], answer.high[h], answer.importance[h],
  ]);
  return {
    title: `why ${rowName(head, answer.row)}`,
    header: [
      "feature", "column", "question", "mean", "overall", "spread", "own", "z", "score", "away", "explained",
      "beats_chance", "arrow_x", "arrow_y", "low", "high", "importance",
    ],
    lines,
  };
}

/** Two groups compared: features with a q-value of at most 0.05 first, by the largest effect size. */
export function contrastTable(atlas: Atlas, answer: ContrastAnswer): Table {
  const lines = [...answer.order].map((h) => [
    featureName(atlas.head, h), userFeature(atlas, h), answer.meanA[h], answer.meanB[h], answer.difference[h],
    answer.effectSize[h], answer.statistic[h], answer.p[h], answer.q[h], answer.importanceA[h], answer.importanceB[h],
  ]);
  return {
    title: "contrast",
    header: [
      "feature", "column", "mean_a", "mean_b", "difference", "effect_size", "statistic", "p_value", "q_value",
      "importance_a", "importance_b",
    ],
    lines,
  };
}

export function neighboursTable(atlas: Atlas, answer: NeighboursAnswer): Table {
  const line = (where: string, row: number, isInBoth: number): Cell[] => [
    where, userRow(atlas, row), rowName(atlas.head, row), isInBoth === 1,
    ...atlas.columns.map((column) => cellText(column, row)),
  ];
  return {
    title: `neighbours of ${rowName(atlas.head, answer.row)}`,
    header: ["where", "row", "name", "in_both", ...atlas.columns.map((column) => column.name)],
    lines: [
      ...[...answer.onMap].map((row, i) => line("on the map", row, answer.isInData[i])),
      ...[...answer.inData].map((row, i) => line("in the data", row, answer.isOnMap[i])),
    ],
  };
}
