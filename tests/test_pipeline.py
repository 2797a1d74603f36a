"""The whole method: what leaves a map unchanged, byte for byte, and what new rows may expect."""

from __future__ import annotations

import hashlib
import signal
import threading
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap import FeatMAP, FeatmapWarning, FitStopped
from featmap import neighbors as neighbors_stage
from featmap.checks import settings
from featmap.layout import levels
from featmap.metrics import trustworthiness
from featmap.run.progress import COARSE_LAYOUT, SHARES
from featmap.values import Tangents

QUICK = {"n_epochs": 60, "random_state": 0}


def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def graph_digest(model):
    return digest(model.graph_.data, model.graph_.indices, model.graph_.indptr)


def whole_digest(model):
    importance = model.feature_importance()
    return digest(model.embedding_, model.frames_, importance), graph_digest(model)


@pytest.fixture(scope="module")
def integers():
    rng = np.random.default_rng(2)
    centers = rng.integers(0, 100, (6, 12))
    return (centers[rng.integers(6, size=500)] + rng.integers(-12, 13, (500, 12))).astype(np.float64)


@pytest.fixture(scope="module")
def quick(integers):
    return FeatMAP(**QUICK).fit(integers)


@pytest.fixture(scope="module")
def start():
    return np.random.default_rng(3).normal(0, 5, (500, 2))


class TestDeterminism:
    @pytest.mark.parametrize("frames", ["aligned", "paper"])
    def test_threads_do_not_matter(self, integers, frames):
        new = integers[:100] + 0.25
        digests = set()
        for n_jobs in (1, 2, 4, 2):
            model = FeatMAP(**QUICK, n_jobs=n_jobs, frames=frames).fit(integers)
            digests.add((whole_digest(model), digest(model.transform(new))))
        assert len(digests) == 1

    def test_lists_and_many_blocks_change_no_byte(self, monkeypatch):
        """Large data take another path: lists instead of all pairs, several blocks, more than one slice of axes."""
        monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 1000)
        monkeypatch.setattr("featmap.tangents.alignment.BYTES_OF_AXES", 2**20)
        X = np.random.default_rng(0).normal(size=(5000, 80)) * 0.9 ** np.arange(80)
        new = X[:3000] + 0.01
        models = [FeatMAP(n_epochs=10, random_state=0, n_jobs=n_jobs).fit(X) for n_jobs in (1, 4)]
        together = models[1].transform(new)
        assert whole_digest(models[0]) == whole_digest(models[1])
        assert np.array_equal(models[0].transform(new), together)
        for rows in ([0], [7, 3], np.arange(0, 3000, 7)):
            assert np.array_equal(models[1].transform(new[rows]), together[rows])
        np.testing.assert_array_equal(models[1].transform(X), models[1].embedding_)

    def test_seeds_differ(self, integers):
        maps = {digest(FeatMAP(n_epochs=60, random_state=seed).fit_transform(integers)) for seed in (0, 1, 2)}
        assert len(maps) == 3

    def test_none_follows_numpys_global_seed(self, integers):
        maps = []
        for _ in range(2):
            np.random.seed(7)  # noqa: NPY002 - what scikit-learn's users do
            maps.append(FeatMAP(n_epochs=20).fit_transform(integers))
        assert np.array_equal(*maps)


