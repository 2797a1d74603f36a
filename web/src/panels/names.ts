/** Names of groups and of arrows on the map, as texts of a known size. */
import type { Place } from "../points/camera";
import type { Wish } from "../points/labels";

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
const MOST_LETTERS = 28;
const HEIGHT = 1.35; // of a line, in sizes of the font
const ROOM = 6; // beside a text, in pixels

export interface Name extends Wish {
  readonly kind: "group" | "arrow";
  readonly size: number; // of the font, in pixels
  readonly opacity: number;
}

/** A text without line breaks that is not too long. */
export function shortened(text: string, most = MOST_LETTERS): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const letters = Array.from(line.slice(0, 4 * most));
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

export function nameAt(kind: Name["kind"], text: string, anchor: Place, size: number, opacity = 1): Name {
  const written = shortened(text);
  return { kind, text: written, anchor, width: widthOf(written, size) + ROOM, height: size * HEIGHT, size, opacity };
}

let pen: CanvasRenderingContext2D | null = null;

function widthOf(text: string, size: number): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (pen === null) return 0.6 * size * text.length;
  pen.font = `600 ${size}px ${FONT}`;
  return pen.measureText(text).width;
}
