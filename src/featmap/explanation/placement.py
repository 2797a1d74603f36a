"""The positions of new rows on a map of the data: each between its nearest rows, independent of its batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data.sparse import Matrix
from ..graph import neighbor_memberships
from ..layout.ring import ring
from ..neighbors.other import unconnected_from
from ..pipeline import Manifold
from ..run import Run
from ..run.threads import BLOCK
from ..values import DoubleArray, FloatArray, Neighbors


def place_rows(X: Matrix, manifold: Manifold, embedding: FloatArray, run: Run) -> FloatArray:
    """The embedding of new rows: (rows, d')."""
    placed = np.empty((X.shape[0], embedding.shape[1]), np.float32)
    for start in range(0, X.shape[0], BLOCK):
        near, _ = nearest_rows(manifold.into_space(X[start : start + BLOCK], run), manifold, run)
        strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
        placed[start : start + BLOCK] = place_among(near, strengths, embedding, manifold.graph.is_connected)
    return placed


def nearest_rows(rows: Matrix, manifold: Manifold, run: Run) -> tuple[Neighbors, Neighbors]:
    """The rows of the data nearest to new ones, in the space of neighbourhoods: for the graph, and for tangents."""
    n_rows = manifold.data.shape[0]
    n_near = min(manifold.n_neighbors - 1, n_rows)
    n_most = min(manifold.n_tangent_neighbors - 1, n_rows)  # at least as many as the graph has
    is_scaled = manifold.metric in ("euclidean", "cosine")
    indices, distances = manifold.search.nearest(manifold.space.prepare(rows) if is_scaled else rows, n_most, run)
    neighbors = Neighbors(indices, distances.astype(np.float32))
    return neighbors.first(n_near), neighbors


def memberships_of_new(neighbors: Neighbors, n_neighbors: int, manifold: Manifold, run: Run) -> DoubleArray:
    """P̃_{j|i} of new rows, each normalised alone."""
    limit = unconnected_from(manifold.metric)
    return neighbor_memberships(neighbors, n_neighbors, limit, run, manifold.mean_distance)


def place_among(
    near: Neighbors, strengths: DoubleArray, embedding: FloatArray, is_connected: NDArray[np.bool_]
) -> DoubleArray:
    """The mean of the neighbours' positions with weights P̃/d².

    The weights grow without bound as d falls. So a row close to a training row is placed close to it, and a copy of a
    training row is placed on it. Rows that have nothing in common with any training row are placed on the ring around
    the map.
    """
    distances = near.distances.astype(np.float64)
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(nearest > 0, strengths * (nearest / distances) ** 2, 0.0)
    weights[nearest[:, 0] == 0, 0] = 1.0
    totals = np.zeros((len(weights), embedding.shape[1]))
    # One neighbour after the other, so that the sum of a row has the same bits in any batch.
    sums = np.zeros((len(weights), 1))
    for column in range(weights.shape[1]):
        totals += weights[:, column, None] * embedding[near.indices[:, column]]
        sums += weights[:, column, None]
    unconnected = sums[:, 0] == 0
    if unconnected.any():
        totals[unconnected] = ring(embedding[is_connected], np.zeros(int(unconnected.sum())))
        sums[unconnected] = 1.0
    return totals / sums
