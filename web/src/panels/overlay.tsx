/** What is drawn above the points: names, arrows, regions, the pinned row with its neighbours, marks of far points. */
import { useComputed } from "@preact/signals";

import { answerOf } from "../asking";
import { categoryOf } from "../atlas";
import { GROUND, INK, QUIET_INK, type Theme } from "../palette";
import { farMarks } from "../points/bulk";
import { toScreen, type Camera, type Place, type Size } from "../points/camera";
import { densestPlace, placeLabels, type Placed } from "../points/labels";
import { REGION_COLOUR } from "../shading";
import type { Selection } from "../state";
import { useStore, type Store } from "../store";
import type { View } from "../view";
import { count } from "../words";
import { arrowsOfPoint, fieldOf, type FieldArrow } from "./arrows";
import { FONT, nameAt, type Name } from "./names";

const MOST_NAMES = 60;
const ARROW_COLOUR = { light: "#0b4f8a", dark: "#8fc7ff" } as const;
const LONGEST = 0.17; // length of the longest arrow, in smaller sides of the picture
const FIELD_LENGTH = 0.055;
const HEAD = 7; // of an arrow, in pixels

interface Drawn {
  readonly camera: Camera;
  readonly size: Size;
  readonly theme: Theme;
}

export function Overlay({ view, index, draft }: { view: View; index: number; draft: readonly number[] | null }) {
  const store = useStore();
  const [size, theme] = [view.size.value, store.theme.value];
  const drawn: Drawn = { camera: view.camera.value, size, theme };
  const { tab } = store.state.value;
  return (
    <svg class="overlay" width={size.width} height={size.height} aria-hidden="true" font-family={FONT}>
      {tab === "feature" && <Field view={view} drawn={drawn} />}
      {tab === "region" && <Regions index={index} drawn={drawn} />}
      {draft !== null && <Line polygon={draft} colour={INK[theme]} dash="4 3" />}
      {tab === "point" && <Pinned view={view} drawn={drawn} />}
      <Names view={view} drawn={drawn} />
      {!view.isMoving.value && <Far view={view} drawn={drawn} />}
    </svg>
  );
}

function screen(drawn: Drawn, place: ArrayLike<number>, at = 0): Place {
  return toScreen(drawn.camera, drawn.size, place[at], place[at + 1]);
}

/** Where the groups of the first column of categories are, the largest first. */
function useGroups(view: View) {
  const store = useStore();
  return useComputed(() => {
    const { colour } = store.state.value;
    const { columns } = store.atlas;
    const own = colour.by === "column" && columns[colour.column].categories ? colour.column : -1;
    const which = own >= 0 ? own : columns.findIndex((column) => column.categories !== null);
    return which < 0 ? [] : groupsOf(store, which, view);
  });
}

const known = new WeakMap<View, Map<number, Group[]>>();

interface Group {
  readonly text: string;
  readonly column: number;
  readonly category: number;
  readonly place: Place;
}

function groupsOf(store: Store, which: number, view: View): Group[] {
  const kept = known.get(view) ?? new Map<number, Group[]>();
  known.set(view, kept);
  const found = kept.get(which) ?? findGroups(store, which, view);
  kept.set(which, found);
  return found;
}

function findGroups(store: Store, which: number, view: View): Group[] {
  const column = store.atlas.columns[which];
  const rows: number[][] = column.categories!.map(() => []);
  for (let row = 0; row < store.atlas.head.nRows; row++) {
    const category = categoryOf(column, row);
    if (category !== null) rows[category].push(row);
  }
  return rows
    .map((members, category) => ({ members, category }))
    .filter(({ members }) => members.length > 0)
    .sort((a, b) => b.members.length - a.members.length)
    .slice(0, MOST_NAMES)
    .map(({ members, category }) => ({
      text: column.categories![category], column: which, category, place: densestPlace(view.map.places, members),
    }));
}

function Names({ view, drawn }: { view: View; drawn: Drawn }) {
  const store = useStore();
  const groups = useGroups(view).value;
  const { off, colour } = store.state.value;
  const isColoured = (group: Group) => colour.by === "column" && colour.column === group.column;
  const names: Name[] = [
    ...arrowNames(store, view, drawn),
    ...groups
      .filter((group) => !isColoured(group) || !off.includes(group.category))
      .map((group) => nameAt("group", group.text, screen(drawn, group.place), 14)),
  ];
  return (
    <g>
      {placeLabels(names, drawn.size, alongArrows(pointArrows(store, view, drawn))).map((placed, i) => (
        <PlacedName key={i} placed={placed} theme={drawn.theme} />
      ))}
    </g>
  );
}

