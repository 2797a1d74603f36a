/** Answers questions beside the page. Long ones are answered in turns, so that a click does not wait for a colouring. */

import { answered } from "./core/answers";
import { openModel, type Model } from "./core/model";
import type { FromWorker, ToWorker } from "./file_source";
import type { Answer } from "./source";

/** What a worker is to this file. Node has no such type, and the page's differs from it. */
interface Scope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
}

const TURN = 30; // milliseconds

const scope = self as unknown as Scope;
const asked = new Map<number, Generator<number, Answer>>();
let model: Model | null = null;
let isBusy = false;

scope.onmessage = ({ data }) => {
  if (data.kind === "stop") asked.delete(data.id);
  else if (data.kind === "open") void open(data.id, data.head, data.bytes);
  else {
    asked.set(data.id, answered(model!, data.question));
    void work();
  }
};

async function open(id: number, ...record: Parameters<typeof openModel>): Promise<void> {
  try {
    model = await openModel(...record);
    scope.postMessage({ id, answer: null }, []);
  } catch (error) {
    scope.postMessage({ id, error: messageOf(error) }, []);
  }
}

/** Gives every question a turn, the newest first, until all are answered. */
async function work(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  while (asked.size) {
    for (const [id, steps] of [...asked].reverse()) {
      if (asked.get(id) === steps && takeTurn(id, steps)) asked.delete(id);
      await othersHaveCome();
    }
  }
  isBusy = false;
}

/** Whether the question is answered. */
function takeTurn(id: number, steps: Generator<number, Answer>): boolean {
  const start = performance.now();
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) {
        scope.postMessage({ id, answer: step.value }, buffersOf(step.value));
        return true;
      }
      if (performance.now() - start > TURN) {
        scope.postMessage({ id, done: step.value }, []);
        return false;
      }
    }
  } catch (error) {
    scope.postMessage({ id, error: messageOf(error) }, []);
    return true;
  }
}

/** Lets messages in that arrived meanwhile. */
function othersHaveCome(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Arrays of an answer whose bytes are its own, to be handed over without a copy. */
function buffersOf(answer: Answer): Transferable[] {
  const arrays = ArrayBuffer.isView(answer) ? [answer] : Object.values(answer);
  const buffers = arrays.filter((value): value is Float64Array => ArrayBuffer.isView(value)).map(({ buffer }) => buffer);
  return [...new Set(buffers)] as ArrayBuffer[];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
