"""Both frame solvers: orthonormal, equivariant, true to a map whose frames are known."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll

import reference
from featmap.frames import make_frame_fitter, map_covariances, paper
from featmap.frames.aligned import MAP_WEIGHT, sweep
from featmap.frames.paper import FrameLoss, cosine_graph, descend, random_rotations, rotations_onto_map
from featmap.frames.signs import consistent_signs
from featmap.graph import membership_strengths, symmetrize
from featmap.kernels.frames import frame_attraction, frame_repulsion, turn_frames
from featmap.run import Run
from featmap.tangents.axes import axes
from featmap.tangents.consistency import consistency
from featmap.values import Connection, Graph
from stages import as_graph, coded, connected

SOLVERS = ["aligned", "paper"]


def fit_frames(solver, embedding, graph, connection, run):
    return make_frame_fitter(solver, graph, connection, 15, 0, run)(embedding)


@pytest.fixture
def plane(rng, run):
    """A plane in R^20 and its own coordinates as the map: every frame must undo the local basis."""
    basis = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    flat = rng.uniform(-1, 1, (400, 2)) * [1.0, 0.5]
    return basis, flat.astype(np.float32), connected(flat @ basis.T, run)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_frames_are_orthogonal(solver, dim, rng, run):
    _, _, graph, connection = connected(rng.normal(size=(150, 3)), run, dim)
    Y = rng.normal(size=(150, dim)).astype(np.float32)
    frames = fit_frames(solver, Y, graph, connection, run).axes
    gram = np.einsum("mca,mcb->mab", frames, frames, dtype=np.float64)
    np.testing.assert_allclose(gram, np.broadcast_to(np.eye(dim), gram.shape), atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_map_may_have_more_dimensions_than_the_data(solver, rng, run):
    """Two directions on a map of three dimensions: rotations are matrices, and frames turn with the map."""
    _, _, graph, connection = connected(rng.normal(size=(150, 2)), run, 3)
    assert connection.rotations.shape == (graph.weights.nnz, 2, 2)
    Y = rng.normal(size=(150, 3)).astype(np.float32)
    R = random_rotations(1, 3, rng)[0]
    frames = fit_frames(solver, Y, graph, connection, run).axes
    again = fit_frames(solver, (Y @ R.T).astype(np.float32), graph, connection, run).axes
    assert np.array_equal(frames, fit_frames(solver, Y, graph, connection, run).axes)
    errors = np.abs(again - np.einsum("ab,mbc->mac", R, frames))[:, :, :2].max(axis=(1, 2))
    assert np.quantile(errors, 0.9) < 1e-3


def test_aligned_frames_undo_the_local_basis_of_a_plane(plane, run):
    """On the plane's own coordinates every arrow equals the plane's loading: the PCA biplot."""
    basis, Y, (data, tangents, graph, connection) = plane
    frames = fit_frames("aligned", Y, graph, connection, run).axes
    V = axes(data, tangents, np.arange(400, dtype=np.int32), 2)
    arrows = np.einsum("mlh,mcl->mhc", V, frames)
    np.testing.assert_allclose(arrows, np.broadcast_to(basis, arrows.shape), atol=1e-2)


def test_one_rotation_and_signs_fit_the_paper_frames_to_the_map(rng, run):
    """Along a ribbon the local directions are the same everywhere: equal frames, turned onto the map, are true."""
    basis = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    flat = rng.uniform(-1, 1, (400, 2)) * [1.0, 0.005]
    data, tangents, graph, connection = connected(flat @ basis.T, run)
    covariance = map_covariances(flat.astype(np.float32), graph, connection, run)
    equal = np.broadcast_to(np.linalg.qr(rng.normal(size=(2, 2)))[0], (400, 2, 2))
    signs = consistent_signs(graph, connection) * rng.choice([-1, 1], 2)
    rotation, flips = rotations_onto_map(equal, signs, covariance, np.zeros(400, np.int32), 1)
    V = axes(data, tangents, np.arange(400, dtype=np.int32), 2)
    arrows = np.einsum("mlh,mcl->mhc", V, rotation @ equal * (signs * flips)[:, None, :])
    agreement = np.einsum("mhc,hc->m", arrows, basis) / 2  # 1 is perfect, 0 is random
    assert np.median(agreement) > 0.9


def test_every_connected_part_has_a_rotation_of_its_own(rng):
    """Two parts that need different rotations and signs both fit perfectly."""
    frames = random_rotations(40, 3, rng)
    part = np.repeat([0, 1], 20).astype(np.int32)
    wanted = np.linalg.qr(rng.normal(size=(2, 3, 3)))[0]
    flips = np.array([[1, -1, 1], [-1, 1, 1]])
    covariance = (wanted[part] @ frames * flips[part][:, None, :]).astype(np.float32)
    rotations, found = rotations_onto_map(frames, np.ones((40, 3)), covariance, part, 2)
    np.testing.assert_allclose(rotations[part] @ frames * found[part][:, None, :], covariance, atol=1e-5)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("solver", SOLVERS)
def test_frames_turn_with_the_map(solver, dim, mirrored, digits, run):
    """V^e → R V^e where Y → Y Rᵀ, for a rotation by any angle and for a reflection."""
    X = digits[:400]
    _, _, graph, connection = connected(X, run, dim)
    Y = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:dim].T
    R = random_rotations(1, dim, np.random.default_rng(4))[0]
    R[:, 0] *= -1 if mirrored else 1
    fit = make_frame_fitter(solver, graph, connection, 15, 0, run)
    frames = fit(Y.astype(np.float32)).axes
    again = fit((Y @ R.T).astype(np.float32)).axes
    errors = np.abs(again - np.einsum("ab,mbc->mac", R, frames)).max(axis=(1, 2))
    assert np.quantile(errors, 0.99) < 1e-3  # a frame on the brink of its mirror image may fall on either side


@pytest.mark.parametrize("solver", SOLVERS)
def test_flipping_singular_vectors_flips_their_columns(solver, rng, run, flip_singular_vectors):
    X = rng.normal(size=(300, 6))
    Y = rng.normal(size=(300, 2)).astype(np.float32)

    def axes_and_frames():
        data, tangents, graph, connection = connected(X, run)
        V = axes(data, tangents, np.arange(300, dtype=np.int32), 2)
        return V, fit_frames(solver, Y, graph, connection, run).axes

    V, frames = axes_and_frames()
    flip_singular_vectors()
    flipped, again = axes_and_frames()
    signs = np.sign(np.einsum("mah,mah->ma", V, flipped))
    assert 0.3 < (signs < 0).mean() < 0.7
    assert np.array_equal(flipped, signs[:, :, None] * V)
    expected = frames * signs[:, None, :]
    if solver == "aligned":
        assert np.array_equal(again, expected)
    np.testing.assert_allclose(again, expected, atol=1e-6)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_aligned_sweep_equals_its_twin(dim, rng, run):
    m = 12
    P = np.triu(rng.random((m, m)), 1) * (rng.random((m, m)) < 0.5)
    P[0, 1:] = 0.5
    P = (P + P.T).astype(np.float32)
    weights = sp.csr_matrix(P)
    frames = np.linalg.qr(rng.normal(size=(m, dim, dim)))[0].astype(np.float32)
    rotations = np.zeros((m, m, dim, dim))
    flat = np.linalg.qr(rng.normal(size=(weights.nnz, dim, dim)))[0].astype(np.float32)
    rotations[weights.nonzero()] = flat
    C = rng.normal(size=(m, dim, dim)).astype(np.float32)
    connection = Connection(coded(flat), np.zeros((weights.nnz, dim), np.float32))
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
    frames = fit_frames("aligned", Y, graph, connection, run)
    assert frames.covariance_size == pytest.approx(size, rel=1e-5)


def symmetric_weights(rng, m):
    P = np.triu(rng.random((m, m)), 1).astype(np.float32)
    return P + P.T


def everyone(m):
    """Every point is drawn once for each point."""
    return np.broadcast_to(np.arange(m, dtype=np.int32), (m, m)).copy()


@pytest.mark.parametrize("dim", [2, 3])
def test_paper_loss_equals_its_twin(dim, rng):
    P = symmetric_weights(rng, 8)
    loss = FrameLoss(as_graph(P))
    frames = random_rotations(8, dim, rng)
    a, b = loss.curve.a, loss.curve.b
    divergence = reference.frame_divergence(frames, P.astype(float), a, b)
    repulsion = reference.frame_repulsion_value(frames, a, b, paper.MOST_SIMILAR)
    assert loss.divergence(frames) == pytest.approx(divergence)
    rate = paper.NEGATIVES_PER_EDGE * P.sum(axis=1).mean() / 8
    assert loss.value(frames) == pytest.approx(divergence + rate * repulsion, rel=1e-6)


def frame_differences(value, frames):
    flat = reference.finite_differences(
        lambda flat: value(flat.reshape(frames.shape)), frames.reshape(len(frames), -1)
    )
    return flat.reshape(frames.shape)


@pytest.mark.parametrize("dim", [2, 3])
def test_paper_forces_equal_finite_differences(dim, rng):
    """A pair is in the sum of repulsion over all pairs twice, hence the weight."""
    m, a, b = 8, 1.7, 0.9
    P, frames = symmetric_weights(rng, m), random_rotations(m, dim, rng)
    weights, flat = sp.csr_matrix(P), frames.reshape(m, -1)
    found = np.zeros((2, m, dim, dim))
    attraction, repulsion = found.reshape(2, m, -1)
    frame_attraction(flat, dim, weights.indptr, weights.indices, weights.data, a, b, 0, m, attraction)
    frame_repulsion(flat, dim, everyone(m), 2.0, a, b, 0.9, 0, m, repulsion)
    expected = [
        frame_differences(lambda V: reference.frame_divergence(V, P.astype(float), a, b), frames),
        frame_differences(lambda V: reference.frame_repulsion_value(V, a, b, 0.9), frames),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_paper_gradient_equals_finite_differences(rng):
    """With everyone drawn once the gradient is that of the loss itself, not only of a sample."""
    m = 8
    loss = FrameLoss(as_graph(symmetric_weights(rng, m)))
    frames, found = random_rotations(m, 2, rng), np.zeros((m, 2, 2))
    loss.add_gradient(frames, everyone(m), 0, m, found)
    np.testing.assert_allclose(found, frame_differences(loss.value, frames), rtol=1e-5, atol=1e-6)


def test_sampled_gradient_of_the_paper_loss_is_unbiased(rng):
    m, n_times = 6, 4000
    loss = FrameLoss(as_graph(symmetric_weights(rng, m)))
    frames = random_rotations(m, 2, rng)
    exact, mean = np.zeros_like(frames), np.zeros_like(frames)
    loss.add_gradient(frames, everyone(m), 0, m, exact)
    for _ in range(n_times):
        loss.add_gradient(frames, rng.integers(m, size=(m, 16), dtype=np.int32), 0, m, mean)
    np.testing.assert_allclose(mean / n_times, exact, atol=0.02 * np.abs(exact).max())


@pytest.mark.parametrize("dim", [2, 3])
def test_turned_frames_equal_their_twin(dim, rng):
    """Half of the turns are larger than allowed."""
    frames, gradient = random_rotations(20, dim, rng), rng.normal(size=(20, dim, dim))
    rates, found = np.linspace(0.1, 1, 20), np.empty((20, dim, dim))
    turn_frames(frames, gradient, rates, 0.3, 0, 20, found)
    expected = [reference.turned(V, G, rate, 0.3) for V, G, rate in zip(frames, gradient, rates, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.fixture(scope="module", params=["swiss roll", "digits"])
def solved(request, digits):
    """The loss of the paper's frames, their start and their end."""
    X = make_swiss_roll(1000, random_state=0)[0] if request.param == "swiss roll" else digits[:1000]
    with Run(2) as run:
        _, _, graph, connection = connected(X, run)
        loss = FrameLoss(cosine_graph(graph, connection, 15, run))
        start = random_rotations(len(X), 2, np.random.default_rng([0, 2]))
        return loss, start, descend(loss, 2, 0, run)


