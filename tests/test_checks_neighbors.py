"""Neighbours that the user gives, in the forms in which other tools have them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import reference
from featmap import FeatMAP
from featmap.checks.distances import given_neighbors
from featmap.errors import FeatmapWarning, InvalidDataError


@pytest.fixture
def X(rng):
    return rng.normal(size=(50, 3)).astype(np.float32).astype(float)


@pytest.fixture
def near(X):
    """The eight nearest others of each row: indices and distances."""
    return reference.nearest_others(X, 8)


def assert_first(found, near, k=5):
    assert np.array_equal(found.indices, near[0][:, :k])
    np.testing.assert_allclose(found.distances, near[1][:, :k], rtol=1e-6)
    assert found.indices.dtype == np.int32
    assert found.distances.dtype == np.float32


def with_self(near):
    indices, distances = near
    return np.column_stack([np.arange(50), indices]), np.column_stack([np.zeros(50), distances])


def in_csr(indices, distances):
    """As scanpy keeps distances: every row's neighbours in one matrix."""
    indptr = np.arange(0, indices.size + 1, indices.shape[1])
    return sp.csr_matrix((distances.flatten(), indices.flatten(), indptr), (50, 50))


def test_pairs_with_or_without_the_row_itself_in_any_order(near):
    indices, distances = near
    reversed_order = indices[:, ::-1], distances[:, ::-1]
    lists = indices.tolist(), distances.tolist()
    for given in (near, with_self(near), reversed_order, [indices, distances], lists):
        assert_first(given_neighbors(given, 50, 5), near)


def test_the_triple_of_umap_learn(X, near, umap):
    """From distances of all pairs, for which it compiles nothing."""
    far = pairwise_distances(X)
    triple = umap.umap_.nearest_neighbors(far, 9, "precomputed", {}, False, np.random.RandomState(0))
    assert len(triple) == 3
    assert_first(given_neighbors(triple, 50, 5), near)


@pytest.mark.slow
def test_the_triple_of_umap_learn_with_its_index(X, near, umap):
    """Its search takes tens of seconds to compile."""
    triple = umap.umap_.nearest_neighbors(X, 9, "euclidean", {}, False, np.random.RandomState(0))
    assert triple[2] is not None
    assert_first(given_neighbors(triple, 50, 5), near)


@pytest.mark.parametrize("include_self", [False, True])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_the_matrix_of_scikit_learn(X, near, include_self, form):
    """With itself each row stores a distance of 0, which counts as an entry."""
    matrix = kneighbors_graph(X, 9, mode="distance", include_self=include_self)
    assert_first(given_neighbors(matrix.asformat(form), 50, 5), near)


def test_the_distances_of_scanpy(near):
    indices, distances = near
    assert_first(given_neighbors(in_csr(indices[:, ::-1], distances[:, ::-1]), 50, 5), near)
    assert_first(given_neighbors(sp.csr_array(in_csr(indices, distances)), 50, 5), near)


def test_padding_is_read_as_missing(near):
    """Index −1, or an infinite distance: no neighbour, at infinity, after all others."""
    indices, distances = (part.copy() for part in near)
    indices[7, 2:] = -1
    distances[7, 2:] = np.nan
    distances[9, 1:] = np.inf
    found = given_neighbors((indices, distances), 50, 5)
    for row, n_known in ((7, 2), (9, 1)):
        assert found.indices[row, :n_known].tolist() == near[0][row, :n_known].tolist()
        assert np.isinf(found.distances[row, n_known:]).all()
        assert (found.indices[row, n_known:] == row).all()
    others = np.setdiff1d(np.arange(50), [7, 9])
    assert np.array_equal(found.indices[others], near[0][others, :5])


def test_missing_neighbors_get_no_edge(X, near):
    indices, distances = (part.copy() for part in near)
    indices[7, 2:] = -1
    indices[indices == 9] = -1
    indices[9] = -1
    with pytest.warns(FeatmapWarning, match="1 of 50 rows have no neighbours"):
        model = FeatMAP(n_neighbors=6, n_epochs=5, random_state=0, precomputed_knn=(indices, distances)).fit(X)
    assert model.graph_[9].nnz == 0
    assert model.graph_.diagonal().max() == 0
    assert set(near[0][7, :2]) <= set(model.graph_[7].indices)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(X)).all()


def test_rows_of_different_lengths_are_refused_with_the_number_needed(near):
    matrix = in_csr(*near).tolil()
    matrix[3, near[0][3, 3:]] = 0
    ragged = sp.csr_matrix(matrix)
    ragged.eliminate_zeros()
    message = r"precomputed_knn: 5 neighbours are needed for every row.*only 3; give more neighbours"
    with pytest.raises(InvalidDataError, match=message):
        given_neighbors(ragged, 50, 5)
    assert_first(given_neighbors(ragged, 50, 3), near, 3)


def test_a_row_may_store_more_than_is_needed(near):
    longer = in_csr(*near).tolil()
    far = np.setdiff1d(np.arange(50), [3, *near[0][3]])[0]
    longer[3, far] = 99.0
    assert_first(given_neighbors(sp.csr_matrix(longer), 50, 5), near)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda i, d: (i[:-1], d[:-1]), "shape"),
        (lambda i, d: (i, d[:, :-1]), "shape"),
        (lambda i, d: (i[0], d[0]), "shape"),
        (lambda i, d: ([[1, 2], [3]], d), "two arrays"),
        (lambda i, d: (i - 2, d), "integers from 0"),
        (lambda i, d: (i + 45, d), "integers from 0"),
        (lambda i, d: (i.astype(float), d), "integers from 0"),
        (lambda i, d: (i, d * np.nan), "NaN"),
        (lambda i, d: (i, -d), "negative"),
        (lambda i, d: (i, d * 1e31), "at most 1e"),
        (lambda i, d: (i, d.astype(str)), "distances must"),
        (lambda i, d: (i[:, :3], d[:, :3]), "only 3"),
        (lambda i, d: (i[:, [0, 0, 1, 2, 3]], d[:, [0, 0, 1, 2, 3]]), "names the same neighbour twice"),
        (lambda i, d: in_csr(i, -d), "negative"),
        (lambda i, d: in_csr(i, d * np.nan), "NaN"),
        (lambda i, d: in_csr(i, d)[:49], "shape"),
    ],
)
def test_neighbors_that_cannot_be_used(spoil, message, near):
    with pytest.raises(InvalidDataError, match=message) as caught:
        given_neighbors(spoil(*near), 50, 5)
    assert str(caught.value).startswith("precomputed_knn")
