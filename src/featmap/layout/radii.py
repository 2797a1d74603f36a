"""Logarithms of local radii, and the correlation between those of the data and those of the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..values import DoubleArray, Radii

# The logarithm is of R plus this part of the median R, so that a radius of zero has one too.
FLOOR = 1e-3
# The median is of so many points, evenly taken, if there are more.
POINTS_FOR_MEDIAN = 10_000
# This keeps the slopes of the correlation finite while all radii of the map are equal.
VARIANCE_SHIFT = 0.1


def radius_floor(radii: DoubleArray, connected: NDArray[np.bool_]) -> DoubleArray:
    """ε of every direction: FLOOR times the median R of the connected points, or times 1 if that is zero."""
    counted = radii if connected.all() else radii[connected]
    if not len(counted):
        return np.full(radii.shape[1], FLOOR)
    sample = counted[:: -(-len(counted) // POINTS_FOR_MEDIAN)]
    middle = len(sample) // 2
    median = np.partition(sample, middle, axis=0)[middle]
    return FLOOR * np.where(median > 0, median, 1.0)


def log_radii(radii: DoubleArray, connected: NDArray[np.bool_]) -> DoubleArray:
    """r = log(R + ε)."""
    return np.log(radii + radius_floor(radii, connected))


def correlation(first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Pearson's correlation of each pair of columns. It is 0 if one of them is constant or there are no points."""
    if not len(first):
        return np.zeros(first.shape[1])
    first = first - first.mean(axis=0)  # the names are used again, so that what a caller has given up is freed
    second = second - second.mean(axis=0)
    sizes = np.sqrt((first * first).sum(axis=0) * (second * second).sum(axis=0))
    return np.divide((first * second).sum(axis=0), sizes, out=np.zeros(first.shape[1]), where=sizes > 0)


@dataclass(frozen=True)
class LogRadii:
    """r = log(R + ε) of all points, and the shape r_1 − r_2 of their neighbourhoods, about the neighbours' mean."""

    total: DoubleArray  # (m,)
    along: DoubleArray  # (m, d')
    shape: DoubleArray  # (m,) zero in one dimension

    @classmethod
    def of(cls, radii: Radii, counted: NDArray[np.bool_]) -> LogRadii:
        centered = log_radii(radii.centered, counted)
        shape = centered[:, 0] - centered[:, 1] if centered.shape[1] > 1 else np.zeros(len(centered))
        return cls(log_radii(radii.total[:, None], counted)[:, 0], log_radii(radii.along, counted), shape)

    def correlations(self, other: LogRadii, counted: NDArray[np.bool_]) -> tuple[float, DoubleArray, float]:
        """Correlations with other log radii over the counted points: total, along each direction, and of shape."""
        total, *along, shape = correlation(self._columns(counted), other._columns(counted))
        return float(total), np.array(along), float(shape)

    def _columns(self, counted: NDArray[np.bool_]) -> DoubleArray:
        return np.column_stack([self.total, self.along, self.shape])[counted]

    def mean_shape(self, counted: NDArray[np.bool_]) -> float:
        """The mean of r_1 − r_2 over the points that count; 0 if none does."""
        return float(self.shape[counted].mean()) if counted.any() else 0.0


@dataclass(frozen=True)
class ShiftedCorrelation:
    """Corr_l = Cov/(S_o S_e) with S_e² = Var + 0.1 for every direction l, and its slopes.

    ∂Corr_l/∂r_li = [r°_li/(S_o S_e) − Cov (r^e_li − mean)/(S_o S_e³)]/(m − 1), with r° centred, is kept as three
    numbers per direction: along·r°_li − against·(r^e_li − mean). If r° is constant, value, along and against are 0,
    and there is no force.
    """

    value: DoubleArray
    along: DoubleArray
    against: DoubleArray
    mean: DoubleArray

    @classmethod
    def between(cls, data: DoubleArray, on_map: DoubleArray) -> ShiftedCorrelation:
        """The correlation of log radii with one row per direction. Those of the data must be centred."""
        freedom = data.shape[1] - 1
        mean = on_map.mean(axis=1)
        # Logarithms on the map are small numbers around zero, so squares can be summed before the mean is subtracted.
        variance = np.maximum(np.einsum("li,li->l", on_map, on_map) / freedom - mean**2 * (1 + 1 / freedom), 0.0)
        spread_data = np.sqrt(np.einsum("li,li->l", data, data) / freedom)
        spread_map = np.sqrt(variance + VARIANCE_SHIFT)
        inverse = np.divide(1.0, spread_data, out=np.zeros_like(spread_data), where=spread_data > 1e-6)
        value = inverse * np.einsum("li,li->l", data, on_map) / freedom / spread_map
        return cls(value, inverse / spread_map / freedom, value / spread_map**2 / freedom, mean)
