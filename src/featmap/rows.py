"""Rows of the data in unit size: an array, or what is stored of sparse data, from which they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .errors import InvalidRowsError

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]
IntArray = NDArray[np.int32]
Matrix: TypeAlias = Any  # np.ndarray, SparseRows or, of the user's, scipy CSR, which has no types of its own


@dataclass(frozen=True)
class SparseRows:
    """Rows in unit size that were sparse before they were centred.

    Centred data are not sparse. So there are the entries that were stored, centred, and one row of what zeros have
    become; rows are put together from both when they are looked at.
    """

    entries: Any  # CSR
    zeros: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        return self.entries.shape

    def __getitem__(self, rows: Any) -> SparseRows:
        return SparseRows(self.entries[rows], self.zeros)

    def columns(self, columns: slice) -> SparseRows:
        return SparseRows(self.entries[:, columns], self.zeros[columns])

    def toarray(self) -> FloatArray:
        dense = np.tile(self.zeros, (self.shape[0], 1))
        rows = np.repeat(np.arange(len(dense)), np.diff(self.entries.indptr))
        dense[rows, self.entries.indices] = self.entries.data
        return dense

    def tocsr(self) -> Any:
        """All rows, sparse, each less the same row, which has what zeros have become where there are any."""
        entries = self.entries
        less = np.where(has_zeros(entries), self.zeros, 0)
        return sp.csr_matrix((entries.data - less[entries.indices], entries.indices, entries.indptr), self.shape)


def has_zeros(entries: Any) -> NDArray[np.bool_]:
    """Which columns have entries that are not stored."""
    return np.bincount(entries.indices, minlength=entries.shape[1]) < entries.shape[0]


def dense_rows(matrix: Matrix, rows: Any = slice(None)) -> FloatArray:
    """Some rows of a matrix, dense."""
    chosen = matrix[rows]
    return chosen.toarray() if isinstance(chosen, SparseRows) else chosen


def rows_of(chosen: Any, n_rows: int) -> IntArray:
    """The numbers of the rows that something indexes."""
    try:
        rows = np.atleast_1d(np.arange(n_rows, dtype=np.int32)[chosen])
    except IndexError as error:
        raise InvalidRowsError(f"rows: must index {n_rows} rows, by numbers, a mask or a slice; {error}") from error
    if rows.ndim != 1:
        raise InvalidRowsError(f"rows: must be a list of rows, not one of shape {rows.shape}; ravel it")
    return rows


def up_to_translation(matrix: Matrix) -> Matrix:
    """The rows for numpy or scipy to calculate with, where only differences between them count."""
    return matrix.tocsr() if isinstance(matrix, SparseRows) else matrix


def dense_table(matrix: Matrix, indices: IntArray) -> tuple[FloatArray, IntArray]:
    """Dense rows and the positions of ``indices`` among them: all of them if dense, only those if sparse."""
    if not isinstance(matrix, SparseRows):
        return matrix, indices
    rows, positions = np.unique(indices, return_inverse=True)
    return matrix[rows].toarray(), positions.reshape(indices.shape).astype(np.int32)
