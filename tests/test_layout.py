"""The start of the map and the one loop."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

import reference
from featmap.data.scaling import scale_data
from featmap.errors import FeatmapWarning
from featmap.layout.descent import State, descend
from featmap.layout.order import order_along_map
from featmap.layout.start import KEPT, NOISE, SIZE, SWEEPS, NoSpectrum, make_start, smooth, spectral_start
from featmap.run import Run
from featmap.run.progress import Progress
from featmap.values import Graph
from stages import as_graph, connected, neighbors_and_graph


def ring(m):
    """A cycle of m points."""
    i = np.arange(m)
    weights = sp.coo_matrix((np.ones(m, np.float32), (i, (i + 1) % m)), (m, m))
    return (weights + weights.T).tocsr()


@pytest.mark.parametrize("dim", [1, 2, 3, 10])
@pytest.mark.parametrize("init", ["auto", "pca", "random"])
def test_starts_have_one_size(init, dim, rng, run):
    X = rng.normal(size=(300, 5))
    data, _, graph, _ = connected(X, run)
    start = make_start(init, data, graph, dim, 0, run)
    assert start.shape == (300, dim)
    assert start.dtype == np.float32
    assert np.abs(start).max() == pytest.approx(SIZE, rel=0.01)


def test_pca_start_is_pca_with_signs_of_the_largest_coordinate(rng, run):
    X = rng.normal(size=(400, 30)) * 0.8 ** np.arange(30)
    for variant in (X, -X):
        start = make_start("pca", scale_data(variant), as_graph(ring(400)), 2, 0, run)
        for column, expected in zip(start.T, PCA(2).fit_transform(X).T, strict=True):
            assert abs(np.corrcoef(column, expected)[0, 1]) > 0.9999
        assert (start.max(axis=0) >= -start.min(axis=0) - 10 * NOISE).all()


def test_spectral_start_is_the_spectrum(rng, run):
    _, _, graph, _ = connected(rng.normal(size=(300, 4)), run)
    scale = 1 / np.sqrt(graph.degrees)
    _, vectors = np.linalg.eigh(scale[:, None] * graph.weights.toarray() * scale)
    found = spectral_start(graph, 3)
    for column, expected in zip(found.T, vectors[:, [-2, -3, -4]].T, strict=True):
        assert abs(column @ expected) == pytest.approx(1, abs=1e-3)
    assert np.array_equal(found, spectral_start(graph, 3))


def test_spectral_start_of_a_graph_with_few_eigenvalues_is_the_same_each_time():
    """Everybody's neighbours are the same three points: the solver runs out of vectors and draws new ones."""
    everybody = np.zeros((300, 300), np.float32)
    everybody[:3] = everybody[:, :3] = 1
    np.fill_diagonal(everybody, 0)
    graph = Graph(sp.csr_matrix(everybody))
    assert len({spectral_start(graph, 2).tobytes() for _ in range(3)}) == 1


def test_spectral_start_falls_back_and_says_so(rng, run):
    X = np.concatenate([rng.normal(size=(100, 3)), 100 + rng.normal(size=(100, 3))])
    data, _, graph, _ = connected(X, run)
    with pytest.warns(FeatmapWarning, match="2 unconnected parts; starting from principal components"):
        spectral = make_start("spectral", data, graph, 2, 0, run)
    assert np.array_equal(spectral, make_start("pca", data, graph, 2, 0, run))


def two_parts_and_a_lone_point(rng):
    weights = sp.block_diag([ring(40), rng.random((30, 30)), [[0]]]).toarray()
    weights = np.maximum(weights, weights.T)
    np.fill_diagonal(weights, 0)
    return as_graph(weights)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_smoothing_equals_its_twin(dim, rng, run):
    graph = two_parts_and_a_lone_point(rng)
    Y = rng.normal(size=(71, dim))
    expected = reference.smoothed(Y, graph.weights.toarray().astype(np.float64), SWEEPS, KEPT)
    assert smooth(Y, graph, run) == pytest.approx(expected, abs=1e-12)


def test_smoothing_shrinks_no_part_of_a_graph_to_a_point(rng, run):
    """In the second part everybody is everybody's neighbour: one mean over neighbours shrinks it thirty times."""
    graph = two_parts_and_a_lone_point(rng)
    Y = rng.normal(size=(71, 2))
    spread, before = smooth(Y, graph, run)[40:70].std(axis=0), Y[40:70].std(axis=0)
    assert (spread > 0.9 * KEPT * before).all()


def test_auto_is_smoothed_principal_components_about_their_mean(rng, run):
    X = rng.normal(size=(300, 4)) * [4, 3, 1, 1]
    data, _, graph, _ = connected(X, run)
    pca, auto = (make_start(init, data, graph, 2, 0, run) for init in ("pca", "auto"))
    expected = smooth(pca.astype(np.float64), graph, run)
    for column, of_pca in zip(auto.T, expected.T, strict=True):
        assert abs(np.corrcoef(column, of_pca)[0, 1]) > 0.9999
    assert np.abs(auto.mean(axis=0)).max() < 1e-3


def test_auto_takes_the_spectrum_of_many_rows_and_components_of_very_many(rng, run, monkeypatch):
    data, _, graph = neighbors_and_graph(rng.normal(size=(300, 5)), run)
    starts = {init: make_start(init, data, graph, 2, 0, run) for init in ("auto", "pca", "spectral")}
    assert not np.array_equal(starts["auto"], starts["spectral"])
    monkeypatch.setattr("featmap.layout.start.SMOOTHED_UP_TO", 299)
    assert np.array_equal(make_start("auto", data, graph, 2, 0, run), starts["spectral"])
    monkeypatch.setattr("featmap.layout.start.SPECTRUM_UP_TO", 299)
    assert np.array_equal(make_start("auto", data, graph, 2, 0, run), starts["pca"])


