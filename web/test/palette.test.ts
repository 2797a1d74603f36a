import assert from "node:assert/strict";
import { test } from "node:test";

import { categoryColour, GROUND, type Theme } from "../src/palette";

type Matrix = readonly (readonly number[])[];

// Machado, Oliveira, Fernandes (2009): linear RGB as protanopes, deuteranopes and tritanopes see it.
const SEEN: Record<string, Matrix> = {
  "by most": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "without red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  "without green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  "without blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
// Ottosson's OKLab, in which distances are differences seen.
const TO_CONES: Matrix = [[0.41222, 0.53633, 0.05145], [0.2119, 0.6807, 0.1074], [0.0883, 0.28172, 0.62998]];
const TO_LAB: Matrix = [[0.21045, 0.79362, -0.00407], [1.978, -2.42859, 0.45059], [0.0259, 0.78277, -0.80868]];

function times(matrix: Matrix, vector: readonly number[]): number[] {
  return matrix.map((line) => line.reduce((sum, value, i) => sum + value * vector[i], 0));
}

function seen(colour: string, by: Matrix): number[] {
  const channels = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const linear = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  const shown = times(by, linear).map((value) => Math.max(0, Math.min(1, value)));
  return times(TO_LAB, times(TO_CONES, shown).map(Math.cbrt));
}

for (const theme of ["light", "dark"] satisfies Theme[]) {
  for (const [who, by] of Object.entries(SEEN)) {
    test(`ten colours on ${theme} ground are told apart as seen ${who}`, () => {
      const colours = [...Array.from({ length: 10 }, (_, i) => categoryColour(i, theme)), GROUND[theme]];
      const places = colours.map((colour) => seen(colour, by));
      places.forEach((a, i) =>
        places.slice(0, i).forEach((b, j) => {
          const distance = Math.hypot(...a.map((value, axis) => value - b[axis]));
          assert.ok(distance > 0.075, `${colours[i]} and ${colours[j]}: ${distance}`);
        }),
      );
    });
  }
}
