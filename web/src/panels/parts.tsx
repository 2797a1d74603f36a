/** Small parts that several panels are made of. */
import type { ComponentChildren } from "preact";

import type { Asked } from "../asking";
import { cellText, featureName, labelColour, rowName } from "../atlas";
import { csvOf, download, fileName, type Table } from "../export";
import { pin, showFeature, useStore } from "../store";
import { shortened } from "./names";

/** A bar from the middle to one side, with a dot where one value is. Both are between -1 and 1. */
export function Bar({ part, dot }: { part: number; dot?: number | undefined }) {
  const [start, width] = part < 0 ? [50 + 50 * part, -50 * part] : [50, 50 * part];
  return (
    <span class="bar" aria-hidden="true">
      <span class={part < 0 ? "low" : "high"} style={{ left: `${start}%`, width: `${width}%` }} />
      {dot !== undefined && <span class="dot" style={{ left: `${50 + 50 * Math.max(-1, Math.min(1, dot))}%` }} />}
    </span>
  );
}

/** A bar from the left, of a part between 0 and 1. */
export function Share({ part }: { part: number }) {
  return (
    <span class="share" aria-hidden="true">
      <span style={{ width: `${100 * Math.max(0, Math.min(1, part))}%` }} />
    </span>
  );
}

/** The name of a feature, which shows it on the map. */
export function FeatureButton({ feature }: { feature: number }) {
  const store = useStore();
  const name = featureName(store.atlas.head, feature);
  return (
    <button type="button" class="link" title={`Show ${shortened(name, 80)} on the map`} onClick={() => showFeature(store, feature)}>
      {shortened(name, 60)}
    </button>
  );
}

/** The name of a row with the colour of its label, which pins it. */
export function RowButton({ row }: { row: number }) {
  const store = useStore();
  const { head, columns } = store.atlas;
  const label = columns.find((column) => column.categories !== null);
  const text = [rowName(head, row), ...(label ? [cellText(label, row)] : [])].map((part) => shortened(part, 40)).join(" · ");
  return (
    <button type="button" class="link" onClick={() => pin(store, row)}>
      {label && <Swatch colour={labelColour(label, row, store.theme.value)} />}
      {text}
    </button>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return <span class="swatch" aria-hidden="true" style={{ background: colour }} />;
}

/** A table for the reader, in a box that scrolls by keyboard, and a button that takes all of it along. */
export function TableBox({ name, header, children, whole }: {
  name: string; header: readonly string[]; children: ComponentChildren; whole?: (() => Table) | undefined;
}) {
  return (
    <div class="table" role="region" aria-label={name} tabIndex={0}>
      <table>
        <caption>
          {name}
          {whole && <CsvButton name={name} whole={whole} />}
        </caption>
        <thead>
          <tr>{header.map((each) => <th key={each} scope="col">{each}</th>)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function CsvButton({ name, whole }: { name: string; whole: () => Table }) {
  return (
    <button type="button" class="small" aria-label={`Save ${name} as CSV`} onClick={() => saveTable(whole())}>
      CSV
    </button>
  );
}

export function saveTable(table: Table): void {
  download(fileName(table.title, "csv"), csvOf(table), "text/csv;charset=utf-8");
}

/** An answer, or the word that it is on its way, or why there is none. */
export function Answered<A>({ asked, children }: { asked: Asked<A>; children: (answer: A) => ComponentChildren }) {
  if (asked.is === "idle") return null;
  if (asked.is === "failed") return <p class="failed" role="alert">There is no answer: {asked.reason}</p>;
  if (asked.is === "answered") return <>{children(asked.answer)}</>;
  return (
    <p class="waiting">
      {asked.done > 0 ? `Computing: ${(100 * asked.done).toFixed(0)} %` : "Computing …"}
    </p>
  );
}

interface Bin {
  readonly words: string;
  readonly count: number;
}

/** A histogram whose numbers are in its table for those who do not see it. */
export function Histogram({ values, low, high, format, name }: {
  values: Float64Array; low: number; high: number; format: (value: number) => string; name: string;
}) {
  const bins = single(values, format) ?? binned(values, low, high, format);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <figure class="histogram">
      <div aria-hidden="true">
        {bins.map(({ words, count }) => <span key={words} title={`${words}: ${count} rows`} style={{ height: `${(100 * count) / most}%` }} />)}
      </div>
      <figcaption><span>{format(low)}</span><span>{name}</span><span>{format(high)}</span></figcaption>
      <table class="spoken">
        <caption>{name}</caption>
        <thead><tr><th scope="col">values</th><th scope="col">rows</th></tr></thead>
        <tbody>{bins.map(({ words, count }) => <tr key={words}><td>{words}</td><td>{count}</td></tr>)}</tbody>
      </table>
    </figure>
  );
}

const BINS = 30;

/** A bar for each value, where there are few. */
function single(values: Float64Array, format: (value: number) => string): Bin[] | null {
  const counts = new Map<number, number>();
  for (const value of values) {
    if (Number.isFinite(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size > BINS) return null;
  }
  return [...counts].sort(([a], [b]) => a - b).map(([value, count]) => ({ words: format(value), count }));
}

function binned(values: Float64Array, low: number, high: number, format: (value: number) => string): Bin[] {
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    const bin = Math.floor(((value - low) / (high - low || 1)) * BINS);
    counts[Math.max(0, Math.min(BINS - 1, bin))]++;
  }
  const edge = (bin: number) => format(low + (bin / BINS) * (high - low));
  return counts.map((count, bin) => ({ words: `${edge(bin)} to ${edge(bin + 1)}`, count }));
}
