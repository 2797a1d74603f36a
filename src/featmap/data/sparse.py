"""Scaled rows of sparse data: only stored entries are kept, and dense rows are made from them when needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..run.threads import BLOCK
from ..values import FloatArray

Matrix: TypeAlias = (
    Any  # np.ndarray or SparseRows; the data of users may be a CSR matrix of scipy, which has no types
)


@dataclass(frozen=True)
class SparseRows:
    """Scaled rows of sparse data.

    Centred data are not sparse. So the stored entries are kept, centred, and one row holds the values that zeros have
    after centring. Dense rows are made from both.
    """

    entries: sp.csr_matrix
    zeros: Annotated[FloatArray, "(n,)"]

    def __post_init__(self) -> None:
        if self.zeros.shape != self.entries.shape[1:]:
            raise ValueError(f"SparseRows.zeros has shape {self.zeros.shape}, expected {self.entries.shape[1:]}")

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
        """All rows as CSR, minus one common row: the centred values of zeros, in columns that have zeros."""
        entries = self.entries
        shift = np.where(has_zeros(entries), self.zeros, 0)
        return sp.csr_matrix((entries.data - shift[entries.indices], entries.indices, entries.indptr), self.shape)


def canonical(X: Any) -> Any:
    """Sparse data as CSR with one entry at a place, entries of a row in order: X's own arrays if they are so already.

    Repeated entries are summed in float64, which a type of the user's might not hold.
    """
    entries = sp.csr_matrix(X)
    if not entries.has_canonical_format:
        entries = sp.csr_matrix(X, dtype=np.float64, copy=True)
        entries.sum_duplicates()
    return entries


def has_zeros(entries: Any) -> NDArray[np.bool_]:
    """Which columns have entries that are not stored."""
    return np.bincount(entries.indices, minlength=entries.shape[1]) < entries.shape[0]


def dense_rows(matrix: Matrix, rows: Any = slice(None)) -> FloatArray:
    """Some rows of a matrix, dense."""
    chosen = matrix[rows]
    return chosen.toarray() if isinstance(chosen, SparseRows) else chosen


def stacked(matrices: Sequence[Matrix]) -> Matrix:
    """The rows of several matrices that were scaled in the same way, dense unless all of them are sparse."""
    if all(isinstance(matrix, SparseRows) for matrix in matrices):
        return SparseRows(sp.vstack([matrix.entries for matrix in matrices], format="csr"), matrices[0].zeros)
    return np.concatenate([dense_rows(matrix) for matrix in matrices])


def up_to_translation(matrix: Matrix) -> Matrix:
    """The rows as an array or CSR matrix, for calculations in which only differences between rows matter."""
    return matrix.tocsr() if isinstance(matrix, SparseRows) else matrix


def digest_of(data: Matrix) -> str:
    """A digest of an array or a CSR matrix, by which data are recognized."""
    digest = blake2b(digest_size=32)
    for array in (data.data, data.indices, data.indptr) if sp.issparse(data) else (data,):
        digest.update(f"{array.dtype.str}{data.shape}".encode())
        for start in range(0, len(array), BLOCK):
            digest.update(np.ascontiguousarray(array[start : start + BLOCK]))
    return digest.hexdigest()
