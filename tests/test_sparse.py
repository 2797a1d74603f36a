"""Sparse data are scaled to the bits of dense data, and stay sparse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.data.scaling import scale_data
from featmap.data.sparse import SparseRows, dense_rows, up_to_translation

SPARSE = {
    "mostly zeros": sp.random(80, 30, 0.2, random_state=0, format="csr"),
    "few zeros": sp.random(80, 30, 0.8, random_state=0, format="csr"),
    "no zeros in a column": sp.csr_matrix(np.random.default_rng(0).poisson([0.5, 30], (2001, 2))),
    "far from zero": sp.csr_matrix(1e8 + np.random.default_rng(0).normal(size=(41, 5))),
    "huge": 1e300 * sp.random(80, 30, 0.6, random_state=0, format="csr"),
    "both ends of float64": sp.csr_matrix([[-1.7e308, 0.0], [0.0, 0.0], [1.7e308, 1.0]]),
    "tiny": 1e-300 * sp.random(80, 30, 0.6, random_state=0, format="csr"),
    "integers": sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (60, 6)).astype(np.int8)),
    "float32": sp.random(80, 30, 0.7, random_state=0, format="csr", dtype=np.float32),
    "nothing": sp.csr_matrix((20, 5)),
}


@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize("name", SPARSE)
def test_sparse_rows_have_the_bits_of_dense_ones(name, unit_rows):
    X = SPARSE[name]
    sparse, dense = (scale_data(variant, unit_rows=unit_rows) for variant in (X, X.toarray()))
    assert isinstance(sparse.matrix, SparseRows)
    assert (sparse.scale, sparse.center.tobytes()) == (dense.scale, dense.center.tobytes())
    assert np.array_equal(sparse.matrix.toarray(), dense.matrix)
    assert np.array_equal(sparse.matrix.columns(slice(1, 3)).toarray(), dense.matrix[:, 1:3])
    for scaled in (sparse, dense):
        for rows in (X[:3], X[:3].toarray()):
            assert np.array_equal(dense_rows(scaled.prepare(rows)), dense.matrix[:3])


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_rows_can_stay_sparse_up_to_a_translation(name):
    matrix = scale_data(SPARSE[name]).matrix
    translated, dense = up_to_translation(matrix), matrix.toarray()
    assert translated.nnz == SPARSE[name].nnz
    steps, expected = translated.toarray() - translated[0].toarray(), dense - dense[0]
    np.testing.assert_allclose(steps, expected, atol=1e-6)


def test_repeated_entries_of_a_sparse_matrix_add_up():
    repeated = sp.csr_matrix(([1.0, 2.0, 5.0], [1, 1, 0], [0, 2, 3]), (2, 2))
    plain = sp.csr_matrix([[0.0, 3.0], [5.0, 0.0]])
    for unit_rows in (False, True):
        found, expected = (scale_data(X, unit_rows=unit_rows).matrix.toarray() for X in (repeated, plain))
        assert np.array_equal(found, expected)
    assert repeated.nnz == 3


def test_repeated_entries_add_up_beyond_their_type():
    repeated = sp.csr_matrix((np.array([100, 100, 7], np.int8), [1, 1, 0], [0, 2, 3]), (2, 2))
    plain = np.array([[0.0, 200.0], [7.0, 0.0]])
    for unit_rows in (False, True):
        found, expected = (scale_data(X, unit_rows=unit_rows).matrix for X in (repeated, plain))
        assert np.array_equal(found.toarray(), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int64])
def test_the_least_integer_of_a_type_has_its_size_in_sparse_data(dtype):
    """The type has no number for its absolute value."""
    matrix = scale_data(sp.csr_matrix(np.array([[np.iinfo(dtype).min, 0], [0, 3]], dtype))).matrix
    assert 0.5 <= np.abs(matrix.toarray()).max() <= 1


def test_table_gives_the_rows_asked_for(rng):
    X = sp.random(80, 30, 0.2, random_state=0, format="csr")
    indices = rng.integers(80, size=(5, 4)).astype(np.int32)
    for data in (scale_data(X), scale_data(X.toarray())):
        table, positions = data.table(indices)
        dense = dense_rows(data.matrix)
        assert np.array_equal(table[positions], dense[indices])
