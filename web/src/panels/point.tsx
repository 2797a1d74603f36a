/** "Why is this point here?" */
import { useSignal } from "@preact/signals";

import { cellText, featureName, labelColour, rowName, rowNameWithin } from "../atlas";
import { nearestRow } from "../points/grid";
import { densestPlace } from "../points/labels";
import type { NeighboursAnswer, PointAnswer } from "../source";
import { chooseRegion, pin, pointSentence, useStore, type Store } from "../store";
import { neighboursTable, pointTable } from "../tables";
import { arrowOf, count, growth, number } from "../words";
import { opacityOf } from "./arrows";
import { shortened } from "./names";
import { Answered, Bar, CsvButton, FeatureButton, RowButton, Share, Swatch, TableBox } from "./parts";
import { Differences, Picture, range, Thumbnail } from "./picture";

const MOST = 5; // features of each list
const MORE = 25;

export function PointPanel() {
  const store = useStore();
  const { row } = store.state.value;
  if (row === null) return <Invitation />;
  return (
    <>
      <h2>Why is {shortened(rowNameWithin(store.atlas.head, row), 60)} here?</h2>
      <Labels row={row} />
      <Answered asked={store.why.value}>{(answer) => <Why answer={answer} />}</Answered>
      <Answered asked={store.neighbours.value}>{(answer) => <Neighbours answer={answer} />}</Answered>
    </>
  );
}

function Invitation() {
  const store = useStore();
  return (
    <>
      <h2>Why is this point here?</h2>
      <p>
        Every point of the map is a row of the data. <strong>Click a point</strong> to ask why it is there. The answer
        says what sets its neighbourhood apart, what sets the row itself apart from it, what changes across it, and what
        the map does not show.
      </p>
      <p>
        <button type="button" class="main" onClick={() => pin(store, exampleRow(store))}>Show me an example</button>
      </p>
      <p class="quiet">
        Hold Shift and draw a line around points to ask what a region has in common. Search for a feature to see it on
        the map.
      </p>
    </>
  );
}

/** A row in the middle of the densest part of the map. */
function exampleRow(store: Store): number {
  const { maps, head } = store.atlas;
  const place = densestPlace(maps[0].places, Array.from({ length: head.nRows }, (_, row) => row));
  return nearestRow(maps[0].grid, place[0], place[1], Infinity) ?? 0;
}

function Labels({ row }: { row: number }) {
  const store = useStore();
  const { columns } = store.atlas;
  if (!columns.length) return null;
  return (
    <p class="labels">
      {columns.map((column, i) => (
        <span key={i}>
          {column.categories && <Swatch colour={labelColour(column, row, store.theme.value)} />}
          <span class="quiet">{shortened(column.name, 30)}</span> {shortened(cellText(column, row), 60)}
        </span>
      ))}
    </p>
  );
}

function Why({ answer }: { answer: PointAnswer }) {
  const store = useStore();
  const most = useSignal(MOST);
  const isMore = most.value > MOST;
  return (
    <>
      <p class="sentence">{pointSentence(store, answer)}</p>
      <Pictures answer={answer} />
      <Apart answer={answer} most={most.value} />
      <Unlike answer={answer} most={most.value} />
      <Changes answer={answer} most={most.value} />
      <Hidden answer={answer} most={most.value} />
      {answer.alone.length > 0 && (
        <p class="quiet">
          Also differs, but no other feature goes with it: {named(store, answer.alone.subarray(0, MOST))}.
        </p>
      )}
      <p class="buttons">
        <button type="button" onClick={() => (most.value = isMore ? MOST : MORE)}>
          {isMore ? "Fewer features" : "More features"}
        </button>
        <button type="button" onClick={() => chooseRegion(store, "a", { kind: "rows", rows: sorted(answer.near) })}>
          Take the {count(answer.near.length)} nearest as region A
        </button>
        <CsvButton name="all features of this point" whole={() => pointTable(store.atlas, answer)} />
      </p>
      <TrustHere answer={answer} />
    </>
  );
}

function named(store: Store, features: Int32Array): string {
  return [...features].map((feature) => shortened(featureName(store.atlas.head, feature), 60)).join(", ");
}

