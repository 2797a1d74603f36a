"""The tangent spaces of points and of their neighbours, and the points' frames: what arrows are drawn through.

To draw arrows they are those of the fit. To score arrows they are made again without the rows that are scored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from ..data.sparse import dense_rows, stacked
from ..run import Body
from ..tangents.svd import count_dimensions, local_svds
from ..values import DoubleArray, IntArray, Tangents
from .points import Points

# What calls a body for every block of rows, as `Run.by_blocks` does.
ByBlocks = Callable[[int, Body, int], tuple[np.ndarray, ...]]


class TangentSpaces(NamedTuple):
    """Some tangent spaces by the rows that they are made of: V Vᵀ = Xᵀ B X, with X these rows minus any point.

    If the center is a new point, it is these rows minus that point.
    """

    members: IntArray  # (spaces, 1 + k) rows of the data: the center and its neighbours
    pairs: DoubleArray  # (spaces, 1 + k, 1 + k) B

    def of(self, chosen: IntArray) -> TangentSpaces:
        return TangentSpaces(self.members[chosen], self.pairs[chosen])


class Spaces(Protocol):
    """The tangent spaces around some points, and the points' frames."""

    @property
    def points(self) -> Points:
        """The points of which some are chosen."""

    @property
    def chosen(self) -> IntArray:
        """The points that the spaces are around."""

    @property
    def numbers(self) -> IntArray:
        """The spaces of each point and of its neighbours among those that are held, −1 for none: (points, 1 + k)."""

    @property
    def held(self) -> TangentSpaces:
        """The spaces that are numbered. They are made when they are first needed."""

    @property
    def frames(self) -> DoubleArray:
        """The frame of each point: (points, d', d')."""


