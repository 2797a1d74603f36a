"""Pearson's correlation of log radii along each direction, and its slopes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import DoubleArray

LEAST_VARIANCE = 1e-12  # of log radii. Those that are all equal have no correlation but for rounding


@dataclass(frozen=True)
class Correlation:
    """Corr(r°_l, r^e_l) = Cov/(Var° Var^e)^½ for every direction l, with the statistics that the slopes need.

    It is 0, with slopes of 0, along a direction in which all radii of the data or of the map are equal.
    """

    data: DoubleArray  # (m, d') r°, centred
    on_map: DoubleArray  # (m, d') r^e, centred
    covariance: DoubleArray  # (d',)
    data_variance: DoubleArray  # (d',)
    map_variance: DoubleArray  # (d',)

    @classmethod
    def between(cls, data: DoubleArray, on_map: DoubleArray) -> Correlation:
        """The correlation of the log radii of the data and of the map, both of shape (m, d')."""
        data, on_map, freedom = data - data.mean(axis=0), on_map - on_map.mean(axis=0), len(data) - 1
        products = (data * on_map, data * data, on_map * on_map)
        return cls(data, on_map, *(product.sum(axis=0) / freedom for product in products))

    @property
    def values(self) -> DoubleArray:
        """The correlation along each direction: (d',)."""
        return self._defined * self.covariance / np.sqrt(self._data_variance * self._map_variance)

    @property
    def slopes(self) -> DoubleArray:
        """∂Corr_l/∂r^e_il = Var°^−½ [r°_i Var^e^−½ − Cov (r^e_i − μ^e) Var^e^−3/2]/(m − 1): (m, d')."""
        along = self.data / np.sqrt(self._map_variance)
        against = self.on_map * self.covariance / self._map_variance**1.5
        return self._defined * (along - against) / np.sqrt(self._data_variance) / (len(self.data) - 1)

    @property
    def _defined(self) -> np.ndarray:
        return (self.data_variance > LEAST_VARIANCE) & (self.map_variance > LEAST_VARIANCE)

    @property
    def _data_variance(self) -> DoubleArray:
        return np.where(self._defined, self.data_variance, 1.0)

    @property
    def _map_variance(self) -> DoubleArray:
        return np.where(self._defined, self.map_variance, 1.0)
