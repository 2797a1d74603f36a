/** The questions, as tabs. */
import type { Tab } from "../state";
import { openTab, useStore } from "../store";
import { AboutPanel } from "./about";
import { CheckPanel } from "./check";
import { FeaturePanel } from "./feature";
import { PointPanel } from "./point";
import { RegionPanel } from "./region";

const TABS: readonly (readonly [Tab, string])[] = [
  ["point", "Point"], ["region", "Regions"], ["feature", "Feature"], ["check", "Check"], ["about", "About"],
];
const PANELS = { point: PointPanel, region: RegionPanel, feature: FeaturePanel, check: CheckPanel, about: AboutPanel };

export function Tabs() {
  const store = useStore();
  const { tab } = store.state.value;
  const Panel = PANELS[tab];
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = TABS.findIndex(([each]) => each === tab);
    const next = TABS[(at + step + TABS.length) % TABS.length][0];
    openTab(store, next);
    document.getElementById(store.id(`tab-${next}`))?.focus();
    event.preventDefault();
  };
  return (
    <aside class="side" aria-label="Questions">
      <div class="tabs" role="tablist" aria-label="What do you want to ask?" onKeyDown={onKey}>
        {TABS.map(([each, name]) => (
          <button
            key={each} id={store.id(`tab-${each}`)} type="button" role="tab" aria-selected={each === tab}
            aria-controls={store.id("panel")} tabIndex={each === tab ? 0 : -1} onClick={() => openTab(store, each)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="panel" id={store.id("panel")} role="tabpanel" aria-labelledby={store.id(`tab-${tab}`)} tabIndex={0}>
        <Panel />
      </div>
    </aside>
  );
}