def test_paper_loss_falls(solved):
    """By most of what attraction costs at the start. Repulsion has next to nothing to gain there."""
    loss, start, end = solved
    to_gain = loss.divergence(start) - loss.divergence(np.broadcast_to(np.eye(2), start.shape))
    assert loss.value(end) < loss.value(start) - 0.8 * to_gain
    assert loss.divergence(end) < loss.divergence(start) - 0.8 * to_gain


def test_paper_frames_of_neighbors_end_closer_than_random_pairs(solved, rng):
    loss, start, end = solved
    edges = loss.similar.sources, loss.similar.weights.indices
    pairs = rng.integers(len(end), size=(2, 20_000))

    def mean_distance(frames, pairs):
        return np.mean(1 - np.einsum("pca,pca->p", frames[pairs[0]], frames[pairs[1]]) / 2)

    assert mean_distance(start, edges) == pytest.approx(1, abs=0.05)
    assert mean_distance(end, edges) < 0.4 * mean_distance(end, pairs)


def test_no_step_of_the_paper_solver_raises_the_loss_by_much(rng, run, digits):
    """The steps are bounded: the loss never rises above that of the start."""
    _, _, graph, connection = connected(digits[:300], run)
    loss = FrameLoss(cosine_graph(graph, connection, 15, run))
    frames = random_rotations(300, 2, rng)
    first, largest = loss.value(frames), 0.0
    for _ in range(30):
        drawn = rng.integers(300, size=(300, paper.DRAWN_FRAMES), dtype=np.int32)
        moved = paper.step(loss, frames, drawn, paper.RATE / loss.similar.degrees, paper.LARGEST_ANGLE, run)
        largest = max(largest, np.arccos((1 - distance(frames, moved)).clip(-1, 1)).max())
        frames = moved
        assert loss.value(frames) < first
    assert 0.1 < largest <= paper.LARGEST_ANGLE + 1e-6


