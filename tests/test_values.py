"""The values check their own mathematics when they are made, and print themselves in a line."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.values import Connection, Frames, Graph, Neighbors, Order, Tangents
from stages import as_graph

m, k, r, dim = 5, 3, 2, 2
INDICES = np.zeros((m, k), np.int32)
ROWS = np.zeros((m, 4), np.float32)
EYES = np.broadcast_to(np.eye(dim, dtype=np.float32), (m, dim, dim))
SIGMA = np.tile([2.0, 1.0], (m, 1))
WEIGHTS = np.ones((m, k), np.float32)

GOOD = {
    "Neighbors(5 points, 3 each)": lambda: Neighbors(INDICES, np.tile(np.float32([0, 1, 2]), (m, 1))),
    "Graph(5 points, 5 directed edges)": lambda: Graph(sp.csr_matrix(np.eye(m, dtype=np.float32))),
    "Tangents(5 points, 2 directions from 3 neighbours)": lambda: Tangents(
        ROWS, INDICES, WEIGHTS, "mean", SIGMA, np.ones(m, np.int32)
    ),
    "Connection(4 edges, 2 directions)": lambda: Connection(
        np.zeros(4, np.int32), np.zeros((4, 2), np.float32), np.zeros((4, 2, 2), np.float32)
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
        lambda: Tangents(ROWS, INDICES, WEIGHTS, "mean", SIGMA[:, ::-1], np.ones(m, np.int32)),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, "mean", SIGMA[1:], np.ones(m, np.int32)),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, "mean", SIGMA, np.ones(m - 2, np.int32)),
        lambda: Tangents(ROWS, INDICES, WEIGHTS[:, 1:], "mean", SIGMA, np.ones(m, np.int32)),
        lambda: Tangents(ROWS, INDICES, WEIGHTS, "mean", SIGMA, np.ones(m, np.int32), np.zeros((m, k + 1, r))),
        lambda: Connection(np.zeros(4, np.int32), np.zeros((4, 2)), np.zeros((4, 3, 3))),
        lambda: Connection(np.zeros(4, np.int32), np.zeros((4, 3))),
        lambda: Connection(np.zeros((4, 3, 2)), np.zeros((4, 3))),
        lambda: Frames(2 * EYES),
        lambda: Frames(np.zeros((m, 2, 3))),
    ],
)
def test_they_refuse_what_they_are_not(make):
    with pytest.raises(ValueError, match=r"Neighbors|Graph|Tangents|Connection|Frames"):
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


def random_graph(rng, n_points=40):
    weights = np.triu(rng.random((n_points, n_points)) * (rng.random((n_points, n_points)) < 0.2), 1)
    return as_graph(weights + weights.T)


@pytest.mark.parametrize("numbers", [np.int32, np.int64])
def test_a_graph_in_the_order_of_the_rows_again_has_its_bytes(order, rng, numbers):
    """Also where numbers of edges take 64 bits, as those of more than 2³¹ edges do."""
    matrix = random_graph(rng).weights
    matrix.indptr = matrix.indptr.astype(numbers)
    graph = Graph(matrix)
    in_layout = order.graph_into_layout(graph)
    again = order.graph_into_rows(in_layout)
    for name in ("data", "indices", "indptr"):
        for found in (in_layout, again):
            assert getattr(found.weights, name).dtype == getattr(matrix, name).dtype
        assert np.array_equal(getattr(again.weights, name), getattr(matrix, name))
    assert np.array_equal(in_layout.weights.toarray(), matrix.toarray()[np.ix_(order.rows, order.rows)])


def test_numbers_of_edges_in_the_layout(order, rng):
    graph = random_graph(rng)
    numbers = order.edges_into_layout(graph)
    in_layout = order.graph_into_layout(graph)
    assert np.array_equal(graph.weights.data[numbers], in_layout.weights.data)
    assert np.array_equal(order.rows[in_layout.weights.indices], graph.weights.indices[numbers])


def test_points_without_edges_are_not_connected():
    graph = as_graph([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    assert graph.is_connected.tolist() == [True, True, False]
