"""Local regressions of the features on the map: X ~ Y around each point, over weighted rows near it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..data.scaling import ScaledData
from ..kernels.regression import combine_rows, room_for_rows, steps_on_map, weighted_spreads
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


class OnMap(NamedTuple):
    """The embedding of the rows around points: see `kernels.regression.steps_on_map`."""

    places: DoubleArray  # (points, d') their weighted means
    steps: DoubleArray  # (points, d', k) w Δy of each row
    squares: DoubleArray  # (points, d', d') Σ w Δy Δyᵀ


@dataclass(frozen=True)
class Moments:
    """Weighted second moments of features and embedding around points, both centred.

    Each is computed when it is first needed.
    """

    data: ScaledData
    embedding: FloatArray
    neighbors: IntArray  # (points, k) the rows of the data around each point
    weights: DoubleArray  # (points, k) theirs, which sum to 1 or are all 0

    @cached_property
    def on_map(self) -> OnMap:
        (n_points, k), dim = self.neighbors.shape, self.embedding.shape[1]
        found = OnMap(np.empty((n_points, dim)), np.empty((n_points, dim, k)), np.empty((n_points, dim, dim)))
        steps_on_map(self.embedding, self.neighbors, self.weights, np.empty((dim, k)), *found)
        return found

    @property
    def squares(self) -> DoubleArray:
        """Σ w Δy Δyᵀ: (points, d', d')."""
        return self.on_map.squares

    @cached_property
    def inverse(self) -> DoubleArray:
        """(Σ w Δy Δyᵀ)⁺: (points, d', d')."""
        values, vectors = np.linalg.eigh(self.squares)
        is_flat = values <= FLAT * values[:, -1:]
        inverse = np.divide(1.0, values, out=np.zeros_like(values), where=~is_flat)
        return (vectors * inverse[:, None]) @ vectors.transpose(0, 2, 1)

    @cached_property
    def products(self) -> DoubleArray:
        """Σ w Δy Δxᵀ: (points, d', n)."""
        dim = self.embedding.shape[1]
        return self.combined(self.on_map.steps[:, None], np.arange(dim)[None], dim)

    def combined(self, coefficients: DoubleArray, lines: np.ndarray, n_lines: int) -> DoubleArray:
        """Sums of the rows around each point, (points, lines, n): see `combine_rows`."""
        combined = np.empty((len(self.neighbors), n_lines, self.data.shape[1]))
        table, positions = self.data.table(self.neighbors)
        room = room_for_rows(positions.shape[1], coefficients.shape[2])
        combine_rows(table, positions, self._origins(positions), coefficients, lines, *room, combined)
        return combined

    @cached_property
    def spreads(self) -> DoubleArray:
        """Σ w Δx²: (points, n)."""
        spreads = np.empty((len(self.neighbors), self.data.shape[1]))
        table, positions = self.data.table(self.neighbors)
        room = np.empty(spreads.shape[1])
        weighted_spreads(table, positions, self._origins(positions), self.weights, room, spreads)
        return spreads

    def slopes(self) -> DoubleArray:
        """Gᵀ = (Σ w Δy Δyᵀ)⁺ Σ w Δy Δxᵀ: how the features change with a step on the map, (points, d', n)."""
        return self.inverse @ self.products

    def _origins(self, positions: IntArray) -> IntArray:
        """The first row with weight around each point, from which features are measured."""
        return positions[np.arange(len(positions)), (self.weights > 0).argmax(axis=1)]

    def explained(self, slopes: DoubleArray) -> DoubleArray:
        """R² of each feature, 1 − SS_res/SS_tot: (points, n).

        It is negative where the slopes, fitted to other rows, predict worse than the mean of these rows does. It is
        0 where a feature does not vary.
        """
        fitted = 2 * np.einsum("pch,pch->ph", slopes, self.products)
        fitted -= np.einsum("pch,pch->ph", self.squares @ slopes, slopes)
        return np.divide(fitted, self.spreads, out=np.zeros_like(fitted), where=self.spreads > 0)

    def cosines(self, slopes: DoubleArray) -> DoubleArray:
        """The cosine between all predicted and all true changes: tr(AB)/(‖A Δy‖ ‖Δx‖), (points,)."""
        agreement = inner(slopes, self.products)
        predicted = inner(slopes @ np.swapaxes(slopes, 1, 2), self.squares)
        sizes = np.sqrt(np.maximum(predicted, 0) * self.spreads.sum(axis=1))
        return np.divide(agreement, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def inner(first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Inner products of pairs of matrices, each by a call of its own, so that the bits do not depend on the batch."""
    size = first.shape[1] * first.shape[2]
    return (first.reshape(len(first), 1, size) @ second.reshape(len(second), size, 1)).ravel()