class TestInvariance:
    def test_permuted_features(self, integers, start):
        order = np.random.default_rng(1).permutation(12)
        setting = {**QUICK, "init": start}
        model = FeatMAP(**setting).fit(integers)
        permuted = FeatMAP(**setting).fit(integers[:, order])
        assert graph_digest(model) == graph_digest(permuted)
        assert digest(model.embedding_) == digest(permuted.embedding_)
        sigma = model.singular_values_
        last = np.maximum(model.intrinsic_dim_, 1)[:, None]
        gap = np.take_along_axis(np.pad(sigma, ((0, 0), (0, 1))), last, axis=1)
        separated = (gap / np.take_along_axis(sigma, last - 1, axis=1)).ravel() < 0.95
        assert separated.mean() > 0.5
        np.testing.assert_allclose(
            permuted.feature_importance(separated), model.feature_importance(separated)[:, order], atol=1e-5
        )

    @pytest.mark.parametrize("shift", [-37, 10**8])
    def test_integer_translation(self, integers, quick, shift):
        moved = FeatMAP(**QUICK).fit(integers + shift)
        assert whole_digest(quick) == whole_digest(moved)
        assert digest(quick.singular_values_) == digest(moved.singular_values_)

    @pytest.mark.parametrize("n_components", [2, 3])
    def test_powers_of_two(self, integers, n_components):
        X = integers + np.random.default_rng(0).normal(size=integers.shape)
        model = FeatMAP(n_components=n_components, **QUICK).fit(X)
        for power in (-40, 3, 200):
            scaled = FeatMAP(n_components=n_components, **QUICK).fit(X * 2.0**power)
            assert whole_digest(model) == whole_digest(scaled)
            np.testing.assert_array_equal(scaled.singular_values_, model.singular_values_ * 2.0**power)

    def test_flipped_singular_vectors(self, integers, quick, flip_singular_vectors):
        """No importance, no arrow and, for two components, no map."""
        arrows = quick.arrows()
        flip_singular_vectors()
        other = FeatMAP(**QUICK).fit(integers)
        assert not np.array_equal(other.frames_, quick.frames_)
        assert digest(other.embedding_) == digest(quick.embedding_)
        np.testing.assert_array_equal(other.feature_importance(), quick.feature_importance())
        np.testing.assert_allclose(other.arrows(), arrows, atol=1e-6)

    def test_memory_orders_types_and_views(self, integers, quick):
        expected = whole_digest(quick)
        for X in (
            np.asfortranarray(integers),
            np.repeat(integers, 2, axis=1)[:, ::2],
            integers.astype(np.int32),
            integers.astype(np.float32),
        ):
            assert whole_digest(FeatMAP(**QUICK).fit(X)) == expected

    def test_sparse_is_like_dense(self, start):
        """The same neighbours, and the same map over a few steps (later, chaos magnifies any rounding)."""
        X = sp.random(500, 60, 0.2, random_state=0, format="csr")
        setting = {"n_epochs": 10, "random_state": 0, "init": start}
        sparse, dense = FeatMAP(**setting).fit(X), FeatMAP(**setting).fit(X.toarray())
        np.testing.assert_allclose(sparse.graph_.toarray(), dense.graph_.toarray(), atol=1e-4)
        np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-3)
        np.testing.assert_allclose(sparse.transform(X[:50]), sparse.embedding_[:50], atol=1e-6)


def test_density_raises_correlation_and_slope():
    """Of the log distance to the own 14th neighbour, map against data, which have wide and narrow groups."""
    rng = np.random.default_rng(0)
    X = np.concatenate([60 * group + 2.0**group * rng.normal(size=(150, 4)) for group in range(4)])
    _, in_data = reference.nearest_others(X, 14)
    correlations, slopes = [], []
    for density in (0, 1, 2):
        Y = FeatMAP(n_epochs=200, random_state=0, density=density).fit_transform(X)
        _, on_map = reference.nearest_others(Y, 14)
        logs = np.log(in_data[:, -1]), np.log(on_map[:, -1])
        correlations.append(np.corrcoef(*logs)[0, 1])
        slopes.append(np.polyfit(*logs, 1)[0])
    assert correlations[0] < 0.5 < 0.9 < min(correlations[1:])
    assert slopes[0] < 0.3
    assert 0.6 < slopes[1] < 1.2  # units are bounded, so the widest groups are a little less wide
    assert slopes[1] + 0.2 < slopes[2]


