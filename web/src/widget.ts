/** The notebook's side: a frame with the page, and messages handed on between it and Python. */

import type { FromFrame, ToFrame } from "./comm_source";

/** What anywidget gives: Python's side of this widget. */
interface Model {
  get(name: string): unknown;
  on(event: string, callback: (message: FromPython, buffers: DataView[]) => void): void;
  off(event: string, callback: (message: FromPython, buffers: DataView[]) => void): void;
  send(message: ToPython, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
}

/** Every view of a widget has a number, since Python tells all views everything. */
type ToPython = { view: string; kind: "open" } | { view: string; kind: "ask"; id: number } | { view: string; kind: "selected" };
type FromPython =
  | { view: string; kind: "open"; names: string[] }
  | { view: string; kind: "answer"; id: number }
  | { view: string; kind: "error"; id: number; error: string }
  | { view: string | null; kind: "select" };

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const view = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const { port1: port, port2: portOfFrame } = new MessageChannel();
  const frame = document.createElement("iframe");
  frame.title = "featMAP explorer";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { width: "100%", height: `${Number(model.get("height"))}px`, border: "0" });

  const hear = (message: FromPython, buffers: DataView[]) => {
    if (message.kind !== "select" && message.view !== view) return;
    const bytes = buffers.map(bytesOf);
    if (message.kind === "open") open(message.names, bytes);
    else if (message.kind === "answer") port.postMessage({ kind: "answer", id: message.id, bytes: bytes[0] } satisfies ToFrame);
    else if (message.kind === "error") port.postMessage({ kind: "error", id: message.id, error: message.error } satisfies ToFrame);
    else if (message.view !== view) port.postMessage({ kind: "select", rows: bytes[0] } satisfies ToFrame);
  };
  const open = (names: string[], [page, head, ...parts]: Uint8Array<ArrayBuffer>[]) => {
    frame.addEventListener("load", () => {
      const message: ToFrame = { kind: "open", head, parts: names.map((name, i) => [name, parts[i]]) };
      frame.contentWindow!.postMessage(message, "*", [portOfFrame]);
    }, { once: true });
    frame.srcdoc = new TextDecoder().decode(page);
    el.append(frame);
  };
  port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
    if (data.kind === "ask") model.send({ view, kind: "ask", id: data.id }, undefined, [data.bytes.buffer]);
    else model.send({ view, kind: "selected" }, undefined, [data.rows.buffer]);
  };
  model.on("msg:custom", hear);
  model.send({ view, kind: "open" });
  return () => {
    model.off("msg:custom", hear);
    port.close();
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

export default { render };
