"""Which arrows beat chance: a test of each feature around a point.

A feature that has nothing to do with the map still has a slope on it. Under independence the R² of a regression on d'
coordinates among K rows has a beta distribution, which gives a p-value; the Benjamini–Hochberg procedure over the
features of a point keeps false arrows rare. Ranks are tested instead of values, since
counts of genes are too heavy-tailed for that distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betainc
from scipy.stats import false_discovery_control, rankdata

from ..values import DoubleArray, IntArray
from .neighborhoods import Neighborhoods
from .points import Points
from .regression import FLAT


def beats_chance(points: Points, chosen: IntArray, around: Neighborhoods, rate: float) -> np.ndarray:
    """Which features have a slope on the map around each point, at a false discovery rate: (chosen, n)."""
    p_values = arrow_p_values(points, chosen, around)
    return np.array([false_discovery_control(row) <= rate for row in p_values]).reshape(p_values.shape)


def feature_beats_chance(
    points: Points, chosen: IntArray, around: Neighborhoods, feature: int, rate: float
) -> np.ndarray:
    """Around which points one feature has a slope on the map, at a false discovery rate over points: (chosen,)."""
    return false_discovery_control(arrow_p_values(points, chosen, around, [feature])[:, 0]) <= rate


def arrow_p_values(
    points: Points, chosen: IntArray, around: Neighborhoods, features: Sequence[int] | slice = slice(None)
) -> DoubleArray:
    """p = I_{1−R²}((K_eff − d' − 1)/2, d'/2) of some features, with R² that of their ranks: (chosen, features).

    It is 1 where a feature does not vary, where there are no more rows than a regression needs, and for points
    without edges.
    """
    dim = points.embedding.shape[1]
    p_values = np.ones((len(chosen), len(np.arange(points.mapped.data.shape[1])[features])))
    n_effective = around.n_effective
    for number, point in enumerate(chosen):
        spare = (n_effective[number] - dim - 1) / 2
        if spare > 0 and points.is_connected[point]:
            explained = _explained_ranks(around, number, features)
            p_values[number] = betainc(spare, dim / 2, 1 - explained)
    return p_values


def _explained_ranks(around: Neighborhoods, number: int, features: Sequence[int] | slice) -> DoubleArray:
    """The weighted R² of the ranks of some features among the rows around one point: (features,)."""
    counted = around.weights[number] > 0
    rows, weights = around.near[number, counted], around.weights[number, counted]
    ranks = rankdata(around.mapped.data.rows(rows)[:, features], axis=0)
    ranks -= weights @ ranks
    places = around.mapped.embedding[rows].astype(np.float64)
    places -= weights @ places
    weighted = weights[:, None] * places
    products = weighted.T @ ranks
    slopes = np.linalg.pinv(weighted.T @ places, rcond=FLAT, hermitian=True) @ products
    fitted, spreads = (slopes * products).sum(axis=0), weights @ ranks**2
    return np.divide(fitted, spreads, out=np.zeros_like(fitted), where=spreads > 0).clip(0, 1)
