"""The score of rows that are far from all data: planted ones, by loops, and with nothing to divide by."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap import FeatMAP, FeatmapWarning

QUICK = {"n_neighbors": 8, "n_epochs": 3, "random_state": 0}


@pytest.fixture(scope="module")
def planted():
    """A dense and a wide cluster: training rows, test rows, and rows that are far for the cluster they are near."""
    rng = np.random.default_rng(0)
    dense, wide = (rng.normal(center, size, (300, 5)) for center, size in ((0, 0.05), (20, 3)))
    far = np.concatenate([rng.normal(0, 0.05, (10, 5)) + 1, rng.normal(20, 3, (10, 5)) + 40])
    return np.concatenate([dense[:200], wide[:200]]), np.concatenate([dense[200:], wide[200:]]), far


@pytest.fixture(scope="module")
def model(planted):
    return FeatMAP(**QUICK).fit(planted[0])


def test_far_rows_score_higher_than_all_others(model, planted):
    train, test, far = planted
    scores = model.outlier_score(test)
    assert model.outlier_score(far).min() > 2 * max(scores.max(), model.outlier_score(train).max())
    for usual in (scores[:100], scores[100:], model.outlier_score(train)):  # a training row is its own nearest
        assert 0.8 < np.median(usual) < 1.2


def test_scores_equal_their_twin(model, planted):
    train, test, far = planted
    new = np.concatenate([test, far])
    np.testing.assert_allclose(model.outlier_score(new), reference.outlier_score(train, new, 7), rtol=1e-4)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_rows_are_scored_alone(metric, make, rng):
    X, new = rng.normal(size=(120, 4)), make(rng.normal(size=(90, 4)))
    model = FeatMAP(**QUICK, metric=metric).fit(make(X))
    together = model.outlier_score(new)
    assert (together > 0).all()
    for rows in ([0], [9, 4], np.arange(89, -1, -2)):
        assert np.array_equal(model.outlier_score(new[rows]), together[rows])
    assert np.array_equal(model.set_params(n_jobs=1).outlier_score(new), together)


def test_scores_have_no_units_whoever_found_the_neighbours(planted):
    train, test, _ = (1000 * part for part in planted)
    found = FeatMAP(**QUICK).fit(train)
    given = FeatMAP(**QUICK, precomputed_knn=found.neighbors_).fit(train)
    np.testing.assert_allclose(
        found.outlier_score(test), FeatMAP(**QUICK).fit(planted[0]).outlier_score(planted[1]), rtol=1e-5
    )
    np.testing.assert_allclose(given.outlier_score(test), found.outlier_score(test), rtol=1e-6)


def test_duplicates_have_scores(rng):
    X = np.concatenate([np.zeros((30, 3)), rng.normal(size=(30, 3))])
    model = FeatMAP(**QUICK).fit(X)
    assert model.outlier_score(X[:1])[0] == 1
    scores = model.outlier_score(np.concatenate([X, X + 0.1, X + 1e6]))
    assert np.isfinite(scores).all()
    assert scores[60] > 10  # beside the copies, where nothing is usual
    equal = FeatMAP(**QUICK).fit(np.ones((20, 3)))
    assert equal.outlier_score([[1, 1, 1], [1, 1, 2]]).tolist() == [1, np.inf]


def test_rows_that_have_nothing_in_common_are_infinitely_far(rng):
    X = np.zeros((42, 9), bool)
    X[:40, :6] = rng.random((40, 6)) < 0.6
    X[:40, 0] = True
    X[40, 6] = X[41, 7] = True
    with pytest.warns(FeatmapWarning, match="2 of 42 rows have no neighbours"):
        model = FeatMAP(**QUICK, metric="jaccard").fit(X)
    new = np.zeros((2, 9), bool)
    new[0, 8] = new[1, 6] = new[1, 0] = True
    scores = model.outlier_score(np.concatenate([new, X]))
    assert np.isinf(scores[0])
    assert np.isfinite(scores[1:]).all()


def test_missing_neighbours_of_training_rows_do_not_count(planted):
    train, test, _ = planted
    indices, distances = FeatMAP(**QUICK).fit(train).neighbors_
    distances[5, 2:] = distances[6] = np.inf
    scores = FeatMAP(**QUICK, precomputed_knn=(indices, distances)).fit(train).outlier_score(test)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(np.median(scores), 1.05, atol=0.15)
