"""The page's questions, answered by the library: one function for each, with the names of `web/src/source.ts`.

A server and a notebook send these answers; in a file the page computes them itself, and tests hold both together.
Answers are dicts of numbers, strings and arrays. Values are in the user's units; of unit rows (metric "cosine") they
are those of the unit rows, as in `FeatMAP.why`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from ..data.sparse import SparseRows, dense_rows
from ..data.units import joined
from ..explanation.answers import Answers
from ..explanation.apart import Apart, Comparison
from ..explanation.asking_why import (
    MOST_ARROWS,
    MOST_COMPARED,
    Local,
    changes_between,
    local_of,
    order_of_alone,
    order_of_apart,
    order_of_changes,
    order_of_hidden,
    order_of_unlike,
    spread_out,
)
from ..explanation.comparison import spread_within
from ..explanation.contrast import discovered_first
from ..explanation.groups import most_different_of_each, of_features
from ..explanation.neighborhoods import Neighborhoods
from ..explanation.permutations import normal_score, welch_p_values
from ..explanation.points import Points
from ..explanation.regression import default_neighbors
from ..explanation.table import GroupMoments
from ..explanation.winsor import VARIANCE_ROUNDING
from ..run import Run
from ..values import DoubleArray, IntArray
from .hashing import sampled
from .record import density_of_data
from .sums import group_sums

Answer = dict[str, Any]

MOST_DESCRIBED = 200  # rows of a group whose importance is averaged
SAMPLED = {"importance": 2000, "explained": 2000, "false": 2000, "arrow": 300, "fidelity": 300}
SEED = 0
ROWS_AT_ONCE = 2**14  # of a column of all rows
SAMPLED_AT_ONCE = 250  # rows of which all features are looked at


def point(answers: Answers, row: int) -> Answer:
    """Why a row is where it is."""
    points, chosen = answers.points, np.array([row], np.int32)
    near = default_neighbors(len(points)), points.mapped.copies
    around = Neighborhoods.around(points, chosen, *near)
    with Run(answers.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run)
        local = local_of(points, chosen, near, run)
    return {
        **_around(comparison.apart(points, chosen, near[0]), local, comparison.backing.factors, answers.data.groups),
        "row": row,
        "intrinsicDim": int(points.tangents.intrinsic_dim[row]),
        "near": around.near[0],
        "weights": around.weights[0],
        "fidelity": float(answers.fidelity(chosen, "blend", None, None)[0]),
        "fidelityOfRegression": float(answers.fidelity(chosen, "map", None, None)[0]),
        "isConnected": bool(points.is_connected[row]),
    }


def group(answers: Answers, rows: IntArray) -> Answer:
    """Why some rows are where they are, as a whole."""
    points, rows = answers.points, np.unique(rows).astype(np.int32)
    near = default_neighbors(len(points)), points.mapped.copies
    compared, explained = spread_out(rows, MOST_COMPARED), spread_out(rows, MOST_ARROWS)
    with Run(answers.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run)
        local = local_of(points, explained, near, run)
    compare = comparison.apart if len(rows) == 1 else comparison.together
    return {
        **_around(compare(points, compared, near[0]), local, comparison.backing.factors, answers.data.groups),
        "rows": rows,
        "nCompared": len(compared),
        "nExplained": len(explained),
    }


def _around(apart: Apart, local: Local, factors: DoubleArray, groups: IntArray | None) -> Answer:
    """The features around a point or a group, in the orders in which the page lists them."""
    low, high = changes_between(local, apart.mean[0])
    return {
        "nAround": float(apart.n_effective[0]),
        "apart": order_of_apart(apart, groups).astype(np.int32),
        "unlike": order_of_unlike(apart, groups).astype(np.int32),
        "changes": order_of_changes(local, factors, groups).astype(np.int32),
        "hidden": order_of_hidden(local, factors, groups).astype(np.int32),
        "alone": order_of_alone(apart, groups).astype(np.int32),
        "mean": apart.mean[0],
        "own": apart.own[0],
        "z": apart.z[0],
        "score": apart.score[0],
        "away": apart.away[0],
        "explained": local.explained,
        "isShown": local.is_shown.astype(np.uint8),
        "arrows": local.arrows,
        "low": low,
        "high": high,
        "importance": local.importance,
    }


def contrast(answers: Answers, a: IntArray, b: IntArray | None) -> Answer:
    """Two groups of rows compared; the second is the rest if there is none."""
    first = np.unique(a).astype(np.int32)
    rest = np.setdiff1d(np.arange(len(answers.points), dtype=np.int32), first)
    groups = first, rest if b is None else np.unique(b).astype(np.int32)
    rows = np.sort(np.concatenate(groups))
    codes = np.where(np.isin(rows, first), 0, 1).astype(np.int32)
    with Run(answers.n_jobs) as run:
        sums = group_sums(answers.points, rows, codes, run)
    data = replace(answers.data, scale=sums.scale)
    means = data.restore(sums.means)
    described = [sampled(group, MOST_DESCRIBED, SEED) for group in groups]
    importance = [
        joined(answers.feature_importance(rows), data.groups).mean(axis=0, dtype=np.float64) for rows in described
    ]
    compared = _compared(sums.powers, (len(groups[0]), len(groups[1])))
    said = most_different_of_each(compared["effectSize"], data.groups)
    p_values = of_features(compared["p"], data.groups)
    q_values = _q_values(p_values, said, data.groups)
    return {
        "sizes": [len(groups[0]), len(groups[1])],
        "meanA": means[0],
        "meanB": means[1],
        **compared,
        "difference": data.in_units(compared["difference"]),
        "p": p_values,
        "q": q_values,
        "importanceA": importance[0],
        "importanceB": importance[1],
        "nImportance": [len(described[0]), len(described[1])],
        "order": said[discovered_first(compared["effectSize"][said], q_values[said])],
    }


def _q_values(p_values: DoubleArray, said: IntArray, groups: IntArray | None) -> DoubleArray:
    """q-values over features, each with the p-value of the column that stands for it. All its columns share q."""
    members = np.arange(len(p_values)) if groups is None else groups
    found = np.empty(members.max() + 1)
    found[members[said]] = false_discovery_control(p_values[said])
    return found[members]


def _compared(sums: DoubleArray, sizes: tuple[int, int]) -> Answer:
    """The comparison of two groups from sums of values, squares and cubes, (3, n, 2), as in `Contrast` but for p.

    Its p-values come from permutations. Here they are Welch's, which a page can compute at once.
    """
    a, b = (GroupMoments.of(size, sums[:, :, group]) for group, size in enumerate(sizes))
    whole = GroupMoments.of(sum(sizes), sums.sum(axis=2))
    difference = np.where(whole.variance > 0, a.mean - b.mean, 0.0)
    least = np.maximum(VARIANCE_ROUNDING * whole.variance, np.finfo(float).tiny)
    varies = a.squared_error + b.squared_error > 0
    return {
        "difference": difference,
        "effectSize": difference / spread_within(a, b, whole),
        "statistic": normal_score(difference, a.squared_error, b.squared_error, *sizes, least),
        "p": np.where(varies, welch_p_values(a, b), np.where(difference == 0, 1.0, 0.0)),
    }


def column(answers: Answers, what: dict[str, Any], rows: IntArray | None = None) -> Answer:
    """What a map can be coloured by: of all rows, or of a sample if each takes long and no rows are given."""
    every = np.arange(len(answers.points), dtype=np.int32)
    kind, feature = what["kind"], what.get("feature", 0)
    chosen = sampled(every, SAMPLED.get(kind, len(every)), SEED) if rows is None else rows
    size = ROWS_AT_ONCE if kind not in SAMPLED else SAMPLED_AT_ONCE
    parts = [chosen[start : start + size] for start in range(0, max(len(chosen), 1), size)]
    values = np.concatenate([np.asarray(COLUMNS[kind](_Asked(answers, part, feature)), np.float64) for part in parts])
    is_all = rows is None and len(chosen) == len(every)
    width = answers.dim if kind == "arrow" else 1
    return {"rows": None if is_all else chosen, "values": values.ravel(), "width": width}


@dataclass(frozen=True)
class _Asked:
    answers: Answers
    rows: IntArray
    feature: int

    @property
    def points(self) -> Points:
        return self.answers.points


def _of_feature(asked: _Asked) -> DoubleArray:
    """One feature in the user's units. The others are not touched."""
    points, data = asked.points, asked.points.mapped.data
    feature = slice(asked.feature, asked.feature + 1)
    rows = points.values[asked.rows] if isinstance(points.values, SparseRows) else points.values
    column = rows.columns(feature) if isinstance(rows, SparseRows) else rows[asked.rows, feature]
    lengths = None if points.lengths is None else points.lengths[asked.rows]
    units = None if data.units is None else data.units.part(feature)
    one = replace(data, matrix=column, center=data.center[feature], units=units, lengths=lengths).features()
    return one.restore(dense_rows(one.matrix))[:, 0]


