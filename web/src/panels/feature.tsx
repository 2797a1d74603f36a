/** One feature: its values, where it grows, and how much of it the map explains. */
import { useComputed } from "@preact/signals";

import { answerOf } from "../asking";
import { featureName, type ColumnOfRows } from "../atlas";
import type { ColumnAnswer } from "../source";
import type { Colour } from "../state";
import { colourBy, useStore } from "../store";
import { count, direction, number } from "../words";
import { HARDLY, meanArrow } from "./arrows";
import { shortened } from "./names";
import { Answered, FeatureButton, Histogram, Share, TableBox } from "./parts";

const MOST = 15;
const WAYS = [
  ["feature", "its values"],
  ["importance", "its importance"],
  ["explained", "its R² on the map"],
] as const;

export function FeaturePanel() {
  const { feature } = useStore().state.value;
  return (
    <>
      {feature === null ? <h2>How does a feature lie on the map?</h2> : <Chosen feature={feature} />}
      <Best />
    </>
  );
}

function Chosen({ feature }: { feature: number }) {
  const store = useStore();
  const { head, features } = store.atlas;
  const spread = features.spread[feature];
  return (
    <>
      <h2>{shortened(featureName(head, feature), 80)}</h2>
      <p class="sentence">{mapShare(features.mapVariance[feature])} {backingWords(features.backing[feature])}</p>
      <Ways feature={feature} />
      <Answered asked={store.shading.value}>{() => <Values spread={spread} />}</Answered>
      <p>
        Mean {number(features.overall[feature], spread)}, standard deviation {number(spread, spread)} over all rows.
      </p>
      <FieldNote />
      <MeansByLabel />
    </>
  );
}

function mapShare(part: number | undefined): string {
  if (part === undefined) return "";
  const percent = Math.max(0, 100 * part).toFixed(0);
  return `The map shows ${percent} % of its variance: near places have ${part > 0.5 ? "similar" : part > 0.15 ? "somewhat similar" : "different"} values.`;
}

function backingWords(part: number | undefined): string {
  if (part === undefined) return "";
  if (part < 0.05) return "No other feature goes with it, so it may be noise.";
  return `Other features know ${(100 * part).toFixed(0)} % of it.`;
}

function Ways({ feature }: { feature: number }) {
  const store = useStore();
  const { colour } = store.state.value;
  return (
    <p class="buttons" role="group" aria-label="Colour the map by">
      {WAYS.map(([by, words]) => {
        const wanted: Colour = { by, feature };
        const isOn = colour.by === by && "feature" in colour && colour.feature === feature;
        return (
          <button key={by} type="button" aria-pressed={isOn} onClick={() => colourBy(store, wanted)}>{words}</button>
        );
      })}
    </p>
  );
}

function Values({ spread }: { spread: number }) {
  const { shade } = useStore();
  const { value } = shade;
  if (value.kind !== "values") return null;
  return (
    <Histogram
      values={value.values} low={value.low} high={value.high} name={shortened(value.title, 50)}
      format={(each) => number(each, spread)}
    />
  );
}

function FieldNote() {
  const asked = useStore().field.value;
  const answer = answerOf(asked);
  if (answer === null) return <Answered asked={asked}>{() => null}</Answered>;
  const sample = answer.rows === null ? "all rows" : `${count(answer.rows.length)} rows`;
  return <p class="note">Small arrows on the map: where it grows, from {sample}. Longer ones: steeper.</p>;
}

interface MeanOfGroup {
  readonly name: string;
  readonly mean: number;
  readonly n: number;
  readonly grows: string;
}

/** Where the feature grows in each group, in words; empty as long as no arrow is known there. */
function growsBy(column: ColumnOfRows, field: ColumnAnswer | null): string[] {
  const arrows = column.categories!.map((_, category) => field && meanArrow(field, (row) => column.values[row] === category));
  const longest = Math.max(...arrows.map((arrow) => (arrow ? Math.hypot(...arrow) : 0)));
  return arrows.map((arrow) => {
    if (arrow === null) return "";
    return Math.hypot(...arrow) > HARDLY * longest ? direction(arrow) : "hardly";
  });
}

/** The arrow field and the colours in a table: what the feature is in each group. */
function MeansByLabel() {
  const store = useStore();
  const { columns } = store.atlas;
  const column = columns.find((each) => each.categories !== null);
  const means = useComputed<MeanOfGroup[]>(() => {
    const { value } = store.shade;
    if (column === undefined || value.kind !== "values") return [];
    const grows = growsBy(column, answerOf(store.field.value));
    const sums = column.categories!.map((name, category) => ({ name, category, sum: 0, n: 0 }));
    for (let row = 0; row < value.values.length; row++) {
      const group = sums[column.values[row]];
      if (group === undefined || !Number.isFinite(value.values[row])) continue;
      group.sum += value.values[row];
      group.n++;
    }
    return sums
      .filter(({ n }) => n > 0)
      .map(({ name, category, sum, n }) => ({ name, mean: sum / n, n, grows: grows[category] }))
      .sort((a, b) => b.mean - a.mean);
  }).value;
  const { value: shown } = store.shade;
  if (column === undefined || !means.length || shown.kind !== "values") return null;
  return (
    <TableBox name={`Mean of ${shortened(shown.title, 40)} by ${shortened(column.name, 40)}`} header={[shortened(column.name, 40), "mean", "grows", "rows"]}>
      {means.map(({ name, mean, n, grows }) => (
        <tr key={name}>
          <th scope="row">{shortened(name, 60)}</th>
          <td class="with-bar"><Share part={(mean - shown.low) / (shown.high - shown.low || 1)} />{number(mean, (shown.high - shown.low) / 3)}</td>
          <td>{grows}</td>
          <td>{count(n)}</td>
        </tr>
      ))}
    </TableBox>
  );
}

/** The features that the map shows most of, those that may be noise last. */
function Best() {
  const { mapVariance, backing, groups } = useStore().atlas.features;
  if (!mapVariance.length) return null;
  const seen = new Set<number>(); // all levels of a category have what the map shows of the category
  const order = Array.from(mapVariance, (_, feature) => feature)
    .filter((feature) => (backing[feature] ?? 1) >= 0.05)
    .filter((feature) => !seen.has(groups[feature] ?? feature) && seen.add(groups[feature] ?? feature))
    .sort((a, b) => mapVariance[b] - mapVariance[a])
    .slice(0, MOST);
  return (
    <section>
      <h3>What the map shows best</h3>
      {order.length === 0 && <p>No feature tells anything of the others.</p>}
      {order.length > 0 && (
        <TableBox name="Part of a feature's variance that the map shows" header={["feature", "shown by the map"]}>
          {order.map((feature) => (
            <tr key={feature}>
              <th scope="row"><FeatureButton feature={feature} /></th>
              <td class="with-bar"><Share part={mapVariance[feature]} />{Math.max(0, mapVariance[feature]).toFixed(2)}</td>
            </tr>
          ))}
        </TableBox>
      )}
    </section>
  );
}