function PlacedName({ placed, theme }: { placed: Placed<Name>; theme: Theme }) {
  const { wish, at, from } = placed;
  const colour = wish.kind === "arrow" ? ARROW_COLOUR[theme] : INK[theme];
  return (
    <g class={`name ${wish.kind}`}>
      {from && <line x1={from[0]} y1={from[1]} x2={at[0]} y2={at[1]} stroke={QUIET_INK[theme]} stroke-width={1} />}
      <text
        x={at[0]} y={at[1]} font-size={wish.size} font-weight={600} text-anchor="middle" dominant-baseline="central"
        fill={colour} stroke={GROUND[theme]} stroke-width={4} stroke-linejoin="round" paint-order="stroke"
      >
        {wish.text}
      </text>
    </g>
  );
}

interface PlacedArrow {
  readonly feature: number;
  readonly from: Place;
  readonly to: Place;
  readonly opacity: number;
}

function pointArrows(store: Store, view: View, drawn: Drawn): PlacedArrow[] {
  const answer = answerOf(store.why.value);
  if (answer === null || store.state.value.tab !== "point" || view.map !== store.atlas.maps[0]) return [];
  const from = screen(drawn, view.map.places, 2 * answer.row);
  const length = LONGEST * Math.min(drawn.size.width, drawn.size.height);
  return arrowsOfPoint(answer, store.features, store.atlas.head.trust).map(({ feature, x, y, opacity }) => ({
    feature, from, to: [from[0] + length * x, from[1] - length * y], opacity,
  }));
}

function arrowNames(store: Store, view: View, drawn: Drawn): Name[] {
  return pointArrows(store, view, drawn).map(({ feature, from, to }) => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const [x, y] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const name = nameAt("arrow", store.features.nameOf(feature), to, 13);
    const clear = Math.min(name.width / 2 / (Math.abs(x) || 1e-9), name.height / 2 / (Math.abs(y) || 1e-9));
    return { ...name, anchor: within(drawn.size, name, [to[0] + (clear + 3) * x, to[1] + (clear + 3) * y]) };
  });
}

/** The nearest place at which a name is wholly within the picture. */
function within(size: Size, name: Name, [x, y]: Place): Place {
  const between = (value: number, room: number, most: number) => Math.max(room / 2, Math.min(most - room / 2, value));
  return [between(x, name.width, size.width), between(y, name.height, size.height)];
}

/** Places along the arrows that names should not cover. */
function alongArrows(arrows: readonly PlacedArrow[]): Place[] {
  return arrows.flatMap(({ from, to }) =>
    Array.from({ length: 13 }, (_, i) => [from[0] + (i / 12) * (to[0] - from[0]), from[1] + (i / 12) * (to[1] - from[1])] as const),
  );
}

function Arrow({ from, to, colour, halo, opacity, width }: {
  from: Place; to: Place; colour: string; halo: string; opacity: number; width: number;
}) {
  const [right, down] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(right, down);
  if (length < 1) return null;
  const head = Math.min(HEAD * (width / 2), length);
  const [x, y] = [right / length, down / length];
  const neck: Place = [to[0] - head * x, to[1] - head * y];
  const corner = (side: number) => `${neck[0] - side * head * 0.6 * y},${neck[1] + side * head * 0.6 * x}`;
  const tip = `${to[0]},${to[1]} ${corner(1)} ${corner(-1)}`;
  return (
    <g class="arrow" opacity={opacity}>
      <g stroke={halo} stroke-width={width + 3} stroke-linejoin="round">
        <line x1={from[0]} y1={from[1]} x2={neck[0]} y2={neck[1]} />
        <polygon points={tip} stroke-width={3} />
      </g>
      <line x1={from[0]} y1={from[1]} x2={neck[0]} y2={neck[1]} stroke={colour} stroke-width={width} />
      <polygon points={tip} fill={colour} />
    </g>
  );
}

function Pinned({ view, drawn }: { view: View; drawn: Drawn }) {
  const store = useStore();
  const { row } = store.state.value;
  if (row === null) return null;
  const at = screen(drawn, view.map.places, 2 * row);
  return (
    <g>
      <NeighbourMarks view={view} drawn={drawn} from={at} />
      {pointArrows(store, view, drawn).map((arrow) => (
        <Arrow key={arrow.feature} {...arrow} colour={ARROW_COLOUR[drawn.theme]} halo={GROUND[drawn.theme]} width={3} />
      ))}
      <circle class="pinned" cx={at[0]} cy={at[1]} r={8} fill="none" stroke={GROUND[drawn.theme]} stroke-width={5} />
      <circle cx={at[0]} cy={at[1]} r={8} fill="none" stroke={INK[drawn.theme]} stroke-width={2.5} />
    </g>
  );
}

