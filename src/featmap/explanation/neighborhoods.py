"""The rows around points of a map that arrows are fitted to, with their weights; and how they are halved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..kernels.neighborhoods import take_turns
from ..values import DoubleArray, FloatArray, IntArray
from .points import MappedData, Points
from .regression import Moments
from .walk import walk_weights

N_HALVES = 2


@dataclass(frozen=True)
class RowsAround:
    """Which rows are near some points. Sparse ones are made dense once, for all sums over them or over halves."""

    mapped: MappedData
    near: IntArray  # (points, k)

    @cached_property
    def table(self) -> tuple[ScaledData, FloatArray, IntArray]:
        """Dense data, their embedding, and the numbers of the rows among them: (points, k)."""
        data, embedding = self.mapped.data, self.mapped.embedding
        if not isinstance(data.matrix, SparseRows):
            return data, embedding, self.near
        rows, numbers = np.unique(self.near, return_inverse=True)
        table = replace(data, matrix=data.rows(rows), lengths=None)
        return table, embedding[rows], numbers.reshape(self.near.shape).astype(np.int32)


@dataclass(frozen=True)
class Neighborhoods:
    """Rows near some points on the map, in the order of distance. Weights of a point sum to 1, or are all 0."""

    rows: RowsAround
    weights: DoubleArray  # (points, k)
    units: IntArray  # (points, k) rows of one unit depend on each other and stay together, see `dependence`

    @property
    def mapped(self) -> MappedData:
        return self.rows.mapped

    @property
    def near(self) -> IntArray:
        """The rows of the data that are near: (points, k)."""
        return self.rows.near

    @classmethod
    def around(cls, points: Points, chosen: IntArray, k: int, units: IntArray) -> Neighborhoods:
        """The k nearest on the map of each point, weighted by a walk on the graph. Units are those of all rows."""
        near = points.nearest_on_map(chosen, k)
        return cls(RowsAround(points.mapped, near), _to_one(walk_weights(points, chosen, near)), units[near])

    def __getitem__(self, part: slice) -> Neighborhoods:
        """The neighbourhoods of some of the points."""
        return Neighborhoods(RowsAround(self.mapped, self.near[part]), self.weights[part], self.units[part])

    @cached_property
    def moments(self) -> Moments:
        return Moments(*self.rows.table, self.weights)

    @cached_property
    def moments_of_halves(self) -> Moments:
        """The moments of both halves of the rows around each point, point after point."""
        parts = np.stack([half.weights for half in self.halves], axis=1)
        data, embedding, near = self.rows.table
        near = np.repeat(near, N_HALVES, axis=0)
        return Moments(data, embedding, near, parts.reshape(near.shape))

    @cached_property
    def halves(self) -> tuple[Neighborhoods, Neighborhoods]:
        """Every second unit of those with weight, in the order of distance, and the others."""
        sides = np.empty(self.near.shape, np.int8)
        take_turns(self.weights, self.units, int(self.units.max(initial=-1)) + 1, sides)
        first, second = (replace(self, weights=_to_one(np.where(sides == side, self.weights, 0))) for side in (0, 1))
        return first, second

    @property
    def parts_of_halves(self) -> DoubleArray:
        """How much of the weights of each point either half has: (points, 2)."""
        return np.stack([np.where(half.weights > 0, self.weights, 0.0).sum(axis=1) for half in self.halves], axis=1)

    @property
    def rows_with_weight(self) -> list[IntArray]:
        """The rows that count, for each point."""
        return [near[weights > 0] for near, weights in zip(self.near, self.weights, strict=True)]

    @property
    def n_effective(self) -> DoubleArray:
        """K_eff = 1/Σ w² of each point, where the units of dependent rows count once; 0 without weights."""
        squares = np.array([_sum_of_squares(*row) for row in zip(self.weights, self.units, strict=True)])
        return np.divide(1.0, squares, out=np.zeros(len(squares)), where=squares > 0)


def cross_fitted(around: Neighborhoods, score: Callable[[Neighborhoods, Neighborhoods], DoubleArray]) -> DoubleArray:
    """The mean of ``score(fitted, scored)`` with each half fitted once and scored once."""
    first, second = around.halves
    return (score(first, second) + score(second, first)) / 2


def _to_one(weights: DoubleArray) -> DoubleArray:
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def _sum_of_squares(weights: DoubleArray, units: IntArray) -> float:
    _, unit_of_row = np.unique(units, return_inverse=True)
    return float((np.bincount(unit_of_row, weights) ** 2).sum())
