"""How well the means of neighbours predict each feature."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..data.sparse import Matrix
from ..data.units import summed
from ..kernels.neighborhoods import add_squared_errors, add_squared_errors_of_sparse
from ..run import Run
from ..values import DoubleArray, IntArray

ROWS_AT_ONCE = 2048


def squared_errors(rows: Matrix, neighbors: IntArray, run: Run) -> DoubleArray:
    """Σ_i (x_i − x̂_i)² of each feature, x̂_i the mean over the neighbours of row i: (n,).

    Rows are an array or a CSR matrix, ``neighbors`` (m, k) numbers of rows. Sums are over fixed blocks of rows and
    added in their order, so that they have the same bits on any number of threads.
    """
    n_rows, n_features = rows.shape
    sums = np.zeros((-(-n_rows // ROWS_AT_ONCE), n_features))

    def task(start: int, stop: int) -> None:
        errors = sums[start // ROWS_AT_ONCE]
        if sp.issparse(rows):
            room = np.empty(n_features)
            parts = rows.indptr, rows.indices, rows.data
            add_squared_errors_of_sparse(*parts, neighbors, start, stop, room, errors)
        else:
            add_squared_errors(rows, neighbors, start, stop, np.empty(n_features, np.float32), errors)

    run.over_rows(n_rows, task, ROWS_AT_ONCE)
    return sums.sum(axis=0)


def explained_part(errors: DoubleArray, spreads: DoubleArray, k: int, groups: IntArray | None = None) -> DoubleArray:
    """1 − k/(k+1)·Σ(x − x̂)²/Σ(x − x̄)² of each feature: 0 on average if it is independent of its neighbours' rows.

    The mean of k independent values errs by 1 + 1/k of their variance. A constant feature has 0. Sums of a category
    are over all its columns, so that each of them has what is known of the category.
    """
    errors, spreads = summed(errors, groups), summed(spreads, groups)
    unexplained = np.divide(errors, spreads, out=np.ones_like(errors), where=spreads > 0)
    return np.where(spreads > 0, 1 - k / (k + 1) * unexplained, 0.0)


def spreads_of(rows: Matrix) -> DoubleArray:
    """Σ(x − x̄)² of each feature: (n,)."""
    if sp.issparse(rows):
        return mean_variance_axis(rows, axis=0)[1].astype(np.float64) * rows.shape[0]
    mean = rows.mean(axis=0, dtype=np.float64)
    spreads = np.zeros(rows.shape[1])
    for start in range(0, len(rows), ROWS_AT_ONCE):
        changes = rows[start : start + ROWS_AT_ONCE] - mean
        spreads += np.einsum("ij,ij->j", changes, changes)
    return spreads
