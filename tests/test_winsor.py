"""Winsorised features: far values are clipped as the formula says, for dense and for sparse data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.data.scaling import scale_data
from featmap.data.sparse import dense_rows
from featmap.explanation.winsor import Winsorised
from featmap.run import Run


@pytest.fixture
def table(rng):
    """Heavy tails, counts with many zeros, a rare binary feature, a constant one, and one without any zero."""
    m = 250
    rare = np.zeros(m)
    rare[:2] = 1
    counts = rng.poisson(0.3, (m, 3)) * rng.lognormal(size=(m, 3))
    shifted = rng.normal(100, 1, m)
    shifted[:3] = [500, -500, 0]
    return np.column_stack([rng.standard_t(1, (m, 2)), counts, rare, np.full(m, 7.0), shifted])


def found(X, n_jobs=1):
    data = scale_data(X)
    with Run(n_jobs) as run:
        return data, Winsorised.of(data.matrix, run)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_values_means_and_spreads_equal_their_twins(table, make):
    data, features = found(make(table))
    expected = reference.winsorised(table)
    np.testing.assert_allclose(
        data.restore(dense_rows(features.clipped(data.matrix))), expected, rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(data.restore(features.mean), expected.mean(axis=0), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(data.in_units(features.sd), expected.std(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(data.restore(features.mean_as_given), table.mean(axis=0), rtol=1e-6, atol=1e-5)


def test_far_values_are_clipped_and_rare_ones_are_not(table):
    data, features = found(table)
    clipped = data.restore(features.clipped(data.matrix))
    assert abs(table[:, -1] - 100).max() == 600
    assert abs(clipped[:, -1] - 100).max() < 15
    np.testing.assert_allclose(clipped[:, 5], table[:, 5], atol=1e-6)  # 1 % and 99 % quantile are equal
    assert features.sd[6] == 0


def test_sparse_rows_stay_sparse(table):
    data, features = found(sp.csr_matrix(table))
    clipped = features.clipped(data.matrix)
    assert clipped.entries.nnz == data.matrix.entries.nnz


def test_rows_in_other_units_are_clipped_alike(table):
    (data, features), (larger, of_larger) = found(table), found(table * 2.0**40)
    assert np.array_equal(data.matrix, larger.matrix)
    assert np.array_equal(features.lowest, of_larger.lowest)


def test_same_bytes_on_any_number_of_threads(rng):
    X = rng.normal(size=(100, 50))
    for one, two in zip(vars(found(X, 1)[1]).values(), vars(found(X, 2)[1]).values(), strict=True):
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("n_rows", [2, 3])
def test_two_or_three_rows(n_rows, rng):
    X = rng.normal(size=(n_rows, 3))
    data, features = found(X)
    np.testing.assert_allclose(data.restore(features.clipped(data.matrix)), X, rtol=1e-5)
    assert (features.sd > 0).all()
