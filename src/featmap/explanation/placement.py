"""The positions of new rows on a map of the data: each among its nearest rows, independent of its batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..data.sparse import Matrix
from ..graph import neighbor_memberships
from ..kernels.placement import geometric_medians
from ..layout.ring import ring
from ..neighbors.other import unconnected_from
from ..pipeline import Manifold
from ..run import Run
from ..run.threads import BLOCK
from ..values import DoubleArray, FloatArray, Neighbors

# How places are made of the neighbours' places and weights: `geometric_medians` or `weighted_means`.
Place = Callable[..., None]

LAST_WEIGHT = 1e-3  # what the last neighbour keeps of its weight


def place_rows(
    X: Matrix, manifold: Manifold, embedding: FloatArray, run: Run, place: Place = geometric_medians
) -> FloatArray:
    """The embedding of new rows: (rows, d')."""
    placed = np.empty((X.shape[0], embedding.shape[1]), np.float32)
    for start in range(0, X.shape[0], BLOCK):
        near, _ = nearest_rows(manifold.into_space(X[start : start + BLOCK], run), manifold, run)
        strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
        connected = manifold.graph.is_connected
        placed[start : start + BLOCK] = place_among(near, strengths, embedding, connected, run, place)
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
    near: Neighbors,
    strengths: DoubleArray,
    embedding: FloatArray,
    is_connected: NDArray[np.bool_],
    run: Run,
    place: Place = geometric_medians,
) -> FloatArray:
    """The geometric median of the neighbours' places with weights P̃/d² (see `placement_weights`).

    The weights grow without bound as d falls. So a row close to a training row is placed close to it, and a copy of a
    training row is placed on it. The mean of places in two clusters lies between the clusters; the median lies in the
    cluster with more weight. Rows that have nothing in common with any training row are placed on the ring around the
    map.
    """
    weights = placement_weights(near, strengths)
    placed = np.empty((len(weights), embedding.shape[1]))
    run.over_rows(len(weights), lambda start, stop: place(embedding, near.indices, weights, start, stop, placed))
    unconnected = ~weights.any(axis=1)
    if unconnected.any():
        placed[unconnected] = ring(embedding[is_connected], np.zeros(int(unconnected.sum())))
    return placed.astype(np.float32)


def placement_weights(near: Neighbors, strengths: DoubleArray) -> DoubleArray:
    """P̃/d², relative to the nearest neighbour, minus nearly all of the last neighbour's.

    So a neighbour enters and leaves with hardly any weight, and a row that moves a little is placed a little further.
    With the whole weights the place jumped by up to 3.1 where the last neighbour changed (MNIST, 2,500 rows, a map of
    extent 13.6). Neighbours at one distance keep equal weights. A copy of a training row has that row alone.
    """
    distances = near.distances.astype(np.float64)
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(nearest > 0, strengths * (nearest / distances) ** 2, 0.0)
    weights -= (1 - LAST_WEIGHT) * weights[:, -1:]
    weights[nearest[:, 0] == 0, 0] = 1.0
    return weights