def distance(frames, others):
    return 1 - np.einsum("mca,mca->m", frames, others) / frames.shape[1]


def test_the_paper_solver_runs_once(rng, run, monkeypatch):
    """A later map only turns its frames; they are those of a solver of its own."""
    _, _, graph, connection = connected(rng.normal(size=(150, 5)), run)
    calls = []
    monkeypatch.setattr(paper, "descend", lambda *arguments: calls.append(1) or descend(*arguments))
    fit = make_frame_fitter("paper", graph, connection, 15, 0, run)
    assert not calls
    Y, Z = rng.normal(size=(2, 150, 2)).astype(np.float32)
    fit(Y)
    later = fit(Z).axes
    assert len(calls) == 1
    assert np.array_equal(later, fit_frames("paper", Z, graph, connection, run).axes)


@pytest.mark.parametrize("solver", SOLVERS)
def test_frames_do_not_depend_on_the_number_of_threads(solver, rng, run, monkeypatch):
    monkeypatch.setattr(paper, "EPOCHS", 20)
    _, _, graph, connection = connected(rng.normal(size=(3000, 4)), run)
    Y = rng.normal(size=(3000, 2)).astype(np.float32)
    frames = fit_frames(solver, Y, graph, connection, run).axes
    with Run(1) as alone:
        assert np.array_equal(fit_frames(solver, Y, graph, connection, alone).axes, frames)


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
    strengths = membership_strengths(distances, edges.indptr[:-1], edges.indptr[1:], n_neighbors, run)
    np.testing.assert_allclose(np.add.reduceat(strengths, edges.indptr[:-1]), np.log2(n_neighbors), rtol=1e-3)
    expected = symmetrize(sp.csr_matrix((strengths, edges.indices, edges.indptr), edges.shape), run)
    assert abs(similar.weights - expected.weights).max() == 0


