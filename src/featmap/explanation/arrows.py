"""Kinds of arrows: where each feature grows on the map around a point. And how true they are.

All arrows of a point are one matrix A (d', n): a step Δy on the map predicts the change Aᵀ Δy of the features.

- ``"blend"``: a mixture u G + v H of the next two, with lengths that fit (see `blend`).
- ``"map"``: the weighted regression of the features on the map around the point, G. Which features rise in this
  direction?
- ``"tangent"``: the part of G within the tangent spaces here, H. Which of the features that vary here does the map
  show?
- ``"frame"``: the paper's, V^e Vᵀ: the leading local directions through the point's frame.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..data.sparse import SparseRows
from ..kernels.arrows import place_lines
from ..layout.order import order_along_map
from ..run import Run
from ..tangents.axes import axes
from ..values import DoubleArray, IntArray
from .blend import FEWEST_FOR_OWN_MIXTURE, POOLED_ROWS, blended, sets_of_features, slopes_and_agreement
from .neighborhoods import Neighborhoods, cross_fitted
from .points import Points, points_of_data
from .projection import in_features, within_tangents
from .spaces import PartOfSpaces, Spaces, SpacesOfFit, SpacesWithout

BYTES_OF_SPACES = 2**27  # of tangent spaces that are held to draw arrows
LINES_OF_A_POINT = 32  # of all features, in float32: sums, slopes, projections and arrows of a point

# The arrows of some points, (points, d', n), from the rows around them and through the tangent spaces there.
Arrows = Callable[[Neighborhoods, Spaces], DoubleArray]


def map_arrows(around: Neighborhoods, spaces: Spaces) -> DoubleArray:
    """Gᵀ = (Σ w Δy Δyᵀ)⁺ Σ w Δy Δxᵀ."""
    return around.moments.slopes()


def tangent_arrows(around: Neighborhoods, spaces: Spaces) -> DoubleArray:
    """H, the mean of V Vᵀ G over the tangent spaces of the point and its neighbours."""
    return within_tangents(around.moments.slopes(), spaces)


def blend_arrows(around: Neighborhoods, spaces: Spaces, mixture: DoubleArray | None = None) -> DoubleArray:
    """u G + v H, with the mixtures of each point or with those of all that are given: (1, sets, 2)."""
    slopes, agreement = slopes_and_agreement(around, spaces)
    return blended(slopes, agreement.mixtures() if mixture is None else mixture, sets_of_features(around.mapped))


def frame_arrows(around: Neighborhoods, spaces: Spaces) -> DoubleArray:
    """V_i^e V_iᵀ over the first d' directions."""
    return _through(spaces.frames, spaces)


def random_arrows(around: Neighborhoods, spaces: Spaces) -> DoubleArray:
    """The same through a random frame for each point: the score without any knowledge of the map."""
    dim = spaces.points.embedding.shape[1]
    matrices = np.array([np.random.default_rng([0, point]).normal(size=(dim, dim)) for point in spaces.chosen])
    return _through(np.linalg.qr(matrices.reshape(-1, dim, dim))[0], spaces)


def _through(frames: DoubleArray, spaces: Spaces) -> DoubleArray:
    points = spaces.points
    return in_features(frames @ axes(points.mapped.space, points.tangents, spaces.chosen, frames.shape[1]), points)


KINDS: dict[str, Arrows] = {
    "blend": blend_arrows,
    "tangent": tangent_arrows,
    "frame": frame_arrows,
    "map": map_arrows,
}
WITHIN_TANGENTS = ("blend", "tangent")
SCORED: dict[str, Arrows] = {**KINDS, "random": random_arrows}


def drawn(kind: str, points: Points, k: int, units: IntArray) -> Arrows:
    """How arrows of a kind are drawn from the k nearest on the map."""
    return _with_mixture(kind, points, k, units, lambda around: around)


def scored(kind: str, points: Points, k: int, units: IntArray) -> Arrows:
    """How arrows of a kind are fitted to one half of the k nearest, to be scored on the other."""
    return _with_mixture(kind, points, k, units, lambda around: around.halves[0])


def _with_mixture(
    kind: str, points: Points, k: int, units: IntArray, fitted: Callable[[Neighborhoods], Neighborhoods]
) -> Arrows:
    """Few rows tell a mixture badly. Then all points get that of a sample of rows, fitted as theirs are."""
    if kind != "blend" or k >= FEWEST_FOR_OWN_MIXTURE:
        return SCORED[kind]
    rows = points_of_data(points.mapped)
    n_rows = min(len(rows), POOLED_ROWS)
    sample = np.sort(np.random.default_rng(0).choice(len(rows), n_rows, replace=False)).astype(np.int32)
    around = fitted(Neighborhoods.around(rows, sample, k, units))
    agreement = slopes_and_agreement(around, SpacesOfFit(rows, sample))[1]
    return partial(blend_arrows, mixture=agreement.pooled().mixtures())


