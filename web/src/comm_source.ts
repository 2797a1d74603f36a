/**
 * Answers of Python behind a notebook. The page is in a frame of the notebook's page, so that neither can disturb the
 * other. `widget.ts`, outside of the frame, hands messages on between the frame and Python.
 */

import { gathering } from "./gathering";
import { parting } from "./parting";
import type { Head, Shelf } from "./record";
import { sourceOf, type Answer, type Source } from "./source";
import { packed, unpacked } from "./wire";

type Bytes = Uint8Array<ArrayBuffer>;

/** What the frame is sent. The first message is "open" and comes with a port, on which all others follow. */
export type ToFrame =
  | { kind: "open"; head: Bytes; parts: [string, Bytes][] }
  | { kind: "answer"; id: number; bytes: Bytes }
  | { kind: "error"; id: number; error: string }
  | { kind: "select"; rows: Bytes };

/** What it sends. */
export type FromFrame = { kind: "ask"; id: number; bytes: Bytes } | { kind: "selected"; rows: Bytes };

/** The selection, which the page and Python share. */
export interface Notebook {
  /** Tells Python which rows are selected on the page. */
  selected(rows: Int32Array): void;
  /** Calls back when Python selects rows. */
  onSelect(select: (rows: Int32Array) => void): void;
}

export interface Framed {
  shelf: Shelf;
  source: Source;
  notebook: Notebook;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (reason: Error) => void;
}

/** What Python has, once the notebook's side has sent it. */
export async function openFramed(): Promise<Framed> {
  const { message, port } = await firstMessage();
  const waiting = new Map<number, Waiting>();
  let early: Int32Array | null = null; // what Python selected before the page was drawn
  let select = (rows: Int32Array): void => {
    early = rows;
  };
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.kind === "select") select(unpacked(data.rows) as Int32Array);
    else settle(waiting, data);
  };
  const send = (data: FromFrame) => port.postMessage(data);
  const notebook: Notebook = {
    selected: (rows) => send({ kind: "selected", rows: packed(rows) }),
    onSelect: (callback) => {
      select = callback;
      if (early !== null) callback(early);
    },
  };
  const head = JSON.parse(new TextDecoder().decode(message.head)) as Head;
  const parts = new Map(message.parts);
  const source = parting(gathering(sourceOver(send, waiting)), head.nRows);
  return { shelf: { head, bytes: async (name) => parts.get(name)! }, source, notebook };
}

function sourceOver(send: (data: FromFrame) => void, waiting: Map<number, Waiting>): Source {
  let lastId = 0;
  return sourceOf(
    (question, asking) =>
      new Promise<Answer>((resolve, reject) => {
        const id = ++lastId;
        asking?.signal?.addEventListener("abort", () => {
          waiting.delete(id);
          reject(new DOMException("The question was taken back.", "AbortError"));
        });
        waiting.set(id, { resolve, reject });
        send({ kind: "ask", id, bytes: packed(question) });
      }),
  );
}

function settle(waiting: Map<number, Waiting>, data: ToFrame): void {
  const one = "id" in data ? waiting.get(data.id) : undefined;
  if (!one || !("id" in data)) return;
  waiting.delete(data.id);
  if (data.kind === "answer") one.resolve(unpacked(data.bytes) as Answer);
  else one.reject(new Error(data.error));
}

/** The message of the page around this frame, which alone may send one. */
function firstMessage(): Promise<{ message: ToFrame & { kind: "open" }; port: MessagePort }> {
  return new Promise((resolve) => {
    const take = ({ source, data, ports }: MessageEvent<ToFrame>) => {
      if (source !== window.parent || data.kind !== "open" || ports.length !== 1) return;
      window.removeEventListener("message", take);
      resolve({ message: data, port: ports[0] });
    };
    window.addEventListener("message", take);
  });
}
