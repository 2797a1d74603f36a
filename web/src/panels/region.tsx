/** Two regions compared: drawn on the map, or by labels. */
import { answerOf } from "../asking";
import { composition, compositionText, selectionName } from "../regions";
import { REGION_COLOUR } from "../shading";
import type { ContrastAnswer, GroupAnswer } from "../source";
import { readSelection, selectionText, type Selection } from "../state";
import { chooseRegion, contrastSentence, useStore } from "../store";
import { contrastTable } from "../tables";
import { count, number, whySentence } from "../words";
import { shortened } from "./names";
import { Answered, Bar, FeatureButton, Swatch, TableBox } from "./parts";
import { Differences, Picture } from "./picture";

const MOST = 20;
const MOST_CATEGORIES = 200; // that are offered by name

export function RegionPanel() {
  const store = useStore();
  const { a } = store.state.value;
  const rowsA = store.rowsA.value;
  return (
    <>
      <h2>What is different between two regions?</h2>
      <p class="quiet">
        Draw around points (Shift and drag: first A, then B), or choose labels. Without B, A is compared with all other
        rows. A row in both counts for A.
      </p>
      <Chooser which="a" name="A" />
      <Chooser which="b" name="B" />
      {a !== null && rowsA !== null && rowsA.length < 2 && (
        <p role="status">Region A has {rowsA.length === 1 ? "one row" : "no rows"}; a comparison needs at least two.</p>
      )}
      <Answered asked={store.contrast.value}>{(answer) => <Contrast answer={answer} />}</Answered>
    </>
  );
}

function Chooser({ which, name }: { which: "a" | "b"; name: string }) {
  const store = useStore();
  const selection = store.state.value[which];
  const rows = (which === "a" ? store.rowsA : store.rowsB).value;
  const isDrawing = store.drawing.value === which;
  const choose = (value: string) => {
    if (value !== "present") chooseRegion(store, which, readSelection(value, store.atlas.limits));
  };
  return (
    <fieldset class="chooser">
      <legend><Swatch colour={REGION_COLOUR[store.theme.value][which]} /> Region {name}</legend>
      <label>
        <span class="spoken">Rows of region {name}</span>
        <select value={valueOf(selection)} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{which === "a" ? "choose …" : "all other rows"}</option>
          {selection !== null && selection.kind !== "category" && (
            <option value="present">{selectionName(store.atlas, selection)}</option>
          )}
          <Categories />
        </select>
      </label>
      <button type="button" aria-pressed={isDrawing} onClick={() => (store.drawing.value = isDrawing ? null : which)}>
        {isDrawing ? "Draw now …" : `Draw ${name}`}
      </button>
      {rows !== null && <Size rows={rows} isOneLabel={selection?.kind === "category"} />}
    </fieldset>
  );
}

function valueOf(selection: Selection | null): string {
  return selection === null || selection.kind === "category" ? selectionText(selection) : "present";
}

