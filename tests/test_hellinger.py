"""metric="hellinger": counts and shares, searched as Euclidean distances between square roots."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import FeatMAP, FeatmapError, FeatmapWarning, InvalidDataError, estimate_memory, explain
from featmap.neighbors.other import hellinger_distances

QUICK = {"n_neighbors": 8, "n_epochs": 10, "random_state": 0}
COUNTS = np.random.default_rng(0).poisson(np.random.default_rng(1).gamma(0.5, 3, (150, 12))).astype(float)
COUNTS[:, 0] += 1  # no row is empty


def fit(X=COUNTS, **parameters):
    return FeatMAP(**{**QUICK, "metric": "hellinger", **parameters}).fit(X)


def by_the_formula(x, y):
    """umap-learn's, in float64."""
    if x.sum() == 0 or y.sum() == 0:
        return float(x.sum() != y.sum())
    return np.sqrt(max(0.0, 1 - np.sqrt(x * y).sum() / np.sqrt(x.sum() * y.sum())))


def all_pairs(X, Y):
    return np.array([[by_the_formula(x, y) for y in Y] for x in X])


WITH_EMPTY = np.vstack([COUNTS[:20], np.zeros((2, 12))])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_distances_are_those_of_the_formula(make):
    found = hellinger_distances(make(COUNTS[:30]), make(WITH_EMPTY))
    np.testing.assert_allclose(found, all_pairs(COUNTS[:30], WITH_EMPTY), atol=1e-6)


def test_distances_are_umap_learns(umap):
    theirs = [[umap.distances.hellinger(x, y) for y in WITH_EMPTY] for x in WITH_EMPTY[::-1]]
    found = hellinger_distances(WITH_EMPTY[::-1], WITH_EMPTY)
    np.testing.assert_allclose(found**2, np.nan_to_num(theirs) ** 2, atol=1e-6)


@pytest.mark.parametrize("exact_below", [10_000, 100])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_neighbors_are_the_nearest(exact_below, make, monkeypatch):
    monkeypatch.setattr("featmap.neighbors.EXACT_BELOW", exact_below)
    indices, distances = fit(make(COUNTS)).neighbors_
    pairs = all_pairs(COUNTS, COUNTS)
    np.fill_diagonal(pairs, np.inf)
    np.testing.assert_allclose(distances, np.sort(pairs, axis=1)[:, :7], atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(pairs, indices, axis=1), distances, atol=1e-6)


def test_sparse_rows_have_the_bytes_of_dense_ones():
    dense, sparse = fit(), fit(sp.csr_matrix(COUNTS))
    np.testing.assert_array_equal(dense.embedding_, sparse.embedding_)
    new = COUNTS[:9] + 1
    np.testing.assert_array_equal(dense.transform(new), sparse.transform(sp.csr_matrix(new)))


def test_only_shares_count():
    sizes = 2.0 ** np.random.default_rng(0).integers(-3, 4, 150)
    np.testing.assert_array_equal(fit(COUNTS * sizes[:, None]).neighbors_[0], fit().neighbors_[0])


def test_a_row_of_zeros_has_nothing_in_common_with_others():
    with pytest.warns(FeatmapWarning, match="1 of 151 rows have no neighbours"):
        model = fit(np.vstack([COUNTS, np.zeros(12)]))
    assert model.graph_[150].nnz == 0
    assert model.outlier_score(np.zeros((1, 12)) + np.eye(1, 12))[0] < np.inf
    assert fit().outlier_score(np.zeros((1, 12)))[0] == np.inf


def test_new_rows_are_placed_by_it():
    model = fit()
    np.testing.assert_array_equal(model.transform(COUNTS), model.embedding_)
    np.testing.assert_array_equal(model.transform(COUNTS[:5] * 8), model.embedding_[:5])


def test_tangent_spaces_are_those_of_the_features():
    model = fit()
    plain = FeatMAP(**QUICK, precomputed_knn=model.neighbors_, metric="hellinger").fit(COUNTS)
    np.testing.assert_array_equal(model.feature_importance(), plain.feature_importance())
    explained = explain(COUNTS, model.embedding_, metric="hellinger", n_neighbors=8)
    np.testing.assert_array_equal(explained.feature_importance(), model.feature_importance())


def test_given_neighbors_of_another_metric_get_a_warning():
    shares = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    others = FeatMAP(**QUICK).fit(shares).neighbors_
    with pytest.warns(FeatmapWarning, match="not those of metric='hellinger'"):
        fit(shares, precomputed_knn=others)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_negative_values_are_refused(make, stages_begun):
    with pytest.raises(InvalidDataError, match=r"metric='hellinger': X has negative values.*counts or shares"):
        fit(make(COUNTS - 1))
    assert stages_begun == []
    with pytest.raises(InvalidDataError, match="negative values"):
        fit().transform(make(-COUNTS[:3]))


def test_principal_components_are_no_counts(stages_begun):
    with pytest.raises(FeatmapError, match="pca must be None, since principal components have negative values"):
        fit(pca=3)
    assert stages_begun == []


def test_the_roots_are_counted_as_memory():
    shape = (100_000, 500)
    assert estimate_memory(shape, metric="hellinger") > estimate_memory(shape) + 4 * 100_000 * 500 * 0.9
