"""The rows around points of a map that arrows are fitted to, with their weights; and how they are halved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..values import DoubleArray, IntArray
from .points import MappedData, Points
from .regression import Moments
from .walk import walk_weights


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

    @cached_property
    def moments(self) -> Moments:
        return Moments.around(self.mapped.data, self.mapped.embedding, self.near, self.weights)

    @cached_property
    def halves(self) -> tuple[Neighborhoods, Neighborhoods]:
        """Every second unit of those with weight, in the order of distance, and the others."""
        sides = np.array([_sides(*row) for row in zip(self.weights > 0, self.units, strict=True)]).reshape(
            self.near.shape
        )
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


def _sides(has_weight: np.ndarray, units: IntArray) -> np.ndarray:
    """0 or 1 for each row of a neighbourhood that has weight, alternating from unit to unit; −1 for the others."""
    sides = np.full(len(units), -1)
    first_of_unit, unit_of_row = np.unique(units[has_weight], return_index=True, return_inverse=True)[1:]
    sides[has_weight] = np.argsort(np.argsort(first_of_unit))[unit_of_row] % 2
    return sides


def _sum_of_squares(weights: DoubleArray, units: IntArray) -> float:
    _, unit_of_row = np.unique(units, return_inverse=True)
    return float((np.bincount(unit_of_row, weights) ** 2).sum())
