"""How well terms of the map agree with those of the data, and the slopes of that agreement.

C(t°, t^e) = ½ Corr(t°, t^e) + ½ Corr(A t°, A t^e): half of it is of the terms themselves, half of their averages over
the graph, A = D⁻¹P. The radius of one point is noisy, and a correlation of single radii moves points to fit noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.layout import sum_over_edges
from ..run import Run
from ..values import DoubleArray
from .edges import Edges
from .radii import ShiftedCorrelation


@dataclass(frozen=True)
class Averages:
    """A = D⁻¹P over the points that have neighbours. A point without edges to such points is its own average."""

    edges: Edges
    inverse_degrees: DoubleArray
    alone: DoubleArray  # 1 for points that are their own average

    @classmethod
    def over(cls, edges: Edges, run: Run) -> Averages:
        degrees = _sums(edges.has_neighbors[None].astype(np.float32), edges, run)[0]
        inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
        return cls(edges, inverse, (degrees == 0).astype(np.float64))

    def of(self, terms: DoubleArray, run: Run) -> DoubleArray:
        """A t, one row for each term. Terms of points without neighbours must be zero."""
        return self.inverse_degrees * _sums(terms, self.edges, run) + self.alone * terms

    def slopes(self, slopes: DoubleArray, run: Run) -> DoubleArray:
        """Aᵀτ: the slopes by the terms, from those by their averages."""
        return _sums(self.inverse_degrees * slopes, self.edges, run) + self.alone * slopes


def _sums(values: DoubleArray, edges: Edges, run: Run) -> DoubleArray:
    """Σ_j P_ij values_j, one row for each row of values."""
    single, sums = np.asarray(values, np.float32), np.empty(values.shape)
    run.over_rows(values.shape[1], lambda start, stop: sum_over_edges(single, edges.slots, start, stop, sums))
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
        terms = np.where(self._counted, terms, 0.0)
        averages = self.averages.of(terms, run)
        return (self._correlation(self.data, terms).value + self._correlation(self.data_averages, averages).value) / 2

    def slopes(self, terms: DoubleArray, run: Run) -> DoubleArray:
        """∂C/∂t of each term at each point: (terms, m)."""
        terms = np.where(self._counted, terms, 0.0)
        of_averages = self._slopes(self.data_averages, self.averages.of(terms, run))
        return (self._slopes(self.data, terms) + self.averages.slopes(of_averages, run)) / 2

    def _slopes(self, data: DoubleArray, on_map: DoubleArray) -> DoubleArray:
        correlation = self._correlation(data, on_map)
        along, against, mean = (part[:, None] for part in (correlation.along, correlation.against, correlation.mean))
        return np.where(self._counted, along * data - against * (on_map - mean), 0.0)

    def _correlation(self, data: DoubleArray, on_map: DoubleArray) -> ShiftedCorrelation:
        if self._counted.all():
            return ShiftedCorrelation.between(data, on_map)
        return ShiftedCorrelation.between(data[:, self._counted], on_map[:, self._counted])

    @property
    def _counted(self) -> NDArray[np.bool_]:
        return self.averages.edges.has_neighbors


def _centered(terms: DoubleArray, counted: NDArray[np.bool_]) -> DoubleArray:
    return terms - terms[:, counted].mean(axis=1, keepdims=True)
