"""Alignment and transport between tangent spaces, for a pair and on all edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.tangents import alignment as stage
from featmap.tangents.alignment import alignment, connect, transport
from featmap.graph import build_graph
from featmap.tangents.axes import axes
from featmap.values import Neighbors
from test_tangents import tangents_of


@pytest.fixture
def curved(rng, run):
    """A paraboloid: neighbouring tangent planes are nearly but not quite the same."""
    flat = rng.uniform(-1, 1, (500, 2))
    X = np.column_stack([flat, 0.3 * (flat**2).sum(axis=1)])
    return tangents_of(X, run)[:2]


def test_alignment_is_the_nearest_rotation(curved):
    features, tangents = curved
    i, j = 3, int(tangents.neighbors[3, 0])
    V_i, V_j = (axes(features, tangents, np.array([row]), 2)[0].T for row in (i, j))
    turn = alignment(features, tangents, i, j, 2)
    np.testing.assert_allclose(turn, reference.nearest_orthogonal(V_j.T @ V_i), atol=1e-6)
    np.testing.assert_allclose(V_j @ turn, V_i, atol=0.3)


def test_transport_moves_a_tangent_vector_to_the_same_place(curved):
    """Γ keeps points of the surface: x_i + V_i c ≈ x_j + V_j Γ(c)."""
    features, tangents = curved
    errors = []
    for i in range(0, 500, 10):
        j = int(tangents.neighbors[i, 2])
        V_i, V_j = (axes(features, tangents, np.array([row]), 2)[0].T for row in (i, j))
        c = np.array([0.02, -0.01])
        here = features.matrix[i] + V_i @ c
        there = features.matrix[j] + V_j @ transport(features, tangents, i, j, c)
        errors.append(np.linalg.norm(here - there) / np.linalg.norm(features.matrix[i] - features.matrix[j]))
    assert np.median(errors) < 0.1


def test_transport_there_and_back(curved):
    features, tangents = curved
    i, j = 5, int(tangents.neighbors[5, 0])
    there, back = alignment(features, tangents, i, j, 2), alignment(features, tangents, j, i, 2)
    np.testing.assert_allclose(back @ there, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("slices", [1, 7])
def test_connection_equals_its_twin(curved, dim, slices, run, monkeypatch):
    features, tangents = curved
    monkeypatch.setattr(stage, "BYTES_OF_AXES", 4 * 500 * min(dim, 3) * 3 // slices)
    distances = np.sort(np.random.default_rng(0).random(tangents.neighbors.shape), axis=1).astype(np.float32)
    graph = build_graph(Neighbors(tangents.neighbors, distances), 15, run)
    connection = connect(features, tangents, graph, dim, run)
    q = min(dim, 3)
    assert connection.steps.shape == (graph.weights.nnz, q)
    V = axes(features, tangents, np.arange(500, dtype=np.int32), q).transpose(0, 2, 1).astype(np.float64)
    for e in range(0, graph.weights.nnz, 97):
        i, j = graph.sources[e], graph.weights.indices[e]
        np.testing.assert_allclose(connection.products[e], V[j].T @ V[i], atol=1e-5)
        np.testing.assert_allclose(connection.steps[e], V[i].T @ (features.matrix[j] - features.matrix[i]), atol=1e-5)
        if min(np.linalg.svd(V[j].T @ V[i], compute_uv=False)) > 1e-3:
            np.testing.assert_allclose(
                connection.rotations[e], reference.nearest_orthogonal(V[j].T @ V[i]), atol=1e-3
            )


def test_connection_of_a_renumbered_graph(curved, run):
    """The same edges under other numbers have the same geometry."""
    features, tangents = curved
    near = Neighbors(tangents.neighbors, np.zeros(tangents.neighbors.shape, np.float32))
    graph = build_graph(near, 15, run)
    order = np.random.default_rng(0).permutation(500).astype(np.int32)
    renumbered = graph.renumbered(order)
    plain = connect(features, tangents, graph, 2, run)
    other = connect(features, tangents, renumbered, 2, run, order)
    edge_numbers = sp.csr_matrix((np.arange(graph.weights.nnz), graph.weights.indices, graph.weights.indptr))
    same = np.asarray(edge_numbers[order[renumbered.sources], order[renumbered.weights.indices]]).ravel()
    assert np.array_equal(np.sort(same), np.arange(graph.weights.nnz))
    np.testing.assert_allclose(other.rotations, plain.rotations[same], atol=1e-5)
    np.testing.assert_allclose(other.steps, plain.steps[same], atol=1e-6)
