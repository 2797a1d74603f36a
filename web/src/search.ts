/** Features, rows and categories found by a part of their names. */
import { featureName, rowName, type Atlas } from "./atlas";

export type Found =
  | { readonly kind: "feature"; readonly feature: number; readonly text: string }
  | { readonly kind: "row"; readonly row: number; readonly text: string }
  | { readonly kind: "category"; readonly column: number; readonly category: number; readonly text: string };

const MOST_OF_A_KIND = 6;

/** What begins with the text first, then what contains it. */
export function searched(atlas: Atlas, wanted: string): Found[] {
  const text = wanted.trim().toLowerCase();
  if (!text) return [];
  return [...categories(atlas, text), ...features(atlas, text), ...rows(atlas, text)];
}

function best<T extends { text: string }>(candidates: Iterable<T>, text: string): T[] {
  const [starting, containing]: [T[], T[]] = [[], []];
  for (const candidate of candidates) {
    const at = candidate.text.toLowerCase().indexOf(text);
    if (at === 0) starting.push(candidate);
    else if (at > 0 && containing.length < MOST_OF_A_KIND) containing.push(candidate);
    if (starting.length === MOST_OF_A_KIND) break;
  }
  return [...starting, ...containing].slice(0, MOST_OF_A_KIND);
}

function* eachFeature({ head }: Atlas): Generator<Found> {
  for (let feature = 0; feature < head.nFeatures; feature++) {
    yield { kind: "feature", feature, text: featureName(head, feature) };
  }
}

function features(atlas: Atlas, text: string): Found[] {
  return best(eachFeature(atlas), text);
}

function* eachRow({ head }: Atlas): Generator<Found> {
  for (let row = 0; head.ids !== null && row < head.nRows; row++) yield { kind: "row", row, text: rowName(head, row) };
}

function rows(atlas: Atlas, text: string): Found[] {
  const found = best(eachRow(atlas), text);
  const said = /^(?:row\s+)?(\d{1,9})$/.exec(text);
  const number = said === null ? -1 : Number(said[1]);
  const row = atlas.rowNumbers === null ? number : atlas.rowNumbers.indexOf(number);
  if (row < 0 || row >= atlas.head.nRows || found.some((each) => each.kind === "row" && each.row === row)) return found;
  const name = rowName(atlas.head, row);
  return [{ kind: "row", row, text: name === `Row ${number}` ? name : `Row ${number}, ${name}` }, ...found];
}

function* eachCategory({ columns }: Atlas): Generator<Found> {
  for (const [column, { categories: names }] of columns.entries()) {
    for (const [category, text] of (names ?? []).entries()) yield { kind: "category", column, category, text };
  }
}

function categories(atlas: Atlas, text: string): Found[] {
  return best(eachCategory(atlas), text);
}
