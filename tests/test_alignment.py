"""Alignment and transport between tangent spaces, for a pair and on all edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.graph import build_graph
from featmap.tangents import alignment as stage
from featmap.tangents.alignment import alignment, connect, transport
from featmap.tangents.axes import axes
from featmap.values import Neighbors, Order
from stages import CONNECT_ALL, tangents_of


@pytest.fixture
def curved(rng, run):
    """A paraboloid: neighbouring tangent planes are nearly but not quite the same."""
    flat = rng.uniform(-1, 1, (500, 2))
    X = np.column_stack([flat, 0.3 * (flat**2).sum(axis=1)])
    return tangents_of(X, run)[:2]


def test_alignment_is_the_nearest_rotation(curved):
    data, tangents = curved
    i, j = 3, int(tangents.neighbors[3, 0])
    V_i, V_j = (axes(data, tangents, np.array([row]), 2)[0].T for row in (i, j))
    rotation = alignment(data, tangents, i, j, 2)
    np.testing.assert_allclose(rotation, reference.nearest_orthogonal(V_j.T @ V_i), atol=1e-6)
    np.testing.assert_allclose(V_j @ rotation, V_i, atol=0.3)


def test_transport_moves_a_tangent_vector_to_the_same_place(curved):
    """Γ keeps points of the surface: x_i + V_i c ≈ x_j + V_j Γ(c)."""
    data, tangents = curved
    errors = []
    for i in range(0, 500, 10):
        j = int(tangents.neighbors[i, 2])
        V_i, V_j = (axes(data, tangents, np.array([row]), 2)[0].T for row in (i, j))
        c = np.array([0.02, -0.01])
        here = data.matrix[i] + V_i @ c
        there = data.matrix[j] + V_j @ transport(data, tangents, i, j, c)
        errors.append(np.linalg.norm(here - there) / np.linalg.norm(data.matrix[i] - data.matrix[j]))
    assert np.median(errors) < 0.1


def test_transport_there_and_back(curved):
    data, tangents = curved
    i, j = 5, int(tangents.neighbors[5, 0])
    there, back = alignment(data, tangents, i, j, 2), alignment(data, tangents, j, i, 2)
    np.testing.assert_allclose(back @ there, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("center", ["mean", "point"])
@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("slices", [1, 3])
def test_connection_equals_its_twin(curved, dim, slices, center, run, monkeypatch):
    data, tangents = curved
    monkeypatch.setattr(stage, "BYTES_OF_AXES", 4 * 500 * min(dim, 3) * 3 // slices)
    monkeypatch.setattr(stage, "FEWEST_FEATURES", 1)
    monkeypatch.setattr(stage, "FEATURES_AT_ONCE", 1)
    distances = np.sort(np.random.default_rng(0).random(tangents.neighbors.shape), axis=1).astype(np.float32)
    graph = build_graph(Neighbors(tangents.neighbors, distances), 15, CONNECT_ALL, run)
    connection = connect(data, tangents, graph, dim, center, "paper", Order.of_the_rows(500), run)
    rotations = reference.decoded(connection.rotations) if dim == 2 else connection.rotations
    q = min(dim, 3)
    assert connection.steps.shape == (graph.weights.nnz, q)
    V = axes(data, tangents, np.arange(500, dtype=np.int32), q).transpose(0, 2, 1).astype(np.float64)
    for e in range(0, graph.weights.nnz, 97):
        i, j = graph.sources[e], graph.weights.indices[e]
        np.testing.assert_allclose(connection.products[e], V[j].T @ V[i], atol=1e-5)
        middle = data.matrix[i] if center == "point" else graph.weights[i] @ data.matrix / graph.degrees[i]
        np.testing.assert_allclose(connection.steps[e], V[i].T @ np.ravel(data.matrix[j] - middle), atol=1e-5)
        if min(np.linalg.svd(V[j].T @ V[i], compute_uv=False)) > 1e-3:
            expected = reference.nearest_orthogonal(V[j].T @ V[i])
            np.testing.assert_allclose(rotations[e], expected, atol=1e-3)


def test_connection_of_a_graph_in_another_order(curved, run):
    """The same edges between points in another order have the same geometry."""
    data, tangents = curved
    near = Neighbors(tangents.neighbors, np.zeros(tangents.neighbors.shape, np.float32))
    graph = build_graph(near, 15, CONNECT_ALL, run)
    order = Order.of(np.random.default_rng(0).permutation(500).astype(np.int32))
    in_layout = order.graph_into_layout(graph)
    plain = connect(data, tangents, graph, 2, "mean", "aligned", Order.of_the_rows(500), run)
    other = connect(data, tangents, in_layout, 2, "mean", "aligned", order, run)
    edge_numbers = sp.csr_matrix((np.arange(graph.weights.nnz), graph.weights.indices, graph.weights.indptr))
    same = np.asarray(edge_numbers[order.rows[in_layout.sources], order.rows[in_layout.weights.indices]]).ravel()
    assert np.array_equal(np.sort(same), np.arange(graph.weights.nnz))
    expected = reference.decoded(plain.rotations)[same]
    np.testing.assert_allclose(reference.decoded(other.rotations), expected, atol=1e-5)
    np.testing.assert_allclose(other.steps, plain.steps[same], atol=1e-6)


@pytest.mark.parametrize("dim", [2, 3])
def test_rotations_are_the_same_with_and_without_products(curved, dim, run):
    """In the plane products are kept only if they are asked for."""
    data, tangents = curved
    near = Neighbors(tangents.neighbors, np.zeros(tangents.neighbors.shape, np.float32))
    graph, order = build_graph(near, 15, CONNECT_ALL, run), Order.of_the_rows(500)
    without, with_products = (
        connect(data, tangents, graph, dim, "mean", solver, order, run) for solver in ("aligned", "paper")
    )
    assert without.kept_products is None
    assert with_products.products.shape == (graph.weights.nnz, dim, dim)
    assert without.rotations.tobytes() == with_products.rotations.tobytes()
    assert without.steps.tobytes() == with_products.steps.tobytes()


@pytest.mark.parametrize("dim", [2, 3])
def test_parts_of_the_points_have_the_connection_of_all(curved, dim, run, monkeypatch):
    """Bit for bit: every edge is computed in one of the parts, from the same axes."""
    data, tangents = curved
    order = Order.of(np.random.default_rng(0).permutation(500).astype(np.int32))
    near = Neighbors(tangents.neighbors, np.zeros(tangents.neighbors.shape, np.float32))
    graph = order.graph_into_layout(build_graph(near, 15, CONNECT_ALL, run))
    whole = connect(data, tangents, graph, dim, "mean", "aligned", order, run)
    monkeypatch.setattr(stage, "BYTES_OF_AXES", 1)
    assert len(list(stage._parts(graph, 1))) == stage.MOST_PARTS
    in_parts = connect(data, tangents, graph, dim, "mean", "aligned", order, run)
    assert in_parts.rotations.tobytes() == whole.rotations.tobytes()
    assert in_parts.steps.tobytes() == whole.steps.tobytes()


def test_a_part_has_the_points_that_its_edges_lead_to(curved, run):
    _, tangents = curved
    near = Neighbors(tangents.neighbors, np.zeros(tangents.neighbors.shape, np.float32))
    graph = build_graph(near, 15, CONNECT_ALL, run)
    part = stage.Part.of(graph, 100, 200)
    later = {j for i in range(100, 200) for j in graph.weights[i].indices if j >= 200}
    assert part.points.tolist() == [*range(100, 200), *sorted(later)]
    assert np.array_equal(part.points[part.places[part.points]], part.points)
