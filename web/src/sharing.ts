/** Region A of the page is the selection in the notebook, both ways. */
import { effect } from "@preact/signals";

import type { Notebook } from "./comm_source";
import { chooseRegion, type Store } from "./store";

export function shareSelection(store: Store, notebook: Notebook): void {
  let known = new Int32Array(0);
  notebook.onSelect((rows) => {
    known = Int32Array.from(rows);
    chooseRegion(store, "a", rows.length ? { kind: "rows", rows: Array.from(rows) } : null);
  });
  effect(() => {
    const rows = store.rowsA.value ?? new Int32Array(0);
    if (rows.length === known.length && rows.every((row, i) => row === known[i])) return;
    known = Int32Array.from(rows);
    notebook.selected(known);
  });
}
