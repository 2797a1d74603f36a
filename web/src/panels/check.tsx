/** How far the map can be trusted, and how it was made. */
import type { ComponentChildren } from "preact";

import { answerOf } from "../asking";
import { QUANTITY_NAMES } from "../colouring";
import { colourBy, useStore } from "../store";
import type { RowQuantity } from "../state";
import { count, number } from "../words";
import { shortened } from "./names";
import { Answered, Histogram } from "./parts";

const LOOKS: readonly (readonly [RowQuantity, string])[] = [
  ["kept", "Which neighbours are kept?"],
  ["torn", "Where are neighbourhoods torn?"],
  ["false", "Where are neighbours false?"],
  ["densityOfData", "How dense are the data?"],
  ["densityOfMap", "How dense is the map?"],
  ["fidelity", "Where can arrows be trusted?"],
  ["dimension", "How many directions are there?"],
];

export function CheckPanel() {
  const { trust, notes, report, parameters, versions, seed, data } = useStore().atlas.head;
  return (
    <>
      <h2>Can I trust this map?</h2>
      <p class="sentence">{trust.sentence}</p>
      {trust.advice && <p>{trust.advice}</p>}
      <Figures />
      <h3>Look at it on the map</h3>
      <Looks />
      <h3>How the map was made</h3>
      <Facts name="Parameters" facts={[...Object.entries(parameters), ["seed", seed === null ? "none" : String(seed)]]} />
      <Facts name="Versions" facts={Object.entries(versions)} />
      {report.length > 0 && <details><summary>Report of the fit</summary><pre>{report.join("\n")}</pre></details>}
      <h3>What this file holds</h3>
      {[...notes, data.text].filter(Boolean).map((note) => <p key={note}>{note}</p>)}
    </>
  );
}

function Figures() {
  const { trust } = useStore().atlas.head;
  const lines: [string, string, string][] = [
    ["Neighbours on the map are neighbours in the data", trust.trustworthiness.toFixed(3), `${count(trust.nRankedRows)} random rows`],
    ["The map is dense where the data are dense", trust.densityCorrelation.toFixed(2), "all rows, or 10,000 random ones"],
    ["Arrows tell of what a plane could show", trust.shareOfFlat.toFixed(2), `${count(trust.nRows)} random rows`],
    ["Arrows tell of all that features tell of each other", trust.shareOfAll.toFixed(2), `${count(trust.nRows)} random rows`],
  ];
  return (
    <table class="facts">
      <caption>1 is best</caption>
      <thead><tr><th scope="col">statement</th><th scope="col">figure</th><th scope="col">measured on</th></tr></thead>
      <tbody>
        {lines.map(([what, figure, sample]) => <tr key={what}><th scope="row">{what}</th><td>{figure}</td><td class="quiet">{sample}</td></tr>)}
      </tbody>
    </table>
  );
}

function Looks() {
  const store = useStore();
  const { colour } = store.state.value;
  return (
    <>
      <p class="buttons" role="group" aria-label="Colour the map by">
        {LOOKS.map(([by, question]) => (
          <button key={by} type="button" aria-pressed={colour.by === by} onClick={() => colourBy(store, { by })}>{question}</button>
        ))}
      </p>
      {LOOKS.some(([by]) => by === colour.by) && (
        <Answered asked={store.shading.value}>{() => <Look by={colour.by as RowQuantity} />}</Answered>
      )}
    </>
  );
}

/** What the colours say, in words and as a histogram. */
function Look({ by }: { by: RowQuantity }) {
  const store = useStore();
  const { value } = store.shade;
  const answer = answerOf(store.shading.value);
  if (value.kind !== "values" || answer === null) return null;
  const known = value.values.filter(Number.isFinite).sort();
  const median = known[Math.floor(known.length / 2)] ?? NaN;
  const sample = answer.rows === null ? `all ${count(known.length)} rows` : `${count(known.length)} random rows`;
  return (
    <>
      <p role="status">{capital(QUANTITY_NAMES[by])}: median {number(median, value.high - value.low)}, of {sample}. {MEANING[by]}</p>
      <Histogram
        values={value.values} low={value.low} high={value.high} name={QUANTITY_NAMES[by]}
        format={(each) => number(each, value.high - value.low)}
      />
    </>
  );
}

const MEANING: Readonly<Record<RowQuantity, string>> = {
  kept: "The part of a row's neighbours in the data that are its neighbours on the map; 1 is best.",
  torn: "How far neighbours in the data are on the map, relative to the nearest there; 1 is best, more is torn.",
  false: "How far neighbours on the map are in the data, relative to the nearest there; 1 is best, more is false.",
  densityOfData: "Logarithm of how close neighbours are in the data.",
  densityOfMap: "Logarithm of how close neighbours are on the map. Compare it with the density in the data.",
  fidelity: "The cosine between predicted and true changes; 0 is chance. It counts noise too: compare rows with each other, not with 1.",
  dimension: "A map has two; where there are many more, it hides much.",
};

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function Facts({ name, facts }: { name: string; facts: readonly (readonly [string, string])[] }): ComponentChildren {
  if (!facts.length) return null;
  return (
    <details>
      <summary>{name}</summary>
      <table class="facts">
        <thead class="spoken"><tr><th scope="col">name</th><th scope="col">value</th></tr></thead>
        <tbody>{facts.map(([key, value]) => <tr key={key}><th scope="row">{key}</th><td>{shortened(value, 200)}</td></tr>)}</tbody>
      </table>
    </details>
  );
}
