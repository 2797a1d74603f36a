/** What a hand does on the map: it clicks, moves the map, draws around points, or pinches. */
import { useSignal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { toMap, type Place } from "../points/camera";
import { nearestRow } from "../points/grid";
import { drawRegion, nextRegion, pin, type Store } from "../store";
import { panBy, zoomBy, type View } from "../view";

const CLICK = 4; // a drag of fewer pixels is a click
const REACH = 12; // of a click, in pixels
const CORNER = 3; // pixels between corners of a drawn line

/** What it is doing now. */
type Hand =
  | { readonly does: "nothing" }
  | { readonly does: "pressing" | "panning"; readonly from: Place; readonly last: Place }
  | { readonly does: "drawing"; readonly which: "a" | "b" }
  | { readonly does: "pinching" };

/** A row under the pointer, and where the pointer is. */
export interface Hovered {
  readonly row: number;
  readonly at: Place;
}

export interface HandOnMap {
  readonly draft: Signal<number[] | null>; // the line that is being drawn, in pixels
  readonly hovered: Signal<Hovered | null>;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: () => void;
  readonly onPointerLeave: () => void;
}

export function useHand(store: Store, view: View, index: number): HandOnMap {
  const draft = useSignal<number[] | null>(null);
  const hovered = useSignal<Hovered | null>(null);
  const hand = useRef<Hand>({ does: "nothing" });
  const fingers = useRef(new Map<number, Place>()); // by pointer, those that press

  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    const at = placeOf(event);
    fingers.current.set(event.pointerId, at);
    hovered.value = null;
    hand.current = begun(store, at, fingers.current.size, event.shiftKey);
    draft.value = hand.current.does === "drawing" ? [...at] : null;
  };
  const move = (event: PointerEvent) => {
    const [now, at] = [hand.current, placeOf(event)];
    if (now.does === "pinching") pinch(view, fingers.current, event.pointerId, at);
    else if (now.does === "drawing") draft.value = longer(draft.value!, at);
    else if (now.does === "nothing") hovered.value = event.pointerType === "touch" ? null : hoveredAt(store, view, at);
    else hand.current = dragged(view, now, at);
  };
  const release = (event: PointerEvent) => {
    const now = hand.current;
    fingers.current.delete(event.pointerId);
    hand.current = { does: "nothing" };
    if (now.does === "pressing") pinAt(store, view, placeOf(event));
    if (now.does === "drawing") finishDrawing(store, view, index, now.which, draft.value!);
    draft.value = null;
  };
  const stop = () => {
    fingers.current.clear();
    hand.current = { does: "nothing" };
    draft.value = null;
  };
  const leave = () => {
    hovered.value = null;
  };
  return {
    ...{ draft, hovered, onPointerDown: press, onPointerMove: move, onPointerUp: release, onPointerCancel: stop },
    onPointerLeave: leave,
  };
}

/** What a hand begins to do that presses with so many fingers. */
function begun(store: Store, at: Place, nFingers: number, isShifted: boolean): Hand {
  if (nFingers > 1) return { does: "pinching" };
  if (!isShifted && store.drawing.value === null) return { does: "pressing", from: at, last: at };
  return { does: "drawing", which: store.drawing.value ?? nextRegion(store.state.value) };
}

/** Moves the map, once the hand has moved further than it does in a click. */
function dragged(view: View, now: Hand & { from: Place; last: Place }, at: Place): Hand {
  if (now.does !== "panning" && distance(now.from, at) < CLICK) return now;
  panBy(view, at[0] - now.last[0], at[1] - now.last[1]);
  return { does: "panning", from: now.from, last: at };
}

/** The pixel of an event within the map. */
export function placeOf(event: PointerEvent | WheelEvent): Place {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function distance(a: Place, b: Place): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** Moves and zooms the map with two fingers, one of which has moved. */
function pinch(view: View, fingers: Map<number, Place>, moved: number, to: Place): void {
  const from = fingers.get(moved);
  const other = [...fingers].find(([finger]) => finger !== moved)?.[1];
  if (from === undefined || other === undefined) return;
  fingers.set(moved, to);
  panBy(view, (to[0] - from[0]) / 2, (to[1] - from[1]) / 2);
  const factor = Math.max(1, distance(to, other)) / Math.max(1, distance(from, other));
  zoomBy(view, factor, (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
}

function longer(polygon: readonly number[], at: Place): number[] {
  const last: Place = [polygon[polygon.length - 2], polygon[polygon.length - 1]];
  return distance(last, at) < CORNER ? [...polygon] : [...polygon, ...at];
}

function rowAt(store: Store, view: View, at: Place): number | null {
  const camera = view.camera.value;
  const [x, y] = toMap(camera, view.size.value, at[0], at[1]);
  return nearestRow(view.map.grid, x, y, REACH / camera.scale, store.paint.value.counts);
}

function hoveredAt(store: Store, view: View, at: Place): Hovered | null {
  const row = rowAt(store, view, at);
  return row === null ? null : { row, at };
}

function pinAt(store: Store, view: View, at: Place): void {
  const row = rowAt(store, view, at);
  if (row !== null) pin(store, row);
}

function finishDrawing(store: Store, view: View, index: number, which: "a" | "b", draft: readonly number[]): void {
  if (draft.length < 6) {
    store.say("Keep the button pressed and draw a line around the points.");
    return;
  }
  const polygon: number[] = [];
  for (let i = 0; i < draft.length; i += 2) {
    polygon.push(...toMap(view.camera.value, view.size.value, draft[i], draft[i + 1]));
  }
  drawRegion(store, which, index, polygon);
}