class TestFromGroups:
    """Maps that begin with one of groups of rows."""

    @pytest.fixture(autouse=True)
    def few_are_many(self, monkeypatch):
        monkeypatch.setattr(settings, "COARSE_ABOVE", 100)

    @pytest.mark.parametrize(("few", "total"), [(5000, settings.COARSE), (20, settings.COARSE + settings.BETWEEN)])
    def test_they_have_a_stage_of_their_own_and_fewer_epochs(self, few, total, integers, monkeypatch):
        """The stage counts the epochs of all its levels."""
        monkeypatch.setattr(levels, "FEW", few)
        calls = []
        model = FeatMAP(random_state=0).fit(integers, callback=lambda *heard: calls.append(heard) and None)
        stages = [*SHARES]
        stages.insert(stages.index("start") + 1, COARSE_LAYOUT)
        assert [stage.stage for stage in model.fit_report_] == stages
        steps = [(done, total) for stage, done, total in calls if stage == COARSE_LAYOUT]
        assert steps == [(0, 1), *((done, total) for done in range(1, total + 1))]
        assert model.n_epochs_ == settings.REFINING

    def test_a_number_of_epochs_or_a_start_asks_for_full_epochs(self, integers):
        for setting in ({"n_epochs": 5}, {"init": "pca"}, {"init": np.zeros((500, 2))}, {"init": "random"}):
            model = FeatMAP(random_state=0, **setting).fit(integers)
            assert COARSE_LAYOUT not in [stage.stage for stage in model.fit_report_]
            assert model.n_epochs_ == setting.get("n_epochs", settings.FULL)

    @pytest.mark.parametrize("few", [5000, 100])
    def test_threads_do_not_change_a_byte(self, few, monkeypatch):
        monkeypatch.setattr(levels, "FEW", few)
        X = np.random.default_rng(0).normal(size=(3000, 6))
        one, three = (whole_digest(FeatMAP(random_state=0, n_jobs=n_jobs).fit(X)) for n_jobs in (1, 3))
        assert one == three

    def test_seeds_make_other_maps(self, integers):
        assert len({digest(FeatMAP(random_state=seed).fit_transform(integers)) for seed in (0, 1)}) == 2

    def test_a_callback_that_stops_before_there_is_a_map_ends_the_fit(self, integers):
        with pytest.raises(FitStopped, match="coarse layout"):
            FeatMAP(random_state=0).fit(integers, callback=lambda stage, done, total: stage == COARSE_LAYOUT)

    def test_rows_in_any_order_make_maps_as_good(self, integers, monkeypatch):
        for X in (integers, integers[np.argsort(integers[:, 0], kind="stable")]):
            full = FeatMAP(random_state=0, n_epochs=settings.FULL).fit_transform(X)
            for few in (5000, 20):
                monkeypatch.setattr(levels, "FEW", few)
                Y = FeatMAP(random_state=0).fit_transform(X)
                assert trustworthiness(X, Y) > trustworthiness(X, full) - 0.02

    def test_rows_without_neighbors_and_copies(self):
        rng = np.random.default_rng(0)
        sparse = (rng.random((300, 40)) < 0.2).astype(float)
        sparse[:5] = 0
        sparse[range(5), range(35, 40)] = 1
        sparse[5:, 35:] = 0
        with pytest.warns(FeatmapWarning, match="5 of 300 rows have no neighbours"):
            assert np.isfinite(FeatMAP(metric="jaccard", random_state=0).fit_transform(sparse > 0)).all()
        copies = np.repeat(rng.normal(size=(30, 4)), 20, axis=0)
        assert np.isfinite(FeatMAP(random_state=0).fit_transform(copies)).all()


@pytest.mark.parametrize("n_components", [1, 2, 3, 8, 20])
def test_any_number_of_components(integers, n_components):
    model = FeatMAP(n_components=n_components, n_epochs=20, random_state=0).fit(integers[:200])
    assert model.embedding_.shape == (200, n_components)
    assert model.frames_.shape == (200, n_components, n_components)
    assert model.loadings([0]).shape == (1, 12, n_components)
    assert model.arrows([0]).shape == (1, 12, n_components)
    for array in (model.embedding_, model.frames_, model.singular_values_):
        assert np.isfinite(array).all()


@pytest.fixture(scope="module")
def model(integers):
    return FeatMAP(n_epochs=200, random_state=0).fit(integers)


class TestTransform:
    def test_duplicates_get_the_place_of_the_first(self):
        X = np.repeat(np.random.default_rng(0).normal(size=(60, 5)), 2, axis=0)
        model = FeatMAP(**QUICK).fit(X)
        assert np.array_equal(model.transform(X[1::2]), model.embedding_[::2])

    def test_close_rows_land_close(self, model, integers):
        _, distances = reference.nearest_others(integers, 1)
        rng = np.random.default_rng(0)
        step = rng.normal(size=integers.shape)
        step *= 0.01 * distances / np.linalg.norm(step, axis=1, keepdims=True)
        moved = np.linalg.norm(model.transform(integers + step) - model.embedding_, axis=1)
        _, on_map = reference.nearest_others(model.embedding_, 1)
        assert np.median(moved) < 0.01 * np.median(on_map)
        assert moved.max() < 3 * np.median(on_map)

    def test_placement_is_continuous_at_training_rows(self, model, integers):
        step = np.random.default_rng(0).normal(size=integers.shape)
        moves = [np.abs(model.transform(integers + size * step) - model.embedding_).max() for size in (10, 1, 1e-1)]
        assert moves[0] > 0.1
        assert moves[0] > moves[1] >= moves[2]
        assert moves[2] < 1e-3

    def test_far_rows_stay_on_the_map(self, model):
        low, high = model.embedding_.min(axis=0), model.embedding_.max(axis=0)
        for size in (1e3, 1e12, 1e300):
            placed = model.transform(np.full((1, 12), size))
            assert ((placed >= low) & (placed <= high)).all()

    def test_transform_changes_nothing(self, model, integers):
        before = whole_digest(model)
        new = integers[:20] + 0.5
        copy = new.copy()
        first = model.transform(new)
        assert np.array_equal(first, model.transform(new))
        assert np.array_equal(new, copy)
        assert whole_digest(model) == before

    def test_a_metric_that_is_a_function(self, integers):
        X = integers[:120]
        model = FeatMAP(metric=lambda a, b: np.abs(a - b).max(), n_epochs=20, random_state=0).fit(X)
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-2)
        new = X + 0.5
        assert np.array_equal(model.transform(new)[5:9], model.transform(new[5:9]))


