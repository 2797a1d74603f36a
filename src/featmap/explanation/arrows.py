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

from ..tangents.axes import axes
from ..values import DoubleArray, IntArray
from .blend import FEWEST_FOR_OWN_MIXTURE, POOLED_ROWS, slopes_and_projections
from .neighborhoods import Neighborhoods, cross_fitted
from .points import Points, points_of_data
from .projection import in_features, within_tangents

# The arrows of some points, (points, d', n), from the rows around them. With rows that are left out, whatever is
# fitted is fitted without these.
Arrows = Callable[[Points, IntArray, Neighborhoods, "list[IntArray] | None"], DoubleArray]


def map_arrows(
    points: Points, chosen: IntArray, around: Neighborhoods, left_out: list[IntArray] | None
) -> DoubleArray:
    """Gᵀ = (Σ w Δy Δyᵀ)⁺ Σ w Δy Δxᵀ."""
    return around.moments.slopes()


def tangent_arrows(
    points: Points, chosen: IntArray, around: Neighborhoods, left_out: list[IntArray] | None
) -> DoubleArray:
    """H, the mean of V Vᵀ G over the tangent spaces of the point and its neighbours."""
    return within_tangents(around.moments.slopes(), points, chosen, left_out)


def blend_arrows(
    points: Points,
    chosen: IntArray,
    around: Neighborhoods,
    left_out: list[IntArray] | None,
    mixture: DoubleArray | None = None,
) -> DoubleArray:
    """u G + v H, with the mixture of each point or with one that is given: (1, 2)."""
    G, H, agreement = slopes_and_projections(points, chosen, around, left_out)
    u, v = (agreement.mixtures() if mixture is None else mixture).T[:, :, None, None]
    return u * G + v * H


def frame_arrows(
    points: Points, chosen: IntArray, around: Neighborhoods, left_out: list[IntArray] | None
) -> DoubleArray:
    """V_i^e V_iᵀ over the first d' directions."""
    frames = points.frames.axes[chosen].astype(np.float64)
    if left_out is not None:
        frames = np.array([points.frame_without(*pair) for pair in zip(chosen, left_out, strict=True)])
    return in_features(frames @ axes(points.mapped.space, points.tangents, chosen, frames.shape[1]), points)


def random_arrows(
    points: Points, chosen: IntArray, around: Neighborhoods, left_out: list[IntArray] | None
) -> DoubleArray:
    """The same through a random frame for each point: the score without any knowledge of the map."""
    dim = points.embedding.shape[1]
    matrices = np.array([np.random.default_rng([0, point]).normal(size=(dim, dim)) for point in chosen])
    frames = np.linalg.qr(matrices.reshape(-1, dim, dim))[0]
    return in_features(frames @ axes(points.mapped.space, points.tangents, chosen, dim), points)


KINDS: dict[str, Arrows] = {
    "blend": blend_arrows,
    "tangent": tangent_arrows,
    "frame": frame_arrows,
    "map": map_arrows,
}
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
    agreement = slopes_and_projections(rows, sample, around, None)[2]
    return partial(blend_arrows, mixture=agreement.pooled().mixtures())


def draw_arrows(draw: Arrows, points: Points, chosen: IntArray, around: Neighborhoods) -> DoubleArray:
    """Arrows fitted to all rows around the points. Points without edges have no arrows."""
    arrows = draw(points, chosen, around, None)
    arrows[~points.is_connected[chosen]] = 0
    return arrows


def fidelity(draw: Arrows, points: Points, chosen: IntArray, around: Neighborhoods) -> DoubleArray:
    """The cosine between predicted and true changes of features among the rows around each point, cross-fitted.

    What is fitted to one half, tangent spaces included, is scored on the other. It is 0 where a half is empty, and
    for points without edges.
    """

    def score(fitted: Neighborhoods, scored: Neighborhoods) -> DoubleArray:
        return scored.moments.cosines(draw(points, chosen, fitted, scored.rows_with_weight))

    return np.where(points.is_connected[chosen], cross_fitted(around, score), 0.0)


def explained_variance(points: Points, chosen: IntArray, around: Neighborhoods) -> DoubleArray:
    """R² of each feature by the regression on one half of the rows around a point, on the other half: (chosen, n).

    Where it is below 0 the map tells nothing of a feature, and it is given as 0.
    """
    explained = cross_fitted(around, lambda fitted, scored: scored.moments.explained(fitted.moments.slopes()))
    explained[~points.is_connected[chosen]] = 0
    return explained.clip(0, 1)