function Categories() {
  const { columns } = useStore().atlas;
  return (
    <>
      {columns.map((column, i) => column.categories && (
        <optgroup key={i} label={shortened(column.name, 40)}>
          {column.categories.slice(0, MOST_CATEGORIES).map((category, code) => (
            <option key={code} value={selectionText({ kind: "category", column: i, category: code })}>
              {shortened(category, 60)}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}

function Size({ rows, isOneLabel }: { rows: Int32Array; isOneLabel: boolean }) {
  const { atlas } = useStore();
  const column = isOneLabel ? -1 : atlas.columns.findIndex((each) => each.categories !== null);
  const shares = column < 0 ? [] : composition(atlas, column, rows).map((share) => ({ ...share, name: shortened(share.name, 30) }));
  return (
    <p class="size">
      {count(rows.length)} {rows.length === 1 ? "row" : "rows"}
      {shares.length > 0 && <span class="quiet"> ({compositionText(shares, rows.length)})</span>}
    </p>
  );
}

function Contrast({ answer }: { answer: ContrastAnswer }) {
  const store = useStore();
  const group = answerOf(store.group.value);
  return (
    <>
      <p class="sentence">{contrastSentence(store, answer)}</p>
      <Pictures answer={answer} />
      <Effects answer={answer} group={group} />
      {group !== null && <p>{whySentence("Region A: its rows lie among rows", group, store.features)}</p>}
      <PValues answer={answer} />
    </>
  );
}

function Effects({ answer, group }: { answer: ContrastAnswer; group: GroupAnswer | null }) {
  const { atlas, features } = useStore();
  const shown = [...answer.order.subarray(0, MOST)];
  const scale = Math.max(...shown.map((feature) => Math.abs(answer.effectSize[feature])), 0.5);
  return (
    <>
      <TableBox
        name="A against B" whole={() => contrastTable(atlas, answer)}
        header={["feature", "effect size", "mean A", "mean B", "importance A, B", "R² in A"]}
      >
        {shown.map((feature) => {
          const spread = features.spread[feature];
          return (
            <tr key={feature}>
              <th scope="row"><FeatureButton feature={feature} /></th>
              <td class="with-bar"><Bar part={answer.effectSize[feature] / scale} />{answer.effectSize[feature].toFixed(2)}</td>
              <td>{number(answer.meanA[feature], spread)}</td>
              <td>{number(answer.meanB[feature], spread)}</td>
              <td>{answer.importanceA[feature].toFixed(2)}, {answer.importanceB[feature].toFixed(2)}</td>
              <td>{group === null ? "…" : group.explained[feature].toFixed(2)}</td>
            </tr>
          );
        })}
      </TableBox>
      <p class="note">
        Effect size: difference of the means over the spread within the regions. Importance: how much the feature varies
        around a row ({count(answer.nImportance[0])} rows of A, {count(answer.nImportance[1])} of B).
      </p>
    </>
  );
}

function PValues({ answer }: { answer: ContrastAnswer }) {
  const surest = [...answer.order].sort((a, b) => answer.q[a] - answer.q[b]);
  const nFound = answer.order.reduce((sum, h) => sum + (answer.q[h] <= 0.05 ? 1 : 0), 0);
  return (
    <details>
      <summary>p-values</summary>
      <p class="warning">
        Groups that were picked on the map have p-values that are too small: the map was made from the same features.
        Look at effect sizes first.
      </p>
      <p>
        {count(nFound)} of {count(answer.order.length)} features have a q-value of at most 0.05 by Welch's test, corrected
        for skewness. In Python <code>model.contrast</code> has p-values of permutations.
      </p>
      <TableBox name="p-values of A against B" header={["feature", "t", "p", "q"]}>
        {surest.slice(0, MOST).map((feature) => (
          <tr key={feature}>
            <th scope="row"><FeatureButton feature={feature} /></th>
            <td>{answer.statistic[feature].toFixed(1)}</td>
            <td>{probability(answer.p[feature])}</td>
            <td>{probability(answer.q[feature])}</td>
          </tr>
        ))}
      </TableBox>
    </details>
  );
}

function probability(p: number): string {
  return p >= 0.001 ? p.toFixed(3) : p > 0 ? p.toExponential(0).replace("e-", " · 10⁻").replace(/⁻(\d+)/, (_, digits: string) => "⁻" + superscript(digits)) : "0";
}

function superscript(digits: string): string {
  return [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
}

function Pictures({ answer }: { answer: ContrastAnswer }) {
  const shape = useStore().atlas.head.imageShape;
  if (shape === null) return null;
  const [low, high] = [...answer.meanA, ...answer.meanB].reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity],
  );
  return (
    <div class="pictures">
      <figure>
        <Picture shape={shape} values={answer.meanA} low={low} high={high} name="mean picture of region A" />
        <figcaption>mean of A</figcaption>
      </figure>
      <figure>
        <Picture shape={shape} values={answer.meanB} low={low} high={high} name="mean picture of region B" />
        <figcaption>mean of B</figcaption>
      </figure>
      <figure>
        <Differences shape={shape} values={answer.effectSize} name="effect size of every pixel" />
        <figcaption><span class="high-text">A above</span> / <span class="low-text">below</span> B</figcaption>
      </figure>
    </div>
  );
}