function sorted(rows: Int32Array): number[] {
  return [...rows].sort((a, b) => a - b);
}

function Apart({ answer, most }: { answer: PointAnswer; most: number }) {
  const { features } = useStore();
  const shown = [...answer.apart.subarray(0, most)];
  const ownOf = (feature: number) => (answer.own[feature] - features.overall[feature]) / (features.spread[feature] || 1);
  const scale = Math.max(...shown.map((feature) => Math.max(Math.abs(answer.z[feature]), Math.abs(ownOf(feature)))), 1);
  return (
    <section>
      <h3>What sets this neighbourhood apart</h3>
      {shown.length === 0 && <p>Nothing: it is in the middle of the data.</p>}
      {shown.length > 0 && (
        <TableBox name="Rows around it against all rows" header={["feature", "spreads", "all", "around", "this row"]}>
          {shown.map((feature) => {
            const spread = features.spread[feature];
            return (
              <tr key={feature}>
                <th scope="row"><FeatureButton feature={feature} /></th>
                <td class="with-bar">
                  <Bar part={answer.z[feature] / scale} dot={ownOf(feature) / scale} />
                  {signed(answer.z[feature])}
                </td>
                <td>{number(features.overall[feature], spread)}</td>
                <td>{number(answer.mean[feature], spread)}</td>
                <td>{number(answer.own[feature], spread)}</td>
              </tr>
            );
          })}
        </TableBox>
      )}
      {shown.length > 0 && <p class="note">Bars: the mean around it, in standard deviations from the mean of all rows. Dot: this row.</p>}
    </section>
  );
}

