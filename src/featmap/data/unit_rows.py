"""Rows divided by their lengths, for cosine distances, each row alone."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..kernels.scaling import divide_by_lengths
from ..run import SERIAL, Run
from ..values import DoubleArray, FloatArray
from .sizing import rows_scaled_at_once, with_values
from .sparse import Matrix, SparseRows, canonical


def unit_rows(X: Matrix, run: Run = SERIAL) -> tuple[Matrix, DoubleArray]:
    """Rows of length 1 in float32, and the lengths that they had. Rows of zeros stay zero."""
    return _of_sparse(canonical(X), run) if sp.issparse(X) else _of_dense(X, run)


def _of_dense(X: np.ndarray, run: Run) -> tuple[FloatArray, DoubleArray]:
    unit, lengths = np.empty(X.shape, np.float32), np.empty(len(X))

    def task(start: int, stop: int) -> None:
        offsets = np.arange(stop - start + 1) * X.shape[1]
        _divide(X[start:stop].ravel(), offsets, unit[start:stop].ravel(), lengths[start:stop])

    run.over_rows(len(X), task, rows_scaled_at_once(X.shape[1]))
    return unit, lengths


def _of_sparse(entries: Matrix, run: Run) -> tuple[SparseRows, DoubleArray]:
    n_rows, n_features = entries.shape
    unit, lengths = np.empty(entries.nnz, np.float32), np.empty(n_rows)

    def task(start: int, stop: int) -> None:
        offsets = entries.indptr[start : stop + 1]
        part = slice(offsets[0], offsets[-1])
        _divide(entries.data[part], offsets - offsets[0], unit[part], lengths[start:stop])

    run.over_rows(n_rows, task, rows_scaled_at_once(entries.nnz // max(n_rows, 1)))
    return SparseRows(with_values(entries, unit), np.zeros(n_features, np.float32)), lengths


def _divide(values: np.ndarray, offsets: np.ndarray, unit: FloatArray, lengths: DoubleArray) -> None:
    # Copies in any case: kernels are compiled for one type and order.
    divide_by_lengths(values.astype(np.float64, order="C"), offsets.astype(np.int64), unit, lengths)
