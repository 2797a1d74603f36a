/** One map on the screen: its size, its camera, and what the reader's hands do with them. */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import type { MapOfRows } from "./atlas";
import { fitted, panned, zoomed, type Camera, type Size } from "./points/camera";

/** A camera whose scale is relative to the smaller side of the picture, so that it fits pictures of any size. */
export type RelativeCamera = Camera;

export interface View {
  readonly map: MapOfRows;
  readonly size: Signal<Size>;
  readonly relative: Signal<RelativeCamera | null>; // null shows the bulk
  readonly camera: ReadonlySignal<Camera>;
  readonly isMoving: Signal<boolean>;
}

const STILL_AFTER = 160; // milliseconds
const MOST_ZOOM = 4000;
const LEAST_ZOOM = 0.05;

export function makeView(map: MapOfRows, relative: Signal<RelativeCamera | null>): View {
  const size = signal<Size>({ width: 0, height: 0 });
  const camera = computed(() => {
    const { value } = relative;
    return value === null ? fitted(map.home, size.value) : { ...value, scale: value.scale * side(size.value) };
  });
  return { map, size, relative, camera, isMoving: signal(false) };
}

function side(size: Size): number {
  return Math.max(1, Math.min(size.width, size.height));
}

export function panBy(view: View, right: number, down: number): void {
  move(view, panned(view.camera.value, right, down));
}

export function zoomBy(view: View, factor: number, left?: number, top?: number): void {
  const size = view.size.value;
  const allowed = clampedFactor(view, factor);
  move(view, zoomed(view.camera.value, size, allowed, left ?? size.width / 2, top ?? size.height / 2));
}

/** How far the map is zoomed in, relative to the first view. */
export function zoomOf(view: View): number {
  return view.camera.value.scale / fitted(view.map.home, view.size.value).scale;
}

function clampedFactor(view: View, factor: number): number {
  const zoom = zoomOf(view);
  return Math.max(LEAST_ZOOM / zoom, Math.min(MOST_ZOOM / zoom, factor));
}

const timers = new WeakMap<View, ReturnType<typeof setTimeout>>();

/** Moves the camera. The map counts as moving until nothing has moved for a moment. */
function move(view: View, camera: Camera): void {
  view.relative.value = { ...camera, scale: camera.scale / side(view.size.value) };
  view.isMoving.value = true;
  clearTimeout(timers.get(view));
  timers.set(view, setTimeout(() => (view.isMoving.value = false), STILL_AFTER));
}

export function showAll(view: View): void {
  view.relative.value = null;
}
