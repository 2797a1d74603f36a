"""Where each feature points on the map around a point, in three ways; and how true that is.

All arrows of a point are one matrix A (d', n): a step Δy on the map predicts the change Aᵀ Δy of the features.

- ``"map"``: the regression of the features on the map around the point, G. What rises if I walk this way?
- ``"tangent"``: G within the tangent spaces here, V Vᵀ G. Which of the features that vary here does the map show?
- ``"frame"``: the paper's, V^e Vᵀ: the leading local directions through the point's frame.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from .features import Features
from .loadings import axes
from .regression import Moments
from .scene import Scene
from .values import DoubleArray, IntArray, Tangents

BYTES_OF_TANGENTS = 2**25  # held at a time while projections onto tangent spaces are added up

# The arrows of some points, (points, d', n), from what is around them, and rows they must know nothing of.
Arrows = Callable[[Scene, IntArray, Moments, "list[IntArray] | None"], DoubleArray]


def map_arrows(scene: Scene, points: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """Gᵀ = (Σ Δy Δyᵀ)⁺ Σ Δy Δxᵀ."""
    return moments.slopes()


def tangent_arrows(scene: Scene, points: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """Σ V Vᵀ G_i/(k + 1) over the tangent spaces V of the point and of the k neighbours that made its own.

    V Vᵀ G_i = V J with J = VᵀG_i, the regression of tangent coordinates on the map. The tangent space of a few points
    is a noisy one; projections onto several can be averaged without aligning their bases. docs/fidelity.md
    says how near the ceiling that comes.
    """
    slopes, features = moments.slopes(), scene.ground.features
    near = scene.tangents.neighbors[points]
    total = _within(slopes[:, None], features, scene.tangents, points[:, None], slopes.shape[1])
    n_axes = max(slopes.shape[1], scene.ground.tangents.intrinsic_dim[near].max(initial=1))
    n_parts = -(-near.size * int(n_axes) * features.shape[1] * 8 // BYTES_OF_TANGENTS)
    for part in np.array_split(near, min(n_parts, near.shape[1]), axis=1):
        total += _within(slopes[:, None], features, scene.ground.tangents, part, slopes.shape[1])
    return total / (near.shape[1] + 1)


def _within(
    slopes: DoubleArray, features: Features, tangents: Tangents, centers: IntArray, n_least: int
) -> DoubleArray:
    """Σ V Vᵀ G over the tangent spaces of several centers for each point: (points, d', n).

    Of each the directions that count take part, and no fewer than the map has.
    """
    n_axes = np.maximum(tangents.intrinsic_dim[centers], n_least)
    V = axes(features, tangents, centers.ravel(), int(n_axes.max(initial=1)))
    V = V.reshape(*centers.shape, *V.shape[1:]).astype(np.float64)
    V[np.arange(V.shape[2]) >= n_axes[..., None]] = 0
    return (slopes @ np.swapaxes(V, -1, -2) @ V).sum(axis=1)


def frame_arrows(scene: Scene, points: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """V_i^e V_iᵀ over the first d' directions."""
    frames = scene.frames.axes[points].astype(np.float64)
    if left_out is not None:
        frames = np.array([scene.frame_without(*pair) for pair in zip(points, left_out, strict=True)])
    return frames @ axes(scene.ground.features, scene.tangents, points, frames.shape[1])


KINDS: dict[str, Arrows] = {"tangent": tangent_arrows, "frame": frame_arrows, "map": map_arrows}


def random_arrows(scene: Scene, points: IntArray, moments: Moments, left_out: list[IntArray] | None) -> DoubleArray:
    """The frame's arrows with frames drawn by chance: what no knowledge of the map scores."""
    dim = scene.places.shape[1]
    frames = np.linalg.qr(_random_matrices(len(scene), dim)[points])[0]
    return frames @ axes(scene.ground.features, scene.tangents, points, dim)


@lru_cache(maxsize=1)
def _random_matrices(n_points: int, dim: int) -> DoubleArray:
    return np.random.default_rng(0).normal(size=(n_points, dim, dim))


def draw_arrows(kind: Arrows, scene: Scene, points: IntArray, k: int) -> tuple[DoubleArray, Moments]:
    """Arrows fitted to all k nearest on the map, and the moments they were fitted to."""
    moments = scene.moments(scene.nearest_on_map(points, k))
    return kind(scene, points, moments, None), moments


def fidelity(kind: Arrows, scene: Scene, points: IntArray, k: int) -> DoubleArray:
    """The cosine between predicted and true changes of features among the k nearest on the map, cross-fitted.

    The k are halved, every second one in the order of distance; what is fitted to one half is scored on the other.
    One neighbour alone has no other half, and nothing is known of any arrows.
    """
    if k < 2:
        return np.zeros(len(points))
    near = scene.nearest_on_map(points, k)
    halves = near[:, ::2], near[:, 1::2]
    scores = np.zeros(len(points))
    for fitted, scored in (halves, halves[::-1]):
        arrows = kind(scene, points, scene.moments(fitted), list(scored))
        scores += scene.moments(scored).cosines(arrows) / 2
    return scores
