"""Data are brought to unit size exactly, whatever their scale, offset, type or memory order."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.data.scaling import power_of_two_below, scale_data
from featmap.data.sparse import dense_rows


@pytest.fixture
def integers(rng):
    return rng.integers(-50, 50, (300, 7)).astype(np.float64)


def test_integers_are_kept_exactly(integers):
    data = scale_data(integers)
    restored = data.matrix.astype(np.float64) / data.scale + data.center
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
    data = scale_data(np.array([[-1.7e308], [0.0], [1.7e308]]))
    assert np.isfinite(data.matrix).all()
    np.testing.assert_allclose(np.diff(data.matrix.ravel()), data.matrix[2, 0], rtol=1e-6)


def test_the_center_cannot_overflow():
    data = scale_data(np.array([[1.7e308], [1.6e308], [1.7e308], [1.7e308]]))
    assert np.isfinite(data.center).all()
    assert np.isfinite(data.matrix).all()


def test_units_are_restored(integers):
    data = scale_data(1000 * integers)
    assert data.scale < 1e-3
    np.testing.assert_allclose(data.restore(data.rows(np.arange(5))), 1000 * integers[:5], rtol=1e-12)
    lengths = np.linalg.norm(np.diff(data.matrix, axis=0), axis=1)
    expected = np.linalg.norm(np.diff(1000 * integers, axis=0), axis=1)
    np.testing.assert_allclose(data.in_units(lengths), expected, rtol=1e-6)
    np.testing.assert_allclose(data.log_squares_in_units(2 * np.log(lengths)), 2 * np.log(expected), rtol=1e-6)


def test_new_rows_meet_training_rows(integers):
    data = scale_data(integers)
    assert np.array_equal(data.prepare(integers[:5]), data.matrix[:5])
    assert np.isfinite(data.prepare(np.full((1, 7), 1e300))).all()


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


def test_power_of_two_below():
    for size in (1e-300, 0.3, 1.0, 7.0, 1e300):
        assert 0.5 <= size * power_of_two_below(size) < 1
    assert power_of_two_below(0.0) == 1


def test_one_copy_is_made_and_no_more(rng, tmp_path):
    """Of a memory map in float32: what is allocated at most, as numpy reports it, is little more than the copy."""
    X = np.memmap(tmp_path / "X.dat", np.float32, "w+", shape=(20_000, 200))
    X[:] = rng.normal(size=X.shape)
    tracemalloc.start()
    data = scale_data(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert data.matrix.nbytes == X.nbytes
    assert peak < 1.5 * X.nbytes


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_unit_rows_get_their_lengths_back(make, rng):
    X = rng.normal(size=(50, 6)) * 10.0 ** rng.uniform(-2, 3, (50, 1))
    X[3] = 0
    data = scale_data(make(X), unit_rows=True)
    np.testing.assert_allclose(data.lengths, np.linalg.norm(X, axis=1), rtol=1e-12)
    for chosen in (slice(None), np.array([7, 3, 7])):
        features = data.features(chosen)
        np.testing.assert_allclose(features.restore(dense_rows(features.matrix)), X[chosen], rtol=1e-6)
    new = data.scaled(make(2 * X[5:9]))
    np.testing.assert_allclose(new.features().restore(dense_rows(new.features().matrix)), 2 * X[5:9], rtol=1e-6)


def test_lengths_beyond_any_float_are_the_largest():
    X = np.full((3, 4), 1.7e308)
    X[1] = 1e-320
    data = scale_data(X, unit_rows=True)
    assert np.isfinite(data.lengths).all()
    assert np.isfinite(data.features().matrix).all()
    assert np.isfinite(data.features().restore(data.features().matrix)).all()


def test_features_of_other_rows_are_the_rows_themselves(integers):
    data = scale_data(integers)
    features = data.features([4, 2])
    np.testing.assert_array_equal(features.matrix, data.matrix[[4, 2]])
    np.testing.assert_array_equal(features.restore(features.matrix), integers[[4, 2]])
