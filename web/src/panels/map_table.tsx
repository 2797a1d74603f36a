/** The map as a table: where the groups are. */
import { useComputed, useSignal } from "@preact/signals";

import { rowsOf, type Atlas } from "../atlas";
import { densestPlace } from "../points/labels";
import { useStore } from "../store";
import { count } from "../words";
import { shortened } from "./names";
import { TableBox } from "./parts";

interface Line {
  readonly name: string;
  readonly n: number;
  readonly x: number;
  readonly y: number;
}

export function MapTable() {
  const store = useStore();
  const { columns } = store.atlas;
  const isOpen = useSignal(false);
  const which = useComputed(() => {
    const { colour } = store.state.value;
    const own = colour.by === "column" && columns[colour.column].categories !== null;
    return own ? colour.column : columns.findIndex((column) => column.categories !== null);
  }).value;
  const name = which < 0 ? "" : shortened(columns[which].name, 40);
  return (
    <details class="map-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The map as a table</summary>
      {which < 0 && <p>The rows have no labels. All places are in the CSV under "Take along".</p>}
      {which >= 0 && isOpen.value && (
        <TableBox name={`Where each ${name} is`} header={[name, "rows", "x", "y"]}>
          {linesOf(store.atlas, which).map((line, i) => (
            <tr key={i}>
              <th scope="row">{shortened(line.name, 60)}</th>
              <td>{count(line.n)}</td><td>{line.x.toFixed(2)}</td><td>{line.y.toFixed(2)}</td>
            </tr>
          ))}
        </TableBox>
      )}
    </details>
  );
}

/** The densest place of every group. */
function linesOf(atlas: Atlas, which: number): Line[] {
  const column = atlas.columns[which];
  return column.categories!.flatMap((name, category) => {
    const rows = rowsOf(column, category);
    if (!rows.length) return [];
    const [x, y] = densestPlace(atlas.maps[0].places, rows);
    return [{ name, n: rows.length, x, y }];
  });
}
