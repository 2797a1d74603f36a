"""Puts together what is known of a row, or of a group of rows, into the answer to "why is it here?"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.units import first_of_each, joined
from ..run import Run
from ..tangents.axes import feature_importance
from ..values import DoubleArray, FloatArray, IntArray
from .apart import Apart, Comparison
from .arrows import draw_arrows, drawn, explained_variance
from .chance import beats_chance
from .neighborhoods import Neighborhoods
from .points import Points
from .spaces import SpacesOfFit
from .trust import Trust
from .why import Change, Hidden, SetApart, Unlike, Why

RATE = 0.05
EQUAL = 1e-4  # importances that differ by less are equal: with as many directions as features all are 1
MOST_COMPARED, MOST_ARROWS = 1000, 100  # rows of a group that are looked at


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
    apart = compare(points, spread_out(rows, MOST_COMPARED), near[0])
    local = local_of(points, spread_out(rows, MOST_ARROWS), near, run)
    factors, groups = comparison.backing.factors, points.mapped.data.groups
    return Why(
        subject,
        tuple(rows.tolist()),
        float(apart.n_effective[0]),
        tuple(_set_apart(apart, order_of_apart(apart, groups)[:most], names)),
        tuple(_unlike(apart, order_of_unlike(apart, groups)[:most], names)),
        tuple(_changes(local, apart.mean[0], order_of_changes(local, factors, groups)[:most], names)),
        tuple(_hidden(local, order_of_hidden(local, factors, groups)[:most], names)),
        tuple(names[order_of_alone(apart, groups)][:most].tolist()),
        trust,
    )


def spread_out(rows: IntArray, most: int) -> IntArray:
    """At most ``most`` of the rows, evenly spaced."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int)]


def local_of(points: Points, rows: IntArray, near: tuple[int, IntArray], run: Run) -> Local:
    """Arrows, variance shown and importance around some rows of the map."""
    draw = drawn("blend", points, *near)
    mapped = points.mapped

    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        here = rows[start:stop]
        around = Neighborhoods.around(points, here, *near)
        arrows = draw_arrows(draw, around, SpacesOfFit(points, here))
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
        mapped.data.in_units(arrows.mean(axis=0).T).T,
        mapped.data.in_units(change.mean(axis=0)),
        mapped.data.restore(smallest.min(axis=0)),
        mapped.data.restore(largest.max(axis=0)),
        joined(importance, mapped.data.groups).mean(axis=0, dtype=np.float64),
        (importance > usual + EQUAL).mean(axis=0) >= 0.5,
    )


def _ranges(around: Neighborhoods) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest value of each feature among the rows around each point that have weight."""
    data = around.mapped.data
    values = [data.rows(rows) for rows in around.rows_with_weight]
    shape = (len(values), data.shape[1])
    smallest = np.array([rows.min(axis=0, initial=np.inf) for rows in values]).reshape(shape)
    return smallest, np.array([rows.max(axis=0, initial=-np.inf) for rows in values]).reshape(shape)


def order_of_apart(apart: Apart, groups: IntArray | None) -> IntArray:
    """Features that set a single point or group apart and are worth a word, the largest score first."""
    return _largest(apart.score[0], apart.said[0], groups)


def order_of_unlike(apart: Apart, groups: IntArray | None) -> IntArray:
    """Features that set a single row apart from the rows around it, the largest score first."""
    return _largest(apart.away_score[0], apart.unlike[0], groups)


def order_of_changes(local: Local, factors: DoubleArray, groups: IntArray | None) -> IntArray:
    """Features whose arrows beat chance, the best explained first.

    Where the map tells too little of all features, arrows have no length, so features grow in no direction.
    """
    return _first(local.explained * factors, local.is_shown & (factors > 0) & local.arrows.any(axis=1), groups)


def order_of_hidden(local: Local, factors: DoubleArray, groups: IntArray | None) -> IntArray:
    """Features that vary but have no arrow, by importance times backing. No category with an arrow is among them."""
    is_shown = local.is_shown if groups is None else np.isin(groups, groups[local.is_shown])
    return _first(local.importance * factors, ~is_shown & local.is_varying & (factors > 0), groups)


def order_of_alone(apart: Apart, groups: IntArray | None) -> IntArray:
    """Features that differ as well, but no other feature goes with them, the largest difference first."""
    return first_of_each(apart.order[0][apart.alone[0][apart.order[0]]], groups)


def changes_between(local: Local, means: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """What each feature grows from and to along its arrow, within the values around: (n,) each."""
    low, high = np.clip([means - local.change, means + local.change], local.smallest, local.largest)
    return low, high


def _largest(score: DoubleArray, said: np.ndarray, groups: IntArray | None) -> IntArray:
    """The features that are worth a word, the largest score of either sign first.

    A category is told by what rows have, and by what they lack only if there is nothing else to say.
    """
    if groups is not None:
        said = said & ((score > 0) | ~np.isin(groups, groups[said & (score > 0)]))
    return _first(np.abs(score), said, groups)


def _first(score: DoubleArray, counts: np.ndarray, groups: IntArray | None) -> IntArray:
    """The features that count, the largest score first, of each group its first."""
    order = np.argsort(-score, kind="stable")
    return first_of_each(order[counts[order]], groups)


def _set_apart(apart: Apart, order: IntArray, names: np.ndarray) -> Iterator[SetApart]:
    for h in order:
        yield SetApart(
            names[h],
            int(h),
            mean=float(apart.mean[0, h]),
            overall=float(apart.overall[h]),
            spread=float(apart.spread[h]),
            own=float(apart.own[0, h]),
            z=float(apart.z[0, h]),
            score=float(apart.score[0, h]),
        )


def _unlike(apart: Apart, order: IntArray, names: np.ndarray) -> Iterator[Unlike]:
    for h in order:
        yield Unlike(
            names[h],
            int(h),
            own=float(apart.own[0, h]),
            mean=float(apart.mean[0, h]),
            spread=float(apart.spread[h]),
            away=float(apart.away[0, h]),
            score=float(apart.away_score[0, h]),
        )


def _changes(local: Local, means: DoubleArray, order: IntArray, names: np.ndarray) -> Iterator[Change]:
    low, high = changes_between(local, means)
    for h in order:
        arrow = tuple(local.arrows[h].tolist())
        yield Change(names[h], int(h), float(local.explained[h]), float(low[h]), float(high[h]), arrow)


def _hidden(local: Local, order: IntArray, names: np.ndarray) -> Iterator[Hidden]:
    for h in order:
        yield Hidden(names[h], int(h), float(local.importance[h]), float(local.explained[h]))
