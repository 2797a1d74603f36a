"""X → Features: the data brought to unit size, once, so that no later stage meets a scale or an offset.

Dense data are centred near their middle and multiplied by a power of two, both exact for integers, in float64;
then kept in float32. Sparse data are only scaled, so they stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .parallel import BLOCK

ROWS_FOR_CENTER = 1000

# New rows may lie anywhere; beyond this (in units of the training data's size) float32 squares would overflow.
FARTHEST = 1e15

BYTES_PER_BLOCK = 2**22

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]
Matrix: TypeAlias = Any  # np.ndarray or scipy CSR; scipy has no types of its own


@dataclass(frozen=True)
class Features:
    """The training data in unit size: ``data = matrix / scale + center``, and the way to bring new rows there."""

    matrix: Matrix
    center: NDArray[np.float64]
    scale: float
    unit_rows: bool

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    @property
    def is_sparse(self) -> bool:
        return sp.issparse(self.matrix)

    def prepare(self, X: Matrix) -> Matrix:
        """Bring new rows to the same unit size."""
        if self.unit_rows:
            return _unit_rows(X)
        if sp.issparse(X) and self.is_sparse:
            prepared = sp.csr_matrix(X, dtype=np.float64, copy=True)
            prepared.sum_duplicates()
            prepared.data = _shift_and_scale(prepared.data, 0.0, self.scale)
            return prepared.astype(np.float32)
        dense = X.toarray() if sp.issparse(X) else X
        prepared = _centered(dense, self.center, self.scale)
        return sp.csr_matrix(prepared) if self.is_sparse else prepared

    def restore(self, rows: FloatArray) -> NDArray[np.float64]:
        """Dense rows of unit size in the data's own units (directions of them, if only these were kept)."""
        return rows / self.scale + self.center

    def rows_per_block(self, rows_each: int = 1) -> int:
        """How many points fit in a block that stays in cache when each brings ``rows_each`` rows along."""
        return int(np.clip(BYTES_PER_BLOCK // (4 * self.shape[1] * rows_each), 1, BLOCK))

    def rows(self, indices: IntArray) -> FloatArray:
        """Dense copies of some rows."""
        return dense_rows(self.matrix, indices)

    def columns(self, columns: slice, order: IntArray) -> FloatArray:
        """A dense copy of some columns of all rows, in another order."""
        chosen = self.matrix[:, columns]
        return chosen[order].toarray() if self.is_sparse else np.take(chosen, order, axis=0)

    def table(self, indices: IntArray) -> tuple[FloatArray, IntArray]:
        """Dense rows and the positions of ``indices`` among them: all of them if dense, only those if sparse."""
        return dense_table(self.matrix, indices)


def dense_rows(matrix: Matrix, indices: Any) -> FloatArray:
    """Some rows of a matrix, dense."""
    chosen = matrix[indices]
    return chosen.toarray() if sp.issparse(chosen) else chosen


def dense_table(matrix: Matrix, indices: IntArray) -> tuple[FloatArray, IntArray]:
    """See `Features.table`."""
    if not sp.issparse(matrix):
        return matrix, indices
    rows, positions = np.unique(indices, return_inverse=True)
    return matrix[rows].toarray(), positions.reshape(indices.shape).astype(np.int32)


def measure(X: Matrix, *, unit_rows: bool = False) -> Features:
    """Bring training data to unit size; with ``unit_rows`` to the unit sphere, for cosine distances."""
    n_features = X.shape[1]
    if unit_rows:
        return Features(_unit_rows(X), np.zeros(n_features), 1.0, unit_rows=True)
    if sp.issparse(X):
        # Not by their absolute values: that of the least integer of a type is no number of the type.
        largest = max(float(X.data.max(initial=0)), -float(X.data.min(initial=0)))
        scale = float(power_of_two_below(largest))
        unscaled = Features(sp.csr_matrix(X.shape, dtype=np.float32), np.zeros(n_features), scale, unit_rows=False)
        return Features(unscaled.prepare(X), unscaled.center, scale, unit_rows=False)
    sample = X[:: -(-len(X) // ROWS_FOR_CENTER)]
    # An odd number of rows: the median of a feature is then one of its values, which keeps integers integers,
    # commutes with translations and powers of two, and cannot overflow as a mean of two can.
    center = np.median(sample[: len(sample) - 1 + len(sample) % 2].astype(np.float64), axis=0)
    scale = float(power_of_two_below(_largest_deviation(X, center)))
    return Features(_centered(X, center, scale), center, scale, unit_rows=False)


def _blocks(X: np.ndarray) -> Iterator[slice]:
    """Rows whose float64 copies stay in cache."""
    step = max(1, BYTES_PER_BLOCK // (8 * X.shape[1]) // 4)
    return (slice(start, start + step) for start in range(0, len(X), step))


def power_of_two_below(size: Any) -> Any:
    """The power of two that brings ``size`` (a number or an array) into [1/2, 1), within float64; 1 for size 0."""
    return np.ldexp(1.0, -np.clip(np.frexp(size)[1], -1020, 1020))


def _largest_deviation(X: np.ndarray, center: NDArray[np.float64]) -> float:
    largest = 0.0
    half = center / 2  # halved, so that two values at opposite ends of float64 do not overflow
    for rows in _blocks(X):
        block = X[rows].astype(np.float64)
        block /= 2
        block -= half
        largest = max(largest, block.max(initial=0.0), -block.min(initial=0.0))
    return 2 * largest if largest < np.finfo(np.float64).max / 2 else largest


def _centered(X: np.ndarray, center: NDArray[np.float64], scale: float) -> FloatArray:
    prepared = np.empty(X.shape, np.float32)
    for rows in _blocks(X):
        prepared[rows] = _shift_and_scale(X[rows], center, scale)
    return prepared


def _shift_and_scale(values: np.ndarray, center: NDArray[np.float64] | float, scale: float) -> NDArray[np.float64]:
    """(values − center)·scale. Scaling first would round tiny values; for huge ones the difference may overflow."""
    values = values.astype(np.float64)
    with np.errstate(over="ignore"):
        if scale < 1:
            values *= scale
            values -= np.multiply(center, scale)
        else:
            values -= center
            values *= scale
    return np.clip(values, -FARTHEST, FARTHEST, out=values)


def _unit_rows(X: Matrix) -> Matrix:
    """Rows divided by their lengths; rows of zeros stay."""
    if sp.issparse(X):
        unit = sp.csr_matrix(X, dtype=np.float64, copy=True)
        unit.sum_duplicates()
        row = np.repeat(np.arange(unit.shape[0]), np.diff(unit.indptr))
        # A power of two first, so that the squares stay within float64.
        unit.data *= power_of_two_below(abs(unit).max(axis=1).toarray().ravel())[row]
        lengths = np.sqrt(np.bincount(row, unit.data**2, minlength=unit.shape[0]))
        unit.data /= np.where(lengths > 0, lengths, 1.0)[row]
        return unit.astype(np.float32)
    unit = np.empty(X.shape, np.float32)
    for rows in _blocks(X):
        block = X[rows].astype(np.float64)
        block *= power_of_two_below(np.abs(block).max(axis=1, keepdims=True))
        lengths = np.linalg.norm(block, axis=1, keepdims=True)
        unit[rows] = block / np.where(lengths > 0, lengths, 1.0)
    return unit
