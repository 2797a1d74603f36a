"""Tangents, graph, embedding → Frames: at every point a direction on the map for each local direction of the data."""

from __future__ import annotations

import numpy as np

from ..kernels.frames import map_covariance
from ..run import Run
from ..values import Connection, FloatArray, Frames, Graph
from .aligned import aligned_frames
from .paper import paper_frames

SOLVERS = {"aligned": aligned_frames, "paper": paper_frames}


def fit_frames(
    solver: str,
    embedding: FloatArray,
    graph: Graph,
    connection: Connection,
    n_neighbors: int,
    seed: int,
    run: Run,
) -> Frames:
    """Embed the tangent spaces as frames on the map. ``n_neighbors`` is the number of neighbours in the graph."""
    covariance = map_covariances(embedding, graph, connection, run)
    size = float(np.sqrt(np.einsum("mca,mca->m", covariance, covariance, dtype=np.float64)).mean()) or 1.0
    axes = SOLVERS[solver](covariance / np.float32(size), graph, connection, n_neighbors, seed, run)
    return Frames(axes, size)


def map_covariances(embedding: FloatArray, graph: Graph, connection: Connection, run: Run) -> FloatArray:
    """C_i = Σ_j P_ij (y_j − y_i)(V_iᵀ(x_j − x_i))ᵀ, the covariance of the map and the local directions.

    If the steps of the connection are about their mean, this is Σ_j P_ij (y_j − ȳ)(V_iᵀ(x_j − x̄))ᵀ, since it is
    enough to centre one side.
    """
    n_points, dim = embedding.shape
    covariance = np.zeros((n_points, dim, dim), np.float32)
    edges = graph.weights
    run.over_rows(
        n_points,
        lambda start, stop: map_covariance(
            embedding, edges.indptr, edges.indices, edges.data, connection.steps, start, stop, covariance
        ),
    )
    return covariance