/** Most rows are like those around them, and have no such list. */
function Unlike({ answer, most }: { answer: PointAnswer; most: number }) {
  const { features } = useStore();
  const shown = [...answer.unlike.subarray(0, most)];
  if (shown.length === 0) return null;
  const scale = Math.max(...shown.map((feature) => Math.abs(answer.away[feature])), 1);
  return (
    <section>
      <h3>What sets the row itself apart from them</h3>
      <TableBox name="This row against the rows around it" header={["feature", "spreads", "around", "this row"]}>
        {shown.map((feature) => {
          const spread = features.spread[feature];
          return (
            <tr key={feature}>
              <th scope="row"><FeatureButton feature={feature} /></th>
              <td class="with-bar">
                <Bar part={answer.away[feature] / scale} />
                {signed(answer.away[feature])}
              </td>
              <td>{number(answer.mean[feature], spread)}</td>
              <td>{number(answer.own[feature], spread)}</td>
            </tr>
          );
        })}
      </TableBox>
      <p class="note">Bars: this row, in standard deviations of all rows from the mean around it. First is what is most to be believed.</p>
    </section>
  );
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

function Changes({ answer, most }: { answer: PointAnswer; most: number }) {
  const { features, atlas } = useStore();
  const { trust } = atlas.head;
  const shown = [...answer.changes.subarray(0, most)];
  return (
    <section>
      <h3>What changes across it</h3>
      {trust.word === "poor" && <p class="warning">{trust.sentence}</p>}
      {shown.length === 0 && <p>No arrow holds here: no feature that others go with changes across the map more than by chance.</p>}
      {shown.length > 0 && (
        <TableBox name="Arrows on the map" header={["feature", "grows", "from", "to", "R²"]}>
          {shown.map((feature) => {
            const arrow = arrowOf(answer, feature, features.nComponents);
            const spread = answer.high[feature] - answer.low[feature];
            return (
              <tr key={feature}>
                <th scope="row"><FeatureButton feature={feature} /></th>
                <td><Needle arrow={arrow} opacity={opacityOf(answer.explained[feature], trust)} /> {growth(answer, feature, features.nComponents)}</td>
                <td>{number(answer.low[feature], spread)}</td>
                <td>{number(answer.high[feature], spread)}</td>
                <td class="with-bar"><Share part={answer.explained[feature]} />{answer.explained[feature].toFixed(2)}</td>
              </tr>
            );
          })}
        </TableBox>
      )}
      {shown.length > 0 && <p class="note">R²: the part of the feature's change around here that the map shows. Arrows fade with it.</p>}
    </section>
  );
}

/** A small arrow in the direction in which a feature grows. */
function Needle({ arrow, opacity }: { arrow: readonly [number, number]; opacity: number }) {
  const angle = (-Math.atan2(arrow[1], arrow[0]) * 180) / Math.PI;
  return (
    <svg class="needle" viewBox="-8 -8 16 16" width="16" height="16" aria-hidden="true">
      <path d="M-7 0H3M7 0L1 -4V4Z" transform={`rotate(${angle.toFixed(0)})`} opacity={opacity} />
    </svg>
  );
}

function Hidden({ answer, most }: { answer: PointAnswer; most: number }) {
  const shown = [...answer.hidden.subarray(0, most)];
  return (
    <section>
      <h3>What varies here, but the map hides</h3>
      {shown.length === 0 && <p>Nothing that varies more than usual.</p>}
      {shown.length > 0 && (
        <TableBox name="Features without an arrow" header={["feature", "importance", "R²"]}>
          {shown.map((feature) => (
            <tr key={feature}>
              <th scope="row"><FeatureButton feature={feature} /></th>
              <td class="with-bar"><Share part={answer.importance[feature]} />{answer.importance[feature].toFixed(2)}</td>
              <td>{answer.explained[feature].toFixed(2)}</td>
            </tr>
          ))}
        </TableBox>
      )}
    </section>
  );
}

function TrustHere({ answer }: { answer: PointAnswer }) {
  const { trust } = useStore().atlas.head;
  return (
    <section>
      <h3>How far to trust it</h3>
      <p>
        {trust.sentence} Around this point the changes that the arrows foretell agree with the true ones by
        {" "}{answer.fidelity.toFixed(2)} (cosine, 0 is chance; it counts noise and what no map can show, too; a plain
        regression on the map reaches {answer.fidelityOfRegression.toFixed(2)}).
      </p>
    </section>
  );
}

function Neighbours({ answer }: { answer: NeighboursAnswer }) {
  const store = useStore();
  const nKept = answer.isOnMap.reduce((sum, each) => sum + each, 0);
  return (
    <section>
      <h3>Neighbours on the map and in the data</h3>
      <p>
        {nKept} of its {answer.inData.length} neighbours in the data are among its neighbours on the map.
        {" "}<CsvButton name="neighbours" whole={() => neighboursTable(store.atlas, answer)} />
      </p>
      <div class="columns">
        <NeighbourList name="On the map" rows={answer.onMap} inBoth={answer.isInData} />
        <NeighbourList name="In the data" rows={answer.inData} inBoth={answer.isOnMap} />
      </div>
      <p class="note">✓ in both lists. On the map, lines lead to the neighbours in the data; dashed ones are torn away.</p>
    </section>
  );
}

function NeighbourList({ name, rows, inBoth }: { name: string; rows: Int32Array; inBoth: Uint8Array }) {
  return (
    <div>
      <h4>{name}</h4>
      <ol class="neighbours">
        {[...rows].map((row, i) => (
          <li key={row}>
            <Thumbnail row={row} />
            <RowButton row={row} />
            {inBoth[i] === 1 && <span title="in both lists"> ✓<span class="spoken"> in both lists</span></span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Pictures({ answer }: { answer: PointAnswer }) {
  const store = useStore();
  const shape = store.atlas.head.imageShape;
  if (shape === null) return null;
  const name = rowName(store.atlas.head, answer.row);
  const [low, high] = range([...range(answer.own), ...range(answer.mean)]);
  return (
    <div class="pictures">
      <figure>
        <Picture shape={shape} values={answer.own} low={low} high={high} name={`picture of ${name}`} />
        <figcaption>this row</figcaption>
      </figure>
      <figure>
        <Picture shape={shape} values={answer.mean} low={low} high={high} name="mean picture of the rows around" />
        <figcaption>mean around it</figcaption>
      </figure>
      <figure>
        <Differences shape={shape} values={answer.score} name="where the rows around are above and below all rows" />
        <figcaption><span class="high-text">above</span> / <span class="low-text">below</span> all rows</figcaption>
      </figure>
      <figure>
        <Differences shape={shape} values={answer.importance} name="importance of every pixel" />
        <figcaption>varies here</figcaption>
      </figure>
    </div>
  );
}
