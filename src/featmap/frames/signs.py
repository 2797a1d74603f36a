"""Signs for the local directions, so that those of neighbours agree."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from ..tangents.consistency import consistency
from ..values import Connection, FloatArray, Graph

SWEEPS = 20


def consistent_signs(graph: Graph, connection: Connection) -> FloatArray:
    """A sign for every local direction, so that the directions of neighbours agree: (m, q).

    Signs are carried along the tree of the most consistent edges, then improved by sweeps over all edges.
    """
    agreement = np.einsum("eaa->ea", connection.products)
    signs = _signs_along_tree(graph, connection, agreement)
    edges = graph.weights
    for _ in range(SWEEPS):
        before = signs.copy()
        for axis in range(signs.shape[1]):
            votes = sp.csr_matrix((edges.data * agreement[:, axis], edges.indices, edges.indptr), edges.shape)
            # A vote of the point for itself damps: without it two neighbours may flip for each other for ever.
            own = abs(votes).sum(axis=1).A1 / 2
            score = votes @ signs[:, axis] + own * signs[:, axis]
            signs[:, axis] = np.where(score < 0, -1.0, 1.0)
        if (signs == before).all():
            break
    return signs


def _signs_along_tree(graph: Graph, connection: Connection, agreement: FloatArray) -> FloatArray:
    edges = graph.for_csgraph
    costs = 2.0 - consistency(connection.products).astype(np.float64)
    tree = minimum_spanning_tree(sp.csr_matrix((costs, edges.indices, edges.indptr), edges.shape))
    edge_numbers = sp.csr_matrix((np.arange(1, edges.nnz + 1), edges.indices, edges.indptr), edges.shape)
    signs = np.ones((edges.shape[0], agreement.shape[1]), np.float32)
    _, labels = connected_components(tree, directed=False)
    for root in np.unique(labels, return_index=True)[1]:
        order, parents = breadth_first_order(tree, root, directed=False)
        if len(order) == 1:
            continue
        children = order[1:]
        numbers = np.asarray(edge_numbers[parents[children], children]).ravel() - 1
        flips = np.where(agreement[numbers] < 0, -1.0, 1.0)
        for child, flip in zip(children, flips, strict=True):
            signs[child] = signs[parents[child]] * flip
    return signs