def test_auto_starts_on_any_number_of_threads_have_the_same_bytes(rng, run):
    data, _, graph, _ = connected(rng.normal(size=(3000, 6)), run)
    starts = set()
    for n_jobs in (1, 2, 3):
        with Run(n_jobs) as own:
            starts.add(make_start("auto", data, graph, 2, 0, own).tobytes())
    assert len(starts) == 1


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize(
    "X",
    [np.zeros((20, 3)), np.eye(3), np.repeat(np.eye(4), 30, axis=0), np.arange(2.0)[:, None]],
    ids=["equal rows", "tiny", "parts of equal rows", "two rows"],
)
def test_auto_starts_of_hard_data_are_finite(X, dim, run):
    data, _, graph = neighbors_and_graph(X, run)
    start = make_start("auto", data, graph, dim, 0, run)
    assert start.shape == (len(X), dim)
    assert np.isfinite(start).all()


def nearly_disconnected():
    """A large ring, and a small one that hangs on it by a thread."""
    weights = sp.block_diag([ring(3000), ring(20)]).tolil()
    weights[0, 3000] = weights[3000, 0] = 1e-7
    return as_graph(weights.tocsr())


def small_part_on_a_thread():
    """A clique that hangs on a well connected graph by one weak edge: only the clique shows in the spectrum."""
    rng = np.random.default_rng(0)
    weights = np.zeros((520, 520))
    weights[:500, :500] = rng.random((500, 500)) < 0.05
    weights[500:, 500:] = 1
    weights[0, 500] = 0.01
    np.fill_diagonal(weights, 0)
    return as_graph(np.maximum(weights, weights.T))


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (small_part_on_a_thread(), "hardly connected"),
        (nearly_disconnected(), "."),
        (as_graph(sp.block_diag([ring(10), ring(10)])), "unconnected"),
        (as_graph(ring(4)), "only 4 points"),
    ],
    ids=["small part", "nearly disconnected", "disconnected", "tiny"],
)
def test_graphs_without_a_useful_spectrum(graph, reason):
    with pytest.raises(NoSpectrum, match=reason):
        spectral_start(graph, 2)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_order_in_memory_keeps_neighbors_together(dim, rng):
    Y = rng.uniform(size=(4000, dim)).astype(np.float32)
    order = order_along_map(Y)
    assert np.array_equal(np.sort(order.rows), np.arange(4000))
    apart = np.linalg.norm(np.diff(order.into_layout(Y)[:, :2], axis=0), axis=1)
    at_random = np.linalg.norm(np.diff(Y[:, :2], axis=0), axis=1)
    assert apart.mean() < 0.1 * at_random.mean()


def test_any_map_has_an_order_in_memory():
    for Y in (np.zeros((5, 2)), np.full((3, 1), 1e30), np.array([[0, 1e30], [1e-30, -1e30]])):
        assert np.array_equal(np.sort(order_along_map(Y.astype(np.float32)).rows), np.arange(len(Y)))


class Pull:
    """A force towards the origin that remembers when it was asked."""

    def __init__(self):
        self.epochs = []

    def value(self, embedding):
        return -float((embedding**2).sum() / 2)

    def prepare(self, embedding, epoch, run):
        self.epochs.append(epoch)

        def add_gradient(start, stop, gradient):
            gradient[start:stop] -= embedding[start:stop]

        return add_gradient


def test_descent_adds_forces_and_raises_their_value(rng, run):
    state = State.start(rng.normal(size=(50, 2)))
    force = Pull()
    before = force.value(state.embedding)
    assert descend(state, [force, force], 40, 40, run)
    assert force.value(state.embedding) > 0.1 * before
    assert force.epochs == [epoch for epoch in range(40) for _ in range(2)]


def test_descent_is_adam(rng, run):
    """Against the textbook update, in float64."""
    Y = rng.normal(size=(3, 2))
    state = State.start(Y)
    descend(state, [Pull()], 5, 10, run)
    mean, square, y = np.zeros_like(Y), np.zeros_like(Y), Y.copy()
    for epoch in range(5):
        gradient = -y
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        corrected = mean / (1 - 0.9 ** (epoch + 1)), square / (1 - 0.99 ** (epoch + 1))
        y = y + (1 - epoch / 10) * corrected[0] / (np.sqrt(corrected[1]) + 1e-7)
    np.testing.assert_allclose(state.embedding, y, rtol=1e-4, atol=1e-5)


def test_descent_in_parts_is_descent_in_one(rng, run):
    Y = rng.normal(size=(50, 2))
    whole, parts = State.start(Y), State.start(Y)
    descend(whole, [Pull()], 30, 30, run)
    for until in (7, 20, 30):
        descend(parts, [Pull()], until, 30, run)
    assert np.array_equal(whole.embedding, parts.embedding)


def test_a_callback_can_stop_the_descent(rng):
    state = State.start(rng.normal(size=(50, 2)))
    progress = Progress(lambda stage, done, total: done == 6)
    with Run(2, progress) as run, run.timed("layout"):
        assert not descend(state, [Pull()], 30, 30, run)
    assert state.epoch == 6
