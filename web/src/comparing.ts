/** The two regions that are compared, and what is answered of them. */
import { computed, type ReadonlySignal, type Signal } from "@preact/signals";

import { following, type Asked } from "./asking";
import type { Atlas } from "./atlas";
import { rowsOfSelection, without } from "./regions";
import type { ContrastAnswer, GroupAnswer, Source } from "./source";
import type { State } from "./state";

export interface Comparing {
  readonly rowsA: ReadonlySignal<Int32Array | null>;
  readonly rowsB: ReadonlySignal<Int32Array | null>;
  readonly regions: ReadonlySignal<readonly Int32Array[] | null>; // those that the reader looks at
  readonly contrast: ReadonlySignal<Asked<ContrastAnswer>>;
  readonly group: ReadonlySignal<Asked<GroupAnswer>>;
}

export function makeComparing(atlas: Atlas, source: Source, state: Signal<State>): Comparing {
  const [a, b] = [computed(() => state.value.a), computed(() => state.value.b)];
  const rowsA = computed(() => (a.value === null ? null : rowsOfSelection(atlas, a.value)));
  const rowsB = computed(() => {
    if (b.value === null) return null;
    const rows = rowsOfSelection(atlas, b.value);
    return rowsA.value === null ? rows : without(rows, rowsA.value);
  });
  const isOpen = computed(() => state.value.tab === "region");
  const regions = computed(() => {
    if (!isOpen.value || rowsA.value === null) return null;
    return rowsB.value === null ? [rowsA.value] : [rowsA.value, rowsB.value];
  });
  const compared = computed(() => (regions.value !== null && regions.value[0].length >= 2 ? regions.value : null));
  const contrast = following(() => compared.value, ([first, second], asking) => source.contrast(first, second ?? null, asking));
  // The comparison comes first, since whoever answers takes the newest question first.
  const described = computed(() => (contrast.value.is === "answered" ? (compared.value?.[0] ?? null) : null));
  const group = following(() => described.value, (rows, asking) => source.group(rows, asking));
  return { rowsA, rowsB, regions, contrast, group };
}