def _of_importance(asked: _Asked) -> DoubleArray:
    return asked.answers.feature_importance(asked.rows)[:, asked.feature]


def _of_explained(asked: _Asked) -> DoubleArray:
    return asked.answers.explained_variance(asked.rows, None, None)[:, asked.feature]


def _of_arrow(asked: _Asked) -> DoubleArray:
    return asked.answers.arrows(asked.rows, "blend", None)[:, asked.feature]


def _of_density_on_map(asked: _Asked) -> DoubleArray:
    """−½ log of the weighted mean of squared distances to the row's own neighbours; NaN where that is 0."""
    near, weights = _edges(asked.points, asked.rows)
    places = asked.points.embedding.astype(np.float64)
    steps = places[near] - places[asked.rows, None]
    squares, sums = np.einsum("pj,pjc,pjc->p", weights, steps, steps), weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0, -0.5 * np.log(squares / sums), np.nan)


def _edges(points: Points, rows: IntArray) -> tuple[IntArray, DoubleArray]:
    """The neighbours of some rows in the graph and the weights of their edges."""
    near = points.tangents.neighbors[rows, : points.mapped.manifold.n_neighbors - 1]
    graph = points.mapped.manifold.graph.weights
    weights = np.asarray(graph[np.repeat(rows, near.shape[1]), near.ravel()], np.float64).reshape(near.shape)
    return near, weights