def draw_arrows(draw: Arrows, around: Neighborhoods, spaces: Spaces) -> DoubleArray:
    """Arrows fitted to all rows around some points, (points, d', n). Points without edges have no arrows."""
    arrows = draw(around, spaces)
    arrows[~spaces.points.is_connected[spaces.chosen]] = 0
    return arrows


def arrows_of_rows(kind: str, points: Points, rows: IntArray, k: int, units: IntArray, run: Run) -> DoubleArray:
    """Arrows of any number of points, in the units of the data: (rows, n, d').

    Points that are neighbours on the map are taken together, because they have tangent spaces in common.
    """
    data, draw = points.mapped.data, drawn(kind, points, k, units)
    arrows = np.empty((len(rows), data.shape[1], points.embedding.shape[1]))
    order = order_along_map(points.embedding[rows]).rows if len(rows) else rows
    size = points_with_spaces(points)
    for part in (order[start : start + size] for start in range(0, len(order), size)):
        spaces = SpacesOfFit(points, rows[part], run.by_blocks)
        if kind in WITHIN_TANGENTS:
            _ = spaces.held  # which makes them on all threads; within a task there is only one

        def task(start: int, stop: int, part: IntArray = part, spaces: SpacesOfFit = spaces) -> None:
            here = part[start:stop]
            around = Neighborhoods.around(points, rows[here], k, units)
            lines = data.in_units(draw_arrows(draw, around, PartOfSpaces(spaces, slice(start, stop))))
            place_lines(lines, here, arrows)

        run.over_rows(len(part), task, points_at_once(points, k))
    return arrows


def frame_arrows_of(points: Points, chosen: IntArray) -> DoubleArray:
    """Arrows through the frames of some points, without a unit: (points, n, d')."""
    spaces = SpacesOfFit(points, chosen)
    arrows = _through(spaces.frames, spaces)
    arrows[~points.is_connected[chosen]] = 0
    return arrows.transpose(0, 2, 1)


def points_with_spaces(points: Points) -> int:
    """The number of points whose tangent spaces are held at a time: all points if those of all rows fit in memory."""
    n_rows, k = points.mapped.tangents.neighbors.shape
    fit_all = n_rows * _bytes_of_space(k) <= BYTES_OF_SPACES
    return max(len(points), 1) if fit_all else _points_with_own_spaces(k)


def points_at_once(points: Points, k: int) -> int:
    """How many points a question is asked of at a time, so that what is computed for them stays in cache.

    Sparse data are made dense for them, and that is more than what is computed. Where tangent spaces have many
    neighbours, these take the most: scores need spaces that points do not have in common.
    """
    data = points.mapped.data
    in_cache = data.rows_per_block(k if isinstance(data.matrix, SparseRows) else LINES_OF_A_POINT)
    return min(in_cache, _points_with_own_spaces(points.mapped.tangents.neighbors.shape[1]))


def _points_with_own_spaces(k: int) -> int:
    """How many points can each have spaces of their own, around them and their k neighbours."""
    return max(BYTES_OF_SPACES // ((k + 1) * _bytes_of_space(k)), 1)


def _bytes_of_space(k: int) -> int:
    return 8 * (k + 1) ** 2


def fidelity(draw: Arrows, points: Points, chosen: IntArray, around: Neighborhoods) -> DoubleArray:
    """The cosine between predicted and true changes of features among the rows around each point, cross-fitted.

    What is fitted to one half, tangent spaces included, is scored on the other. It is 0 where a half is empty, and
    for points without edges.
    """

    def score(fitted: Neighborhoods, scored: Neighborhoods) -> DoubleArray:
        return scored.moments.cosines(draw(fitted, SpacesWithout(points, chosen, scored.rows_with_weight)))

    return np.where(points.is_connected[chosen], cross_fitted(around, score), 0.0)


def explained_variance(points: Points, chosen: IntArray, around: Neighborhoods) -> DoubleArray:
    """R² of each feature by the regression on one half of the rows around a point, on the other half: (chosen, n).

    Where it is below 0 the map tells nothing of a feature, and it is given as 0.
    """
    explained = cross_fitted(around, lambda fitted, scored: scored.moments.explained(fitted.moments.slopes()))
    explained[~points.is_connected[chosen]] = 0
    return explained.clip(0, 1)
