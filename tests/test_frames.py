"""Both frame solvers: orthonormal, equivariant, true to a map whose frames are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.frames import fit_frames, map_covariances
from featmap.frames.aligned import MAP_WEIGHT, sweep
from featmap.frames.paper import consistent_signs, cosine_graph
from featmap.graph import membership_strengths, symmetrize
from featmap.kernels.frames import frame_attraction, frame_repulsion
from featmap.tangents.alignment import connect
from featmap.tangents.axes import axes
from featmap.tangents.consistency import consistency
from featmap.values import Connection, Graph, Order
from stages import connected

SOLVERS = ["aligned", "paper"]


@pytest.fixture
def plane(rng, run):
    """A plane in R^20 and its own coordinates as the map: every frame must undo the local basis."""
    basis = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    flat = rng.uniform(-1, 1, (400, 2)) * [1.0, 0.5]
    return basis, flat.astype(np.float32), connected(flat @ basis.T, run)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_frames_are_orthogonal(solver, dim, rng, run):
    _, _, graph, connection = connected(rng.normal(size=(150, 3)), run, dim)
    Y = rng.normal(size=(150, dim)).astype(np.float32)
    frames = fit_frames(solver, Y, graph, connection, 15, 0, run).axes
    gram = np.einsum("mca,mcb->mab", frames, frames, dtype=np.float64)
    np.testing.assert_allclose(gram, np.broadcast_to(np.eye(dim), gram.shape), atol=1e-5)


def test_aligned_frames_undo_the_local_basis_of_a_plane(plane, run):
    """On the plane's own coordinates every arrow equals the plane's loading: the PCA biplot."""
    basis, Y, (data, tangents, graph, connection) = plane
    frames = fit_frames("aligned", Y, graph, connection, 15, 0, run).axes
    V = axes(data, tangents, np.arange(400, dtype=np.int32), 2)
    arrows = np.einsum("mlh,mcl->mhc", V, frames)
    np.testing.assert_allclose(arrows, np.broadcast_to(basis, arrows.shape), atol=1e-2)


def test_paper_frames_follow_a_ribbon(rng, run):
    """Where the local directions are the same everywhere, cosines and signs suffice."""
    basis = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    flat = rng.uniform(-1, 1, (400, 2)) * [1.0, 0.005]
    data, tangents, graph, connection = connected(flat @ basis.T, run)
    frames = fit_frames("paper", flat.astype(np.float32), graph, connection, 15, 0, run).axes
    V = axes(data, tangents, np.arange(400, dtype=np.int32), 2)
    arrows = np.einsum("mlh,mcl->mhc", V, frames)
    agreement = np.einsum("mhc,hc->m", arrows, basis) / 2  # 1 is perfect, 0 is random
    assert np.median(agreement) > 0.9


@pytest.mark.parametrize("solver", SOLVERS)
def test_flipping_singular_vectors_flips_their_columns(solver, rng, run):
    X = rng.normal(size=(300, 6))
    data, tangents, graph, connection = connected(X, run)
    Y = rng.normal(size=(300, 2)).astype(np.float32)
    signs = rng.choice([-1.0, 1.0], (300, tangents.n_directions))
    flipped = replace(tangents, factors=tangents.factors * signs[:, None, :])
    frames = fit_frames(solver, Y, graph, connection, 15, 0, run).axes
    flipped_connection = connect(data, flipped, graph, 2, Order.of_the_rows(300), run)
    again = fit_frames(solver, Y, graph, flipped_connection, 15, 0, run).axes
    expected = frames * signs[:, None, :2].astype(np.float32)
    if solver == "aligned":
        assert np.array_equal(again, expected)
    np.testing.assert_allclose(again, expected, atol=1e-6)


def test_aligned_sweep_equals_its_twin(rng, run):
    m, dim = 12, 3
    P = np.triu(rng.random((m, m)), 1) * (rng.random((m, m)) < 0.5)
    P[0, 1:] = 0.5
    P = (P + P.T).astype(np.float32)
    weights = sp.csr_matrix(P)
    frames = np.linalg.qr(rng.normal(size=(m, dim, dim)))[0].astype(np.float32)
    rotations = np.zeros((m, m, dim, dim))
    flat = np.linalg.qr(rng.normal(size=(weights.nnz, dim, dim)))[0].astype(np.float32)
    rotations[weights.nonzero()] = flat
    C = rng.normal(size=(m, dim, dim)).astype(np.float32)
    connection = Connection(flat, flat, np.zeros((weights.nnz, dim), np.float32))
    found = sweep(frames, C, Graph(weights), connection, run)
    np.testing.assert_allclose(found, reference.aligned_sweep(frames, C, P, rotations, MAP_WEIGHT), atol=1e-4)


def test_covariance_equals_its_twin(rng, run):
    _, _, graph, connection = connected(rng.normal(size=(60, 4)), run)
    Y = rng.normal(size=(60, 2)).astype(np.float32)
    expected = np.zeros((60, 2, 2))
    for e in range(graph.weights.nnz):
        i, j = graph.sources[e], graph.weights.indices[e]
        expected[i] += graph.weights.data[e] * np.outer(Y[j] - Y[i], connection.steps[e])
    np.testing.assert_allclose(map_covariances(Y, graph, connection, run), expected, atol=1e-4)
    size = np.linalg.norm(expected, axis=(1, 2)).mean()
    frames = fit_frames("aligned", Y, graph, connection, 15, 0, run)
    assert frames.covariance_size == pytest.approx(size, rel=1e-5)


def test_paper_gradient_equals_finite_differences(rng):
    m, dim, a, b = 8, 2, 1.7, 0.9
    P = np.triu(rng.random((m, m)), 1).astype(np.float32)
    P = P + P.T
    weights = sp.csr_matrix(P)
    frames = np.linalg.qr(rng.normal(size=(m, dim, dim)))[0]
    found = np.zeros_like(frames)
    frame_attraction(frames, weights.indptr, weights.indices, weights.data, a, b, 0, m, found)
    flat = reference.finite_differences(
        lambda v: reference.frame_value(v.reshape(m, dim, dim), P.astype(np.float64), a, b), frames.reshape(m, -1)
    )
    np.testing.assert_allclose(found, flat.reshape(m, dim, dim), rtol=1e-5, atol=1e-7)


def test_paper_repulsion_pushes_frames_apart(rng):
    frames = np.linalg.qr(rng.normal(size=(2, 2, 2)))[0]
    frames[1] = frames[0] @ [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    gradient = np.zeros_like(frames)
    drawn = np.array([[1], [0]], np.int32)
    frame_repulsion(frames, drawn, np.ones(2), 1.7, 0.9, 0, 2, gradient)
    assert (gradient[0] * frames[1]).sum() < 0
    assert (gradient[1] * frames[0]).sum() < 0


def test_cosine_graph_is_a_graph_on_the_same_edges(rng, run):
    _, _, graph, connection = connected(rng.normal(size=(100, 5)), run)
    similar = cosine_graph(graph, connection, 15, run)
    assert (similar.weights != similar.weights.T).nnz == 0
    assert set(zip(*similar.weights.nonzero(), strict=True)) <= set(zip(*graph.weights.nonzero(), strict=True))


@pytest.mark.parametrize("n_neighbors", [6, 15])
def test_cosine_graph_is_normalised_as_the_graph_is(n_neighbors, rng, run):
    """Before both directions are joined, a point's strengths sum to log2(n_neighbors)."""
    _, _, graph, connection = connected(rng.normal(size=(100, 5)), run)
    similar = cosine_graph(graph, connection, n_neighbors, run)
    edges = graph.weights
    distances = np.maximum(1.0 - consistency(connection.products), 0.0)
    strengths = membership_strengths(distances, edges.indptr, n_neighbors, run)
    np.testing.assert_allclose(np.add.reduceat(strengths, edges.indptr[:-1]), np.log2(n_neighbors), rtol=1e-3)
    expected = symmetrize(sp.csr_matrix((strengths, edges.indices, edges.indptr), edges.shape))
    assert abs(similar.weights - expected.weights).max() == 0


