"""Neighbors → Graph: how strongly each point is tied to its neighbours (as umap-learn's fuzzy simplicial set)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .kernels.memberships import edge_weights
from .memberships import membership_strengths, symmetrize
from .parallel import Workers
from .values import DoubleArray, Graph, IntArray, Neighbors


def neighbor_memberships(
    neighbors: Neighbors, n_neighbors: int, workers: Workers, mean: float | None = None
) -> DoubleArray:
    """P̃_{j|i} for every neighbour j of every point i: (m, k)."""
    n_rows, k = neighbors.indices.shape
    indptr = np.arange(0, n_rows * k + 1, k)
    strengths = membership_strengths(neighbors.distances.ravel(), indptr, n_neighbors, workers, mean)
    return strengths.reshape(n_rows, k)


def build_graph(neighbors: Neighbors, n_neighbors: int, workers: Workers) -> Graph:
    """The fuzzy union of all points' views of their neighbours."""
    n_rows, k = neighbors.indices.shape
    strengths = neighbor_memberships(neighbors, n_neighbors, workers)
    indptr = np.arange(0, n_rows * k + 1, k)
    return symmetrize(sp.csr_matrix((strengths.ravel(), neighbors.indices.ravel(), indptr), (n_rows, n_rows)))


def weights_of_neighbors(graph: Graph, neighbors: IntArray, workers: Workers) -> DoubleArray:
    """P_ij for every neighbour j of every point i."""
    found = np.empty(neighbors.shape)
    matrix = graph.weights
    workers.over_rows(
        len(neighbors),
        lambda start, stop: edge_weights(matrix.indptr, matrix.indices, matrix.data, neighbors, start, stop, found),
    )
    return found
