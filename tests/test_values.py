"""The values check their own mathematics when they are made, and print themselves in a line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.values import Connection, Frames, Graph, Neighbors, Order, Radii, Tangents
from stages import as_graph

m, k, r, dim = 5, 3, 2, 2
INDICES = np.zeros((m, k), np.int32)
ROWS = np.zeros((m, 4), np.float32)
EYES = np.broadcast_to(np.eye(dim, dtype=np.float32), (m, dim, dim))
SIGMA = np.tile([2.0, 1.0], (m, 1))
WEIGHTS = np.ones((m, k), np.float32)
RADII = Radii(np.ones(m), np.ones((m, dim)), np.ones((m, dim)))

GOOD = {
    "Neighbors(5 points, 3 each)": lambda: Neighbors(INDICES, np.tile(np.float32([0, 1, 2]), (m, 1))),
    "Graph(5 points, 5 directed edges)": lambda: Graph(sp.csr_matrix(np.eye(m, dtype=np.float32))),
    "Tangents(5 points, 2 directions from 3 neighbours)": lambda: Tangents(
        ROWS, INDICES, WEIGHTS, np.zeros((m, k, r)), SIGMA, np.ones(m, np.int32), RADII
    ),
    "Radii(5 points)": lambda: RADII,
    "Connection(4 edges, 2 directions)": lambda: Connection(
        np.zeros((4, 2, 2), np.float32), np.zeros((4, 2, 2), np.float32), np.zeros((4, 2), np.float32)
    ),
    "Frames(5 points, 2 × 2)": lambda: Frames(EYES),
    "Order(5 points)": lambda: Order.of_the_rows(m),
}


@pytest.mark.parametrize("text", GOOD)
def test_they_print_themselves(text):
    assert repr(GOOD[text]()) == text


@pytest.mark.parametrize(
    "make",
    [
        lambda: Neighbors(INDICES, np.zeros((m, k + 1), np.float32)),
        lambda: Neighbors(INDICES, np.tile(np.float32([2, 1, 0]), (m, 1))),
        lambda: Graph(sp.csr_matrix(np.ones((2, 3), np.float32))),
        lambda: Graph(sp.csr_matrix(2 * np.eye(m, dtype=np.float32))),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, np.zeros((m, k, r)), SIGMA[:, ::-1], np.ones(m, np.int32), RADII),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, np.zeros((m, k + 1, r)), SIGMA, np.ones(m, np.int32), RADII),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, np.zeros((m, k, r)), SIGMA, np.ones(m, np.int32), RADII[:3]),
        lambda: Tangents(ROWS, INDICES, WEIGHTS[:, 1:], np.zeros((m, k, r)), SIGMA, np.ones(m, np.int32), RADII),
        lambda: Radii(np.ones(m + 1), np.ones((m, dim)), np.ones((m, dim))),
        lambda: Radii(np.ones(m), np.ones((m, dim)), np.ones((m, dim + 1))),
        lambda: Connection(np.zeros((4, 2, 2)), np.zeros((4, 3, 3)), np.zeros((4, 2))),
        lambda: Frames(2 * EYES),
        lambda: Frames(np.zeros((m, 2, 3))),
    ],
)
def test_they_refuse_what_they_are_not(make):
    with pytest.raises(ValueError, match=r"Neighbors|Graph|Tangents|Radii|Connection|Frames"):
        make()


@pytest.fixture
def order(rng):
    return Order.of(rng.permutation(40).astype(np.int32))


def test_into_layout_and_into_rows_are_inverse(order, rng):
    values = rng.normal(size=(40, 3))
    assert not np.array_equal(order.into_layout(values), values)
    assert np.array_equal(order.into_rows(order.into_layout(values)), values)
    assert np.array_equal(order.into_layout(order.into_rows(values)), values)
    assert np.array_equal(order.into_layout(np.arange(40)), order.rows)
    assert np.array_equal(order.into_rows(np.arange(40)), order.positions)
    assert len(order) == 40


def test_the_order_of_the_rows_changes_nothing(rng):
    values = rng.normal(size=(40, 3))
    same = Order.of_the_rows(40)
    assert np.array_equal(same.into_layout(values), values)
    assert np.array_equal(same.into_rows(values), values)


def test_a_graph_in_the_order_of_the_layout_keeps_its_weights(order, rng):
    weights = np.triu(rng.random((40, 40)) * (rng.random((40, 40)) < 0.2), 1)
    graph = as_graph(weights + weights.T)
    before = graph.weights.copy()
    in_layout = order.graph_into_layout(graph)
    expected = graph.weights.toarray()[np.ix_(order.rows, order.rows)]
    assert np.array_equal(in_layout.weights.toarray(), expected)
    assert in_layout.weights.has_sorted_indices
    assert all((np.diff(row.indices) > 0).all() for row in in_layout.weights)
    assert (graph.weights != before).nnz == 0
    np.testing.assert_allclose(in_layout.degrees, order.into_layout(graph.degrees), rtol=1e-6)


def test_points_without_edges_are_not_connected():
    graph = as_graph([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    assert graph.is_connected.tolist() == [True, True, False]
