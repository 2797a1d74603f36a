/** The map as a picture: vector graphics with the names and arrows on the screen, and the same as pixels. */
import { xml, xmlText } from "./export";
import { categoryColour, GROUND, INK, sequential, type Theme } from "./palette";
import type { Shade } from "./shading";
import type { Store } from "./store";
import { number } from "./words";

const MOST_CIRCLES = 20_000; // more points are embedded as pixels
const LINE = 20; // height of the legend's lines, in pixels
const MOST_IN_LEGEND = 40;
const LARGER = 2; // pixels of the PNG for one on the screen

interface Shown {
  readonly canvas: HTMLCanvasElement;
  readonly overlay: SVGSVGElement;
  readonly width: number;
  readonly height: number;
}

/** The picture of a map that is on the page. `frame` is its element. */
export function svgOf(store: Store, frame: HTMLElement, circles: readonly Circle[] | null): string {
  const shown = shownIn(frame);
  const theme = store.theme.value;
  const legend = legendOf(store.shade.value, theme, shown.width);
  const height = shown.height + legend.height;
  const size = { width: shown.width, height, viewBox: `0 0 ${shown.width} ${height}` };
  const content = [
    xml("title", {}, xmlText(store.atlas.head.title)),
    xml("rect", { width: shown.width, height, fill: GROUND[theme] }),
    circles === null ? pixelImage(shown) : circles.map(circleXml).join(""),
    overlayXml(shown.overlay),
    xml("g", { transform: `translate(0 ${shown.height})`, fill: INK[theme], "font-size": 13, "font-family": "sans-serif" }, legend.content),
  ];
  return xml("svg", { xmlns: "http://www.w3.org/2000/svg", ...size }, content.join("\n"));
}

function shownIn(frame: HTMLElement): Shown {
  const canvas = frame.querySelector("canvas")!;
  const overlay = frame.querySelector<SVGSVGElement>("svg.overlay")!;
  return { canvas, overlay, width: frame.clientWidth, height: frame.clientHeight };
}

export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly r: number;
  readonly colour: string;
}

export function areFewEnough(nPoints: number): boolean {
  return nPoints <= MOST_CIRCLES;
}

function circleXml({ x, y, r, colour }: Circle): string {
  return xml("circle", { cx: x.toFixed(2), cy: y.toFixed(2), r, fill: colour });
}

function pixelImage(shown: Shown): string {
  return xml("image", { href: shown.canvas.toDataURL("image/png"), width: shown.width, height: shown.height });
}

/** The overlay's own elements, with text escaped by the browser and without what XML does not know. */
function overlayXml(overlay: SVGSVGElement): string {
  const written = new XMLSerializer().serializeToString(overlay);
  return written.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&#x?0*(?:[0-8]|1[1-9]|2\d|3[01]|b|c|e|f);/gi, "");
}

function legendOf(shade: Shade, theme: Theme, width: number): { content: string; height: number } {
  if (shade.kind === "categories") return categoryLegend(shade.names, theme, width);
  if (shade.kind === "plain") return { content: "", height: 0 };
  const steps = Array.from({ length: 60 }, (_, i) => xml("rect", { x: 12 + 3 * i, y: 26, width: 3.2, height: 10, fill: sequential(i / 59, theme) }));
  const spread = (shade.high - shade.low) / 3;
  const words = [
    xml("text", { x: 12, y: 18 }, xmlText(shade.title)),
    xml("text", { x: 12, y: 52 }, xmlText(number(shade.low, spread))),
    xml("text", { x: 192, y: 52, "text-anchor": "end" }, xmlText(number(shade.high, spread))),
  ];
  return { content: [...steps, ...words].join(""), height: 62 };
}

function categoryLegend(names: readonly string[], theme: Theme, width: number): { content: string; height: number } {
  const across = Math.max(1, Math.floor(width / 150));
  const lines = names.slice(0, MOST_IN_LEGEND).map((name, i) => {
    const [x, y] = [12 + 150 * (i % across), 14 + LINE * Math.floor(i / across)];
    const short = Array.from(name).slice(0, 20).join("");
    return xml("circle", { cx: x + 5, cy: y - 4, r: 5, fill: categoryColour(i, theme) }) + xml("text", { x: x + 15, y }, xmlText(short));
  });
  return { content: lines.join(""), height: LINE * Math.ceil(lines.length / across) + 8 };
}

/** The pixels of a vector picture. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = LARGER * image.width;
  canvas.height = LARGER * image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The picture is too large.")) : resolve(blob)), "image/png");
  });
}
