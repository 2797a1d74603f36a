/** Every question with its answer. Long ones yield the part that is done, so that others need not wait for them. */

import type { Answer, Question } from "../source";
import { groupAnswer, pointAnswer } from "./around";
import { columnAnswer, neighboursAnswer } from "./columns";
import { contrastAnswer } from "./contrast";
import type { Model } from "./model";

export function* answered(model: Model, question: Question): Generator<number, Answer> {
  check(model, question);
  switch (question.kind) {
    case "point":
      return pointAnswer(model, question.row);
    case "group":
      return yield* groupAnswer(model, question.rows);
    case "contrast":
      return yield* contrastAnswer(model, question.a, question.b);
    case "column":
      return yield* columnAnswer(model, question.what, question.rows);
    case "neighbours":
      return neighboursAnswer(model, question.row);
    case "values":
      return valuesOf(model, question.rows);
  }
}

/** Rows in the user's units, (rows, features); unit rows are times their lengths. */
function valuesOf(model: Model, rows: Int32Array): Float64Array {
  const { nFeatures: n, lengths, scale, center } = model;
  const values = new Float64Array(rows.length * n);
  rows.forEach((row, i) => {
    const line = values.subarray(i * n, (i + 1) * n);
    model.data.row(row, line);
    for (let h = 0; h < n; h++) line[h] = lengths ? line[h] * lengths[row] : line[h] / scale[h] + center[h];
  });
  return values;
}

function check(model: Model, question: Question): void {
  const isWrong = (row: number) => !(Number.isInteger(row) && row >= 0 && row < model.nRows);
  const wrong = rowsOf(question).find(isWrong);
  if (wrong !== undefined) throw new Error(`There is no row ${wrong}.`);
  if (question.kind === "group" && !question.rows.length) throw new Error("A group needs at least one row.");
  if (question.kind !== "column" || !("feature" in question.what)) return;
  const { feature } = question.what;
  if (!(Number.isInteger(feature) && feature >= 0 && feature < model.nFeatures)) {
    throw new Error(`There is no feature ${feature}.`);
  }
}

/** All rows that a question is about. */
function rowsOf(question: Question): ArrayLike<number> & { find(is: (row: number) => boolean): number | undefined } {
  if ("row" in question) return [question.row];
  if (question.kind === "contrast") return Int32Array.from([...question.a, ...(question.b ?? [])]);
  return question.rows ?? [];
}
