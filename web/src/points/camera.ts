/** Which part of a map is seen: its centre in the units of the map, and pixels per unit. y grows upwards. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export type Place = readonly [number, number];

const MARGIN = 0.06; // of the picture, on each side
const LEAST_SPAN = 1e-6; // of a map whose points are all at one place

export function toScreen(camera: Camera, size: Size, x: number, y: number): Place {
  return [size.width / 2 + (x - camera.x) * camera.scale, size.height / 2 - (y - camera.y) * camera.scale];
}

export function toMap(camera: Camera, size: Size, left: number, top: number): Place {
  return [camera.x + (left - size.width / 2) / camera.scale, camera.y - (top - size.height / 2) / camera.scale];
}

/** The camera after a drag by so many pixels: the point under the pointer stays under it. */
export function panned(camera: Camera, right: number, down: number): Camera {
  return { ...camera, x: camera.x - right / camera.scale, y: camera.y + down / camera.scale };
}

/** The camera after zooming in by a factor, with the place under a pixel held fixed. */
export function zoomed(camera: Camera, size: Size, factor: number, left: number, top: number): Camera {
  const [x, y] = toMap(camera, size, left, top);
  return { x: x + (camera.x - x) / factor, y: y + (camera.y - y) / factor, scale: camera.scale * factor };
}

/** The camera that shows a box with a margin. */
export function fitted(box: Box, size: Size): Camera {
  const room = 1 - 2 * MARGIN;
  const width = Math.max(box.right - box.left, LEAST_SPAN);
  const height = Math.max(box.top - box.bottom, LEAST_SPAN);
  const scale = Math.min((size.width * room) / width, (size.height * room) / height);
  return { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale };
}

/** The part of the map that is seen. */
export function seen(camera: Camera, size: Size): Box {
  const [left, top] = toMap(camera, size, 0, 0);
  const [right, bottom] = toMap(camera, size, size.width, size.height);
  return { left, bottom, right, top };
}