def in_turn(n_rows: int, body: Body, block: int) -> tuple[np.ndarray, ...]:
    """The arrays that ``body(start, stop)`` returns for every block of rows, joined."""
    parts = [body(start, min(start + block, n_rows)) for start in range(0, max(n_rows, 1), block)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


@dataclass(frozen=True)
class SpacesOfFit:
    """The tangent spaces of the fit. A space that several points have in common is made once."""

    points: Points
    chosen: IntArray
    by_blocks: ByBlocks = in_turn

    @property
    def numbers(self) -> IntArray:
        return self._found[0]

    @cached_property
    def held(self) -> TangentSpaces:
        centers = self._found[1]

        def of_block(start: int, stop: int) -> tuple[DoubleArray]:
            here = slice(start, stop)
            factors, _ = centers.factors(here, centers.weights[here])
            return (centers.pairs(here, factors, centers.intrinsic_dim[here]),)

        return TangentSpaces(centers.members, *self.by_blocks(len(centers), of_block, centers.at_once))

    @property
    def frames(self) -> DoubleArray:
        return self.points.frames.axes[self.chosen].astype(np.float64)

    @cached_property
    def _found(self) -> tuple[IntArray, Centers]:
        of_each = centers_around(self.points, self.chosen)
        is_counted = of_each >= 0
        distinct, numbers = np.unique(of_each[is_counted], return_inverse=True)
        return _spread(numbers, is_counted), Centers(self.points, distinct)


@dataclass(frozen=True)
class PartOfSpaces:
    """A view of some points. The spaces are computed once for all points and shared."""

    whole: SpacesOfFit
    part: slice

    @property
    def points(self) -> Points:
        return self.whole.points

    @property
    def chosen(self) -> IntArray:
        return self.whole.chosen[self.part]

    @property
    def numbers(self) -> IntArray:
        return self.whole.numbers[self.part]

    @property
    def held(self) -> TangentSpaces:
        return self.whole.held

    @property
    def frames(self) -> DoubleArray:
        return self.whole.frames[self.part]


@dataclass(frozen=True)
class SpacesWithout:
    """Tangent spaces computed without the rows that are left out, which differ from point to point."""

    points: Points
    chosen: IntArray
    left_out: list[IntArray]  # rows of the data, for each point

    @property
    def numbers(self) -> IntArray:
        return self._found[0]

    @cached_property
    def held(self) -> TangentSpaces:
        _, centers, owners = self._found

        def of_block(start: int, stop: int) -> tuple[DoubleArray]:
            here = slice(start, stop)
            is_left_out = self._is_left_out(owners[here], centers.neighbors[here])
            factors, sigma = centers.factors(here, np.where(is_left_out, 0.0, centers.weights[here]))
            n_axes = count_dimensions(sigma, self.points.mapped.manifold.intrinsic_dim)
            return (centers.pairs(here, factors, n_axes),)

        return TangentSpaces(centers.members, *in_turn(len(centers), of_block, centers.at_once))

    @property
    def frames(self) -> DoubleArray:
        dim, pairs = self.points.embedding.shape[1], zip(self.chosen, self.left_out, strict=True)
        return np.array([self.points.frame_without(*pair) for pair in pairs]).reshape(-1, dim, dim)

    @cached_property
    def _found(self) -> tuple[IntArray, Centers, IntArray]:
        """The numbers, the centers, and which of the chosen points each of the spaces belongs to."""
        of_each = centers_around(self.points, self.chosen)
        is_counted = of_each >= 0
        of_points = np.arange(len(of_each), dtype=np.int32)
        is_counted[:, 1:] &= ~self._is_left_out(of_points, of_each[:, 1:])
        order = np.argsort(of_each[is_counted], kind="stable")
        owners = np.repeat(of_points, is_counted.sum(axis=1))
        centers = Centers(self.points, of_each[is_counted][order])
        return _spread(np.argsort(order), is_counted), centers, owners[order]

    def _is_left_out(self, owners: IntArray, rows: IntArray) -> np.ndarray:
        """Which rows are left out for the point that owns their line."""
        return np.isin(self._pairs(owners[:, None], rows), self._left_out_pairs)

    @cached_property
    def _left_out_pairs(self) -> np.ndarray:
        pairs = [self._pairs(np.array(point), rows) for point, rows in enumerate(self.left_out)]
        return np.concatenate([np.empty(0, np.int64), *pairs])

    def _pairs(self, points: np.ndarray, rows: IntArray) -> np.ndarray:
        """One number for a point and a row."""
        return points.astype(np.int64) * len(self.points.mapped.embedding) + rows


def centers_around(points: Points, chosen: IntArray) -> IntArray:
    """The centers of the spaces of each point and of its neighbours, −1 for none: (points, 1 + k).

    They are rows of the data; a new point is numbered after all rows.
    """
    own, n_rows = points.rows[chosen], len(points.mapped.embedding)
    near = np.where(points.has_edge[chosen], points.tangents.neighbors[chosen], -1)
    return np.column_stack([np.where(own >= 0, own, n_rows + chosen), near])


def _spread(numbers: np.ndarray, is_counted: np.ndarray) -> IntArray:
    """Numbers at the places that are counted, −1 elsewhere."""
    spread = np.full(is_counted.shape, -1, np.int32)
    spread[is_counted] = numbers
    return spread


@dataclass(frozen=True)
class Centers:
    """Where some tangent spaces are, and what they are made of."""

    points: Points
    numbers: IntArray  # (spaces,) those of `centers_around`, in rising order

    @cached_property
    def rows(self) -> IntArray:
        """The row of the data at each, −1 for a new point: (spaces,)."""
        return np.where(self.numbers < len(self.points.mapped.embedding), self.numbers, -1)

    @cached_property
    def neighbors(self) -> IntArray:
        """(spaces, k) rows of the data."""
        return np.concatenate([tangents.neighbors[chosen] for tangents, chosen in self._parts()])

    @cached_property
    def weights(self) -> DoubleArray:
        """(spaces, k) those of the neighbours."""
        return np.concatenate([tangents.weights[chosen] for tangents, chosen in self._parts()]).astype(np.float64)

    @cached_property
    def intrinsic_dim(self) -> IntArray:
        """(spaces,) in the fit."""
        return np.concatenate([tangents.intrinsic_dim[chosen] for tangents, chosen in self._parts()])

    def _parts(self, here: slice = slice(None)) -> list[tuple[Tangents, IntArray]]:
        """Rows of the data, and after them new points, each with the tangents that know them."""
        numbers, n_rows = self.numbers[here], len(self.points.mapped.embedding)
        of_rows, of_points = self.points.mapped.tangents, self.points.tangents
        return [(of_rows, numbers[numbers < n_rows]), (of_points, numbers[numbers >= n_rows] - n_rows)]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def at_once(self) -> int:
        """How many spaces to make at a time, so that their rows stay in cache."""
        return self.points.mapped.space.rows_per_block(self.neighbors.shape[1])

    @property
    def members(self) -> IntArray:
        """The rows that the spaces are made of; a new point is no row, and a neighbour stands at its place."""
        return np.column_stack([np.where(self.rows >= 0, self.rows, self.neighbors[:, 0]), self.neighbors])

    def factors(self, here: slice, weights: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """F and σ of some of the spaces, with these weights of the neighbours: V = Xᵀ F."""
        manifold = self.points.mapped.manifold
        centers = dense_rows(stacked([tangents.centers[chosen] for tangents, chosen in self._parts(here)]))
        return local_svds(manifold.space, centers, self.neighbors[here], weights, manifold.tangent_center)

    def pairs(self, here: slice, factors: DoubleArray, n_axes: IntArray) -> DoubleArray:
        """B = F Fᵀ of some spaces, with the center as the first row, whose factor is minus the sum of the others.

        Each space takes part with its intrinsic dimension, and at least with as many directions as the map has. A new
        point is measured from itself, so it has no part.
        """
        is_counted = np.arange(factors.shape[2]) < np.maximum(n_axes, self.points.embedding.shape[1])[:, None]
        factors = np.where(is_counted[:, None], factors, 0.0)
        of_center = np.where(self.rows[here, None] >= 0, -factors.sum(axis=1), 0.0)
        factors = np.concatenate([of_center[:, None], factors], axis=1)
        return factors @ factors.transpose(0, 2, 1)
