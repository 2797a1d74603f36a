"""Tangents, graph, embedding → Frames: at every point a direction on the map for each local direction of the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels.frames import map_covariance
from ..run import Run
from ..values import Connection, FloatArray, Frames, Graph
from .aligned import aligned_fitter
from .paper import paper_fitter

# Functions of graph, connection, n_neighbors, seed and run. What they return makes frames of the covariances C_i.
SOLVERS = {"aligned": aligned_fitter, "paper": paper_fitter}


def make_frame_fitter(
    solver: str, graph: Graph, connection: Connection, n_neighbors: int, seed: int, run: Run
) -> Callable[[FloatArray], Frames]:
    """A function that embeds the tangent spaces as frames on a map, given its embedding.

    ``n_neighbors`` is the number of neighbours in the graph. What does not depend on the map is computed when the
    function is called for the first time.
    """
    fit_axes = SOLVERS[solver](graph, connection, n_neighbors, seed, run)

    def fit(embedding: FloatArray) -> Frames:
        covariance = map_covariances(embedding, graph, connection, run)
        size = float(np.sqrt(np.einsum("mca,mca->m", covariance, covariance, dtype=np.float64)).mean()) or 1.0
        return Frames(fit_axes(covariance / np.float32(size)), size, solver)

    return fit


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
