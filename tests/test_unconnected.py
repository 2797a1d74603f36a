"""Rows that have nothing in common with any other, under metrics that have a largest distance."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.spatial import distance
from sklearn.metrics import pairwise_distances

from featmap import FeatMAP, FeatmapWarning, explain
from featmap.layout.ring import ALONE, MARGIN, place_unconnected
from featmap.neighbors.other import LARGEST_DISTANCES, unconnected_from
from stages import as_graph

# Pairs of rows that are as far from each other as the metric can tell.
DISJOINT = ([1, 0, 1, 0], [0, 1, 0, 0])
COMPLEMENT = ([1, 0, 1, 0], [0, 1, 0, 1])
FARTHEST = {
    "braycurtis": ([1.0, 0.0, 2.5], [0.0, 3.0, 0.0]),
    "correlation": ([1.0, 2.0, 4.0], [-1.0, -2.0, -4.0]),
    "cosine": ([1.0, 2.0, 4.0], [-2.0, -4.0, -8.0]),
    "dice": DISJOINT,
    "hamming": ([1, 2, 3], [2, 3, 1]),
    "jaccard": DISJOINT,
    "matching": ([1, 2, 3], [2, 3, 1]),
    "rogerstanimoto": COMPLEMENT,
    "russellrao": DISJOINT,
    "sokalmichener": COMPLEMENT,
    "sokalsneath": DISJOINT,
    "yule": COMPLEMENT,
}


def dissimilarity(metric):
    if not hasattr(distance, metric):
        pytest.skip(f"this scipy has no {metric}")
    return getattr(distance, metric)


@pytest.mark.parametrize("metric", LARGEST_DISTANCES)
def test_largest_distances_are_those_of_scipy(metric, rng):
    measured = dissimilarity(metric)
    as_numbers = metric in ("braycurtis", "correlation", "cosine", "hamming", "matching")
    first, second = (np.array(row, float if as_numbers else bool) for row in FARTHEST[metric])
    assert measured(first, second) == pytest.approx(LARGEST_DISTANCES[metric], abs=1e-12)
    assert measured(first, second) >= unconnected_from(metric)
    rows = rng.random((60, 8)) < 0.5
    rows[:, 0] = True
    rows[:, 1] = False
    rows = rows.astype(float) if as_numbers else rows
    among = [measured(a, b) for a in rows for b in rows]
    assert max(among) <= LARGEST_DISTANCES[metric] + 1e-12


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra", lambda a, b: 0.0])
def test_other_metrics_connect_any_rows(metric):
    assert unconnected_from(metric) == math.inf


def rows_with_nothing_in_common(metric, n_others=50, n_alone=6):
    """Rows that share features, then rows that are as far as possible from all others. For some metrics just one."""
    rng = np.random.default_rng(0)
    if metric in ("correlation", "cosine"):
        base = rng.normal(size=12)
        return np.concatenate([base * rng.uniform(1, 2, (n_others, 1)), -base[None]]), 1
    if metric == "rogerstanimoto":
        base = rng.random(12) < 0.5
        return np.concatenate([np.tile(base, (n_others, 1)), ~base[None]]), 1
    if metric == "hamming":
        others = rng.integers(0, 3, (n_others, 12))
        return np.concatenate([others, np.tile(10 + np.arange(n_alone)[:, None], (1, 12))]).astype(float), n_alone
    X = np.zeros((n_others + n_alone, 20 + n_alone), bool)
    X[:n_others, :20] = rng.random((n_others, 20)) < 0.5
    X[:n_others, 0] = True
    X[n_others:, 20:] = np.eye(n_alone, dtype=bool)
    return (X.astype(float) if metric == "braycurtis" else X), n_alone


def fit_with_warning(X, n_unconnected, **parameters):
    with pytest.warns(FeatmapWarning, match=f"{n_unconnected} of {len(X)} rows have no neighbours.* ring"):
        return FeatMAP(n_neighbors=8, n_epochs=20, random_state=0, **parameters).fit(X)


def assert_finite(model, X):
    found = [model.embedding_, model.frames_, model.singular_values_]
    found += [model.feature_importance(), model.arrows(), model.fidelity()]
    for values in (*found, model.transform(X), *model.neighbors_):
        assert np.isfinite(values).all()


@pytest.mark.parametrize("metric", [metric for metric in FARTHEST if metric not in ("matching", "sokalmichener")])
def test_rows_at_the_largest_distance_have_no_edges(metric):
    X, n_alone = rows_with_nothing_in_common(metric)
    model = fit_with_warning(X, n_alone, metric=metric)
    alone = np.arange(len(X)) >= len(X) - n_alone
    assert np.array_equal(np.diff(model.graph_.indptr) == 0, alone)
    far = pairwise_distances(X, metric=metric) > LARGEST_DISTANCES[metric] - 1e-6
    assert far[alone][:, ~alone].all()
    assert model.graph_[far].sum() == 0
    assert_finite(model, X)
    indices, distances = model.neighbors_
    assert indices.shape == distances.shape == (len(X), 7)
    np.testing.assert_allclose(distances[alone], LARGEST_DISTANCES[metric], rtol=1e-6)


@pytest.mark.parametrize("frames", ["aligned", "paper"])
def test_rows_without_edges_have_no_features(frames):
    X, n_alone = rows_with_nothing_in_common("jaccard")
    model = fit_with_warning(X, n_alone, metric="jaccard", frames=frames)
    alone = np.arange(50, 50 + n_alone)
    assert (model.feature_importance(alone) == 0).all()
    assert (model.feature_importance()[:50].sum(axis=1) > 0).all()
    for kind in ("tangent", "map", "frame"):
        assert (model.arrows(alone, kind=kind) == 0).all()
        assert (model.fidelity(alone, kind=kind) == 0).all()
        assert np.abs(model.arrows([0], kind=kind)).max() > 0
    assert (model.explained_variance(alone) == 0).all()
    assert np.isnan(model.consistency(alone)).all()


def test_they_lie_on_a_ring_around_the_map_in_their_order():
    X, n_alone = rows_with_nothing_in_common("jaccard", n_alone=8)
    X = X[np.random.default_rng(3).permutation(len(X))]
    model = fit_with_warning(X, n_alone, metric="jaccard")
    alone = np.diff(model.graph_.indptr) == 0
    others = model.embedding_[~alone].astype(float)
    center = others.mean(axis=0)
    steps = model.embedding_[alone] - center
    largest = np.linalg.norm(others - center, axis=1).max()
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), MARGIN * largest, rtol=1e-5)
    angles = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / n_alone, rtol=1e-4)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_ring_in_any_dimension(dim, rng):
    embedding = rng.normal(size=(7, dim)).astype(np.float32)
    weights = np.zeros((7, 7))
    weights[0, 1] = weights[1, 0] = weights[1, 4] = weights[4, 1] = 1
    placed = place_unconnected(embedding, as_graph(weights))
    connected = [0, 1, 4]
    assert np.array_equal(placed[connected], embedding[connected])
    center = embedding[connected].mean(axis=0)
    largest = np.linalg.norm(embedding[connected] - center, axis=1).max()
    distances = np.linalg.norm(placed[[2, 3, 5, 6]] - center, axis=1)
    np.testing.assert_allclose(distances, MARGIN * largest, rtol=1e-5)
    np.testing.assert_allclose(place_unconnected(embedding, as_graph(np.ones((7, 7)))), embedding)


@pytest.mark.parametrize("frames", ["aligned", "paper"])
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("init", ["auto", "random"])
def test_all_rows_without_edges(frames, dim, init):
    X = np.eye(30, dtype=bool)
    model = fit_with_warning(X, 30, metric="jaccard", frames=frames, n_components=dim, init=init)
    assert model.graph_.nnz == 0
    assert_finite(model, X)
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), ALONE, rtol=1e-6)


def test_larger_neighborhoods_of_tangent_spaces_leave_them_out_too():
    X, n_alone = rows_with_nothing_in_common("jaccard")
    model = fit_with_warning(X, n_alone, metric="jaccard", n_tangent_neighbors=20)
    assert model.neighbors_[0].shape == (56, 19)
    assert (model.feature_importance(np.arange(50, 56)) == 0).all()
    assert_finite(model, X)


def test_a_new_row_unlike_all_others():
    X, n_alone = rows_with_nothing_in_common("jaccard")
    X = np.column_stack([X, np.zeros((len(X), 2), bool)])
    model = fit_with_warning(X, n_alone, metric="jaccard")
    new = np.zeros((3, X.shape[1]), bool)
    new[0, -1] = new[1, -2] = True
    new[2] = X[0]
    placed = model.transform(new)
    assert np.isfinite(placed).all()
    connected = model.embedding_[np.diff(model.graph_.indptr) > 0]
    center = connected.mean(axis=0, dtype=np.float64)
    radius = MARGIN * np.linalg.norm(connected - center, axis=1).max()
    np.testing.assert_allclose(np.linalg.norm(placed[:2] - center, axis=1), radius, rtol=1e-5)
    assert np.array_equal(placed[2], model.embedding_[0])
    assert np.array_equal(model.transform(new[1:2]), placed[1:2])
    explained = model.explain(new)
    for answer in (explained.feature_importance(), explained.arrows(), explained.fidelity()):
        assert (answer[:2] == 0).all()
    assert np.isfinite(explained.arrows()).all()
    assert explained.feature_importance()[2].max() > 0


def test_rows_without_edges_on_a_map_of_another_method(rng):
    X, n_alone = rows_with_nothing_in_common("jaccard")
    Y = rng.normal(size=(len(X), 2))
    with pytest.warns(FeatmapWarning, match=f"{n_alone} of {len(X)} rows have no neighbours"):
        explained = explain(X, Y, metric="jaccard", n_neighbors=8)
    assert (explained.feature_importance()[50:] == 0).all()
    assert (explained.arrows()[50:] == 0).all()
    assert np.isfinite(explained.arrows()).all()


def test_nobody_is_warned_where_all_rows_are_connected(rng):
    X = rng.random((40, 12)) < 0.6
    X[:, 0] = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FeatMAP(n_neighbors=8, n_epochs=5, random_state=0, metric="jaccard").fit(X)
    assert (np.diff(model.graph_.indptr) > 0).all()


def test_tangent_arrows_leave_out_neighbours_without_an_edge():
    """Groups of six rows that share no feature: with fifteen neighbours most of those found are of other groups."""
    rng = np.random.default_rng(0)
    X = np.zeros((66, 44), bool)
    for group in range(11):
        X[6 * group : 6 * group + 6, 4 * group : 4 * group + 4] = rng.random((6, 4)) < 0.7
        X[6 * group : 6 * group + 6, 4 * group] = True
    model = FeatMAP(metric="jaccard", n_epochs=20, random_state=0).fit(X)
    importance, arrows = model.feature_importance(), model.arrows(kind="tangent")
    others = np.repeat(np.arange(11), 6)[:, None] != np.repeat(np.arange(11), 4)
    assert not importance[others].any()
    assert not arrows[others].any()
    assert arrows.any()


def test_new_rows_without_neighbours_are_placed_on_the_ring_itself():
    X = np.kron(np.eye(3, dtype=bool), np.ones((8, 4), bool))
    X[np.arange(24), np.arange(24) % 12] ^= True
    X = np.hstack([X, np.zeros((24, 3), bool)])
    X = np.vstack([X, np.eye(15, dtype=bool)[12:14]])
    with pytest.warns(FeatmapWarning, match="2 of 26 rows have no neighbours"):
        model = FeatMAP(metric="jaccard", n_neighbors=5, n_epochs=20, random_state=0).fit(X)
    placed = model.transform(np.eye(15, dtype=bool)[14:])
    np.testing.assert_allclose(placed[0], model.embedding_[24], rtol=1e-5)
