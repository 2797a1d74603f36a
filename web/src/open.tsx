/** Opens the page of a record in an element: the map is drawn while whoever answers reads the rest. */
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { render } from "preact";

import { atlasOf, partsOfPage } from "./atlas";
import { Page } from "./panels/page";
import type { Shelf } from "./record";
import type { Source } from "./source";
import { makeStore, speakAnswers, StoreContext, type Store } from "./store";

/** `link` is the part of an address after "#", which says what is shown at first. */
export async function openPage(shelf: Shelf, source: Source, root: HTMLElement, link: string): Promise<Store> {
  const atlas = atlasOf(shelf.head, await partsOfPage(shelf));
  const store = makeStore(atlas, source, link, prefersDark());
  root.classList.add("featmap");
  effect(() => {
    root.dataset["theme"] = store.theme.value;
  });
  speakAnswers(store);
  root.replaceChildren();
  render(<StoreContext.Provider value={store}><Page /></StoreContext.Provider>, root);
  return store;
}

/** Whether the reader's system is dark, now and later. */
function prefersDark(): ReadonlySignal<boolean> {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const isDark = signal(query.matches);
  query.addEventListener("change", () => (isDark.value = query.matches));
  return isDark;
}

/** Says why there is no page. */
export function sayWhy(root: HTMLElement, error: unknown): void {
  root.classList.add("featmap");
  root.dataset["theme"] = prefersDark().value ? "dark" : "light";
  root.replaceChildren();
  render(
    <main class="no-page">
      <h1>This page could not be opened</h1>
      <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
    </main>,
    root,
  );
}