def test_consistent_signs_agree_along_a_strip(rng, run):
    """One direction along a curved strip, with random signs: all edges agree afterwards."""
    t = np.sort(rng.uniform(0, 3, 200))
    _, _, graph, connection = connected(np.column_stack([np.cos(t), np.sin(t), 0 * t]), run, 1)
    flips = rng.choice([-1.0, 1.0], (200, 1)).astype(np.float32)
    sources, targets = graph.sources, graph.weights.indices
    products = connection.products * (flips[sources] * flips[targets])[:, :, None]
    signs = consistent_signs(graph, Connection(products, products, connection.steps))
    agreement = products[:, 0, 0] * signs[sources, 0] * signs[targets, 0]
    assert (agreement > 0).all()


def test_a_point_without_edges_keeps_a_frame(rng, run):
    weights = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.float32))
    rotations = np.broadcast_to(np.eye(2, dtype=np.float32), (2, 2, 2)).copy()
    connection = Connection(rotations, rotations, np.ones((2, 2), np.float32))
    Y = rng.normal(size=(3, 2)).astype(np.float32)
    for solver in SOLVERS:
        frames = fit_frames(solver, Y, Graph(weights), connection, 15, 0, run).axes
        np.testing.assert_allclose(np.linalg.det(frames) ** 2, 1, atol=1e-4)
