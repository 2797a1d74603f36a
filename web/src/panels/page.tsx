/** The whole page. */
import { nUserFeatures } from "../atlas";
import { effect, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { ThemeChoice } from "../state";
import { moveCamera, useStore } from "../store";
import type { RelativeCamera } from "../view";
import { count } from "../words";
import { Legend } from "./legend";
import { MapPanel } from "./map";
import { MapTable } from "./map_table";
import { SearchBox } from "./search";
import { Tabs } from "./tabs";
import { TakeAlong } from "./take";

const CAMERA_DELAY = 200; // milliseconds until a move is part of the state

export function Page() {
  const store = useStore();
  const { head } = store.atlas;
  return (
    <>
      <header>
        <h1>{head.title}</h1>
        <p class="quiet">{count(head.nRows)} rows, {count(nUserFeatures(head))} features</p>
        <SearchBox />
        <Beside />
        <ThemeChooser />
        <TakeAlong />
      </header>
      <main>
        <div class="maps-and-legend">
          <Hint />
          <Maps />
          <Legend />
          <MapTable />
        </div>
        <Tabs />
      </main>
      <div class="spoken" role="status" aria-live="polite" id={store.id("spoken")}>{store.spoken.value}</div>
    </>
  );
}

function Hint() {
  const store = useStore();
  const which = store.drawing.value;
  return (
    <p class="hint">
      {which !== null
        ? `Press and draw a line around the points of region ${which.toUpperCase()}. Escape: not now.`
        : "Click a point to ask why it is there. Drag to move, wheel to zoom, Shift and drag to draw around a region."}
    </p>
  );
}

function Maps() {
  const store = useStore();
  const { beside } = store.state.value;
  const camera = useSignal<RelativeCamera | null>(store.state.value.camera);
  const other = useSignal<RelativeCamera | null>(null);
  useEffect(() => keepInState(camera, (value) => moveCamera(store, value)), []);
  useEffect(() => effect(() => {
    const wanted = store.state.value.camera;
    if (wanted !== camera.peek() && !isPending(camera)) camera.value = wanted;
  }), []);
  const isDouble = beside !== null && beside > 0;
  return (
    <div class={isDouble ? "maps double" : "maps"}>
      <MapPanel index={0} camera={camera} />
      {isDouble && <MapPanel key={beside} index={beside} camera={other} />}
    </div>
  );
}

const pending = new WeakSet<object>();

function isPending(camera: object): boolean {
  return pending.has(camera);
}

/** Puts the camera into the state when it has come to rest. */
function keepInState(camera: { value: RelativeCamera | null }, keep: (value: RelativeCamera | null) => void): () => void {
  let timer = 0;
  return effect(() => {
    const { value } = camera;
    pending.add(camera);
    clearTimeout(timer);
    timer = setTimeout(() => {
      pending.delete(camera);
      keep(value);
    }, CAMERA_DELAY);
  });
}

function Beside() {
  const store = useStore();
  const { maps } = store.atlas;
  if (maps.length < 2) return null;
  return (
    <label>
      Beside it{" "}
      <select
        value={String(store.state.value.beside ?? "")}
        onChange={(event) => store.set({ beside: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}
      >
        <option value="">no other map</option>
        {maps.slice(1).map((map, i) => <option key={i} value={String(i + 1)}>{map.name}</option>)}
      </select>
    </label>
  );
}

function ThemeChooser() {
  const store = useStore();
  return (
    <label>
      <span class="spoken">Theme</span>
      <select value={store.state.value.theme} onChange={(event) => store.set({ theme: event.currentTarget.value as ThemeChoice })}>
        <option value="auto">System's theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
