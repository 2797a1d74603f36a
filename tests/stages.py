"""The first stages of a fit in one call, and small graphs: what tests of later stages begin with."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from featmap.data.scaling import scale_data
from featmap.graph import build_graph, weights_of_neighbors
from featmap.kernels.rotations import code_rotations
from featmap.neighbors import find_neighbors, make_search
from featmap.tangents.alignment import connect
from featmap.tangents.svd import find_tangents
from featmap.values import Graph, Order

CONNECT_ALL = math.inf  # as for metrics without a largest distance


def neighbors_and_graph(X, run, n_neighbors=15):
    """Scaled data, the nearest others of each row, and their graph."""
    data = scale_data(X)
    k = min(n_neighbors, X.shape[0]) - 1
    near = find_neighbors(make_search(data, X, "euclidean"), data.matrix, k, run)
    return data, near, build_graph(near, n_neighbors, CONNECT_ALL, run)


def tangents_of(X, run, intrinsic_dim="auto", center="mean", n_axes=2):
    """Scaled data, the tangent spaces, and the weights of the neighbours that they were made with."""
    data, near, graph = neighbors_and_graph(X, run)
    weights = weights_of_neighbors(graph, near.indices, run)
    tangents = find_tangents(data, data.matrix, near.indices, weights, center, intrinsic_dim, n_axes, run)
    return data, tangents, weights


def connected(X, run, dim=2, center="mean"):
    """Scaled data, tangent spaces, the graph, and the connection along its edges."""
    data, tangents, _ = tangents_of(X, run, center=center, n_axes=dim)
    graph = neighbors_and_graph(X, run)[2]
    order = Order.of_the_rows(X.shape[0])
    return data, tangents, graph, connect(data, tangents, graph, dim, center, "paper", order, run)


def as_graph(weights):
    """A graph with these weights, dense or sparse."""
    weights = sp.csr_matrix(weights, dtype=np.float32)
    weights.sort_indices()
    return Graph(weights)


def coded(matrices):
    """Orthogonal matrices as a connection keeps them: those of the plane as codes."""
    if matrices.shape[1] != 2:
        return matrices
    codes = np.empty(len(matrices), np.int32)
    code_rotations(matrices, 0.0, codes)
    return codes


def all_rows(tangents):
    return np.arange(len(tangents.neighbors), dtype=np.int32)
