"""The edges of the graph as the layout keeps them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.layout.edges import Edges
from featmap.layout.similarity import Curve
from stages import as_graph


@pytest.mark.parametrize("m", [1, 5, 300])
def test_edges_and_neighbors_equal_their_twin(m, rng):
    """Which ends of an edge are neighbours of each other, and the neighbours of every point, from a dense matrix."""
    weights = sp.random(m, m, 0.05, random_state=0, format="csr", dtype=np.float32)
    graph = as_graph((weights + weights.T).toarray() / 2)
    to_neighbor = rng.integers(0, 2, graph.weights.nnz, dtype=np.uint8)
    edges = Edges.of(graph, to_neighbor, Curve(1.5, 0.9))
    is_neighbor = np.zeros((m, m), bool)
    is_neighbor[graph.sources, graph.weights.indices] = to_neighbor
    kinds = is_neighbor + 2 * is_neighbor.T
    assert np.array_equal(edges.kinds, kinds[graph.sources, graph.weights.indices])
    for i in range(m):
        found = edges.neighbors[edges.first_neighbors[i] : edges.first_neighbors[i + 1]]
        assert np.array_equal(found, np.flatnonzero(is_neighbor[i]))
    assert np.array_equal(edges.has_neighbors, is_neighbor.any(axis=1))
