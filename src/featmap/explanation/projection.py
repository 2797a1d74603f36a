"""Slopes of features within the tangent spaces around a point: H = mean of V Vᵀ G.

The tangent space of a few rows is noisy. Projections onto several can be averaged without aligning their bases, so H
is the mean over the spaces of the point and of the neighbours that made its own.
"""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import dense_rows
from ..kernels.tangents import local_axes
from ..tangents.axes import axes
from ..tangents.svd import count_dimensions, local_svds
from ..values import DoubleArray, FloatArray, IntArray, Tangents
from .points import Points

BYTES_OF_TANGENTS = 2**25  # held at a time while projections onto tangent spaces are added up


def within_tangents(
    slopes: DoubleArray, points: Points, chosen: IntArray, left_out: list[IntArray] | None
) -> DoubleArray:
    """Σ V Vᵀ G_i/(k + 1) over the tangent spaces of each point and of its k neighbours: (points, rows of G, n).

    With ``left_out`` the spaces are made again without these rows.
    """
    inside = within_space(slopes, points)
    if left_out is None:
        return in_features(_within_spaces(inside, points, chosen), points)
    parts = [_within_spaces_without(*one, points) for one in zip(inside, chosen, left_out, strict=True)]
    return in_features(np.array(parts).reshape(inside.shape), points)


def within_space(slopes: DoubleArray, points: Points) -> DoubleArray:
    """Slopes of the features as those of the space of tangents, Gᵀ B: (points, d', q)."""
    components = points.mapped.manifold.components
    return slopes if components is None else slopes @ components.directions


def in_features(arrows: DoubleArray, points: Points) -> DoubleArray:
    """Arrows in the space of tangents as arrows of the features: (points, d', n)."""
    components = points.mapped.manifold.components
    return arrows if components is None else arrows @ components.directions.T


def _within_spaces(slopes: DoubleArray, points: Points, chosen: IntArray) -> DoubleArray:
    space, least = points.mapped.space, points.embedding.shape[1]
    near, has_edge = points.tangents.neighbors[chosen], points.has_edge[chosen]
    own = np.ones((len(chosen), 1), bool)
    total = _projected(slopes, space, points.tangents, chosen[:, None], own, least)
    n_axes = max(least, points.mapped.tangents.intrinsic_dim[near].max(initial=1))
    n_parts = -(-near.size * int(n_axes) * space.shape[1] * 8 // BYTES_OF_TANGENTS)
    for columns in np.array_split(np.arange(near.shape[1]), min(n_parts, near.shape[1])):
        part, counted = near[:, columns], has_edge[:, columns]
        total += _projected(slopes, space, points.mapped.tangents, part, counted, least)
    return total / (has_edge.sum(axis=1) + 1)[:, None, None]


def _projected(
    slopes: DoubleArray, data: ScaledData, tangents: Tangents, centers: IntArray, counted: np.ndarray, n_least: int
) -> DoubleArray:
    """Σ V Vᵀ G over the tangent spaces of those centers of each point that are counted: (points, rows of G, n).

    Each takes part with its intrinsic dimension, and at least with as many directions as the map has.
    """
    n_axes = np.maximum(tangents.intrinsic_dim[centers], n_least)
    V = axes(data, tangents, centers.ravel(), int(n_axes.max(initial=1)))
    V = V.reshape(*centers.shape, *V.shape[1:]).astype(np.float64)
    V[np.arange(V.shape[2]) >= n_axes[..., None]] = 0
    V[~counted] = 0
    return (slopes[:, None] @ np.swapaxes(V, -1, -2) @ V).sum(axis=1)


def _within_spaces_without(slopes: DoubleArray, point: int, left_out: IntArray, points: Points) -> DoubleArray:
    """Of one point, with tangent spaces of its own and of the neighbours that are not left out: (rows of G, n)."""
    own, others = points.tangents, points.mapped.tangents
    near = own.neighbors[point][points.has_edge[point]]
    near = near[~np.isin(near, left_out)]
    V = _axes_without(
        points,
        np.concatenate([dense_rows(own.centers, [point]), points.mapped.space.rows(near)]),
        np.concatenate([own.neighbors[point][None], others.neighbors[near]]),
        np.concatenate([own.weights[point][None], others.weights[near]]).astype(np.float64),
        left_out,
    )
    return (slopes @ np.swapaxes(V, -1, -2) @ V).sum(axis=0) / len(V)


def _axes_without(
    points: Points, centers: FloatArray, neighbors: IntArray, weights: DoubleArray, left_out: IntArray
) -> DoubleArray:
    """Vᵀ of the tangent spaces at some centers, made without some rows: (centers, axes, n)."""
    manifold, least = points.mapped.manifold, points.embedding.shape[1]
    weights = np.where(np.isin(neighbors, left_out), 0.0, weights)
    factors, singular_values, _ = local_svds(manifold.space, centers, neighbors, weights, manifold.tangent_center)
    n_axes = np.maximum(count_dimensions(singular_values, manifold.intrinsic_dim), least)
    n_most = min(int(n_axes.max()), factors.shape[2])
    V = np.empty((len(centers), n_most, manifold.space.shape[1]), np.float32)
    table, positions = manifold.space.table(neighbors)
    local_axes(centers, table, positions, factors, V)
    V[np.arange(n_most) >= n_axes[:, None]] = 0
    return V.astype(np.float64)
