"""Local regressions of the features on the map: X ~ Y around each point, over weighted rows near it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..data.scaling import ScaledData
from ..kernels.regression import local_moments
from ..values import DoubleArray, FloatArray, IntArray

MOST_NEIGHBORS, FEWEST_NEIGHBORS = 300, 30
# A direction on the map with less than this part of the largest variance does not count as one.
FLAT = 1e-12


def default_neighbors(n_points: int) -> int:
    """K = min(300, m/10), at least 30, as far as there are others."""
    return min(max(min(MOST_NEIGHBORS, n_points // 10), FEWEST_NEIGHBORS), n_points - 1)


@dataclass(frozen=True)
class MapSearch:
    """Finds the nearest points of a map."""

    tree: cKDTree

    @classmethod
    def build(cls, embedding: FloatArray) -> MapSearch:
        return cls(cKDTree(embedding))

    def nearest_others(self, embedding: FloatArray, rows: IntArray, k: int) -> IntArray:
        """The k nearest of some places, each without the row of the map that is there, −1 for none."""
        found = self.tree.query(embedding, k + 1)[1].reshape(len(rows), k + 1).astype(np.int32)
        is_self = found == rows[:, None]
        is_self[~is_self.any(axis=1), -1] = True  # there is none, or duplicates have crowded it out
        return found[~is_self].reshape(len(rows), k)


@dataclass(frozen=True)
class Moments:
    """Weighted second moments of features and embedding around points, both centred: see `kernels.regression`."""

    products: DoubleArray  # (points, d', n) Σ w Δy Δxᵀ
    squares: DoubleArray  # (points, d', d') Σ w Δy Δyᵀ
    spreads: DoubleArray  # (points, n) Σ w Δx²

    @classmethod
    def around(cls, data: ScaledData, embedding: FloatArray, neighbors: IntArray, weights: DoubleArray) -> Moments:
        """Over the rows of the data that are the neighbours of each point on the map. Their weights sum to 1."""
        n_points, dim, n_features = len(neighbors), embedding.shape[1], data.shape[1]
        moments = cls(
            np.empty((n_points, dim, n_features)), np.empty((n_points, dim, dim)), np.empty((n_points, n_features))
        )
        table, positions = data.table(neighbors)
        local_moments(
            *(table, positions, embedding, neighbors, weights),
            *(moments.products, moments.squares, moments.spreads),
        )
        return moments

    def slopes(self) -> DoubleArray:
        """Gᵀ = (Σ w Δy Δyᵀ)⁺ Σ w Δy Δxᵀ: how the features change with a step on the map, (points, d', n)."""
        inverse = np.linalg.pinv(self.squares, rcond=FLAT, hermitian=True)
        return inverse @ self.products

    def explained(self, slopes: DoubleArray) -> DoubleArray:
        """R² of each feature, 1 − SS_res/SS_tot: (points, n).

        It is negative where the slopes, fitted to other rows, predict worse than the mean of these rows does. It is
        0 where a feature does not vary.
        """
        fitted = 2 * np.einsum("pch,pch->ph", slopes, self.products)
        fitted -= np.einsum("pch,pch->ph", self.squares @ slopes, slopes)
        return np.divide(fitted, self.spreads, out=np.zeros_like(fitted), where=self.spreads > 0)

    def cosines(self, slopes: DoubleArray) -> DoubleArray:
        """Between all changes that slopes predict and all true ones: tr(AB)/(‖A Δy‖ ‖Δx‖), (points,)."""
        agreement = inner(slopes, self.products)
        predicted = inner(slopes @ np.swapaxes(slopes, 1, 2), self.squares)
        sizes = np.sqrt(np.maximum(predicted, 0) * self.spreads.sum(axis=1))
        return np.divide(agreement, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def inner(first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Inner products of pairs of matrices, each by a call of its own, so that the bits do not depend on the batch."""
    return (first.reshape(len(first), 1, -1) @ second.reshape(len(second), -1, 1)).ravel()
