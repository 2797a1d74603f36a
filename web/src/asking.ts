/** Questions that follow what the page shows: when the key changes, the old question ends and a new one is asked. */
import { effect, signal, type ReadonlySignal } from "@preact/signals";

import type { Asking } from "./source";

export type Asked<A> =
  | { readonly is: "idle" }
  | { readonly is: "waiting"; readonly done: number }
  | { readonly is: "answered"; readonly answer: A }
  | { readonly is: "failed"; readonly reason: string };

/** The answer to the question of the present key; idle while the key is null. A part of it may be shown before. */
export function following<K, A>(
  key: () => K | null,
  ask: (key: K, asking: Asking, show: (part: A) => void) => Promise<A>,
): ReadonlySignal<Asked<A>> {
  const asked = signal<Asked<A>>({ is: "idle" });
  effect(() => {
    const present = key();
    if (present === null) {
      asked.value = { is: "idle" };
      return undefined;
    }
    const control = new AbortController();
    const tell = (next: Asked<A>) => {
      if (!control.signal.aborted) asked.value = next;
    };
    tell({ is: "waiting", done: 0 });
    const asking = { signal: control.signal, progress: (done: number) => tell({ is: "waiting", done }) };
    ask(present, asking, (part) => tell({ is: "answered", answer: part })).then(
      (answer) => tell({ is: "answered", answer }),
      (error: unknown) => tell({ is: "failed", reason: error instanceof Error ? error.message : String(error) }),
    );
    return () => control.abort();
  });
  return asked;
}

export function answerOf<A>(asked: Asked<A>): A | null {
  return asked.is === "answered" ? asked.answer : null;
}
