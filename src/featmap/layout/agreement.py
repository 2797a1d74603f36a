"""How well terms of the map agree with those of the data, and the slopes of that agreement.

C(t°, t^e) = ½ Corr(t°, t^e) + ½ Corr(A t°, A t^e): half of it is of the terms themselves, half of their averages over
the graph, A = D⁻¹P. The radius of one point is noisy, and a correlation of single radii moves points to fit noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..kernels.layout import sum_over_edges
from ..run import Run
from ..values import DoubleArray
from .edges import Edges
from .radii import ShiftedCorrelation

POINTS_AT_ONCE = 8192  # whose numbers numpy adds and multiplies at once: small enough for the cache


@dataclass(frozen=True)
class Averages:
    """A = D⁻¹P over the points that have neighbours. A point without edges to such points is its own average."""

    edges: Edges
    inverse_degrees: DoubleArray
    alone: NDArray[np.intp]  # points that are their own average

    @classmethod
    def over(cls, edges: Edges, run: Run) -> Averages:
        degrees = _sums(edges.has_neighbors[None].astype(np.float32), edges, run)[0]
        inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
        return cls(edges, inverse, np.flatnonzero(degrees == 0))

    def of(self, terms: DoubleArray, run: Run) -> DoubleArray:
        """A t, one row for each term. Terms of points without neighbours must be zero."""
        averages = _sums(terms, self.edges, run)
        averages *= self.inverse_degrees
        averages[:, self.alone] += terms[:, self.alone]
        return averages

    def slopes(self, slopes: DoubleArray, run: Run) -> DoubleArray:
        """Aᵀτ: the slopes by the terms, from those by their averages."""
        sums = _sums(self.inverse_degrees * slopes, self.edges, run)
        sums[:, self.alone] += slopes[:, self.alone]
        return sums


def _sums(values: DoubleArray, edges: Edges, run: Run) -> DoubleArray:
    """Σ_j P_ij values_j, one row for each row of values."""
    n_rows, n_points = values.shape
    pairs, weights = np.zeros((-(-n_rows // 2), n_points, 2), np.float32), edges.graph.weights
    sums_of_pairs, sums = np.empty_like(pairs), np.empty((n_rows, n_points))

    def pair(start: int, stop: int) -> None:
        for number, row in enumerate(values):
            pairs[number // 2, start:stop, number % 2] = row[start:stop]

    def add(start: int, stop: int) -> None:
        sum_over_edges(pairs, weights.indptr, weights.indices, weights.data, start, stop, sums_of_pairs)
        for number, row in enumerate(sums):
            row[start:stop] = sums_of_pairs[number // 2, start:stop, number % 2]

    run.over_rows(n_points, pair, POINTS_AT_ONCE)
    run.over_rows(n_points, add, POINTS_AT_ONCE)
    return sums


@dataclass(frozen=True)
class Agreement:
    """C of each term with that of the data. Points without neighbours have no part in it."""

    averages: Averages
    data: DoubleArray  # (terms, m) those of the data, centred
    data_averages: DoubleArray  # (terms, m) their averages, centred

    @classmethod
    def with_data(cls, terms: DoubleArray, edges: Edges, run: Run) -> Agreement:
        averages, counted = Averages.over(edges, run), edges.has_neighbors
        terms = np.where(counted, terms, 0.0)
        return cls(averages, _centered(terms, counted), _centered(averages.of(terms, run), counted))

    def value(self, terms: DoubleArray, run: Run) -> DoubleArray:
        """C of each term of the map: (terms,)."""
        terms = self._without_others(terms)
        averages = self.averages.of(terms, run)
        return (self._correlation(self.data, terms).value + self._correlation(self.data_averages, averages).value) / 2

    def slopes(self, terms: DoubleArray, run: Run) -> DoubleArray:
        """∂C/∂t of each term at each point: (terms, m)."""
        terms = self._without_others(terms)
        of_averages = self._half_slopes(self.data_averages, self.averages.of(terms, run), run)
        slopes = self._half_slopes(self.data, terms, run)
        del terms  # memory: it is not needed while the slopes of averages are made
        slopes += self.averages.slopes(of_averages, run)
        return slopes

    def _half_slopes(self, data: DoubleArray, on_map: DoubleArray, run: Run) -> DoubleArray:
        """½ ∂Corr/∂t."""
        correlation = self._correlation(data, on_map)
        along, against, mean = (part[:, None] for part in (correlation.along, correlation.against, correlation.mean))
        slopes = np.empty(data.shape)

        def task(start: int, stop: int) -> None:
            here = slice(start, stop)
            slopes[:, here] = data[:, here] * (along / 2) - (on_map[:, here] - mean) * (against / 2)

        run.over_rows(data.shape[1], task, POINTS_AT_ONCE)
        return self._without_others(slopes)

    def _without_others(self, values: DoubleArray) -> DoubleArray:
        """Zeros for points without neighbours."""
        return values if self._count_all else np.where(self._counted, values, 0.0)

    def _correlation(self, data: DoubleArray, on_map: DoubleArray) -> ShiftedCorrelation:
        if self._count_all:
            return ShiftedCorrelation.between(data, on_map)
        return ShiftedCorrelation.between(data[:, self._counted], on_map[:, self._counted])

    @property
    def _counted(self) -> NDArray[np.bool_]:
        return self.averages.edges.has_neighbors

    @cached_property
    def _count_all(self) -> bool:
        return bool(self._counted.all())


def _centered(terms: DoubleArray, counted: NDArray[np.bool_]) -> DoubleArray:
    return terms - terms[:, counted].mean(axis=1, keepdims=True)
