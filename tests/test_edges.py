"""The edges of the graph as the layout keeps them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.kernels.layout import CHUNK
from featmap.layout.edges import sort_into_slots
from stages import as_graph


@pytest.mark.parametrize("m", [1, 255, 256, 257, 700])
def test_slots_hold_every_edge_once(m, rng):
    """Sorted back by source and target they are the graph; a slot's points are the first of their chunk."""
    weights = sp.random(m, m, 0.03, random_state=0, format="csr", dtype=np.float32)
    graph = as_graph((weights + weights.T).toarray() / 2)
    to_neighbor = rng.integers(0, 2, graph.weights.nnz, dtype=np.uint8)
    slots = sort_into_slots(graph, to_neighbor)
    edges, forward, backward = np.zeros((3, m, m), np.float32)
    for chunk, first in enumerate(range(0, m, CHUNK)):
        for slot in range(slots.first_slots[chunk], slots.first_slots[chunk + 1]):
            here = slice(slots.starts[slot], slots.starts[slot + 1])
            sources = slots.points[first : first + len(slots.targets[here])]
            assert (sources // CHUNK == chunk).all()
            edges[sources, slots.targets[here]] += slots.weights[here]
            forward[sources, slots.targets[here]] += slots.to_neighbor[here]
            backward[sources, slots.targets[here]] += slots.from_neighbor[here]
    assert np.array_equal(edges, graph.weights.toarray())
    assert np.array_equal(forward[graph.sources, graph.weights.indices], to_neighbor)
    assert np.array_equal(backward, forward.T)
    assert np.array_equal(np.sort(slots.points), np.arange(m))
