"""Neighbours: exact where promised, ties by index, the same for a row in any company."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

import reference
from featmap import neighbors as stage
from featmap.checks.neighbors import given_neighbors
from featmap.data.scaling import scale_data
from featmap.errors import InvalidDataError
from featmap.kernels.search import rank_candidates
from featmap.neighbors import find_neighbors, make_search
from featmap.neighbors.exact import ExactSearch
from featmap.neighbors.lists import Lists, ListSearch
from featmap.run import Run


def found_by(X, k, run, metric="euclidean"):
    features = scale_data(X, unit_rows=metric == "cosine")
    rows = features.matrix if metric in ("euclidean", "cosine") else X
    return find_neighbors(make_search(features, X, metric, run), rows, k, run), features


@pytest.mark.parametrize("shape", [(2, 3), (5, 1), (300, 4), (700, 90)])
def test_exact_search_equals_brute_force(shape, rng, run):
    X = rng.normal(size=shape).astype(np.float32)
    k = min(14, shape[0] - 1)
    found, features = found_by(X, k, run)
    indices, distances = reference.nearest_others(features.matrix, k)
    assert np.array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-6)


def test_ties_are_broken_by_index(rng, run):
    X = rng.integers(0, 3, (400, 4)).astype(float)  # few distinct rows: ties and duplicates everywhere
    found, _ = found_by(X, 14, run)
    assert np.array_equal(found.indices, reference.nearest_others(X, 14)[0])


@pytest.mark.parametrize("k", [3, 9])
def test_candidates_in_any_order_are_ranked_by_distance_then_index(k, rng):
    rows = rng.integers(0, 3, (30, 2)).astype(np.float32)
    candidates = np.append(rng.permutation(30), -1).astype(np.int32)
    indices, squared = np.full((1, k), -1, np.int32), np.empty((1, k))
    # The first half, and then the others.
    rank_candidates(rows[:1], rows, candidates, candidates, np.array([0, 15]), indices, squared)
    rank_candidates(rows[:1], rows, candidates[15:], candidates[15:], np.array([0, 16]), indices, squared)
    exact = ((rows - rows[0]) ** 2).sum(axis=1)
    assert indices[0].tolist() == np.lexsort((np.arange(30), exact))[:k].tolist()


def test_all_duplicates_take_the_lowest_indices(run):
    found, _ = found_by(np.ones((30, 3)), 4, run)
    assert found.indices[0].tolist() == [1, 2, 3, 4]
    assert found.indices[20].tolist() == [0, 1, 2, 3]
    assert (found.distances == 0).all()


def test_few_sparse_rows_are_dense_at_a_time(run, monkeypatch):
    """Among many that are equal every row is a candidate of every other."""
    monkeypatch.setattr(stage, "BYTES_OF_CANDIDATES", 2**20)
    monkeypatch.setattr(stage, "ROWS_PER_BLOCK", 64)
    monkeypatch.setattr(stage, "QUERIES_PER_BLOCK", 64)
    X = sp.vstack([sp.csr_matrix((1500, 2000)), sp.random(20, 2000, 0.1, random_state=0)], "csr")
    features = scale_data(X)
    search = make_search(features, X, "euclidean", run)
    tracemalloc.start()
    found = find_neighbors(search, features.matrix, 5, run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.75 * 4 * 1520 * 2000
    assert found.indices[0].tolist() == [1, 2, 3, 4, 5]
    assert found.indices[700].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("exact_below", [10_000, 100])
@pytest.mark.parametrize("bytes_of_candidates", [2**26, 2**16, 1])
def test_sparse_equals_dense(exact_below, bytes_of_candidates, run, monkeypatch):
    """However few candidates are made dense at a time."""
    monkeypatch.setattr(stage, "EXACT_BELOW", exact_below)
    monkeypatch.setattr(stage, "BYTES_OF_CANDIDATES", bytes_of_candidates)
    X = sp.random(500, 200, 0.1, random_state=0, format="csr")
    sparse, _ = found_by(X, 10, run)
    dense, _ = found_by(X.toarray(), 10, run)
    assert np.array_equal(sparse.indices, dense.indices)
    assert np.array_equal(sparse.distances, dense.distances)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine", "correlation", "braycurtis"])
def test_metrics_equal_scikit_learns(metric, rng, run):
    X = rng.random((200, 6))
    found, _ = found_by(X, 7, run, metric)
    distances = pairwise_distances(X, metric=metric)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, :7]
    np.testing.assert_allclose(found.distances, expected, rtol=1e-4, atol=1e-6)


def test_a_function_is_a_metric(rng, run):
    X = rng.random((40, 3))
    found, _ = found_by(X, 5, run, metric=lambda a, b: np.abs(a - b).sum())
    expected, _ = found_by(X, 5, run, metric="manhattan")
    assert np.array_equal(found.indices, expected.indices)


def test_a_metric_that_gives_nonsense_is_refused(rng, run):
    with pytest.raises(InvalidDataError, match="choose a metric"):
        found_by(rng.random((40, 3)), 5, run, metric=lambda a, b: np.nan)


@pytest.fixture(scope="module")
def clustered():
    """More rows than are searched exactly here, in 100 dimensions with decaying variance."""
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(20, 100))
    scale = 0.9 ** np.arange(100)
    return ((centers[rng.integers(20, size=6000)] + rng.normal(size=(6000, 100))) * scale).astype(np.float32)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_lists_find_nearly_all_neighbors(clustered, run, make):
    matrix = scale_data(make(clustered)).matrix
    approximate, _ = ListSearch.build(matrix, run).nearest(matrix, 15, run)
    exact, _ = ExactSearch(matrix).nearest(matrix, 15, run)
    recall = np.mean([len(set(a) & set(b)) / 15 for a, b in zip(approximate, exact, strict=True)])
    assert recall > 0.97


@pytest.mark.parametrize("width", [8, 24])
def test_scanning_keeps_the_nearest(width, rng, run):
    """Against sorting, for any number wanted: nearest first, ties by number, and −1 where members are too few."""
    rows, points = (rng.integers(0, 4, (n, width)).astype(np.float32) for n in (200, 20))
    homes = rng.choice([0, 2, 3], 200).astype(np.int32)  # list 1 is empty
    lists = np.array([rng.permutation(4)[:3] for _ in points], np.int32)
    filled = Lists.fill(rows, homes, 4, run)
    for n_wanted in (1, 2, 5, 45, 120, 200):
        found = filled.nearest(points, lists, n_wanted)
        for point, own, row in zip(points, lists, found, strict=True):
            inside = np.flatnonzero(np.isin(homes, own))
            order = inside[np.argsort(((rows[inside] - point) ** 2).sum(axis=1), kind="stable")][:n_wanted]
            assert row[: len(order)].tolist() == order.tolist()
            assert (row[len(order) :] == -1).all()


@pytest.mark.parametrize("n_features", [1, 5, 8, 50])
def test_all_lists_together_find_all_neighbors(n_features, rng, run, monkeypatch):
    """Any number of features: filling up to whole steps of the kernel changes no distance."""
    monkeypatch.setattr(stage, "PROBED_LISTS", 1000)
    X = rng.normal(size=(1500, n_features)).astype(np.float32)
    found, distances = ListSearch.build(X, run).nearest(X, 15, run)
    exact, lengths = ExactSearch(X).nearest(X, 15, run)
    assert np.array_equal(found, exact)
    assert np.array_equal(distances, lengths)


def test_lists_hold_every_row_once(rng, run):
    rows, homes = rng.normal(size=(5000, 8)).astype(np.float32), rng.integers(0, 40, 5000).astype(np.int32)
    homes[homes == 7] = 8
    lists = Lists.fill(rows, homes, 40, run)
    for number in range(40):
        blocks = slice(lists.first_blocks[number], lists.first_blocks[number + 1])
        members = lists.members[blocks].ravel()
        assert members[members >= 0].tolist() == np.flatnonzero(homes == number).tolist()
        columns = lists.blocks[blocks].transpose(0, 2, 1).reshape(-1, 8)
        assert np.array_equal(columns[members >= 0], rows[homes == number])
        assert np.isinf(columns[members < 0]).all()


def test_lists_do_not_depend_on_company_or_threads(clustered, run):
    matrix = scale_data(clustered).matrix
    search = ListSearch.build(matrix, run)
    together = search.nearest(matrix[:700], 10, run)
    with Run(1) as one_thread:
        again = ListSearch.build(matrix, one_thread)
        alone = [again.nearest(matrix[i : i + 1], 10, one_thread) for i in range(0, 700, 50)]
    for place, (indices, distances) in zip(range(0, 700, 50), alone, strict=True):
        assert np.array_equal(indices[0], together[0][place])
        assert np.array_equal(distances[0], together[1][place])


def test_rows_whose_lists_run_dry_are_searched_exactly(rng, run, monkeypatch):
    monkeypatch.setattr(stage, "PROBED_LISTS", 1)
    X = rng.normal(size=(300, 5)).astype(np.float32)
    X[:200] *= 1e-3  # one crowded list, many with fewer rows than neighbours asked for
    search = ListSearch.build(X, run)
    found, distances = search.nearest(X, 60, run)
    assert (found >= 0).all()
    assert (np.diff(distances, axis=1) >= 0).all()


def test_large_data_use_lists(rng, run, monkeypatch):
    monkeypatch.setattr(stage, "EXACT_BELOW", 100)
    X = rng.normal(size=(200, 5))
    assert isinstance(make_search(scale_data(X), X, "euclidean", run), ListSearch)
    assert isinstance(make_search(scale_data(X[:100]), X[:100], "euclidean", run), ExactSearch)


def test_given_neighbors_with_or_without_self(rng):
    X = rng.normal(size=(50, 3))
    indices, distances = reference.nearest_others(X, 8)
    expected = given_neighbors(indices, distances, 50, 5)
    with_self = given_neighbors(
        np.column_stack([np.arange(50), indices]), np.column_stack([np.zeros(50), distances]), 50, 5
    )
    shuffled = given_neighbors(indices[:, ::-1], distances[:, ::-1], 50, 5)
    for other in (with_self, shuffled):
        assert np.array_equal(other.indices, expected.indices)
        assert np.array_equal(other.distances, expected.distances)
    assert np.array_equal(expected.indices, indices[:, :5])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda i, d: (i[:-1], d[:-1]), "shape"),
        (lambda i, d: (i, d[:, :-1]), "shape"),
        (lambda i, d: (i - 1, d), "integers from 0"),
        (lambda i, d: (i + 45, d), "integers from 0"),
        (lambda i, d: (i.astype(float), d), "integers from 0"),
        (lambda i, d: (i, d * np.nan), "finite"),
        (lambda i, d: (i, -d), "not negative"),
        (lambda i, d: (i[:, :3], d[:, :3]), "only 3"),
        (lambda i, d: (i[:, [0, 0, 1, 2, 3]], d[:, [0, 0, 1, 2, 3]]), "twice"),
    ],
)
def test_given_neighbors_that_cannot_be_used(spoil, message, rng):
    indices, distances = reference.nearest_others(rng.normal(size=(50, 3)), 8)
    with pytest.raises(InvalidDataError, match=message) as caught:
        given_neighbors(*spoil(indices, distances), 50, 5)
    assert "precomputed_knn" in str(caught.value)
