"""What is known of the data before there is a map, and where new rows belong among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .features import Features
from .graph import neighbor_memberships
from .neighbors import Search
from .parallel import BLOCK, Workers
from .rows import Matrix
from .values import DoubleArray, FloatArray, Graph, Neighbors, Tangents


@dataclass(frozen=True)
class Manifold:
    """Neighbourhoods and tangent spaces of the data, and the settings they were made with."""

    features: Features
    search: Search
    graph: Graph
    tangents: Tangents
    metric: Any
    n_neighbors: int
    n_tangent_neighbors: int
    intrinsic_dim: int | str
    mean_distance: float  # between neighbours, for new rows that have only duplicates

    def nearest(self, X: Matrix, workers: Workers) -> tuple[Neighbors, Neighbors]:
        """The rows of the data nearest to new ones: those for the graph, and those for tangent spaces."""
        in_unit_size = self.metric in ("euclidean", "cosine")
        n_near = min(self.n_neighbors - 1, self.features.shape[0])
        n_most = min(self.n_tangent_neighbors - 1, self.features.shape[0])  # no fewer than the graph has
        indices, distances = self.search.nearest(self.features.prepare(X) if in_unit_size else X, n_most, workers)
        neighbors = Neighbors(indices, distances.astype(np.float32))
        return neighbors.first(n_near), neighbors

    def strengths(self, neighbors: Neighbors, n_neighbors: int, workers: Workers) -> DoubleArray:
        """P̃_{j|i} of new rows, each normalised for itself."""
        return neighbor_memberships(neighbors, n_neighbors, workers, self.mean_distance)

    def place(self, X: Matrix, places: FloatArray, workers: Workers) -> FloatArray:
        """Where new rows belong on a map of the data, each for itself.

        The mean of its neighbours' places with weights P̃/d²: they grow without bound as d falls, so a row that comes
        close to a training row comes close to its place, and at distance 0 takes it.
        """
        placed = np.empty((X.shape[0], places.shape[1]), np.float32)
        for start in range(0, X.shape[0], BLOCK):
            near, _ = self.nearest(X[start : start + BLOCK], workers)
            strengths = self.strengths(near, self.n_neighbors, workers)
            placed[start : start + BLOCK] = place_among(near, strengths, places)
        return placed


def place_among(near: Neighbors, strengths: DoubleArray, places: FloatArray) -> np.ndarray:
    """See `Manifold.place`."""
    distances = near.distances.astype(np.float64)
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(nearest > 0, strengths * (nearest / distances) ** 2, 0.0)
    weights[nearest[:, 0] == 0, 0] = 1.0
    totals = np.zeros((len(weights), places.shape[1]))
    # One neighbour after the other: a row's sum then has the same bits in any company.
    sums = np.zeros((len(weights), 1))
    for column in range(weights.shape[1]):
        totals += weights[:, column, None] * places[near.indices[:, column]]
        sums += weights[:, column, None]
    return totals / sums