def test_given_neighbors_give_the_same_map_and_transform(integers, quick):
    indices, distances = reference.nearest_others(integers, 20)
    given = FeatMAP(**QUICK, precomputed_knn=(indices, distances)).fit(integers)
    np.testing.assert_allclose(given.graph_.toarray(), quick.graph_.toarray(), atol=1e-6)
    np.testing.assert_allclose(given.transform(integers), given.embedding_, atol=1e-2)


def test_larger_neighborhoods_for_tangents(integers, quick):
    wide = FeatMAP(**QUICK, n_tangent_neighbors=40).fit(integers)
    assert graph_digest(quick) == graph_digest(wide)
    assert wide.singular_values_.shape == (500, 12)
    indices, distances = reference.nearest_others(integers, 39)
    weights = reference.memberships(distances[0], 40)
    expected, _ = reference.local_svd(integers, 0, indices[0], weights, "mean")
    np.testing.assert_allclose(wide.singular_values_[0], expected, rtol=1e-4)
    np.testing.assert_allclose((wide.feature_importance() ** 2).sum(axis=1), wide.intrinsic_dim_, rtol=1e-5)


def test_cosine_tangents_are_those_of_unit_rows(integers):
    model = FeatMAP(**QUICK, metric="cosine").fit(integers)
    scaled = FeatMAP(**QUICK, metric="cosine").fit(integers * 2.0 ** np.arange(500)[:, None])
    assert whole_digest(model) == whole_digest(scaled)


def test_nothing_of_size_points_times_features_times_directions_is_stored(quick):
    tangents: Tangents = quick._points.mapped.tangents
    assert tangents.leading is None
    for array in (tangents.weights, tangents.singular_values, tangents.neighbors):
        assert array.size <= 500 * 14


def test_a_fit_allocates_nothing_quadratic_nor_all_tangents():
    """Less than m × n × r or m × m floats at any moment, the search for neighbours included."""
    m, n, r = 6000, 200, 14
    X = np.random.default_rng(0).normal(size=(m, n)).astype(np.float32)
    FeatMAP(n_epochs=2, random_state=0).fit(X[:500])  # compiled before, so that only the fit is counted
    tracemalloc.start()
    FeatMAP(n_epochs=2, random_state=0, n_jobs=1).fit(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * m * n * r
    assert peak < 4 * m * m


def test_ctrl_c_stops_a_fit_at_once_and_leaves_no_threads(integers):
    """A real signal in an epoch of the layout: no step is reported after it."""
    X = np.random.default_rng(0).normal(size=(6000, 30))
    model = FeatMAP(**QUICK).fit(integers)
    before = whole_digest(model)
    threads = set(threading.enumerate())
    model.set_params(n_epochs=5000)
    heard = []

    def press(stage, done, total):
        heard.append((stage, done))
        if heard[-1] == ("layout", 3):
            signal.raise_signal(signal.SIGINT)

    # A process that was started in the background ignores the signal unless it is told otherwise.
    before_the_test = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, callback=press)
    finally:
        signal.signal(signal.SIGINT, before_the_test)
    assert heard[-1] == ("layout", 3)
    assert not [thread for thread in set(threading.enumerate()) - threads if thread.name.startswith("featmap_")]
    assert whole_digest(model) == before
    assert model.transform(integers[:1]).shape == (1, 2)
