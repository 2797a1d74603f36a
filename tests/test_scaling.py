"""Data are brought to unit size exactly, whatever their scale, offset, type or memory order."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.data.scaling import scale_data, power_of_two_below
from featmap.data.sparse import SparseRows, dense_rows, up_to_translation


@pytest.fixture
def integers(rng):
    return rng.integers(-50, 50, (300, 7)).astype(np.float64)


def test_integers_are_kept_exactly(integers):
    features = scale_data(integers)
    restored = features.matrix.astype(np.float64) / features.scale + features.center
    assert np.array_equal(restored, integers)


@pytest.mark.parametrize("power", [-100, -3, 1, 100])
def test_powers_of_two_change_nothing(integers, power):
    assert np.array_equal(scale_data(integers * 2.0**power).matrix, scale_data(integers).matrix)


@pytest.mark.parametrize("shift", [-1000, 1, 10**8])
def test_integer_translations_change_nothing(integers, shift):
    assert np.array_equal(scale_data(integers + shift).matrix, scale_data(integers).matrix)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_size_is_one(rng, scale):
    matrix = scale_data(scale * rng.normal(size=(100, 4))).matrix
    assert 0.5 <= np.abs(matrix).max() <= 1


def test_values_at_both_ends_of_float64():
    features = scale_data(np.array([[-1.7e308], [0.0], [1.7e308]]))
    assert np.isfinite(features.matrix).all()
    np.testing.assert_allclose(np.diff(features.matrix.ravel()), features.matrix[2, 0], rtol=1e-6)


def test_the_center_cannot_overflow():
    features = scale_data(np.array([[1.7e308], [1.6e308], [1.7e308], [1.7e308]]))
    assert np.isfinite(features.center).all()
    assert np.isfinite(features.matrix).all()


def test_new_rows_meet_training_rows(integers):
    features = scale_data(integers)
    assert np.array_equal(features.prepare(integers[:5]), features.matrix[:5])
    assert np.isfinite(features.prepare(np.full((1, 7), 1e300))).all()


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32])
def test_types_and_orders_agree(integers, dtype):
    X = np.abs(integers).astype(dtype)
    expected = scale_data(X.astype(np.float64)).matrix
    for variant in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        assert np.array_equal(scale_data(variant).matrix, expected)


def test_input_is_not_changed(integers):
    before = integers.copy()
    integers.flags.writeable = False
    scale_data(integers)
    scale_data(integers, unit_rows=True)
    assert np.array_equal(integers, before)


def test_unit_rows_have_length_one_and_zeros_stay(rng):
    X = rng.normal(size=(50, 6)) * 10.0 ** rng.integers(-150, 150, (50, 1))
    X[3] = 0
    for variant in (X, sp.csr_matrix(X)):
        matrix = scale_data(variant, unit_rows=True).matrix
        dense = dense_rows(matrix)
        lengths = np.linalg.norm(dense, axis=1)
        np.testing.assert_allclose(lengths[np.arange(50) != 3], 1, rtol=1e-6)
        assert lengths[3] == 0


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
    sparse, dense = (scale_data(data, unit_rows=unit_rows) for data in (X, X.toarray()))
    assert isinstance(sparse.matrix, SparseRows)
    assert (sparse.scale, sparse.center.tobytes()) == (dense.scale, dense.center.tobytes())
    assert np.array_equal(sparse.matrix.toarray(), dense.matrix)
    order = np.arange(len(dense.matrix), dtype=np.int32)[::-1]
    assert np.array_equal(sparse.columns(slice(1, 3), order), dense.columns(slice(1, 3), order))
    for features in (sparse, dense):
        for data in (X[:3], X[:3].toarray()):
            assert np.array_equal(dense_rows(features.prepare(data)), dense.matrix[:3])


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
    """Its absolute value is no number of the type."""
    matrix = scale_data(sp.csr_matrix(np.array([[np.iinfo(dtype).min, 0], [0, 3]], dtype))).matrix
    assert 0.5 <= np.abs(matrix.toarray()).max() <= 1


def test_table_gives_the_rows_asked_for(rng):
    X = sp.random(80, 30, 0.2, random_state=0, format="csr")
    indices = rng.integers(80, size=(5, 4)).astype(np.int32)
    for features in (scale_data(X), scale_data(X.toarray())):
        table, positions = features.table(indices)
        dense = dense_rows(features.matrix)
        assert np.array_equal(table[positions], dense[indices])


def test_power_of_two_below():
    for size in (1e-300, 0.3, 1.0, 7.0, 1e300):
        assert 0.5 <= size * power_of_two_below(size) < 1
    assert power_of_two_below(0.0) == 1


def test_one_copy_is_made_and_no_more(rng, tmp_path):
    """Of a memory map in float32: what is allocated at most, as numpy reports it, is little more than the copy."""
    X = np.memmap(tmp_path / "X.dat", np.float32, "w+", shape=(20_000, 200))
    X[:] = rng.normal(size=X.shape)
    tracemalloc.start()
    features = scale_data(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert features.matrix.nbytes == X.nbytes
    assert peak < 1.5 * X.nbytes
