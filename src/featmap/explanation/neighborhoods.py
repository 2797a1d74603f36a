"""The rows around points of a map that arrows are fitted to, with their weights; and how they are halved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..kernels.neighborhoods import take_turns
from ..values import DoubleArray, IntArray
from .points import MappedData, Points
from .regression import Moments
from .walk import walk_weights

N_PARTS = 3  # all rows around a point, and two halves of them


@dataclass(frozen=True)
class Neighborhoods:
    """Rows near some points on the map, in the order of distance. Weights of a point sum to 1, or are all 0."""

    mapped: MappedData
    near: IntArray  # (points, k)
    weights: DoubleArray  # (points, k)
    units: IntArray  # (points, k) rows of one unit depend on each other and stay together, see `dependence`

    @classmethod
    def around(cls, points: Points, chosen: IntArray, k: int, units: IntArray) -> Neighborhoods:
        """The k nearest on the map of each point, weighted by a walk on the graph. Units are those of all rows."""
        near = points.nearest_on_map(chosen, k)
        return cls(points.mapped, near, _to_one(walk_weights(points, chosen, near)), units[near])

    def __getitem__(self, part: slice) -> Neighborhoods:
        """Those of some of the points."""
        return Neighborhoods(self.mapped, self.near[part], self.weights[part], self.units[part])

    @cached_property
    def moments(self) -> Moments:
        return Moments(self.mapped.data, self.mapped.embedding, self.near, self.weights)

    @cached_property
    def moments_with_halves(self) -> Moments:
        """Those of all rows around each point, then of either half of them, then those of the next point."""
        parts = np.stack([self.weights, *(half.weights for half in self.halves)], axis=1)
        near = np.repeat(self.near, N_PARTS, axis=0)
        return Moments(self.mapped.data, self.mapped.embedding, near, parts.reshape(near.shape))

    @cached_property
    def halves(self) -> tuple[Neighborhoods, Neighborhoods]:
        """Every second unit of those with weight, in the order of distance, and the others."""
        sides = np.empty(self.near.shape, np.int8)
        take_turns(self.weights, self.units, int(self.units.max(initial=-1)) + 1, sides)
        first, second = (replace(self, weights=_to_one(np.where(sides == side, self.weights, 0))) for side in (0, 1))
        return first, second

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
