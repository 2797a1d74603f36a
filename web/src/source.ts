/**
 * Who answers the page's questions. The page knows this interface only. There are three who answer: a worker with the
 * data of the file (`file_source.ts`), a local server, and Python behind a notebook. All give the same numbers.
 *
 * Rows and features are numbers that count from 0, in the order of the user's data (of the file's rows and features if
 * it holds a part of them). Values are in the user's units; with metric "cosine" they are those of rows scaled to
 * length 1, as in the library. Answers are plain objects of numbers, strings and typed arrays.
 *
 * Python's side of every answer is in `featmap.explorer.answers`, one function for each question, with the same names.
 */

/** What is told of the features around a point or a group. Arrays have one entry for each feature. */
export interface Around {
  /** How many rows of equal weight the rows around count as: "lies among 42 rows". */
  nAround: number;
  /** Features that set the rows around apart, those worth a word only, the largest |score| first. */
  apart: Int32Array;
  /** Features that set the row itself apart from the rows around it, what is to be believed first; of no group. */
  unlike: Int32Array;
  /** Features whose arrow beats chance and that others go with, the largest R² times factor first. */
  changes: Int32Array;
  /** Features that vary here without an arrow, the largest importance times factor first. */
  hidden: Int32Array;
  /** Features that differ here too, but no other feature goes with them: possibly noise. */
  alone: Int32Array;

  /** The mean over the rows around. */
  mean: Float64Array;
  /** The value of the row itself; of a group its mean. */
  own: Float64Array;
  /** By how many standard deviations of the data the mean around is above the mean of all. */
  z: Float64Array;
  /** z times the factor of the feature's backing. */
  score: Float64Array;
  /** By how many standard deviations of the data the row itself is above the mean around, far values clipped. */
  away: Float64Array;

  /** Cross-fitted R² of the local regression on the map, from 0 to 1. */
  explained: Float64Array;
  /** 1 where the arrow beats chance; in a group, for half of its rows. */
  isShown: Uint8Array;
  /** Arrows on the map: (features, nComponents), row by row, in units of the data per unit of the map. */
  arrows: Float64Array;
  /** What the feature grows from and to along its arrow, within the values around. */
  low: Float64Array;
  high: Float64Array;

  /** Length of the feature's part in the tangent space. */
  importance: Float64Array;
}

/** "Why is this point here?" The content of `model.why(row)`, for all features. */
export interface PointAnswer extends Around {
  row: number;
  /** d_i, the number of local directions that count. */
  intrinsicDim: number;
  /** Rows nearest on the map, which arrows are fitted to, by distance; and their weights, which sum to 1. */
  near: Int32Array;
  weights: Float64Array;
  /** Cosine between the changes that the arrows predict and the true ones, cross-fitted; from -1 to 1. */
  fidelity: number;
  /** The same of a plain regression on the map: about what arrows on this map could reach here. */
  fidelityOfRegression: number;
  /** 1 unless the row has no edges: then there is nothing to tell. */
  isConnected: boolean;
}

/** The same of a group as a whole: the content of `model.why(rows)`. */
export interface GroupAnswer extends Around {
  /** Rows of the group, in order, each once. */
  rows: Int32Array;
  /** How many of them were looked at for `apart`, and how many for arrows, R² and importance. */
  nCompared: number;
  nExplained: number;
}

/** Two groups compared, the second being the rest if none was given. Arrays have one entry for each feature. */
export interface ContrastAnswer {
  sizes: [number, number];
  meanA: Float64Array;
  meanB: Float64Array;
  /** Mean of A minus mean of B. */
  difference: Float64Array;
  /** The difference over the spread within the groups. */
  effectSize: Float64Array;
  /** Welch's t as a normal variable: `Contrast.statistic`. */
  statistic: Float64Array;
  /** Welch's p-value, corrected for skewness, and the Benjamini-Hochberg q-value. Too small for groups picked on the map.
   *  Those of a category are multiplied by the number of its levels, and q counts each category once. */
  p: Float64Array;
  q: Float64Array;
  /** Mean importance over a sample of each group, and the sizes of the samples. */
  importanceA: Float64Array;
  importanceB: Float64Array;
  nImportance: [number, number];
  /** As `Contrast.order`: q ≤ 0.05 first, by the largest |effect size|; of a category the level where it is largest. */
  order: Int32Array;
}

