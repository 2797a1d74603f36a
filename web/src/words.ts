/** Numbers and sentences as the library has them: `explanation/numbers.py` and `explanation/why.py`. */
import type { Around } from "./source";

const DIGITS = 3;
const MOST_DECIMALS = 12;
const COMPASS = [
  "to the right", "to the upper right", "upwards", "to the upper left",
  "to the left", "to the lower left", "downwards", "to the lower right",
];

/** The number with about three digits, or as many as tell it from others of the same spread. */
export function number(value: number, spread = 0): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.log10(Math.abs(value));
  const exponent = spread > 0 && spread < Infinity ? roundHalfEven(Math.log10(spread)) : Math.floor(size);
  const decimals = Math.max(DIGITS - 1 - exponent, 0);
  if (size >= 9 || (exponent < -4 && (size < -4 || decimals > MOST_DECIMALS))) return scientific(value);
  const written = grouped(value.toFixed(decimals));
  return /^-[0.]*$/.test(written) ? written.slice(1) : written;
}

function scientific(value: number): string {
  const [digits, exponent] = value.toExponential(DIGITS - 1).split("e") as [string, string];
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function grouped(written: string): string {
  const [whole, part] = written.split(".") as [string, string | undefined];
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? groups : `${groups}.${part}`;
}

function roundHalfEven(value: number): number {
  const nearest = Math.round(value);
  return Math.abs(value % 1) === 0.5 && nearest % 2 ? nearest - 1 : nearest;
}

export function count(value: number): string {
  return grouped(String(value));
}

/** Where the rows around are among all rows. */
export function placeWords(z: number): string {
  return `${Math.abs(z).toFixed(1)} spreads ${z > 0 ? "above" : "below"} all`;
}

/** Where an arrow points: a point of the compass on a plane, else the axis along which it is longest. */
export function direction(arrow: ArrayLike<number>): string {
  if (arrow.length === 1) return arrow[0] > 0 ? "to the right" : "to the left";
  if (arrow.length > 2) return longestAxis(Array.from(arrow));
  const turn = Math.atan2(arrow[1], arrow[0]) / (2 * Math.PI);
  return COMPASS[(roundHalfEven(8 * turn) + 8) % 8];
}

function longestAxis(arrow: readonly number[]): string {
  const sizes = arrow.map(Math.abs);
  const longest = sizes.indexOf(Math.max(...sizes));
  return `${arrow[longest] > 0 ? "up" : "down"} axis ${longest + 1}`;
}

/** Where a feature grows. */
export function growth(around: Around, feature: number, nComponents: number): string {
  return direction(around.arrows.subarray(feature * nComponents, (feature + 1) * nComponents));
}

/** The arrow as it is drawn, in the plane of the first two axes. */
export function arrowOf(around: Around, feature: number, nComponents: number): [number, number] {
  const at = feature * nComponents;
  return [around.arrows[at], nComponents > 1 ? around.arrows[at + 1] : 0];
}

/** What the sentences need of the features: how they are called, their means and standard deviations over all rows. */
export interface Features {
  readonly nameOf: (feature: number) => string;
  /** The category and the value, if the feature is one value of a category. */
  readonly levelOf: (feature: number) => readonly [string, string] | null;
  readonly overall: ArrayLike<number>;
  readonly spread: ArrayLike<number>;
  readonly nComponents: number;
}

/** The answer in one sentence, with the first feature of each list, after the words that tell what lies among what. */
export function whySentence(among: string, around: Around, features: Features): string {
  const [apart, unlike, change, hidden] = [around.apart[0], around.unlike[0], around.changes[0], around.hidden[0]];
  const parts = [among + whose(apart, around, features)];
  if (unlike !== undefined) parts.push(`the row itself is unlike them: ${ownInWords(unlike, around, features)}`);
  if (change !== undefined) {
    parts.push(`${growth(around, change, features.nComponents)} ${grows(change, features)}`);
  }
  if (hidden !== undefined) parts.push(`${features.levelOf(hidden)?.[0] ?? features.nameOf(hidden)} varies here, but the map does not show it`);
  return parts.join("; ") + ".";
}

function ownInWords(feature: number, around: Around, features: Features): string {
  const level = features.levelOf(feature);
  const [own, mean, spread] = [around.own[feature], around.mean[feature], features.spread[feature]];
  if (level) {
    return `its ${level[0]} is ${around.away[feature] > 0 ? "" : "not "}${level[1]} (${percent(mean)} of theirs)`;
  }
  return `its ${features.nameOf(feature)} is ${number(own, spread)}, theirs ${number(mean, spread)}`;
}

function grows(feature: number, features: Features): string {
  const level = features.levelOf(feature);
  return level ? `${level[0]} is more often ${level[1]}` : `${features.nameOf(feature)} grows`;
}

function percent(part: number): string {
  return `${roundHalfEven(100 * part)} %`;
}

function whose(feature: number | undefined, around: Around, features: Features): string {
  if (feature === undefined) return ", in the middle of the data";
  const level = features.levelOf(feature);
  const mean = around.mean[feature];
  if (level) {
    const often = around.z[feature] < 0 ? "less often" : mean > 0.5 ? "mostly" : "more often";
    return ` whose ${level[0]} is ${often} ${level[1]} (${percent(features.overall[feature])} of all rows → ${percent(mean)})`;
  }
  const spread = features.spread[feature];
  const values = `${number(features.overall[feature], spread)} → ${number(around.mean[feature], spread)}`;
  return ` whose ${features.nameOf(feature)} is ${placeWords(around.z[feature])} (${values})`;
}
