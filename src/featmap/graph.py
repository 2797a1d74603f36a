"""Neighbors → Graph: how strongly each point is connected to its neighbours (umap-learn's fuzzy simplicial set)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .kernels.memberships import edge_weights, mark_neighbors, memberships
from .run import Run
from .values import DoubleArray, Graph, IntArray, Neighbors


def build_graph(neighbors: Neighbors, n_neighbors: int, unconnected_from: float, run: Run) -> Graph:
    """The fuzzy union of all points' memberships. Neighbours at a distance of ``unconnected_from`` get no edge."""
    n_rows = len(neighbors.indices)
    connected = neighbors.distances < unconnected_from
    indptr = np.append(0, np.cumsum(connected.sum(axis=1)))
    strengths = membership_strengths(neighbors.distances[connected], indptr, n_neighbors, run)
    return symmetrize(sp.csr_matrix((strengths, neighbors.indices[connected], indptr), (n_rows, n_rows)))


def neighbor_memberships(
    neighbors: Neighbors, n_neighbors: int, unconnected_from: float, run: Run, mean: float | None = None
) -> DoubleArray:
    """P̃_{j|i} for every neighbour j of every point i, 0 for those that get no edge: (m, k)."""
    connected = neighbors.distances < unconnected_from
    indptr = np.append(0, np.cumsum(connected.sum(axis=1)))
    strengths = np.zeros(connected.shape)
    strengths[connected] = membership_strengths(neighbors.distances[connected], indptr, n_neighbors, run, mean)
    return strengths


def membership_strengths(
    distances: np.ndarray, indptr: np.ndarray, n_neighbors: int, run: Run, mean: float | None = None
) -> DoubleArray:
    """P̃_{j|i} = exp(−max(0, d_ij − ρ_i)/γ_i), with γ_i such that each row sums to log2(n_neighbors).

    Row i has the entries indptr[i]:indptr[i + 1]. ``mean`` replaces a row's own mean distance where all its
    neighbours are duplicates; by default it is the mean over all rows.
    """
    n_rows = len(indptr) - 1
    if mean is None:
        mean = mean_distance(distances, n_rows)
    strengths = np.empty(distances.shape)
    target = np.log2(n_neighbors)
    run.over_rows(n_rows, lambda start, stop: memberships(distances, indptr, target, mean, start, stop, strengths))
    return strengths


def mean_distance(distances: np.ndarray, n_rows: int) -> float:
    """The mean distance to neighbours. As in umap-learn it counts every point itself, at distance 0."""
    return distances.sum(dtype=np.float64) / (distances.size + n_rows)


def symmetrize(directed: sp.csr_matrix) -> Graph:
    """P = P̃ + P̃ᵀ − P̃∘P̃ᵀ: there is an edge if either end has it."""
    reverse = directed.T.tocsr()
    weights = (directed + reverse - directed.multiply(reverse)).tocsr().astype(np.float32)
    weights.data = np.minimum(weights.data, np.float32(1))
    weights.eliminate_zeros()
    weights.sort_indices()
    return Graph(weights)


def edges_to_neighbors(graph: Graph, neighbors: Neighbors, unconnected_from: float, run: Run) -> NDArray[np.uint8]:
    """1 for every stored edge i→j where j is one of the neighbours of i, 0 where only i is a neighbour of j."""
    found = np.zeros(graph.weights.nnz, np.uint8)
    matrix, present = graph.weights, neighbors.distances < unconnected_from
    run.over_rows(
        len(present),
        lambda start, stop: mark_neighbors(
            matrix.indptr, matrix.indices, neighbors.indices, present, start, stop, found
        ),
    )
    return found


def weights_of_neighbors(graph: Graph, neighbors: IntArray, run: Run) -> DoubleArray:
    """P_ij for every neighbour j of every point i."""
    found = np.empty(neighbors.shape)
    matrix = graph.weights
    run.over_rows(
        len(neighbors),
        lambda start, stop: edge_weights(matrix.indptr, matrix.indices, matrix.data, neighbors, start, stop, found),
    )
    return found
