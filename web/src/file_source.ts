/** The file's own answers: a worker, made of text that the page carries, has the data and the mathematics. */

import type { Shelf } from "./record";
import { sourceOf, type Answer, type Asking, type Question, type Source } from "./source";

/** What the worker is sent. */
export type ToWorker =
  | { id: number; kind: "open"; head: Shelf["head"]; bytes: Record<string, Uint8Array<ArrayBuffer>> }
  | { id: number; kind: "ask"; question: Question }
  | { id: number; kind: "stop" };

/** What it sends back: any number of parts done, and then an answer or an error. */
export type FromWorker =
  | { id: number; done: number }
  | { id: number; answer: Answer | null }
  | { id: number; error: string };

interface Waiting {
  resolve: (answer: Answer | null) => void;
  reject: (reason: Error) => void;
  progress?: ((done: number) => void) | undefined;
}

export interface FileSource {
  source: Source;
  /** Settles when the worker has read the data. Questions may be asked before; they wait. */
  ready: Promise<void>;
}

/** A source from the parts of a record. The worker's text is in the element `featmap-worker` of the page. */
export function fileSource(shelf: Shelf, page: Document): FileSource {
  const text = page.getElementById("featmap-worker")?.textContent ?? "";
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return workerSource(worker, shelf);
}

/** A source from a worker that runs `worker.ts`. */
export function workerSource(worker: Worker, shelf: Shelf): FileSource {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => settle(waiting, data);
  worker.onerror = (event) => {
    for (const one of waiting.values()) one.reject(new Error(event.message || "The worker has failed."));
    waiting.clear();
  };

  const send = (message: (id: number) => ToWorker, transfer: Transferable[], asking?: Asking) =>
    new Promise<Answer | null>((resolve, reject) => {
      const id = ++lastId;
      const signal = asking?.signal;
      if (signal?.aborted) return reject(stopped());
      waiting.set(id, { resolve, reject, progress: asking?.progress });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        worker.postMessage({ id, kind: "stop" } satisfies ToWorker);
        reject(stopped());
      });
      worker.postMessage(message(id), transfer);
    });

  const ready = open(shelf, send);
  const ask = async (question: Question, asking?: Asking) => {
    await ready;
    return (await send((id) => ({ id, kind: "ask", question }), [], asking)) as Answer;
  };
  return { source: sourceOf(ask), ready };
}

type Send = (message: (id: number) => ToWorker, transfer: Transferable[]) => Promise<Answer | null>;

async function open(shelf: Shelf, send: Send): Promise<void> {
  const names = shelf.head.parts.map((part) => part.name);
  const found = await Promise.all(names.map(async (name) => [name, await shelf.bytes(name)] as const));
  const buffers = found.map(([, bytes]) => bytes.buffer);
  await send((id) => ({ id, kind: "open", head: shelf.head, bytes: Object.fromEntries(found) }), buffers);
}

function settle(waiting: Map<number, Waiting>, message: FromWorker): void {
  const one = waiting.get(message.id);
  if (!one) return;
  if ("done" in message) return one.progress?.(message.done);
  waiting.delete(message.id);
  if ("error" in message) one.reject(new Error(message.error));
  else one.resolve(message.answer);
}

function stopped(): DOMException {
  return new DOMException("The question was taken back.", "AbortError");
}
