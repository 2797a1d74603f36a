"""Slopes of features within the tangent spaces around a point: H = P G, P the mean of V Vᵀ.

The tangent space of a few rows is noisy. Projections onto several can be averaged without aligning their bases, so P
is the mean over the spaces of the point and of the neighbours that made its own.
"""

from __future__ import annotations

import numpy as np

from ..data.sparse import dense_rows
from ..kernels.products import TILE
from ..kernels.projection import project_lines, room_for_projection
from ..values import DoubleArray, IntArray
from .points import Points
from .spaces import Spaces, TangentSpaces


def within_tangents(slopes: DoubleArray, spaces: Spaces) -> DoubleArray:
    """H = G P of each point: (points, d', n)."""
    same = np.broadcast_to(np.eye(slopes.shape[1]), (len(slopes), slopes.shape[1], slopes.shape[1]))
    return projections(slopes, same, spaces)[1]


def projections(lines: DoubleArray, mixes: DoubleArray, spaces: Spaces) -> tuple[DoubleArray, DoubleArray]:
    """L P Lᵀ and M L P of each point, for lines L and mixes M: (points, lines, lines) and (points, mixes, n)."""
    points, space, (n_points, n_lines, _) = spaces.points, spaces.points.mapped.space, lines.shape
    n_more = -n_lines % TILE
    inside, padded_mixes = _padded(within_space(lines, points), 1, n_more), _padded(mixes, 2, n_more)
    numbers, here = _among_used(spaces)
    table, members = space.table(here.members)
    products = np.empty((n_points, inside.shape[1], inside.shape[1]))
    projected = np.empty((n_points, mixes.shape[1], space.shape[1]))
    centers = dense_rows(points.tangents.centers, spaces.chosen)
    room = room_for_projection(table, numbers, members, inside, padded_mixes)
    project_lines(table, centers, numbers, members, here.pairs, inside, padded_mixes, room, products, projected)
    return products[:, :n_lines, :n_lines], in_features(projected, points)


def _padded(lines: DoubleArray, axis: int, n_more: int) -> DoubleArray:
    """The lines with ``n_more`` zeros appended along an axis, contiguous."""
    widths = [(0, n_more if number == axis else 0) for number in range(lines.ndim)]
    return np.ascontiguousarray(np.pad(lines, widths) if n_more else lines)


def _among_used(spaces: Spaces) -> tuple[IntArray, TangentSpaces]:
    """The spaces around the points, and their numbers among these; −1 stays −1."""
    used, numbers = np.unique(np.append(spaces.numbers, np.int32(-1)), return_inverse=True)
    numbers = numbers[:-1].reshape(spaces.numbers.shape).astype(np.int32)
    return numbers - np.int32(1), spaces.held.of(used[1:])


def within_space(slopes: DoubleArray, points: Points) -> DoubleArray:
    """Slopes of the features as those of the space of tangents, Gᵀ B: (points, d', q)."""
    components = points.mapped.manifold.components
    return slopes if components is None else slopes @ components.directions


def in_features(arrows: DoubleArray, points: Points) -> DoubleArray:
    """Arrows in the space of tangents as arrows of the features: (points, d', n)."""
    components = points.mapped.manifold.components
    return arrows if components is None else arrows @ components.directions.T
