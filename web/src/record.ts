/**
 * What a map is, as the page receives it: a head (JSON) and parts (arrays, each compressed by gzip).
 *
 * `featmap.explorer.record` writes it. The parts "places" and those of columns are small; the page draws the map with
 * them before anything else is decoded. All other parts are for whoever answers questions.
 */

export type ElementType = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" | "f64";
export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export interface Part {
  name: string;
  type: ElementType;
  shape: number[];
  /**
   * How the bytes were arranged before they were compressed.
   * "raw": little-endian, row by row.
   * "planes": all first bytes of the elements, then all second bytes, and so on.
   * "steps": planes of the differences between the elements of the flat array, each from the one before it.
   * "neighbours": planes of zigzag steps from a row's own number. Rows are in the order of the part "order", and their
   * numbers are places in that order.
   */
  coding: "raw" | "planes" | "steps" | "neighbours";
  /** Length of the compressed bytes. */
  bytes: number;
}

/** A column of the user's, one value for each row. */
export interface ColumnHead {
  name: string;
  /** "category": codes into `categories`, the last number of the type for a missing one. "number": NaN for missing. */
  kind: "category" | "number";
  categories: string[];
  part: string;
}

export interface Trust {
  shareOfFlat: number;
  shareOfAll: number;
  fidelity: number;
  trustworthiness: number;
  densityCorrelation: number;
  nRows: number;
  nRankedRows: number;
  featuresAgree: boolean;
  word: "good" | "fair" | "poor";
  /** How far arrows can be trusted, and what to make of it. */
  sentence: string;
  /** What could make arrows better; empty if they are good. */
  advice: string;
}

/** (u, v) of arrows u G + v H. */
export type Mixture = [number, number];

export interface Head {
  format: "featmap-record/1";
  /** Names and versions of what made the record. */
  versions: Record<string, string>;
  title: string;
  /** How the map was made: "FeatMAP" or "Explanation" (a map of another method), and with which parameters. */
  maker: string;
  parameters: Record<string, string>;
  seed: number | null;
  /** The report of the fit, line by line; empty if there is none. */
  report: string[];
  /** Sentences about what the file holds: that it contains the data, which rows and features were left out. */
  notes: string[];

  nRows: number;
  nFeatures: number;
  /** Dimensions of the map. The page draws the first two. */
  nComponents: number;
  /** K, how many nearest rows on the map arrows are fitted to. */
  nNear: number;
  /** Neighbours of a row in the graph, and behind its tangent space. */
  nNeighbours: number;
  nTangentNeighbours: number;
  metric: string;
  tangentCenter: "mean" | "point";
  intrinsicDim: "auto" | number;
  /** Names of features; null if they are numbers. */
  featureNames: string[] | null;
  /** Columns that are values of a category, as its name and the value; null if the features are columns as given. */
  levels: ([string, string] | null)[] | null;
  /** Names of rows; null if they are numbers. */
  ids: string[] | null;
  /** Whether the file has a part of the rows of the user's model, or of the features: see "rowNumbers". */
  hasChosenRows: boolean;
  hasChosenFeatures: boolean;
  /** Height, width and channels of pictures whose pixels are the features. */
  imageShape: [number, number, number] | null;
  /** The first one is what the map is coloured by at first, if there is one. */
  columns: ColumnHead[];
  /** Further maps of the same rows: their parts have the shape of "places". */
  maps: { name: string; part: string }[];

  trust: Trust;
  /** Whether features know enough of each other to tell noise; if not, all factors are 1. */
  isJudged: boolean;
  /** Of arrows that are drawn and of those that are scored, where K is too small for each point's own. One mixture
   * for each set: all features, or those with loadings and those without. */
  mixtures: { drawn: Mixture[]; scored: Mixture[] } | null;
  data: DataHead;
  parts: Part[];
}

