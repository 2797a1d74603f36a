"""Data that are held in parts are brought to the same bits as data that are held in one place."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.data import sizing
from featmap.data.scaling import scale_data
from featmap.data.sizing import Sizing, column_ranges, power_of_two_below, rows_for_center, unit_rows
from featmap.data.sparse import SparseRows, canonical, dense_rows
from featmap.run import Run

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.6, (5000, 7))
DATA = {
    "float64": RNG.normal(3, 2, (5000, 7)),
    "float32": RNG.normal(3, 2, (5000, 7)).astype(np.float32),
    "huge": 1e300 * RNG.normal(size=(5000, 7)),
    "tiny": 1e-300 * RNG.normal(size=(5000, 7)),
    "integers": COUNTS.astype(np.uint8),
    "the ends of int64": RNG.integers(-(2**63), 2**63 - 1, (5000, 7)),
    "truth": COUNTS > 0,
    "another order": np.asfortranarray(RNG.normal(size=(5000, 7)))[::-1],
    "sparse": sp.csr_matrix(COUNTS.astype(np.float32)),
    "sparse array": sp.csr_array(COUNTS.astype(np.int8)),
    "sparse with rows of nothing": sp.random(5000, 7, 0.05, format="csr", random_state=0),
}
each_data = pytest.mark.parametrize("X", DATA.values(), ids=DATA.keys())


def as_bytes(matrix):
    parts = [matrix]
    if isinstance(matrix, SparseRows):
        parts = [matrix.zeros, matrix.entries.data, matrix.entries.indices, matrix.entries.indptr]
    return [(part.dtype.str, part.tobytes()) for part in parts]


def joined(parts):
    """Scaled rows of several parts as one matrix."""
    if not isinstance(parts[0], SparseRows):
        return np.concatenate(parts)
    return SparseRows(sp.vstack([part.entries for part in parts], format="csr"), parts[0].zeros)


@each_data
@pytest.mark.parametrize("cuts", [[], [1], [2048, 2500], [17, 18, 4000]])
def test_parts_have_the_bits_of_the_whole(X, cuts):
    """A part gives its ranges, the sample gives the center, and a part scales its rows alone."""
    bounds = [0, *cuts, X.shape[0]]
    parts = [X[start:stop] for start, stop in pairwise(bounds)]
    ranges = [column_ranges(part) for part in parts]
    lowest = np.min([low for low, _ in ranges], axis=0)
    highest = np.max([high for _, high in ranges], axis=0)
    size = Sizing.of(X[rows_for_center(X.shape[0])], (lowest, highest))
    whole = scale_data(X)
    assert (size.center.tobytes(), size.scale) == (whole.center.tobytes(), whole.scale)
    assert as_bytes(joined([size.prepare(part) for part in parts])) == as_bytes(whole.matrix)

    divided = [unit_rows(part) for part in parts]
    whole = scale_data(X, unit_rows=True)
    assert as_bytes(joined([unit for unit, _ in divided])) == as_bytes(whole.matrix)
    assert np.concatenate([lengths for _, lengths in divided]).tobytes() == whole.lengths.tobytes()


@each_data
@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_and_blocks_change_no_bit(X, n_jobs, monkeypatch):
    for unit in (False, True):
        alone = scale_data(X, unit_rows=unit)
        monkeypatch.setattr(sizing, "BYTES_SCALED_AT_ONCE", 4096)
        with Run(n_jobs) as run:
            assert as_bytes(scale_data(X, run, unit_rows=unit).matrix) == as_bytes(alone.matrix)
            assert as_bytes(alone.prepare(X, run)) == as_bytes(alone.matrix)
        monkeypatch.undo()


@each_data
def test_ranges_are_those_of_all_values(X, run):
    dense = (X.toarray() if sp.issparse(X) else X).astype(np.float64)
    lowest, highest = column_ranges(X, run)
    assert np.array_equal(lowest, dense.min(axis=0))
    assert np.array_equal(highest, dense.max(axis=0))


@each_data
def test_the_largest_deviation_comes_to_less_than_one(X):
    data = scale_data(X)
    deviation = np.abs((X.toarray() if sp.issparse(X) else X).astype(np.float64) - data.center).max()
    assert data.scale == power_of_two_below(deviation)
    assert 0.5 <= np.abs(dense_rows(data.matrix)).max() <= 1


@pytest.mark.parametrize("n_rows", [1, 2, 3, 999, 1000, 1001, 1999, 2000, 2001, 3000, 70_000, 10**8])
def test_the_sample_is_an_odd_number_of_rows_from_everywhere(n_rows):
    rows = range(n_rows)[rows_for_center(n_rows)]
    assert len(rows) % 2 == 1
    assert min(n_rows, 500) - 1 <= len(rows) <= sizing.ROWS_FOR_CENTER
    assert rows[0] == 0
    assert n_rows - rows[-1] <= 2 * rows.step


@pytest.mark.parametrize("scale", [2.0**-3, 1.0, 2.0**5])
def test_scaled_rows_equal_their_twin(scale):
    X = RNG.normal(size=(300, 7))
    X[0, 0], X[1, 1] = 1e18, -1e18
    size = Sizing(np.arange(7.0), scale)
    assert np.array_equal(size.prepare(X), reference.in_unit_size(X, size.center, scale))


def test_a_huge_constant_beside_small_values_does_not_overflow():
    X = np.column_stack([np.full(300, 1.7e308), 1e-3 * RNG.normal(size=300)])
    for variant in (X, sp.csr_matrix(X)):
        matrix = dense_rows(scale_data(variant).matrix)
        assert (matrix[:, 0] == 0).all()
        assert 0.5 <= np.abs(matrix[:, 1]).max() <= 1


def test_differences_beyond_float64_do_not_overflow():
    matrix = scale_data(np.array([[-1.7e308], [1.6e308], [1.7e308]])).matrix
    np.testing.assert_allclose(matrix[0] / matrix[2], -33, rtol=1e-6)


def test_lengths_equal_their_twin():
    X = RNG.normal(size=(300, 7))
    X[5] = 0
    unit, lengths = unit_rows(X)
    rows, expected = zip(*(reference.divided_by_length(row) for row in X), strict=True)
    assert np.array_equal(unit, rows)
    assert np.array_equal(lengths, expected)


def test_canonical_sparse_data_are_not_copied_and_others_not_changed():
    X = sp.csr_matrix(COUNTS)
    assert np.shares_memory(canonical(X).data, X.data)
    twisted = sp.csr_matrix((np.array([2.0, 1.0, 5.0]), np.array([1, 0, 0]), np.array([0, 2, 3])), (2, 2))
    before = twisted.indices.copy()
    assert np.array_equal(canonical(twisted).indices, [0, 1, 0])
    assert np.array_equal(twisted.indices, before)


def test_scaled_sparse_data_share_nothing_with_the_users():
    X = sp.csr_matrix(COUNTS.astype(np.float32))
    for unit in (False, True):
        entries = scale_data(X, unit_rows=unit).matrix.entries
        assert not any(np.shares_memory(getattr(entries, name), getattr(X, name)) for name in ("indices", "indptr"))
