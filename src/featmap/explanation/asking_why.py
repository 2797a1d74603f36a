"""Puts together what is known of a row, or of a group of rows, into the answer to "why is it here?"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..run import Run
from ..tangents.axes import feature_importance
from ..values import DoubleArray, FloatArray, IntArray
from .apart import Apart, Comparison
from .arrows import draw_arrows, drawn, explained_variance
from .chance import beats_chance
from .neighborhoods import Neighborhoods
from .points import Points
from .trust import Trust
from .why import Change, Hidden, SetApart, Why

RATE = 0.05
MOST_ROWS = 100  # of a group, whose arrows are looked at


@dataclass(frozen=True)
class Local:
    """What the map shows around one row, or the means over the rows of a group: (n,) each, arrows (n, d')."""

    explained: DoubleArray
    is_shown: np.ndarray  # whether the arrow beats chance; in a group, for half of the rows
    arrows: DoubleArray
    change: DoubleArray  # the standard deviation that the arrow accounts for around the row
    smallest: DoubleArray  # of the values around the row
    largest: DoubleArray
    importance: DoubleArray
    is_varying: np.ndarray  # whether it varies more than features do on the average

    def range_of(self, feature: int) -> tuple[float, float]:
        return float(self.smallest[feature]), float(self.largest[feature])


def answer(
    points: Points,
    rows: IntArray,
    subject: str,
    names: np.ndarray,
    most: int,
    near: tuple[int, IntArray],
    comparison: Comparison,
    trust: Trust,
    run: Run,
) -> Why:
    """The lists of the features with the largest scores, at most so many each."""
    compare = comparison.apart if len(rows) == 1 else comparison.together
    apart = compare(points, rows, near[0])
    local = _local(points, _some(rows), near, run)
    factors = comparison.backing.factors
    return Why(
        subject,
        tuple(rows.tolist()),
        float(apart.n_effective[0]),
        tuple(_set_apart(apart, names, most)),
        tuple(_changes(local, apart.mean[0], factors, names, most)),
        tuple(_hidden(local, factors, names, most)),
        tuple(names[apart.order[0][apart.alone[0][apart.order[0]]]][:most].tolist()),
        trust,
    )


def _some(rows: IntArray) -> IntArray:
    """All rows of a small group, or rows at equal distances in a large one."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(int)]


def _local(points: Points, rows: IntArray, near: tuple[int, IntArray], run: Run) -> Local:
    draw = drawn("blend", points, *near)
    mapped = points.mapped

    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        here = rows[start:stop]
        around = Neighborhoods.around(points, here, *near)
        arrows = draw_arrows(draw, points, here, around)
        change = np.sqrt(np.einsum("pch,pch->ph", around.moments.squares @ arrows, arrows))
        explained = explained_variance(points, here, around)
        is_shown = (explained > 0) & beats_chance(points, here, around, RATE)
        return explained, is_shown, arrows.transpose(0, 2, 1), change, *_ranges(around)

    explained, is_shown, arrows, change, smallest, largest = run.by_blocks(
        len(rows), body, mapped.data.rows_per_block(near[0])
    )
    importance = feature_importance(mapped.space, points.tangents, rows, run, None, mapped.manifold.components)
    n_features = mapped.data.shape[1]
    usual = np.sqrt(points.tangents.intrinsic_dim[rows] / n_features)[:, None]
    return Local(
        explained.mean(axis=0),
        is_shown.mean(axis=0) >= 0.5,
        mapped.data.in_units(arrows.mean(axis=0)),
        mapped.data.in_units(change.mean(axis=0)),
        mapped.data.restore(smallest.min(axis=0)),
        mapped.data.restore(largest.max(axis=0)),
        importance.mean(axis=0, dtype=np.float64),
        (importance > usual).mean(axis=0) >= 0.5,
    )


def _ranges(around: Neighborhoods) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest value of each feature among the rows around each point that have weight."""
    data = around.mapped.data
    values = [data.rows(rows) for rows in around.rows_with_weight]
    shape = (len(values), data.shape[1])
    smallest = np.array([rows.min(axis=0, initial=np.inf) for rows in values]).reshape(shape)
    return smallest, np.array([rows.max(axis=0, initial=-np.inf) for rows in values]).reshape(shape)


def _first(score: DoubleArray, counts: np.ndarray, most: int) -> IntArray:
    """The features of the largest scores among those that count."""
    order = np.argsort(-score, kind="stable")
    return order[counts[order]][:most]


def _set_apart(apart: Apart, names: np.ndarray, most: int) -> Iterator[SetApart]:
    for h in _first(np.abs(apart.score[0]), apart.said[0], most):
        yield SetApart(
            names[h],
            int(h),
            mean=float(apart.mean[0, h]),
            overall=float(apart.overall[h]),
            spread=float(apart.spread[h]),
            own=float(apart.own[0, h]),
            z=float(apart.z[0, h]),
            score=float(apart.score[0, h]),
            is_unlike=bool(apart.unlike[0, h]),
        )


def _changes(
    local: Local, means: DoubleArray, factors: DoubleArray, names: np.ndarray, most: int
) -> Iterator[Change]:
    # Where the map tells too little of all features, arrows have no length, so features grow in no direction.
    counts = local.is_shown & (factors > 0) & local.arrows.any(axis=1)
    for h in _first(local.explained * factors, counts, most):
        low, high = np.clip([means[h] - local.change[h], means[h] + local.change[h]], *local.range_of(h)).tolist()
        yield Change(names[h], int(h), float(local.explained[h]), low, high, tuple(local.arrows[h].tolist()))


def _hidden(local: Local, factors: DoubleArray, names: np.ndarray, most: int) -> Iterator[Hidden]:
    counts = ~local.is_shown & local.is_varying & (factors > 0)
    for h in _first(local.importance * factors, counts, most):
        yield Hidden(names[h], int(h), float(local.importance[h]), float(local.explained[h]))
