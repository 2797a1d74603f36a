/** Looks at rows in one question where a page asks for many at once, since every question to Python is a journey. */

import type { Source } from "./source";

interface Look {
  rows: Int32Array;
  resolve: (values: Float64Array) => void;
  reject: (reason: unknown) => void;
}

export function gathering(source: Source): Source {
  let looks: Look[] = [];
  const send = () => {
    const sent = looks;
    looks = [];
    const rows = Int32Array.from(sent.flatMap((look) => Array.from(look.rows)));
    source.values(rows).then(
      (values) => share(sent, values, values.length / rows.length),
      (reason: unknown) => sent.forEach((look) => look.reject(reason)),
    );
  };
  const values = (rows: Int32Array) =>
    new Promise<Float64Array>((resolve, reject) => {
      if (looks.push({ rows, resolve, reject }) === 1) setTimeout(send, 0);
    });
  return { ...source, values };
}

function share(looks: Look[], values: Float64Array, width: number): void {
  let start = 0;
  for (const { rows, resolve } of looks) {
    resolve(values.slice(start, start + rows.length * width));
    start += rows.length * width;
  }
}
