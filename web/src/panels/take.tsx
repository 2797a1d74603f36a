/** What can be taken along: pictures, tables, row numbers, lines of Python and a link. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { answerOf } from "../asking";
import { download, fileName, rowsText, type Cell } from "../export";
import { areFewEnough, pngOf, svgOf, type Circle } from "../figure";
import { toScreen } from "../points/camera";
import { diameterFor } from "../points/splat";
import { pythonOf } from "../python";
import { hashOf } from "../state";
import { useStore, type Store } from "../store";
import { contrastTable, pointsTable, pointTable, userRow } from "../tables";
import { zoomOf, type View } from "../view";
import { saveTable } from "./parts";

export function TakeAlong() {
  const shown = useSignal<Shown | null>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
  const closeAndReturn = () => {
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  return (
    <>
      <details
        ref={menu} class="take" onKeyDown={(event) => event.key === "Escape" && closeAndReturn()}
        onFocusOut={(event) => !menu.current!.contains(event.relatedTarget as Node | null) && close()}
      >
        <summary>Take along</summary>
        <Menu done={closeAndReturn} show={(text) => (shown.value = text)} />
      </details>
      {shown.value && <CopyDialog {...shown.value} close={() => (shown.value = null)} />}
    </>
  );
}

/** Text to be copied. */
interface Shown {
  readonly title: string;
  readonly text: string;
}

function Menu({ done, show }: { done: () => void; show: (text: Shown) => void }) {
  const store = useStore();
  const [a, b] = [store.rowsA.value, store.rowsB.value];
  const why = answerOf(store.why.value);
  const contrast = answerOf(store.contrast.value);
  const { title } = store.atlas.head;
  const item = (name: string, run: () => unknown) => <Take name={name} run={run} done={done} />;
  return (
    <div class="menu">
      {item("Picture (SVG)", () => download(fileName(title, "svg"), picture(store), "image/svg+xml"))}
      {item("Picture (PNG)", async () => download(fileName(title, "png"), await pngOf(picture(store))))}
      {item("All points (CSV)", () => saveTable(pointsTable(store.atlas, extraColumns(store))))}
      {why && item("This point, all features (CSV)", () => saveTable(pointTable(store.atlas, why)))}
      {contrast && item("A against B, all features (CSV)", () => saveTable(contrastTable(store.atlas, contrast)))}
      {a && item("Row numbers of A", () => download("rows_a.txt", rowsText(userRows(store, a))))}
      {b && item("Row numbers of B", () => download("rows_b.txt", rowsText(userRows(store, b))))}
      {item("Copy as Python", () => show({ title: "Python", text: pythonOf(store.atlas, store.state.value) }))}
      {item("Link to this view", () => show({ title: "Link", text: linkOf(store) }))}
    </div>
  );
}

function Take({ name, run, done }: { name: string; run: () => unknown; done: () => void }) {
  const store = useStore();
  const act = async () => {
    try {
      await run();
    } catch (error) {
      store.say(`This could not be saved: ${error instanceof Error ? error.message : String(error)}`);
    }
    done();
  };
  return <button type="button" data-name={name} onClick={() => void act()}>{name}</button>;
}

function userRows(store: Store, rows: Int32Array): number[] {
  return Array.from(rows, (row) => userRow(store.atlas, row));
}

function linkOf(store: Store): string {
  const hash = hashOf(store.state.value, store.atlas.limits);
  return location.href.replace(/#.*$/, "") + (hash ? `#${hash}` : "");
}

/** The colour's values and the regions, beside what the record says of every row. */
function extraColumns(store: Store): Map<string, ArrayLike<Cell>> {
  const extra = new Map<string, ArrayLike<Cell>>();
  const shade = store.shade.value;
  if (shade.kind === "values" && store.state.value.colour.by !== "column") extra.set(shade.title, shade.values as unknown as ArrayLike<Cell>);
  const [a, b] = [store.rowsA.value, store.rowsB.value];
  if (a === null && b === null) return extra;
  const regions = new Array<Cell>(store.atlas.head.nRows).fill("");
  for (const row of b ?? []) regions[row] = "B";
  for (const row of a ?? []) regions[row] = "A";
  return extra.set("region", regions);
}

function picture(store: Store): string {
  const [frame, view] = [...store.views][0];
  return svgOf(store, frame, areFewEnough(store.atlas.head.nRows) ? circlesOf(store, view) : null);
}

function circlesOf(store: Store, view: View): Circle[] {
  const { colours, order } = store.paint.value;
  const [camera, size] = [view.camera.value, view.size.value];
  const r = diameterFor(order.length, zoomOf(view), 1) / 2;
  const circles = Array.from(order, (row) => {
    const [x, y] = toScreen(camera, size, view.map.places[2 * row], view.map.places[2 * row + 1]);
    return { x, y, r, colour: hex(colours[row]) };
  });
  return circles.filter(({ x, y }) => x >= 0 && y >= 0 && x <= size.width && y <= size.height);
}

function hex(packed: number): string {
  const bytes = [packed & 255, (packed >> 8) & 255, (packed >> 16) & 255];
  return "#" + bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Text to be copied, by the button or by hand. */
function CopyDialog({ title, text, close }: Shown & { close: () => void }) {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      store.say("Copied.");
      close();
    } catch {
      dialog.current!.querySelector("textarea")!.select();
      store.say("Press Control and C to copy.");
    }
  };
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      <textarea readOnly aria-label={title} rows={Math.min(20, text.split("\n").length + 1)} cols={72} value={text} />
      <p class="buttons">
        <button type="button" class="main" onClick={() => void copy()}>Copy</button>
        <button type="button" onClick={close}>Close</button>
      </p>
    </dialog>
  );
}
