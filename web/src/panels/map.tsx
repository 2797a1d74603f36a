/** A map that is looked at, moved, clicked and drawn on. */
import { effect, useComputed, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import type { Paint } from "../colouring";
import { GROUND, pack } from "../palette";
import type { Place } from "../points/camera";
import { nearestRow, rowTowards } from "../points/grid";
import { diameterFor, painted, splat, stampOf, stepFor, type Painted } from "../points/splat";
import { pin, rowWords, useStore, type Store } from "../store";
import { makeView, panBy, showAll, zoomBy, zoomOf, type RelativeCamera, type View } from "../view";
import { placeOf, useHand } from "./hand";
import { shortened } from "./names";
import { Overlay } from "./overlay";
import { Thumbnail } from "./picture";

const STEP = 60; // of a key, in pixels
const WHEEL = 0.0015;
const MOST_HOVERED = 120; // letters
const KEYS: Readonly<Record<string, Place>> = {
  ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

export function MapPanel({ index, camera }: { index: number; camera: Signal<RelativeCamera | null> }) {
  const store = useStore();
  const view = useMemo(() => makeView(store.atlas.maps[index], camera), [index]);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { draft, hovered, ...pointers } = useHand(store, view, index);
  useEffect(() => followSize(frame.current!, view), [view]);
  useEffect(() => keepForPictures(store, frame.current!, view), [view]);
  useEffect(() => drawWhenNeeded(store, view, canvas.current!), [view]);
  useEffect(() => zoomWithWheel(frame.current!, view), [view]);
  const label = useComputed(() => mapLabel(store, view));
  return (
    <div
      ref={frame} class={store.drawing.value === null ? "map" : "map drawing"} tabIndex={0} role="application"
      aria-label={label.value} aria-roledescription="map" data-map={index} {...pointers}
      onKeyDown={(event) => onKey(event, store, view)}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <Overlay view={view} index={index} draft={draft.value} />
      {store.atlas.maps.length > 1 && store.state.value.beside !== null && <p class="map-name">{view.map.name}</p>}
      {hovered.value && <Hover {...hovered.value} width={view.size.value.width} />}
      <ZoomButtons view={view} />
    </div>
  );
}

function ZoomButtons({ view }: { view: View }) {
  return (
    <div class="zoom" onPointerDown={(event) => event.stopPropagation()}>
      <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoomBy(view, 1.5)}>+</button>
      <button type="button" title="Zoom out (−)" aria-label="Zoom out" onClick={() => zoomBy(view, 1 / 1.5)}>−</button>
      <button type="button" title="Show all (0)" aria-label="Show the whole map" onClick={() => showAll(view)}>⌂</button>
    </div>
  );
}

function Hover({ row, at, width }: { row: number; at: Place; width: number }) {
  const words = shortened(rowWords(useStore(), row), MOST_HOVERED);
  const side = at[0] > width / 2 ? { right: `${width - at[0] + 14}px` } : { left: `${at[0] + 14}px` };
  return (
    <div class="hover" aria-hidden="true" style={{ top: `${at[1] + 10}px`, ...side }}>
      <Thumbnail row={row} /> {words}
    </div>
  );
}

function mapLabel(store: Store, view: View): string {
  const { row } = store.state.value;
  const pinned = row === null ? "" : ` ${rowWords(store, row)} is chosen.`;
  return `${view.map.name}: a map of ${store.atlas.head.nRows} rows.${pinned} Arrow keys step from point to point, with Shift they move the map; plus and minus zoom, 0 shows all.`;
}

function onKey(event: KeyboardEvent, store: Store, view: View): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
  const step = KEYS[event.key];
  if (step && event.shiftKey) panBy(view, -STEP * step[0], STEP * step[1]);
  else if (step) stepTo(store, view, step);
  else if (event.key === "+" || event.key === "=") zoomBy(view, 1.5);
  else if (event.key === "-") zoomBy(view, 1 / 1.5);
  else if (event.key === "0") showAll(view);
  else if (event.key === "Escape") cancel(store);
  else return;
  event.preventDefault();
}

function cancel(store: Store): void {
  if (store.drawing.value !== null) store.drawing.value = null;
  else store.set({ row: null });
}

/** Pins the next point in a direction; at first the one nearest to the middle of the picture. */
function stepTo(store: Store, view: View, [right, up]: Place): void {
  const { row } = store.state.value;
  const { x, y } = view.camera.value;
  const next = row === null ? nearestRow(view.map.grid, x, y, Infinity) : rowTowards(view.map.grid, row, right, up);
  if (next === null) {
    store.say("There is no point further in this direction.");
    return;
  }
  pin(store, next);
  bringIntoView(view, next);
}

function bringIntoView(view: View, row: number): void {
  const { camera, size, map } = view;
  const right = (map.places[2 * row] - camera.value.x) * camera.value.scale;
  const up = (map.places[2 * row + 1] - camera.value.y) * camera.value.scale;
  const isSeen = Math.abs(right) < 0.46 * size.value.width && Math.abs(up) < 0.46 * size.value.height;
  if (!isSeen) panBy(view, -right, up);
}

function keepForPictures({ views }: Store, frame: HTMLElement, view: View): () => void {
  views.set(frame, view);
  return () => views.delete(frame);
}

function followSize(frame: HTMLElement, view: View): () => void {
  const observer = new ResizeObserver(() => {
    view.size.value = { width: frame.clientWidth, height: frame.clientHeight };
  });
  observer.observe(frame);
  return () => observer.disconnect();
}

function zoomWithWheel(frame: HTMLElement, view: View): () => void {
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const [left, top] = placeOf(event);
    zoomBy(view, Math.exp(-event.deltaY * lines * WHEEL), left, top);
  };
  frame.addEventListener("wheel", onWheel, { passive: false });
  return () => frame.removeEventListener("wheel", onWheel);
}

/** Draws the points in the next frame after anything has changed that they depend on. */
function drawWhenNeeded(store: Store, view: View, canvas: HTMLCanvasElement): () => void {
  let frame = 0;
  const stop = effect(() => {
    void [store.paint.value, store.theme.value, view.camera.value, view.size.value, view.isMoving.value];
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => drawPoints(store, view, canvas));
  });
  return () => {
    cancelAnimationFrame(frame);
    stop();
  };
}

export function drawPoints(store: Store, view: View, canvas: HTMLCanvasElement): void {
  const ratio = devicePixelRatio || 1;
  const { width, height } = view.size.value;
  const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
  if (!size.width || !size.height) return;
  if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
  const context = canvas.getContext("2d", { alpha: false })!;
  const image = context.createImageData(size.width, size.height);
  const pixels = new Uint32Array(image.data.buffer).fill(pack(GROUND[store.theme.value]));
  const { camera, isMoving } = view;
  const nRows = store.atlas.head.nRows;
  const stamp = stampOf(diameterFor(nRows, zoomOf(view), ratio));
  const scaled = { ...camera.value, scale: camera.value.scale * ratio };
  splat(pixels, size, scaled, paintedOn(view, store.paint.value), stamp, stepFor(nRows, isMoving.value));
  context.putImageData(image, 0, 0);
}

const kept = new WeakMap<View, { paint: Paint; points: Painted }>();

/** The points of a map as they are painted now. They stay the same while the map moves. */
function paintedOn(view: View, paint: Paint): Painted {
  const known = kept.get(view);
  if (known?.paint === paint) return known.points;
  const points = painted(view.map.places, paint.colours, paint.order);
  kept.set(view, { paint, points });
  return points;
}