/** What a map can be coloured by, beyond the columns that the record holds. */
export type Column =
  | { kind: "feature"; feature: number }
  | { kind: "importance"; feature: number }
  | { kind: "explained"; feature: number }
  /** The arrow of a feature, nComponents values for each row. */
  | { kind: "arrow"; feature: number }
  /** How true the arrows of a row are. */
  | { kind: "fidelity" }
  | { kind: "dimension" }
  /** Minus the logarithm of the root-mean-square distance to the neighbours, in the data and on the map. */
  | { kind: "densityOfData" }
  | { kind: "densityOfMap" }
  /** Which part of a row's neighbours in the data are neighbours on the map, from 0 to 1. */
  | { kind: "kept" }
  /** Mean distance on the map of a row's neighbours in the data, relative to that of its neighbours on the map: from 1
   *  (whole) upwards (torn apart). */
  | { kind: "torn" }
  /** Mean distance in the data of a row's neighbours on the map, relative to that of its neighbours in the data: from
   *  about 1 (true) upwards (falsely near). */
  | { kind: "false" };

export interface ColumnAnswer {
  /** The rows that have a value; null for all rows in order. */
  rows: Int32Array | null;
  /** (rows, width), NaN where there is none. */
  values: Float64Array;
  width: number;
}

/** Neighbours of a row on the map beside those in the data, the nearest first. */
export interface NeighboursAnswer {
  row: number;
  onMap: Int32Array;
  distanceOnMap: Float64Array;
  /** 1 where a neighbour on the map is one in the data. */
  isInData: Uint8Array;
  inData: Int32Array;
  /** Weights of the graph's edges, from 0 to 1. */
  weightInData: Float64Array;
  /** 1 where a neighbour in the data is one on the map. */
  isOnMap: Uint8Array;
  /** The part of them that both lists have in common. */
  kept: number;
}

export interface Asking {
  /** Ends the question: it then rejects with an "AbortError". A newer question need not wait for an older one. */
  signal?: AbortSignal;
  /** Is told the part that is done, from 0 to 1. */
  progress?: (done: number) => void;
}

/** Five questions. */
export interface Source {
  point(row: number, asking?: Asking): Promise<PointAnswer>;
  group(rows: Int32Array, asking?: Asking): Promise<GroupAnswer>;
  /** `b` null: against the rest. The groups have no row in common and at least two rows each. */
  contrast(a: Int32Array, b: Int32Array | null, asking?: Asking): Promise<ContrastAnswer>;
  /**
   * Without `rows`: all rows for "feature", "dimension", "densityOfData", "densityOfMap", "kept" and "torn"; 2,000 rows
   * for "importance", "explained" and "false", and 300 for "arrow" and "fidelity", which take long. These rows are drawn
   * by the hash of `core/hash.ts`. A page that fills in the map while one watches asks for parts of the rows.
   */
  column(what: Column, rows?: Int32Array | null, asking?: Asking): Promise<ColumnAnswer>;
  neighbours(row: number, asking?: Asking): Promise<NeighboursAnswer>;
  /** Not a question but a look: all features of some rows, (rows, features), what pictures of rows are drawn from. */
  values(rows: Int32Array): Promise<Float64Array>;
}

/** A question in one value: what a worker, a server or a notebook is sent. */
export type Question =
  | { kind: "point"; row: number }
  | { kind: "group"; rows: Int32Array }
  | { kind: "contrast"; a: Int32Array; b: Int32Array | null }
  | { kind: "column"; what: Column; rows: Int32Array | null }
  | { kind: "neighbours"; row: number }
  | { kind: "values"; rows: Int32Array };

export type Answer = PointAnswer | GroupAnswer | ContrastAnswer | ColumnAnswer | NeighboursAnswer | Float64Array;

/** Whoever can answer a question as a value is a source. */
export function sourceOf(ask: (question: Question, asking?: Asking) => Promise<Answer>): Source {
  return {
    point: (row, asking) => ask({ kind: "point", row }, asking) as Promise<PointAnswer>,
    group: (rows, asking) => ask({ kind: "group", rows }, asking) as Promise<GroupAnswer>,
    contrast: (a, b, asking) => ask({ kind: "contrast", a, b }, asking) as Promise<ContrastAnswer>,
    column: (what, rows, asking) => ask({ kind: "column", what, rows: rows ?? null }, asking) as Promise<ColumnAnswer>,
    neighbours: (row, asking) => ask({ kind: "neighbours", row }, asking) as Promise<NeighboursAnswer>,
    values: (rows) => ask({ kind: "values", rows }) as Promise<Float64Array>,
  };
}
