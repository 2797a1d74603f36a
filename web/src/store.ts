/** All that the page shows and all that can be done on it, as signals and verbs. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { answerOf, following, type Asked } from "./asking";
import { cellText, featureName, rowName, type Atlas } from "./atlas";
import { colourName, makeColouring, makePaint, type Colouring, type Paint } from "./colouring";
import { makeComparing, type Comparing } from "./comparing";
import type { Theme } from "./palette";
import type { Camera } from "./points/camera";
import { rounded } from "./points/lasso";
import type { ContrastAnswer, NeighboursAnswer, PointAnswer, Source } from "./source";
import { hashOf, stateOf, type Colour, type Selection, type State, type Tab, type ThemeChoice } from "./state";
import type { View } from "./view";
import { count, number, whySentence, type Features } from "./words";

const LINK_DELAY = 150; // browsers refuse links that change more often, in milliseconds

export interface Store extends Colouring, Comparing {
  readonly atlas: Atlas;
  readonly source: Source;
  readonly features: Features;
  readonly state: Signal<State>;
  readonly theme: ReadonlySignal<Theme>;
  readonly paint: ReadonlySignal<Paint>;
  readonly why: ReadonlySignal<Asked<PointAnswer>>;
  readonly neighbours: ReadonlySignal<Asked<NeighboursAnswer>>;
  readonly spoken: Signal<string>;
  readonly views: Map<HTMLElement, View>; // the maps on the screen, for pictures of them
  readonly id: (name: string) => string; // of an element; a document may have several pages
  readonly drawing: Signal<"a" | "b" | null>; // the region that the next drag draws
  readonly set: (change: Partial<State>) => void;
  readonly say: (text: string) => void;
}

let nStores = 0;

function idsOf(number: number): (name: string) => string {
  return (name) => `featmap${number || ""}-${name}`;
}

export function makeStore(atlas: Atlas, source: Source, hash: string, isDark: ReadonlySignal<boolean>): Store {
  const state = signal(stateOf(hash, atlas.limits));
  const spoken = signal("");
  const row = computed(() => state.value.row);
  const theme = computed(() => themeOf(state.value.theme, isDark.value));
  const colouring = makeColouring(atlas, source, state);
  const comparing = makeComparing(atlas, source, state);
  return {
    ...colouring,
    ...comparing,
    ...{ atlas, source, state, theme, spoken },
    features: featuresOf(atlas),
    paint: makePaint(atlas.head.nRows, colouring.shade, state, theme, comparing.regions),
    why: following(() => row.value, (which, asking) => source.point(which, asking)),
    neighbours: following(() => row.value, (which, asking) => source.neighbours(which, asking)),
    views: new Map(),
    id: idsOf(nStores++),
    drawing: signal<"a" | "b" | null>(null),
    set: (change) => {
      state.value = { ...state.value, ...change };
    },
    say: (text) => {
      spoken.value = text;
    },
  };
}

function themeOf(choice: ThemeChoice, isDark: boolean): Theme {
  return choice === "auto" ? (isDark ? "dark" : "light") : choice;
}

function featuresOf({ head, features }: Atlas): Features {
  const nameOf = (feature: number) => featureName(head, feature);
  const levelOf = (feature: number) => head.levels?.[feature] ?? null;
  return { nameOf, levelOf, overall: features.overall, spread: features.spread, nComponents: head.nComponents };
}

/** The link follows the state, and the state follows the link. */
export function followLink(store: Store): void {
  const { atlas, state } = store;
  let timer = 0;
  const write = () => {
    const hash = hashOf(state.value, atlas.limits);
    if (hash !== location.hash.replace(/^#/, "")) history.replaceState(null, "", `#${hash}`);
  };
  effect(() => {
    void state.value;
    clearTimeout(timer);
    timer = setTimeout(write, LINK_DELAY);
  });
  addEventListener("hashchange", () => {
    state.value = stateOf(location.hash, atlas.limits);
  });
}

/** Tells a screen reader what has been answered. */
export function speakAnswers(store: Store): void {
  effect(() => {
    const answer = answerOf(store.why.value);
    if (answer !== null) store.say(pointSentence(store, answer));
  });
  effect(() => {
    const answer = answerOf(store.contrast.value);
    if (answer !== null) store.say(contrastSentence(store, answer));
  });
  effect(() => {
    for (const asked of [store.why.value, store.contrast.value, store.shading.value]) {
      if (asked.is === "failed") store.say(`There is no answer: ${asked.reason}`);
    }
  });
}

export function pointSentence(store: Store, answer: PointAnswer): string {
  const name = rowName(store.atlas.head, answer.row);
  if (!answer.isConnected) return `${name} has no neighbours in the data, so there is nothing to tell.`;
  return whySentence(`${name} lies among ${answer.nAround.toFixed(0)} rows`, answer, store.features);
}

export function contrastSentence(store: Store, answer: ContrastAnswer): string {
  const [first, second] = answer.sizes;
  const sizes = answer.effectSize.map(Math.abs);
  const feature = answer.order.reduce((most, h) => (sizes[h] > sizes[most] ? h : most));
  const groups = `Region A, ${count(first)} rows, against ${store.rowsB.value === null ? "all others" : "region B"}, ${count(second)} rows`;
  const spread = store.features.spread[feature];
  const means = `${number(answer.meanA[feature], spread)} against ${number(answer.meanB[feature], spread)}`;
  return `${groups}: ${store.features.nameOf(feature)} differs most (${means}, effect size ${answer.effectSize[feature].toFixed(1)}).`;
}

/** Shows a row and asks why it is there. */
export function pin(store: Store, row: number): void {
  store.set({ row, tab: "point" });
}

/** Shows a feature: its values colour the map. */
export function showFeature(store: Store, feature: number): void {
  store.set({ feature, tab: "feature", colour: { by: "feature", feature }, off: [] });
  store.say(`The map shows ${featureName(store.atlas.head, feature)}.`);
}

export function colourBy(store: Store, colour: Colour): void {
  store.set({ colour, off: [] });
  store.say(`Points are coloured by ${colourName(store.atlas, colour)}.`);
}

export function openTab(store: Store, tab: Tab): void {
  store.set({ tab });
}

/** Which region a drag draws that was not asked for by name: A, then B, and then A anew. */
export function nextRegion(state: State): "a" | "b" {
  return state.a !== null && state.b === null ? "b" : "a";
}

/** Keeps a drawn line as a region. */
export function drawRegion(store: Store, which: "a" | "b", map: number, polygon: readonly number[]): void {
  const selection: Selection = { kind: "lasso", map, polygon: rounded(polygon) };
  const startsAnew = which === "a" && store.drawing.value === null;
  store.drawing.value = null;
  store.set({ [which]: selection, tab: "region", ...(startsAnew ? { b: null } : {}) });
  const rows = (which === "a" ? store.rowsA : store.rowsB).value!;
  store.say(`Region ${which.toUpperCase()} has ${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}.`);
}

export function chooseRegion(store: Store, which: "a" | "b", selection: Selection | null): void {
  store.drawing.value = null;
  store.set({ [which]: selection, tab: "region" });
}

export function moveCamera(store: Store, camera: Camera | null): void {
  store.set({ camera });
}

/** What a row is, in a few words: its name and what the first columns say of it. */
export function rowWords(store: Store, row: number): string {
  const { head, columns } = store.atlas;
  return [rowName(head, row), ...columns.slice(0, 2).map((column) => `${column.name} ${cellText(column, row)}`)].join(", ");
}

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("There is no store here.");
  return store;
}
