/** What is on the screen, as lines of Python that give the same numbers. */
import type { Atlas } from "./atlas";
import type { Selection, State } from "./state";
import { rowsOfSelection } from "./regions";
import { userFeature, userRow } from "./tables";

const NUMBERS_ON_A_LINE = 12;

export function pythonOf(atlas: Atlas, state: State): string {
  const { maker, levels, hasChosenRows, hasChosenFeatures } = atlas.head;
  const part = "# The page has a part of its rows or features and answers about that part: numbers may differ.";
  const model = levels === null ? `the ${maker}` : `featmap.in_original_units(…) of the ${maker}`;
  const about = [`# model: ${model} that this page shows.`, ...(hasChosenRows || hasChosenFeatures ? [part] : [])];
  const lines = ["import numpy as np", "", ...about, ...answerLines(atlas, state)];
  return lines.join("\n") + "\n";
}

function answerLines(atlas: Atlas, state: State): string[] {
  if (state.tab === "point" && state.row !== null) return pointLines(userRow(atlas, state.row));
  if (state.tab === "region" && state.a !== null) return regionLines(atlas, state.a, state.b);
  if (state.tab === "feature" && state.feature !== null) return featureLines(userFeature(atlas, state.feature));
  return ["trust = model.trust()", "print(trust)", "variance = model.map_variance()", "print(variance)"];
}

function pointLines(row: number): string[] {
  return [
    `row = ${row}`,
    "why = model.why(row)",
    "print(why)",
    "importance = model.feature_importance([row])[0]",
    "explained = model.explained_variance([row])[0]",
    "arrows = model.arrows([row])[0]",
    "fidelity = model.fidelity([row])[0]",
  ];
}

function featureLines(feature: number): string[] {
  return [
    `feature = ${feature}`,
    "shown = model.map_variance().explained[feature]",
    "backing = model.backing().values[feature]",
    "rows = model.sampled_rows()",
    "arrows = model.arrows(rows)[:, feature]",
    "print(shown, backing)",
  ];
}

function regionLines(atlas: Atlas, a: Selection, b: Selection | null): string[] {
  const needsPath = [a, b].some((each) => each?.kind === "lasso" && !atlas.head.hasChosenRows);
  return [
    ...(needsPath ? ["from matplotlib.path import Path", ""] : []),
    ...selectionLines(atlas, "a", a),
    ...(b === null ? [] : [...selectionLines(atlas, "b", b), "b = np.setdiff1d(b, a)"]),
    `contrast = model.contrast(a${b === null ? "" : ", b"})`,
    "print(contrast)",
    "table = contrast.to_frame()",
  ];
}

function selectionLines(atlas: Atlas, name: string, selection: Selection): string[] {
  if (selection.kind === "rows" || atlas.head.hasChosenRows) return rowLines(atlas, name, selection);
  if (selection.kind === "lasso") return lassoLines(atlas, name, selection.map, selection.polygon);
  const column = atlas.columns[selection.column];
  const category = text(column.categories![selection.category]);
  return [
    `# columns: a dict of the columns that the page was made with.`,
    `${name} = np.flatnonzero(np.asarray(columns[${text(column.name)}]).astype(str) == ${category})`,
  ];
}

function rowLines(atlas: Atlas, name: string, selection: Selection): string[] {
  const rows = Array.from(rowsOfSelection(atlas, selection), (row) => userRow(atlas, row));
  return [`${name} = np.array([`, ...wrapped(rows.map(String)), "])"];
}

function lassoLines(atlas: Atlas, name: string, map: number, polygon: readonly number[]): string[] {
  const corners: string[] = [];
  for (let i = 0; i < polygon.length; i += 2) corners.push(`(${polygon[i]}, ${polygon[i + 1]})`);
  const places = map === 0 ? placesOf(atlas.head.nComponents) : `maps[${text(atlas.maps[map].name)}]`;
  return [
    ...(map === 0 ? [] : ["# maps: a dict of the other maps that the page was made with."]),
    `line = Path([`, ...wrapped(corners, 4), "])",
    `${name} = np.flatnonzero(line.contains_points(${places}))`,
  ];
}

/** The places as the page draws them: those of one axis are on a line. */
function placesOf(nComponents: number): string {
  return nComponents === 1 ? "np.pad(model.embedding_, ((0, 0), (0, 1)))" : "model.embedding_[:, :2]";
}

function wrapped(words: readonly string[], most = NUMBERS_ON_A_LINE): string[] {
  const lines: string[] = [];
  for (let i = 0; i < words.length; i += most) lines.push(`    ${words.slice(i, i + most).join(", ")},`);
  return lines;
}

/** Text as Python writes it. JSON's escapes are Python's too. */
function text(value: string): string {
  return JSON.stringify(value);
}
