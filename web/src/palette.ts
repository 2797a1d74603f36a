/** Colours that readers with any colour vision can tell apart, on light and on dark ground. */

export type Theme = "light" | "dark";

/** A colour as `ImageData` has it: alpha, blue, green, red from the highest byte to the lowest. */
export type Packed = number;

// The library's ten: Okabe and Ito's with a darker yellow, and three more that stay apart in simulated colour blindness.
const TEN_ON_LIGHT = [
  "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#d9cf00", "#3333cc", "#8b1a1a", "#222222",
];
// The same hues, light enough for dark ground, and as far apart in simulated colour blindness as those on light ground.
const TEN_ON_DARK = [
  "#4699ca", "#f79f06", "#28c586", "#ed732a", "#8dd2ff", "#eab0c4", "#f1e243", "#9779ff", "#c7565e", "#eef3f3",
];
const STEP = 0.618033988749895; // of the circle of hues, between further colours
const VIRIDIS = [
  "#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
];
// The ends that are too near to the ground are left out.
const PART = { light: [0, 0.9], dark: [0.18, 1] } as const;
const LOW = { light: "#0072b2", dark: "#4699ca" };
const HIGH = { light: "#d55e00", dark: "#ed732a" };
export const GROUND = { light: "#ffffff", dark: "#15181d" };
export const INK = { light: "#1b1f24", dark: "#eef0f3" };
export const QUIET_INK = { light: "#57606a", dark: "#a7b0bd" };
const FAINT = { light: "#e3e3e6", dark: "#2b3038" }; // points that do not count
const PLAIN = { light: "#6b7280", dark: "#9aa3b2" }; // points without a colour
const MISSING = { light: "#c9c9cd", dark: "#454b55" };

export function categoryColour(index: number, theme: Theme): string {
  const ten = theme === "light" ? TEN_ON_LIGHT : TEN_ON_DARK;
  return index < ten.length ? ten[index] : furtherColour(index - ten.length, theme);
}

/** Colours after the tenth: hues that are far from the last ones, in three shades. */
function furtherColour(number: number, theme: Theme): string {
  const lightness = (theme === "light" ? [38, 52, 30] : [66, 78, 56])[number % 3];
  return fromHsl((0.07 + number * STEP) % 1, number % 2 ? 0.45 : 0.75, lightness / 100);
}

function fromHsl(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + 12 * hue) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return hex([channel(0), channel(8), channel(4)]);
}

/** The colour of a value between 0 and 1. */
export function sequential(part: number, theme: Theme): string {
  const [low, high] = PART[theme];
  return between(VIRIDIS, low + (high - low) * clamped(part));
}

/** The colour of a value between -1 and 1: blue below, the ground at 0, orange above. */
export function diverging(part: number, theme: Theme): string {
  return between([LOW[theme], GROUND[theme], HIGH[theme]], (Math.max(-1, Math.min(1, part)) + 1) / 2);
}

export const faint = (theme: Theme): string => FAINT[theme];
export const plain = (theme: Theme): string => PLAIN[theme];
export const missing = (theme: Theme): string => MISSING[theme];

export function pack(colour: string): Packed {
  const [red, green, blue] = channels(colour);
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** So many packed colours of the sequential scale, the lowest first. */
export function sequentialTable(length: number, theme: Theme): Uint32Array {
  return Uint32Array.from({ length }, (_, i) => pack(sequential(i / (length - 1), theme)));
}

/** White or black, whichever is easier to read on a colour. */
export function inkOn(colour: string): string {
  const [red, green, blue] = channels(colour);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 150 ? "#111111" : "#ffffff";
}

function between(colours: readonly string[], part: number): string {
  const at = part * (colours.length - 1);
  const low = Math.min(Math.floor(at), colours.length - 2);
  const [a, b] = [channels(colours[low]), channels(colours[low + 1])];
  return hex(a.map((value, i) => Math.round(value + (at - low) * (b[i] - value))) as [number, number, number]);
}

function channels(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(rgb: readonly [number, number, number]): string {
  return "#" + rgb.map((value) => value.toString(16).padStart(2, "0")).join("");
}

function clamped(part: number): number {
  return Math.max(0, Math.min(1, part));
}