/** Lines to the neighbours in the data: solid where the map keeps them near, dashed where it has torn them away. */
function NeighbourMarks({ view, drawn, from }: { view: View; drawn: Drawn; from: Place }) {
  const answer = answerOf(useStore().neighbours.value);
  if (answer === null) return null;
  const places = view.map.places;
  return (
    <g stroke={QUIET_INK[drawn.theme]} fill="none">
      {[...answer.inData].map((row, i) => {
        const to = screen(drawn, places, 2 * row);
        const dash = answer.isOnMap[i] ? {} : { "stroke-dasharray": "3 3" };
        return (
          <g key={row}>
            <line x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} stroke-width={1} opacity={0.55} {...dash} />
            <circle cx={to[0]} cy={to[1]} r={4.5} stroke-width={1.5} />
          </g>
        );
      })}
    </g>
  );
}

function Regions({ index, drawn }: { index: number; drawn: Drawn }) {
  const { a, b } = useStore().state.value;
  const colours = REGION_COLOUR[drawn.theme];
  return (
    <g>
      <Region selection={b} name="B" colour={colours.b} index={index} drawn={drawn} />
      <Region selection={a} name="A" colour={colours.a} index={index} drawn={drawn} />
    </g>
  );
}

function Region({ selection, name, colour, index, drawn }: {
  selection: Selection | null; name: string; colour: string; index: number; drawn: Drawn;
}) {
  if (selection === null || selection.kind !== "lasso" || selection.map !== index) return null;
  const polygon: number[] = [];
  for (let i = 0; i < selection.polygon.length; i += 2) polygon.push(...screen(drawn, selection.polygon, i));
  let top = 0;
  for (let i = 0; i < polygon.length; i += 2) if (polygon[i + 1] < polygon[top + 1]) top = i;
  return (
    <g class="region">
      <Line polygon={polygon} colour={colour} dash={name === "B" ? "7 4" : ""} />
      <text
        x={polygon[top]} y={polygon[top + 1] - 10} font-size={18} font-weight={700} text-anchor="middle" fill={colour}
        stroke={GROUND[drawn.theme]} stroke-width={4} stroke-linejoin="round" paint-order="stroke"
      >
        {name}
      </text>
    </g>
  );
}

function Line({ polygon, colour, dash }: { polygon: readonly number[]; colour: string; dash: string }) {
  const points: string[] = [];
  for (let i = 0; i < polygon.length; i += 2) points.push(`${polygon[i].toFixed(1)},${polygon[i + 1].toFixed(1)}`);
  return (
    <polygon
      points={points.join(" ")} fill={colour} fill-opacity={0.06} stroke={colour} stroke-width={2}
      stroke-dasharray={dash} stroke-linejoin="round"
    />
  );
}

function Field({ view, drawn }: { view: View; drawn: Drawn }) {
  const store = useStore();
  const arrows = useComputed<FieldArrow[]>(() => {
    const answer = answerOf(store.field.value);
    return answer === null || view.map !== store.atlas.maps[0] ? [] : fieldOf(store.atlas, view.map, answer);
  }).value;
  const length = FIELD_LENGTH * Math.min(drawn.size.width, drawn.size.height);
  return (
    <g class="field">
      {arrows.map(({ place, x, y }, i) => {
        const [left, top] = screen(drawn, place);
        const half: Place = [(length * x) / 2, (-length * y) / 2];
        const [from, to]: Place[] = [[left - half[0], top - half[1]], [left + half[0], top + half[1]]];
        return <Arrow key={i} from={from} to={to} colour={INK[drawn.theme]} halo={GROUND[drawn.theme]} opacity={1} width={1.8} />;
      })}
    </g>
  );
}

function Far({ view, drawn }: { view: View; drawn: Drawn }) {
  const marks = farMarks(view.map.far, drawn.camera, drawn.size);
  return (
    <g class="far" fill={INK[drawn.theme]} font-size={11}>
      {marks.map(({ at, angle, count: nPoints }, i) => (
        <g key={i} transform={`translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`}>
          <polygon points="9,0 -5,6 -5,-6" transform={`rotate(${((angle * 180) / Math.PI).toFixed(1)})`} />
          <text
            x={-18 * Math.cos(angle)} y={-18 * Math.sin(angle)} dominant-baseline="central"
            text-anchor={Math.cos(angle) > 0.5 ? "end" : Math.cos(angle) < -0.5 ? "start" : "middle"}
            stroke={GROUND[drawn.theme]} stroke-width={3} paint-order="stroke"
          >
            {count(nPoints)} far
          </text>
        </g>
      ))}
    </g>
  );
}
