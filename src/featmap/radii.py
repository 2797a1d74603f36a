"""Radii of point clouds as logarithms, and how well two sets of them agree."""

from __future__ import annotations

import numpy as np

from .values import DoubleArray

# Logs are of R + this part of the median R, so that a radius of zero has one too.
FLOOR = 1e-3
# Keeps the slopes of the correlation finite while all radii of the map are equal.
VARIANCE_SHIFT = 0.1


def radius_floor(radii: DoubleArray) -> DoubleArray:
    """ε of every direction, relative to the median R (to 1 where that is zero)."""
    median = np.median(radii, axis=0)
    return FLOOR * np.where(median > 0, median, 1.0)


def log_radii(radii: DoubleArray) -> DoubleArray:
    """r = log(R + ε)."""
    return np.log(radii + radius_floor(radii))


def correlation(first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Pearson's correlation of each pair of columns; 0 where one of them is constant."""
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    sizes = np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0))
    return np.divide((a * b).sum(axis=0), sizes, out=np.zeros(a.shape[1]), where=sizes > 0)


def shifted_correlation(data: DoubleArray, on_map: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Corr = Cov/(S_o S_e) with S_e² = Var + 0.1, per direction (row), and its slopes ∂Corr_l/∂r_li.

    ∂Corr/∂r_i = [r°_i/(S_o S_e) − Cov (r^e_i − mean)/(S_o S_e³)]/(m − 1), r° centred. No force where r° is constant.
    """
    freedom = data.shape[1] - 1
    a = data - data.mean(axis=1, keepdims=True)
    b = on_map - on_map.mean(axis=1, keepdims=True)
    spread_data = np.sqrt(np.einsum("li,li->l", a, a) / freedom)
    spread_map = np.sqrt(np.einsum("li,li->l", b, b) / freedom + VARIANCE_SHIFT)
    covariance = np.einsum("li,li->l", a, b) / freedom
    inverse = np.divide(1.0, spread_data, out=np.zeros_like(spread_data), where=spread_data > 1e-6)
    a *= (inverse / spread_map / freedom)[:, None]
    b *= (inverse * covariance / spread_map**3 / freedom)[:, None]
    return inverse * covariance / spread_map, a - b
