"""Data are brought to unit size by a center and a power of two, or, for cosine distances, to rows of length 1.

Center and scale follow from a sample of rows and from the least and the greatest value of every feature. The number
of rows alone decides which rows are sampled, and a minimum does not depend on order. So rows that are held in several
places are scaled to the same bits as rows that are held in one: each place gives its ranges, then scales its rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernels.scaling import MOST_EXPONENT, divide_by_lengths
from ..run import SERIAL, Run
from ..run.threads import BLOCK
from ..values import DoubleArray, FloatArray
from .sparse import Matrix, SparseRows, canonical

# The center only has to lie among the data, so that float32 loses nothing to an offset. More rows would gain nothing.
ROWS_FOR_CENTER = 1000

# New rows may lie anywhere. Beyond this value, in units of the size of the training data, float32 squares overflow.
FARTHEST = 1e15

BYTES_PER_BLOCK = 2**22  # of features; principal components of MNIST take equally long with 2**20 to 2**26
BYTES_SCALED_AT_ONCE = 2**19  # of float64: so small that a copy stays in the cache of its core

Ranges = tuple[DoubleArray, DoubleArray]  # (n,) the least and (n,) the greatest value of every feature


@dataclass(frozen=True)
class Sizing:
    """How rows are scaled: ``scaled = (rows − center)·scale``."""

    center: DoubleArray
    scale: float

    @classmethod
    def of(cls, sample: Matrix, ranges: Ranges) -> Sizing:
        """The sizing of data, from their `rows_for_center` and the `column_ranges` of all of them."""
        if sp.issparse(sample):
            center = _medians_of_sparse(canonical(sample))
        else:  # a few columns at a time, since a sample of very wide rows may be larger than the data are in float32
            center = np.empty(sample.shape[1])
            for columns in _few(np.arange(sample.shape[1]), len(sample)):
                center[columns] = np.median(sample[:, columns].astype(np.float64), axis=0)
        # Halves are subtracted, so that values at opposite ends of float64 do not overflow.
        lowest, highest = ranges
        half = max((highest / 2 - center / 2).max(), (center / 2 - lowest / 2).max())
        largest = 2 * half if half < np.finfo(np.float64).max / 2 else half
        return cls(center, float(power_of_two_below(largest)))

    def prepare(self, X: Matrix, run: Run = SERIAL) -> Matrix:
        """Scale rows of data, each independently of the others, to float32 or `SparseRows`."""
        if sp.issparse(X):
            return self._prepare_sparse(canonical(X), run)
        scaled = np.empty(X.shape, np.float32)

        def task(start: int, stop: int) -> None:
            self._scale(X[start:stop], self.center, scaled[start:stop])

        run.over_rows(len(X), task, rows_scaled_at_once(X.shape[1]))
        return scaled

    def _prepare_sparse(self, entries: Matrix, run: Run) -> SparseRows:
        data, zeros = np.empty(entries.nnz, np.float32), np.empty((1, len(self.center)), np.float32)

        def task(start: int, stop: int) -> None:
            part = slice(*entries.indptr[[start, stop]])
            self._scale(entries.data[None, part], self.center[entries.indices[part]], data[None, part])

        run.over_rows(entries.shape[0], task, rows_scaled_at_once(entries.nnz // max(entries.shape[0], 1)))
        self._scale(np.zeros(zeros.shape), self.center, zeros)
        return SparseRows(with_values(entries, data), zeros[0])

    def _scale(self, values: np.ndarray, center: DoubleArray, scaled: FloatArray) -> None:
        """Data of large size are scaled before the center is subtracted, because their difference may overflow.

        Data of small size are not, because a feature of theirs may be constant and huge, and overflow when scaled.
        """
        before, after = (self.scale, 1.0) if self.scale < 1 else (1.0, self.scale)
        with np.errstate(over="ignore"):
            moved = values * np.float64(before)  # a copy in float64, which stays in cache
            moved -= center * before
            moved *= after
        np.clip(moved, -FARTHEST, FARTHEST, out=moved)
        scaled[...] = moved


def rows_for_center(n_rows: int) -> slice:
    """The rows whose medians are the center: an odd number of them.

    The median of a feature is then one of its values. So integers stay integers, the median commutes with
    translations and powers of two, and it cannot overflow as the mean of two values can.
    """
    step = -(-n_rows // ROWS_FOR_CENTER)
    n_sampled = -(-n_rows // step)
    return slice(0, step * (n_sampled - 1 + n_sampled % 2), step)


def column_ranges(X: Matrix, run: Run = SERIAL) -> Ranges:
    """The least and the greatest value of every feature."""
    lowest, highest = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    entries = canonical(X) if sp.issparse(X) else X
    lock = threading.Lock()

    def task(start: int, stop: int) -> None:
        block = entries[start:stop].tocsc() if sp.issparse(entries) else entries[start:stop]
        ends = block.min(axis=0), block.max(axis=0)  # in the type of the data, which is exact and fast
        low, high = (end.toarray().ravel() if sp.issparse(end) else end for end in ends)
        with lock:
            np.minimum(lowest, low, out=lowest)
            np.maximum(highest, high, out=highest)

    run.over_rows(X.shape[0], task)
    return lowest, highest


def rows_in_cache(n_bytes: int) -> int:
    """The number of rows, of so many bytes each, in a block that stays in cache."""
    return int(np.clip(BYTES_PER_BLOCK // n_bytes, 1, BLOCK))


def rows_scaled_at_once(n_values: int) -> int:
    """The number of rows in a block whose float64 copy stays in cache, if a row has so many values."""
    return int(np.clip(BYTES_SCALED_AT_ONCE // (8 * max(n_values, 1)), 1, BLOCK))


def with_values(entries: Matrix, values: np.ndarray) -> Any:
    """Sparse data with other values at the same places, in arrays of its own."""
    return sp.csr_matrix((values, entries.indices.copy(), entries.indptr.copy()), entries.shape)


def power_of_two_below(size: Any) -> Any:
    """The power of two that brings ``size`` (a number or an array) into [1/2, 1), within float64; 1 for size 0."""
    return np.ldexp(1.0, -np.clip(np.frexp(size)[1], -MOST_EXPONENT, MOST_EXPONENT))


def _medians_of_sparse(entries: Matrix) -> DoubleArray:
    """If most values of a column are zero, so is its median. Others are made dense."""
    sample = entries.tocsc()
    center = np.zeros(sample.shape[1])
    dense = np.flatnonzero(2 * np.diff(sample.indptr) >= sample.shape[0])
    for columns in _few(dense, sample.shape[0]):
        center[columns] = np.median(sample[:, columns].toarray().astype(np.float64), axis=0)
    return center


def _few(columns: np.ndarray, n_rows: int) -> Iterator[np.ndarray]:
    """Groups of columns whose float64 copies stay in cache."""
    width = max(1, BYTES_PER_BLOCK // (8 * n_rows))
    return (columns[start : start + width] for start in range(0, len(columns), width))


def unit_rows(X: Matrix, run: Run = SERIAL) -> tuple[Matrix, DoubleArray]:
    """Rows of length 1 in float32, and the lengths that they had. Rows of zeros stay zero."""
    if sp.issparse(X):
        return _unit_sparse(canonical(X), run)
    unit, lengths = np.empty(X.shape, np.float32), np.empty(len(X))

    def task(start: int, stop: int) -> None:
        offsets = np.arange(stop - start + 1) * X.shape[1]
        _divide(X[start:stop].ravel(), offsets, unit[start:stop].ravel(), lengths[start:stop])

    run.over_rows(len(X), task, rows_scaled_at_once(X.shape[1]))
    return unit, lengths


def _unit_sparse(entries: Matrix, run: Run) -> tuple[SparseRows, DoubleArray]:
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
