"""Recall as the benchmarks measure it, and the data that they measure it on."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

import lab.recall
from benchmarks import methods
from benchmarks.data import Data, load, title
from benchmarks.methods import METHODS, fit_umap_learn
from benchmarks.run_one import recall_of
from lab.data.documents import documents
from lab.data.manifolds import gaussian
from lab.data.survey import survey
from lab.recall import recall

K = 5


@pytest.fixture(params=["euclidean", "cosine", "sparse cosine", "sparse euclidean"])
def searched(request, rng, monkeypatch):
    """Rows, their true neighbours by scikit-learn, and the metric. Blocks are so small that there are several."""
    monkeypatch.setattr(lab.recall, "BLOCK", 64)
    X, metric = rng.normal(size=(200, 8)) + 3, request.param.split()[-1]
    if request.param.startswith("sparse"):
        X = sp.csr_matrix(np.where(X > 3.2, X, 0) + np.eye(1, 8))  # no row is empty
    found = NearestNeighbors(n_neighbors=K, metric=metric, algorithm="brute").fit(X).kneighbors(return_distance=False)
    return X, found, metric


def test_true_neighbors_have_recall_one(searched):
    X, found, metric = searched
    assert recall(X, found, metric) == 1


@pytest.mark.parametrize("wrong", ["missing", "the row itself", "a far one"])
def test_every_wrong_neighbor_counts(searched, wrong):
    X, found, metric = searched
    rows = np.arange(len(found))
    furthest = NearestNeighbors(n_neighbors=199, metric=metric, algorithm="brute").fit(X).kneighbors()[1][:, -1]
    found[:, 1] = {"missing": -1, "the row itself": rows, "a far one": furthest}[wrong]
    assert recall(X, found, metric) == pytest.approx(1 - 1 / K)


def test_recall_is_that_of_random_rows(rng):
    """Half of the rows have found nothing: a sample of 300 tells so within its error."""
    X = rng.normal(size=(2000, 3))
    found = NearestNeighbors(n_neighbors=K).fit(X).kneighbors(return_distance=False)
    found[rng.permutation(2000)[:1000]] = -1
    assert 0.4 < recall(X, found) < 0.6
    assert recall(X, found, n_sample=2000) == pytest.approx(0.5)


def test_any_of_several_neighbors_at_one_distance_counts():
    """Of the ends of the axes all others but the opposite one are at √2."""
    X = np.vstack([np.eye(4), -np.eye(4)]).astype(np.float32)
    found = np.array([[other for other in range(8) if other % 4 != row % 4][3:5] for row in range(8)])
    assert recall(X, found) == 1
    found[:, 1] = (np.arange(8) + 4) % 8
    assert recall(X, found) == 0.5


def test_an_offset_does_not_spoil_distances(rng):
    X = rng.normal(size=(300, 4)) + 1e7
    found = NearestNeighbors(n_neighbors=K, algorithm="kd_tree").fit(X).kneighbors(return_distance=False)
    assert recall(X, found) == 1


def test_neighbors_of_featmap_are_measured():
    data = load("500")
    fit = METHODS["featMAP"].fit(data, 11, 1)
    assert fit.neighbors().shape == (500, 14)
    assert recall_of(fit, data) == {"recall": 1}


def test_neighbors_of_umap_are_those_without_the_row_itself(monkeypatch):
    found = np.array([[0, 2, 1], [1, 0, 2], [2, 0, -1]])
    model = SimpleNamespace(embedding_=np.zeros((3, 2)), _small_data=False, _knn_indices=found)
    monkeypatch.setattr(methods, "fit_umap", lambda X, settings: model)
    np.testing.assert_array_equal(fit_umap_learn(None, None).neighbors(), found[:, 1:])
    model._small_data = True
    assert recall_of(fit_umap_learn(None, None), None) == {}


def test_deviations_of_the_gaussian_fall_with_the_root():
    X = gaussian(20_000)
    np.testing.assert_allclose(X.std(axis=0), np.arange(1, 51) ** -0.5, rtol=0.05)
    correlations = np.corrcoef(X, rowvar=False) - np.eye(50)
    assert np.abs(correlations).max() < 0.04
    assert X.dtype == np.float32


def test_every_question_of_the_survey_has_one_answer():
    X, latent = survey(2000, 10)
    assert set(np.unique(X)) == {0, 1}
    np.testing.assert_array_equal(X.sum(axis=1), 10)
    assert 40 <= X.shape[1] <= 60
    means = np.array([X[latent == number].mean(axis=0) for number in np.unique(latent)])
    assert np.ptp(means, axis=0).mean() > 0.3  # classes answer differently
    assert survey()[0].shape[0] == 12_000


def test_words_of_documents_follow_zipf():
    X, topic = documents()
    assert X.shape == (12_000, 3_000)
    assert X.dtype == np.float32
    assert X.nnz / X.shape[0] < 0.05 * X.shape[1]
    np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1, rtol=1e-5)
    how_many = np.sort(np.diff(X.tocsc().indptr))[::-1]  # documents that a word is in
    assert how_many[0] > 20 * np.median(how_many)
    some = (X[:500] @ X[:500].T).toarray()
    same = topic[:500, None] == topic[:500]
    np.fill_diagonal(same, False)
    assert some[same].mean() > 1.5 * some[topic[:500, None] != topic[:500]].mean()


@pytest.mark.parametrize("name", ["300", "gaussian 300", "survey", "digits", "tfidf"])
def test_data_are_the_same_each_time(name):
    first, second = (load(name) for _ in range(2))
    assert abs(first.X - second.X).max() == 0
    assert first.metric == ("cosine" if name == "tfidf" else "euclidean")


def test_the_size_of_data_is_that_of_their_arrays():
    assert load("1024").mb == 1024 * 50 * 4 / 2**20
    X = sp.csr_matrix(np.eye(3, dtype=np.float32))
    assert Data(X).mb == pytest.approx((8 * 3 + 4 * 4) / 2**20)


def test_titles_of_data():
    titles = [title(name) for name in ("1000", "gaussian 100000", "mnist")]
    assert titles == ["sheets, 1,000 rows", "Gaussian, 100,000 rows", "mnist"]
