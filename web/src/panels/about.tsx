/** What the page is and how it is used. */
import { nUserFeatures } from "../atlas";
import { useStore } from "../store";
import { count } from "../words";

const HANDS: readonly (readonly [string, string])[] = [
  ["Click", "ask why a point is there"],
  ["Drag, wheel", "move the map, zoom"],
  ["Shift and drag", "draw around a region: first A, then B"],
  ["Arrow keys on the map", "step from point to point"],
  ["Shift and arrow keys", "move the map"],
  ["+  −  0", "zoom in, zoom out, show all"],
  ["/", "search features, rows and labels"],
  ["Escape", "let go of the point"],
];

export function AboutPanel() {
  const { head } = useStore().atlas;
  return (
    <>
      <h2>About this page</h2>
      <p>
        A map of {count(head.nRows)} rows with {count(nUserFeatures(head))} features
        {head.maker === "FeatMAP" ? ", made by featMAP" : ", made by another method and explained by featMAP"}. Points that
        are near each other are rows that are alike. Answers are computed from the data, with the numbers of the Python
        library.
        {head.nComponents > 2 && ` The map has ${head.nComponents} axes; the page shows the first two.`}
      </p>
      {head.notes.map((note) => <p key={note}>{note}</p>)}
      <table class="facts">
        <caption>How to use it</caption>
        <thead class="spoken"><tr><th scope="col">with</th><th scope="col">you can</th></tr></thead>
        <tbody>{HANDS.map(([key, does]) => <tr key={key}><th scope="row">{key}</th><td>{does}</td></tr>)}</tbody>
      </table>
      <h3>How to read it</h3>
      <dl>
        <dt>Spread</dt><dd>The standard deviation of a feature over all rows.</dd>
        <dt>Arrow</dt><dd>Where a feature grows on the map around a point. It is drawn only if it beats chance.</dd>
        <dt>R²</dt><dd>The part of a feature's change around a point that the map shows, on rows that had no part in the fit.</dd>
        <dt>Importance</dt><dd>How much a feature takes part in the directions in which the data vary around a row.</dd>
        <dt>Effect size</dt><dd>The difference of two means over the spread within the groups.</dd>
      </dl>
    </>
  );
}
