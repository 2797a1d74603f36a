"""Three kinds of arrows: where each feature grows on the map around a point. And their fidelity.

All arrows of a point are one matrix A (d', n): a step Δy on the map predicts the change Aᵀ Δy of the features.

- ``"map"``: the regression of the features on the map around the point, G. Which features rise in this direction?
- ``"tangent"``: G within the tangent spaces here, V Vᵀ G. Which of the features that vary here does the map show?
- ``"frame"``: the paper's, V^e Vᵀ: the leading local directions through the point's frame.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..data.scaling import ScaledData
from ..tangents.axes import axes
from ..values import DoubleArray, IntArray, Tangents
from .points import Points
from .regression import Moments

BYTES_OF_TANGENTS = 2**25  # held at a time while projections onto tangent spaces are added up

# The arrows of some points, (points, d', n), from the moments around them, without the rows that are left out.
Arrows = Callable[[Points, IntArray, Moments, "list[IntArray] | None"], DoubleArray]


def map_arrows(points: Points, chosen: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """Gᵀ = (Σ Δy Δyᵀ)⁺ Σ Δy Δxᵀ."""
    return moments.slopes()


def tangent_arrows(
    points: Points, chosen: IntArray, moments: Moments, left_out: list[IntArray] | None
) -> DoubleArray:
    """Σ V Vᵀ G_i/(k + 1) over the tangent spaces V of the point and of the k neighbours that made its own.

    V Vᵀ G_i = V J with J = VᵀG_i, the regression of tangent coordinates on the map. The tangent space of a few points
    is noisy; projections onto several can be averaged without aligning their bases. docs/fidelity.md says how near to
    the ceiling that comes.
    """
    slopes, space = within_space(moments.slopes(), points), points.mapped.space
    near, has_edge = points.tangents.neighbors[chosen], points.has_edge[chosen]
    own = np.ones((len(chosen), 1), bool)
    total = _within(slopes[:, None], space, points.tangents, chosen[:, None], own, slopes.shape[1])
    n_axes = max(slopes.shape[1], points.mapped.tangents.intrinsic_dim[near].max(initial=1))
    n_parts = -(-near.size * int(n_axes) * space.shape[1] * 8 // BYTES_OF_TANGENTS)
    for columns in np.array_split(np.arange(near.shape[1]), min(n_parts, near.shape[1])):
        part, counted = near[:, columns], has_edge[:, columns]
        total += _within(slopes[:, None], space, points.mapped.tangents, part, counted, slopes.shape[1])
    return in_features(total / (has_edge.sum(axis=1) + 1)[:, None, None], points)


def within_space(slopes: DoubleArray, points: Points) -> DoubleArray:
    """Slopes of the features as those of the space of tangents, Gᵀ B: (points, d', q)."""
    components = points.mapped.manifold.components
    return slopes if components is None else slopes @ components.directions


def in_features(arrows: DoubleArray, points: Points) -> DoubleArray:
    """Arrows in the space of tangents as arrows of the features: (points, d', n)."""
    components = points.mapped.manifold.components
    return arrows if components is None else arrows @ components.directions.T


def _within(
    slopes: DoubleArray, data: ScaledData, tangents: Tangents, centers: IntArray, counted: np.ndarray, n_least: int
) -> DoubleArray:
    """Σ V Vᵀ G over the tangent spaces of those centers of each point that are counted: (points, d', n).

    Each takes part with its intrinsic dimension, and at least with as many directions as the map has.
    """
    n_axes = np.maximum(tangents.intrinsic_dim[centers], n_least)
    V = axes(data, tangents, centers.ravel(), int(n_axes.max(initial=1)))
    V = V.reshape(*centers.shape, *V.shape[1:]).astype(np.float64)
    V[np.arange(V.shape[2]) >= n_axes[..., None]] = 0
    V[~counted] = 0
    return (slopes @ np.swapaxes(V, -1, -2) @ V).sum(axis=1)


def frame_arrows(points: Points, chosen: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """V_i^e V_iᵀ over the first d' directions."""
    frames = points.frames.axes[chosen].astype(np.float64)
    if left_out is not None:
        frames = np.array([points.frame_without(*pair) for pair in zip(chosen, left_out, strict=True)])
    return in_features(frames @ axes(points.mapped.space, points.tangents, chosen, frames.shape[1]), points)


KINDS: dict[str, Arrows] = {"tangent": tangent_arrows, "frame": frame_arrows, "map": map_arrows}


def random_arrows(points: Points, chosen: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """Arrows through random frames, one for each point: the score without any knowledge of the map."""
    dim = points.embedding.shape[1]
    matrices = np.array([np.random.default_rng([0, point]).normal(size=(dim, dim)) for point in chosen])
    frames = np.linalg.qr(matrices.reshape(-1, dim, dim))[0]
    return in_features(frames @ axes(points.mapped.space, points.tangents, chosen, dim), points)


def draw_arrows(kind: Arrows, points: Points, chosen: IntArray, k: int) -> tuple[DoubleArray, Moments]:
    """Arrows fitted to all k nearest on the map, and their moments. Points without edges have no arrows."""
    moments = points.moments(points.nearest_on_map(chosen, k))
    arrows = kind(points, chosen, moments, None)
    arrows[~points.is_connected[chosen]] = 0
    return arrows, moments


def fidelity(kind: Arrows, points: Points, chosen: IntArray, k: int) -> DoubleArray:
    """The cosine between predicted and true changes of features among the k nearest on the map, cross-fitted.

    The k are halved, every second one in the order of distance. What is fitted to one half is scored on the other.
    It is 0 where there is only one neighbour, and for points without edges.
    """
    if k < 2:
        return np.zeros(len(chosen))
    near = points.nearest_on_map(chosen, k)
    halves = near[:, ::2], near[:, 1::2]
    scores = np.zeros(len(chosen))
    for fitted, scored in (halves, halves[::-1]):
        arrows = kind(points, chosen, points.moments(fitted), list(scored))
        scores += points.moments(scored).cosines(arrows) / 2
    return np.where(points.is_connected[chosen], scores, 0.0)
