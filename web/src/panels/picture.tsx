/** Rows whose features are pixels, as pictures. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { rowName } from "../atlas";
import { diverging, type Theme } from "../palette";
import { useStore } from "../store";

type Shape = readonly [number, number, number];
type Rgb = readonly [number, number, number];

/** A picture with one colour for each pixel. It is drawn with as many pixels as it has and enlarged by the browser. */
function Pixels({ shape, colourOf, name, depends }: {
  shape: Shape; colourOf: (pixel: number) => Rgb; name: string; depends: readonly unknown[];
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [height, width] = shape;
  useEffect(() => {
    const context = canvas.current!.getContext("2d")!;
    const image = context.createImageData(width, height);
    for (let pixel = 0; pixel < width * height; pixel++) image.data.set([...colourOf(pixel), 255], 4 * pixel);
    context.putImageData(image, 0, 0);
  }, depends);
  return <canvas ref={canvas} class="pixels" width={width} height={height} role="img" aria-label={name} />;
}

/** The values of a row, between the smallest and the largest. */
export function Picture({ shape, values, low, high, name }: {
  shape: Shape; values: ArrayLike<number>; low: number; high: number; name: string;
}) {
  const channels = shape[2];
  const bright = (at: number) => Math.round((255 * (values[at] - low)) / (high - low || 1));
  const colourOf = (pixel: number): Rgb => {
    const at = pixel * channels;
    return channels >= 3 ? [bright(at), bright(at + 1), bright(at + 2)] : [bright(at), bright(at), bright(at)];
  };
  return <Pixels shape={shape} colourOf={colourOf} name={name} depends={[values, low, high]} />;
}

/** Values above and below 0 for every pixel: the mean over its channels. */
export function Differences({ shape, values, name }: { shape: Shape; values: ArrayLike<number>; name: string }) {
  const theme = useStore().theme.value;
  const channels = shape[2];
  const means = Array.from({ length: shape[0] * shape[1] }, (_, pixel) => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += values[pixel * channels + channel];
    return sum / channels;
  });
  const most = Math.max(...means.map(Math.abs).filter(Number.isFinite), 1e-300);
  return <Pixels shape={shape} colourOf={(pixel) => rgb(means[pixel] / most, theme)} name={name} depends={[values, theme]} />;
}

function rgb(part: number, theme: Theme): Rgb {
  const value = parseInt(diverging(Number.isFinite(part) ? part : 0, theme).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The picture of a row, if rows are pictures. */
export function Thumbnail({ row }: { row: number }) {
  const store = useStore();
  const shape = store.atlas.head.imageShape;
  const values = useRowValues(shape === null ? null : row);
  if (shape === null || values === null) return null;
  const [low, high] = range(values);
  return <span class="thumbnail"><Picture shape={shape} values={values} low={low} high={high} name={`picture of ${rowName(store.atlas.head, row)}`} /></span>;
}

function useRowValues(row: number | null): Float64Array | null {
  const store = useStore();
  const values = useSignal<Float64Array | null>(null);
  useEffect(() => {
    let isWanted = true;
    values.value = null;
    if (row !== null) {
      void store.source.values(Int32Array.of(row)).then((found) => {
        if (isWanted) values.value = found;
      });
    }
    return () => {
      isWanted = false;
    };
  }, [row]);
  return values.value;
}

/** The smallest and the largest value. */
export function range(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return [low, high];
}