/** How X is carried: user's value = value of the part · unit + offset of the feature. */
export interface DataHead {
  form: "dense" | "sparse";
  /** What the library divided by: scaled value = (value − center) · scale, a power of two. With the part
   * `unitFactors` the value is then multiplied by them, to be in the user's units. */
  scale: number;
  /** True if every number that the library computed with can be had again from the part. */
  isExact: boolean;
  /** In words, with the measured error where it is not exact. */
  text: string;
  /** The largest difference of importances, relative arrows and R² from the library's on some rows; 0 if exact. */
  error: { importance: number; arrows: number; explained: number; nRows: number } | null;
}

/** The parts that have arrived, decoded, by name. */
export type Parts = Map<string, Numbers>;

export const typedArrays = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** The array of a part, from its compressed bytes. `order` is needed for the coding "neighbours". */
export async function decoded(part: Part, compressed: Uint8Array<ArrayBuffer>, order?: Uint32Array): Promise<Numbers> {
  const bytes = await inflated(compressed);
  const Type = typedArrays[part.type];
  const size = part.shape.reduce((product, length) => product * length, 1);
  if (bytes.length !== size * Type.BYTES_PER_ELEMENT) {
    throw new Error(`The part ${part.name} is damaged: it has ${bytes.length} bytes.`);
  }
  if (part.coding === "raw") return new Type(bytes.buffer, 0, size);
  const found = new Type(joined(bytes, Type.BYTES_PER_ELEMENT).buffer as ArrayBuffer, 0, size);
  if (part.coding === "steps") addUp(found);
  return part.coding === "neighbours" ? inRows(found as Uint32Array, part.shape, order!) : found;
}

/** The bytes that gzip had compressed. */
async function inflated(compressed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Elements again, from planes of their bytes. */
function joined(planes: Uint8Array, width: number): Uint8Array {
  const size = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; plane++) {
    for (let i = 0, at = plane * size; i < size; i++) bytes[i * width + plane] = planes[at + i];
  }
  return bytes;
}

function addUp(numbers: Numbers): void {
  for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1];
}

/** Neighbours as numbers of the user's rows, in the order of the user's rows. */
function inRows(steps: Uint32Array, [nRows, k]: number[], order: Uint32Array): Int32Array {
  const neighbours = new Int32Array(steps.length);
  for (let place = 0; place < nRows; place++) {
    for (let j = 0; j < k; j++) {
      const zigzag = steps[place * k + j];
      const step = (zigzag >>> 1) ^ -(zigzag & 1);
      neighbours[order[place] * k + j] = order[place + step];
    }
  }
  return neighbours;
}

/** Bytes from base64, as the file holds its parts. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const direct = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (direct) return direct(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Where the compressed bytes of parts are: in the file, or at a server. */
export interface Shelf {
  head: Head;
  /** Compressed bytes of a part. */
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** The parts that are needed to draw the map: places, the user's columns and further maps. */
export async function partsToDraw(shelf: Shelf): Promise<Parts> {
  const { columns, maps } = shelf.head;
  const names = ["places", ...columns.map((column) => column.part), ...maps.map((map) => map.part)];
  const found = await Promise.all(names.map(async (name) => [name, await partOf(shelf, name)] as const));
  return new Map(found);
}

/** One decoded part that is not in the order of the map. */
export async function partOf(shelf: Shelf, name: string): Promise<Numbers> {
  const part = shelf.head.parts.find((one) => one.name === name);
  if (!part) throw new Error(`There is no part ${name}.`);
  return decoded(part, await shelf.bytes(name));
}

/** The head and parts that a page carries in elements `<script type="application/…" id="featmap-…">`. */
export function shelfOfPage(page: Document): Shelf {
  const text = (id: string) => page.getElementById(`featmap-${id}`)?.textContent ?? "";
  return {
    head: JSON.parse(text("head")) as Head,
    bytes: async (name) => fromBase64(text(`part-${name}`).trim()),
  };
}