def test_consistent_signs_agree_along_a_strip(rng, run):
    """One direction along a curved strip, with random signs: all edges agree afterwards."""
    t = np.sort(rng.uniform(0, 3, 200))
    _, _, graph, connection = connected(np.column_stack([np.cos(t), np.sin(t), 0 * t]), run, 1)
    flips = rng.choice([-1.0, 1.0], (200, 1)).astype(np.float32)
    sources, targets = graph.sources, graph.weights.indices
    products = connection.products * (flips[sources] * flips[targets])[:, :, None]
    signs = consistent_signs(graph, Connection(products, connection.steps, products))
    agreement = products[:, 0, 0] * signs[sources, 0] * signs[targets, 0]
    assert (agreement > 0).all()


def test_a_point_without_edges_keeps_a_frame(rng, run):
    weights = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.float32))
    rotations = np.broadcast_to(np.eye(2, dtype=np.float32), (2, 2, 2)).copy()
    connection = Connection(coded(rotations), np.ones((2, 2), np.float32), rotations)
    Y = rng.normal(size=(3, 2)).astype(np.float32)
    for solver in SOLVERS:
        frames = fit_frames(solver, Y, Graph(weights), connection, run).axes
        np.testing.assert_allclose(np.linalg.det(frames) ** 2, 1, atol=1e-4)
