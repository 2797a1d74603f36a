/** The search box: a list of what is found, by mouse and by keyboard. */
import { useComputed, useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { searched, type Found } from "../search";
import { chooseRegion, pin, showFeature, useStore, type Store } from "../store";
import { shortened } from "./names";

const KINDS = { feature: "feature", row: "row", category: "label" } as const;

export function SearchBox() {
  const store = useStore();
  const text = useSignal("");
  const at = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  const found = useComputed(() => searched(store.atlas, text.value)).value;
  const isOpen = found.length > 0;
  useEffect(() => focusBySlash(input.current!), []);
  const take = (each: Found | undefined) => {
    if (each === undefined) return;
    text.value = "";
    choose(store, each);
  };
  const write = (wanted: string) => {
    text.value = wanted;
    at.value = 0;
    store.say(`${searched(store.atlas, wanted).length} found.`);
  };
  return (
    <div class="search">
      <input
        ref={input} type="search" role="combobox" aria-label="Search features, rows and labels" autocomplete="off"
        placeholder="Search features, rows, labels" aria-expanded={isOpen} aria-controls={store.id("found")}
        aria-autocomplete="list" list={undefined} aria-activedescendant={isOpen ? store.id(`found-${at.value}`) : ""}
        value={text.value} onKeyDown={(event) => onKey(event, text, at, found, take)}
        onInput={(event) => write(event.currentTarget.value)} onBlur={() => (text.value = "")}
      />
      <FoundList found={found} at={at.value} take={take} />
      {text.value.trim() !== "" && !isOpen && <p class="nothing">Nothing is called so.</p>}
    </div>
  );
}

function FoundList({ found, at, take }: { found: readonly Found[]; at: number; take: (each: Found) => void }) {
  const store = useStore();
  return (
    <ul id={store.id("found")} role="listbox" aria-label="Found" hidden={found.length === 0}>
      {found.map((each, i) => (
        <li
          key={i} id={store.id(`found-${i}`)} role="option" aria-selected={i === at}
          onPointerDown={(event) => { event.preventDefault(); take(each); }}
        >
          <span>{shortened(each.text, 60)}</span> <span class="quiet">{KINDS[each.kind]}</span>
        </li>
      ))}
    </ul>
  );
}

function onKey(
  event: KeyboardEvent, text: Signal<string>, at: Signal<number>, found: readonly Found[], take: (each: Found | undefined) => void,
): void {
  if (event.key === "ArrowDown") at.value = Math.min(at.value + 1, found.length - 1);
  else if (event.key === "ArrowUp") at.value = Math.max(at.value - 1, 0);
  else if (event.key === "Enter") take(found[at.value]);
  else if (event.key === "Escape") text.value = "";
  else return;
  event.preventDefault();
}

function choose(store: Store, found: Found): void {
  if (found.kind === "feature") showFeature(store, found.feature);
  else if (found.kind === "row") pin(store, found.row);
  else chooseRegion(store, "a", { kind: "category", column: found.column, category: found.category });
}

/** The key "/" leads to the search box: from anywhere in a document of its own, from within the page in a notebook. */
function focusBySlash(input: HTMLInputElement): () => void {
  const root = input.closest<HTMLElement>(".featmap")!;
  const heard = root.parentElement === document.body ? document.body : root;
  const onKey = (event: KeyboardEvent) => {
    const isWriting = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  };
  heard.addEventListener("keydown", onKey);
  return () => heard.removeEventListener("keydown", onKey);
}