def _of_kept(asked: _Asked) -> DoubleArray:
    lists = _Lists.of(asked.points, asked.rows)
    return (lists.on_map[:, :, None] == lists.in_data[:, None, :]).any(axis=2).mean(axis=1)


def _of_torn(asked: _Asked) -> DoubleArray:
    places = asked.points.embedding.astype(np.float64)
    lists = _Lists.of(asked.points, asked.rows)
    return _ratio(*(_mean_distance(places, asked.rows, others) for others in (lists.in_data, lists.on_map)))


def _of_false(asked: _Asked) -> DoubleArray:
    matrix, lists = asked.points.mapped.space.matrix, _Lists.of(asked.points, asked.rows)
    return _ratio(*(_mean_distance(matrix, asked.rows, others) for others in (lists.on_map, lists.in_data)))


@dataclass(frozen=True)
class _Lists:
    """Neighbours of some rows in the data and on the map, (rows, k); -1 where there is no edge."""

    in_data: IntArray
    on_map: IntArray

    @classmethod
    def of(cls, points: Points, rows: IntArray) -> _Lists:
        k = points.mapped.manifold.n_neighbors - 1
        near = points.tangents.neighbors[rows, :k]
        has_edge = points.has_edge[rows, : near.shape[1]]
        return cls(np.where(has_edge, near, -1), points.nearest_on_map(rows, near.shape[1]))


def _mean_distance(matrix: Any, rows: IntArray, others: IntArray) -> DoubleArray:
    """The mean distance of every row to its neighbours; NaN if it has none."""
    own, place = np.divmod(np.flatnonzero(others >= 0), others.shape[1])
    steps = dense_rows(matrix, others[own, place]) - dense_rows(matrix, rows)[own].astype(np.float64)
    sums = np.bincount(own, np.linalg.norm(steps, axis=1), len(rows))
    return _ratio(sums, np.bincount(own, minlength=len(rows)))


def _ratio(above: np.ndarray, below: np.ndarray) -> DoubleArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return above / below


COLUMNS: dict[str, Callable[[_Asked], Any]] = {
    "feature": _of_feature,
    "importance": _of_importance,
    "explained": _of_explained,
    "arrow": _of_arrow,
    "fidelity": lambda asked: asked.answers.fidelity(asked.rows, "blend", None, None),
    "dimension": lambda asked: asked.points.tangents.intrinsic_dim[asked.rows],
    "densityOfData": lambda asked: density_of_data(asked.points)[asked.rows],
    "densityOfMap": _of_density_on_map,
    "kept": _of_kept,
    "torn": _of_torn,
    "false": _of_false,
}


def neighbours(answers: Answers, row: int) -> Answer:
    """The neighbours of a row on the map beside those in the data."""
    points, rows = answers.points, np.array([row], np.int32)
    near, weights = (found[0] for found in _edges(points, rows))
    has_edge = points.has_edge[row, : len(near)]
    near, weights = near[has_edge], weights[has_edge]
    on_map = points.nearest_on_map(rows, len(has_edge))[0]
    steps = points.embedding[on_map].astype(np.float64) - points.embedding[row]
    return {
        "row": row,
        "onMap": on_map,
        "distanceOnMap": np.sqrt((steps**2).sum(axis=1)),
        "isInData": np.isin(on_map, near).astype(np.uint8),
        "inData": near,
        "weightInData": weights,
        "isOnMap": np.isin(near, on_map).astype(np.uint8),
        "kept": float(np.isin(on_map, near).mean()),
    }


def values(answers: Answers, rows: IntArray) -> DoubleArray:
    """The features of some rows, in the user's units: (rows, n)."""
    features = answers.points.features(rows)
    return features.restore(dense_rows(features.matrix))
