"""What would move a row: the least change of up to three groups of features that puts it among other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..data.sparse import Matrix
from ..run import Run
from ..values import BoolArray, DoubleArray, FloatArray, WholeArray
from .features import Features
from .moving import Moved, distances_in_data, place_changed
from .place import Places
from .table import Drawn, Table
from .values import Change, Move

MOST_GROUPS, MOST_CANDIDATES = 3, 12
LEAST_PART = 0.8  # of the nearest rows, on the map and in the data, that must be of the target
MOST_UNUSUAL = 0.95  # a changed row may not be more unusual than this part of all rows
FLOOR = 0.05  # of the spread over all rows: that of the target counts as at least as much
OF_LEVEL = 2.0  # what a change of a level counts as, in standard deviations
SEEDS = (1, 2)  # of the new maps that verify a move

NOT_JUDGED = "the features know too little of each other to tell which of them matter"
FEW_ROWS = "the target has too few rows"
NONE_FOUND = "no change of up to three groups of features moves it"
PIXELS = "single pixels are not changed"
COUNTS = "counts of one row are too noisy: where a few of them seemed to move it, new maps did not agree"


class Way(NamedTuple):
    """Some candidates, by their places among all, and what changing them costs."""

    chosen: tuple[int, ...]
    cost: float


@dataclass(frozen=True, eq=False)
class Target:
    """The rows that a row is to lie among, and what it takes of them."""

    name: str
    is_member: BoolArray  # (m,) the row itself left out
    to: DoubleArray  # (p,) what the features are set to
    away: DoubleArray  # (p,) how far the row is from that, in standard deviations of the target's nearest rows
    change: DoubleArray  # (p,) the same in those of all rows


@dataclass(frozen=True, eq=False)
class Mover:
    """Finds moves of the rows of one map."""

    table: Table
    drawn: Drawn
    features: Features
    places: Places
    run: Run

    @cached_property
    def unusual(self) -> float:
        return float(np.quantile(self.places.outlier, MOST_UNUSUAL))

    @property
    def hindrance(self) -> str:
        """Why no row of this map can be moved; empty if they can."""
        if not self.drawn.can_move:
            return self.drawn.no_moves
        if self.table.image_shape is not None:
            return PIXELS
        if self.table.are_counts:
            return COUNTS
        return "" if self.features.is_judged else NOT_JUDGED

    def find(self, row: int, is_member: BoolArray, name: str, verify: bool = False) -> Move | str:
        """The least change that puts a row among the members of a target, or why there is none."""
        if self.hindrance:
            return self.hindrance
        target = self._target(row, is_member, name)
        if target is None:
            return FEW_ROWS
        candidates = self._candidates(row, target)
        ways = self._ways(candidates, target)
        if not ways:
            return NONE_FOUND
        changed = np.array([self._changed(row, [candidates[one] for one in way.chosen], target) for way in ways])
        moved = place_changed(self.drawn, self._prepared(row, changed), row, self.places.n, self.run)
        works = np.flatnonzero(self._is_accepted(moved, target))
        if len(works) == 0:
            return NONE_FOUND
        first = int(works[0])
        move = self._move(row, ways, candidates, works, changed[first], target, moved, first)
        return self._verified(move, row, changed[first], target) if verify else move

    def _target(self, row: int, is_member: BoolArray, name: str) -> Target | None:
        """The means of the n members that are nearest to the row in the data."""
        is_member = is_member.copy()
        is_member[row] = False
        members = np.flatnonzero(is_member)
        if len(members) < self.places.n:
            return None
        distances = distances_in_data(self.drawn, row, members)
        nearest = members[np.argsort(distances, kind="stable")[: self.places.n]]
        to, spread = self._typical(self.features.values[nearest])
        x = self.features.values[row]
        known = np.isfinite(x) & np.isfinite(to)
        away, change = (
            np.divide(np.abs(x - to), size, out=np.zeros_like(x), where=known & (size > 0))
            for size in (spread, self.features.spread)
        )
        is_level = self.features.is_category
        for sizes in (away, change):
            sizes[is_level] = np.where(known & (x != to), OF_LEVEL, 0)[is_level]
        return Target(name, is_member, to, away, change)

    def _typical(self, rows: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Means and standard deviations of known values; whole numbers stay whole, and of levels the commonest."""
        n_features = rows.shape[1]
        to, spread = np.full(n_features, np.nan), np.zeros(n_features)
        for feature in range(n_features):
            known = rows[np.isfinite(rows[:, feature]), feature]
            if len(known) < 2:
                continue
            if self.features.is_category[feature]:
                to[feature] = np.bincount(known.astype(np.int64)).argmax()
                continue
            to[feature] = np.rint(known.mean()) if self.features.is_whole[feature] else known.mean()
            spread[feature] = max(known.std(ddof=1), FLOOR * self.features.spread[feature])
        return to, spread

    def _candidates(self, row: int, target: Target) -> list[WholeArray]:
        """The twelve groups in which the row is farthest from the target; of a group the features that may change."""
        may_change = self.features.may_differ & np.isfinite(self.features.values[row]) & np.isfinite(target.to)
        groups = [members[may_change[members]] for members in self.features.groups.members]
        groups = [members for members in groups if len(members)]
        size = np.array([(target.away[members] ** 2).mean() for members in groups])
        order = np.argsort(-size, kind="stable")[:MOST_CANDIDATES]
        return [groups[one] for one in order if size[one] > 0]

    def _ways(self, candidates: Sequence[WholeArray], target: Target) -> list[Way]:
        """All sets of up to three candidates, the least change first."""
        costs = [float(target.change[members].mean()) for members in candidates]
        chosen = [one for size in range(1, MOST_GROUPS + 1) for one in combinations(range(len(candidates)), size)]
        return sorted((Way(one, sum(costs[place] for place in one)) for one in chosen), key=lambda way: way.cost)

    def _changed(self, row: int, groups: Sequence[WholeArray], target: Target) -> DoubleArray:
        values = self.features.values[row].copy()
        for members in groups:
            values[members] = target.to[members]
        return values

    def _prepared(self, row: int, changed: DoubleArray) -> Matrix:
        """Changed rows as the fit was given them."""
        assert self.drawn.prepare is not None
        return self.drawn.prepare(self._in_table(row, changed))

    def _in_table(self, row: int, changed: DoubleArray) -> DoubleArray:
        """Rows of the table, of which only the features are changed."""
        rows = np.repeat(self.table.values[[row]], len(changed), axis=0)
        rows[:, [columns[0] for columns in self.features.columns]] = changed
        return rows

    def _is_accepted(self, moved: Moved, target: Target) -> BoolArray:
        on_map, in_data = (target.is_member[near].mean(axis=1) for near in (moved.on_map, moved.in_data))
        return (on_map >= LEAST_PART) & (in_data >= LEAST_PART) & (moved.outlier <= self.unusual)

    def _move(
        self,
        row: int,
        ways: list[Way],
        candidates: list[WholeArray],
        works: WholeArray,
        values: DoubleArray,
        target: Target,
        moved: Moved,
        first: int,
    ) -> Move:
        shared = set.intersection(*(set(ways[one].chosen) for one in works))
        return Move(
            tuple(self._change(row, candidates[one], target) for one in ways[first].chosen),
            target.name,
            int(target.is_member[moved.on_map[first]].sum()),
            int(target.is_member[moved.in_data[first]].sum()),
            moved.on_map.shape[1],
            self._as_given(row, values),
            tuple(moved.places[first].tolist()),
            len(works) - 1,
            tuple(self._change(row, candidates[one], target).feature for one in sorted(shared)),
        )

    def _change(self, row: int, members: WholeArray, target: Target) -> Change:
        """The change of a group, by the feature that changes most."""
        feature = int(members[target.change[members].argmax()])
        alike = tuple(self.features.names[other] for other in members if other != feature)
        value, to = (
            self.features.said(feature, values[feature]) for values in (self.features.values[row], target.to)
        )
        return Change(self.features.names[feature], value, to, float(self.features.spread[feature]), alike)

    def _as_given(self, row: int, values: DoubleArray) -> np.ndarray:
        whole = self._in_table(row, values[None])[0]
        return whole if self.drawn.as_given is None else self.drawn.as_given(whole, row)

    def _verified(self, move: Move, row: int, values: DoubleArray, target: Target) -> Move:
        """The move with what new maps show that are made with the changed row in the place of the row."""
        if self.drawn.refit is None:
            return move
        prepared = self._prepared(row, values[None])
        refits = [(seed, self._n_of_target(self.drawn.refit(row, prepared, seed), row, target)) for seed in SEEDS]
        return replace(move, refits=tuple(refits))

    def _n_of_target(self, embedding: FloatArray, row: int, target: Target) -> int:
        distances = ((embedding - embedding[row]) ** 2).sum(axis=1)
        distances[row] = np.inf
        return int(target.is_member[np.argsort(distances, kind="stable")[: self.places.n]].sum())
