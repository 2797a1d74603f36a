/** What points are coloured by, and a legend that filters. */
import { answerOf } from "../asking";
import { colourName, fillIn, stopFilling } from "../colouring";
import { categoryColour, sequential } from "../palette";
import { REGION_COLOUR, type Values } from "../shading";
import { ROW_QUANTITIES, type Colour } from "../state";
import { colourBy, useStore } from "../store";
import { count, number } from "../words";
import { shortened } from "./names";
import { Swatch } from "./parts";

const MOST_SHOWN = 200;

export function Legend() {
  const store = useStore();
  const isComparing = store.state.value.tab === "region" && store.rowsA.value !== null;
  return (
    <div class="legend" role="group" aria-label="Colours">
      <ColourChooser />
      {isComparing ? <RegionKey /> : <Key />}
    </div>
  );
}

function Key() {
  const store = useStore();
  const shade = store.shade.value;
  if (shade.kind === "categories") return <CategoryKey names={shade.names} codes={shade.codes} />;
  if (shade.kind === "values") return <ValueKey shade={shade} />;
  const asked = store.shading.value;
  if (asked.is !== "waiting") return null;
  return (
    <span class="waiting">
      Computing … {asked.done > 0 && `${(100 * asked.done).toFixed(0)} %`}{" "}
      <button type="button" class="small" onClick={() => colourBy(store, { by: "none" })}>Stop</button>
    </span>
  );
}

/** Options by their colours, written as JSON. */
function ColourChooser() {
  const store = useStore();
  const { atlas } = store;
  const { colour, feature } = store.state.value;
  const chosen = "feature" in colour ? colour.feature : feature;
  const option = (each: Colour) => <option key={JSON.stringify(each)} value={JSON.stringify(each)}>{shortened(colourName(atlas, each), 48)}</option>;
  return (
    <label class="colour-by">
      Colour by{" "}
      <select value={JSON.stringify(colour)} onChange={(event) => colourBy(store, JSON.parse(event.currentTarget.value) as Colour)}>
        {option({ by: "none" })}
        {atlas.columns.length > 0 && (
          <optgroup label="Columns">{atlas.columns.map((_, column) => option({ by: "column", column }))}</optgroup>
        )}
        {chosen !== null && (
          <optgroup label="Feature">
            {(["feature", "importance", "explained"] as const).map((by) => option({ by, feature: chosen }))}
          </optgroup>
        )}
        <optgroup label="The map">{ROW_QUANTITIES.map((by) => option({ by }))}</optgroup>
      </select>
    </label>
  );
}

function CategoryKey({ names, codes }: { names: readonly string[]; codes: ArrayLike<number> }) {
  const store = useStore();
  const { off } = store.state.value;
  const counts = new Array<number>(names.length).fill(0);
  for (let row = 0; row < codes.length; row++) if (codes[row] < names.length) counts[codes[row]]++;
  const toggle = (category: number) => {
    const next = off.includes(category) ? off.filter((each) => each !== category) : [...off, category].sort((a, b) => a - b);
    store.set({ off: next.length === names.length ? [] : next });
    store.say(`${names[category]} is ${next.includes(category) ? "left out" : "shown"}.`);
  };
  const only = (category: number) => {
    store.set({ off: names.map((_, each) => each).filter((each) => each !== category) });
    store.say(`Only ${names[category]} is shown.`);
  };
  return (
    <>
      <ul class="chips">
        {names.slice(0, MOST_SHOWN).map((name, category) => (
          <li key={category}>
            <button
              type="button" class="chip" aria-pressed={!off.includes(category)}
              title={`${count(counts[category])} rows. Click: leave out or show. Double click: this one only.`}
              onClick={() => toggle(category)} onDblClick={() => only(category)}
            >
              <Swatch colour={categoryColour(category, store.theme.value)} />
              {shortened(name, 28)}
            </button>
          </li>
        ))}
      </ul>
      {off.length > 0 && <button type="button" class="small" onClick={() => store.set({ off: [] })}>Show all</button>}
      {names.length > MOST_SHOWN && <span class="quiet">and {count(names.length - MOST_SHOWN)} more</span>}
    </>
  );
}

function ValueKey({ shade }: { shade: Values }) {
  const store = useStore();
  const theme = store.theme.value;
  const stops = Array.from({ length: 9 }, (_, i) => sequential(i / 8, theme)).join(", ");
  const spread = (shade.high - shade.low) / 3;
  const { nRows } = store.atlas.head;
  return (
    <span class="scale">
      <span>{number(shade.low, spread)}</span>
      <span class="ramp" aria-hidden="true" style={{ background: `linear-gradient(to right, ${stops})` }} />
      <span>{number(shade.high, spread)}</span>
      {shade.nKnown < nRows && <Unknown nKnown={shade.nKnown} />}
    </span>
  );
}

/** How many rows have a value, and a way to compute the others. */
function Unknown({ nKnown }: { nKnown: number }) {
  const store = useStore();
  const { nRows } = store.atlas.head;
  const isSample = (answerOf(store.shading.value)?.rows ?? null) !== null;
  const isGoingOn = store.filled.value?.isGoingOn === true;
  const tellFailure = (error: Error) => store.say(`There is no answer: ${error.message}`);
  return (
    <>
      <span class="quiet">{count(nKnown)} of {count(nRows)} rows; the others are grey</span>
      {isSample && (
        <button type="button" class="small" onClick={() => (isGoingOn ? stopFilling(store) : void fillIn(store).catch(tellFailure))}>
          {isGoingOn ? "Stop" : "Compute the others"}
        </button>
      )}
    </>
  );
}

function RegionKey() {
  const store = useStore();
  const colours = REGION_COLOUR[store.theme.value];
  const [a, b] = [store.rowsA.value, store.rowsB.value];
  return (
    <ul class="chips">
      {a && <li><Swatch colour={colours.a} /> A, {count(a.length)} rows</li>}
      {b && <li><Swatch colour={colours.b} /> B, {count(b.length)} rows</li>}
      <li class="quiet">other rows are grey</li>
    </ul>
  );
}
