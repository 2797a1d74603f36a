"""X → ScaledData: the data are scaled to unit size once, so that later stages need not handle scale or offset.

Data are centred near their median and multiplied by a power of two. Both are done in float64 and are exact for
integers. The result is kept in float32. Sparse data stay sparse until some of their rows are needed (`sparse`).
`ScaledData` converts results back to the units of the user. For cosine distances rows are scaled to length 1 instead;
their lengths are kept beside them, so that `ScaledData.features` can give the rows back in the units of the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..run.threads import BLOCK
from ..values import DoubleArray, FloatArray, IntArray
from .sparse import Matrix, SparseRows, dense_rows, dense_table, has_zeros

ROWS_FOR_CENTER = 1000

# New rows may lie anywhere. Beyond this value, in units of the size of the training data, float32 squares overflow.
FARTHEST = 1e15

BYTES_PER_BLOCK = 2**22


@dataclass(frozen=True)
class ScaledData:
    """Data in unit size: ``data = matrix / scale + center``. It scales new rows and restores units.

    Unit rows have ``lengths`` besides: ``data = lengths * matrix``.
    """

    matrix: Matrix
    center: DoubleArray
    scale: float
    lengths: DoubleArray | None = None  # (m,) what each row was divided by, in the units of the user

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    @property
    def unit_rows(self) -> bool:
        return self.lengths is not None

    def scaled(self, X: Matrix) -> ScaledData:
        """New rows, scaled as these were."""
        if self.unit_rows:
            return scale_data(X, unit_rows=True)
        if sp.issparse(X):
            return replace(self, matrix=_centered_sparse(_summed(X), self.center, self.scale))
        return replace(self, matrix=_centered(X, self.center, self.scale))

    def prepare(self, X: Matrix) -> Matrix:
        """The matrix of `scaled`."""
        return self.scaled(X).matrix

    def features(self, rows: Any = slice(None)) -> ScaledData:
        """Some rows with their lengths: what `restore` and `in_units` make of them is in the units of the user.

        Rows that are not unit rows stay as they are.
        """
        chosen = self.matrix[rows]
        if self.lengths is None:
            return replace(self, matrix=chosen)
        lengths = self.lengths[rows]
        scale = float(power_of_two_below(lengths.max(initial=0.0)))
        return ScaledData(_multiplied(chosen, (lengths * scale).astype(np.float32)), self.center, scale)

    def restore(self, rows: np.ndarray) -> DoubleArray:
        """Scaled dense rows in the units of the user. Unit rows stay unit rows."""
        return self.in_units(rows) + self.center

    def in_units(self, scaled: np.ndarray) -> np.ndarray:
        """Differences, lengths or slopes of scaled data, in the units of the user."""
        with np.errstate(over="ignore"):  # no number holds units beyond float64
            return scaled.astype(np.float64, copy=False) / self.scale

    def log_squares_in_units(self, logs: np.ndarray) -> np.ndarray:
        """Logarithms of squared lengths of scaled data, in the units of the user."""
        return logs - 2 * np.log(self.scale)

    def rows_per_block(self, rows_each: int = 1) -> int:
        """The number of points in a block that stays in cache if each point needs ``rows_each`` rows."""
        return int(np.clip(BYTES_PER_BLOCK // (4 * self.shape[1] * rows_each), 1, BLOCK))

    def rows(self, indices: Any) -> FloatArray:
        """Dense copies of some rows."""
        return dense_rows(self.matrix, indices)

    def columns(self, columns: slice, order: IntArray) -> FloatArray:
        """A dense copy of some columns of all rows, which are put in the given order."""
        if isinstance(self.matrix, SparseRows):
            return self.matrix.columns(columns)[order].toarray()
        return np.take(self.matrix[:, columns], order, axis=0)

    def table(self, indices: IntArray) -> tuple[FloatArray, IntArray]:
        """See `dense_table`."""
        return dense_table(self.matrix, indices)


def scale_data(X: Matrix, *, unit_rows: bool = False) -> ScaledData:
    """Scale training data to unit size. With ``unit_rows`` every row is scaled to length 1, for cosine distances."""
    if unit_rows:
        matrix, lengths = _unit_rows(X)
        return ScaledData(matrix, np.zeros(X.shape[1]), 1.0, lengths)
    if sp.issparse(X):
        entries = _summed(X)
        center = _center_of_sparse(entries)
        scale = float(power_of_two_below(_largest_deviation_of_sparse(entries, center)))
        return ScaledData(_centered_sparse(entries, center, scale), center, scale)
    center = _center(_sample(X))
    scale = float(power_of_two_below(_largest_deviation(X, center)))
    return ScaledData(_centered(X, center, scale), center, scale)


def _sample(X: Matrix) -> Matrix:
    """An odd number of rows.

    The median of a feature is then one of its values. So integers stay integers, the median commutes with
    translations and powers of two, and it cannot overflow as the mean of two values can.
    """
    sample = X[:: -(-X.shape[0] // ROWS_FOR_CENTER)]
    return sample[: sample.shape[0] - 1 + sample.shape[0] % 2]


def _center(sample: np.ndarray) -> DoubleArray:
    return np.median(sample.astype(np.float64), axis=0)


def _center_of_sparse(entries: Matrix) -> DoubleArray:
    """The medians of sparse data, a few columns at a time. If most values of a column are zero, so is its median."""
    sample = _sample(entries).tocsc()
    center = np.zeros(sample.shape[1])
    dense = np.flatnonzero(2 * np.diff(sample.indptr) >= sample.shape[0])
    width = max(1, BYTES_PER_BLOCK // (8 * sample.shape[0]))
    for start in range(0, len(dense), width):
        columns = dense[start : start + width]
        center[columns] = _center(sample[:, columns].toarray())
    return center


def _blocks(X: Matrix) -> Iterator[slice]:
    """Blocks of rows whose float64 copies stay in cache."""
    step = max(1, BYTES_PER_BLOCK // (8 * X.shape[1]) // 4)
    return (slice(start, start + step) for start in range(0, X.shape[0], step))


def power_of_two_below(size: Any) -> Any:
    """The power of two that brings ``size`` (a number or an array) into [1/2, 1), within float64; 1 for size 0."""
    return np.ldexp(1.0, -np.clip(np.frexp(size)[1], -1020, 1020))


def _largest_deviation(X: np.ndarray, center: DoubleArray) -> float:
    return _twice(max(_largest_half(X[rows], center) for rows in _blocks(X)))


def _largest_deviation_of_sparse(entries: Matrix, center: DoubleArray) -> float:
    """The largest deviation of stored entries, and of the zeros that are not stored."""
    some = has_zeros(entries)
    of_zeros = _largest_half(np.zeros(some.sum()), center[some])
    of_entries = (_largest_half(entries.data[part], center[entries.indices[part]]) for part in _parts(entries))
    return _twice(max([of_zeros, *of_entries]))


def _largest_half(values: np.ndarray, center: DoubleArray) -> float:
    """Half of the largest deviation, so that values at opposite ends of float64 do not overflow."""
    half = values.astype(np.float64)
    half /= 2
    half -= center / 2
    return max(half.max(initial=0.0), -half.min(initial=0.0))


def _twice(half: float) -> float:
    return 2 * half if half < np.finfo(np.float64).max / 2 else half


def _centered(X: np.ndarray, center: DoubleArray, scale: float) -> FloatArray:
    prepared = np.empty(X.shape, np.float32)
    for rows in _blocks(X):
        prepared[rows] = _shift_and_scale(X[rows], center, scale)
    return prepared


def _summed(X: Matrix) -> Matrix:
    """A copy of sparse data in which repeated entries are summed."""
    entries = sp.csr_matrix(X, dtype=np.float64, copy=True)
    entries.sum_duplicates()
    return entries


def _parts(entries: Matrix) -> Iterator[slice]:
    """Parts of the stored entries whose float64 copies stay in cache."""
    step = BYTES_PER_BLOCK // 8 // 4
    return (slice(start, start + step) for start in range(0, entries.nnz, step))


def _centered_sparse(entries: Matrix, center: DoubleArray, scale: float) -> SparseRows:
    prepared = np.empty(entries.nnz, np.float32)
    for part in _parts(entries):
        prepared[part] = _shift_and_scale(entries.data[part], center[entries.indices[part]], scale)
    zeros = _shift_and_scale(np.zeros(len(center)), center, scale).astype(np.float32)
    return SparseRows(sp.csr_matrix((prepared, entries.indices, entries.indptr), entries.shape), zeros)


def _shift_and_scale(values: np.ndarray, center: DoubleArray | float, scale: float) -> DoubleArray:
    """(values − center)·scale. Huge values are scaled first, because their difference may overflow.

    Tiny values are not, because scaling first would round them.
    """
    values = values.astype(np.float64)
    with np.errstate(over="ignore"):
        if scale < 1:
            values *= scale
            values -= np.multiply(center, scale)
        else:
            values -= center
            values *= scale
    return np.clip(values, -FARTHEST, FARTHEST, out=values)


def _unit_rows(X: Matrix) -> tuple[Matrix, DoubleArray]:
    """Rows divided by their lengths, and the lengths. Rows of zeros stay zero."""
    if sp.issparse(X):
        entries = _summed(X)
        row = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr))
        largest = abs(entries).max(axis=1).toarray().ravel()
        divided, lengths = _divided(entries.data, row, largest)
        entries = sp.csr_matrix((divided, entries.indices, entries.indptr), entries.shape)
        return SparseRows(entries, np.zeros(X.shape[1], np.float32)), lengths
    unit, lengths = np.empty(X.shape, np.float32), np.empty(X.shape[0])
    for rows in _blocks(X):
        block = X[rows].astype(np.float64)
        row = np.repeat(np.arange(len(block)), block.shape[1])
        divided, lengths[rows] = _divided(block.ravel(), row, np.abs(block).max(axis=1))
        unit[rows] = divided.reshape(block.shape)
    return unit, lengths


def _divided(values: DoubleArray, row: np.ndarray, largest: DoubleArray) -> tuple[FloatArray, DoubleArray]:
    """Values divided by the lengths of their rows, and the lengths, as far as float64 holds them.

    Squares are added one by one, so that zeros between them change no bit. Values are multiplied by a power of two
    first, so that squares stay within float64.
    """
    power = power_of_two_below(largest)
    values = values * power[row]
    lengths = np.sqrt(np.bincount(row, values**2, minlength=len(largest)))
    divided = (values / np.where(lengths > 0, lengths, 1.0)[row]).astype(np.float32)
    with np.errstate(over="ignore"):
        return divided, np.minimum(lengths / power, np.finfo(np.float64).max)


def _multiplied(unit: Matrix, lengths: FloatArray) -> Matrix:
    """Unit rows times their lengths."""
    if not isinstance(unit, SparseRows):
        return unit * lengths[:, None]
    entries = unit.entries
    data = entries.data * np.repeat(lengths, np.diff(entries.indptr))
    return SparseRows(sp.csr_matrix((data, entries.indices, entries.indptr), entries.shape), unit.zeros)
