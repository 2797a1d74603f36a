"""Far values of each feature are clipped, so that a few of them cannot decide its means and spreads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..data.sparse import Matrix, SparseRows
from ..run import Run
from ..values import DoubleArray, FloatArray

if TYPE_CHECKING:
    from .points import MappedData

TAIL = 0.01  # the part of the values beyond each of the two quantiles
COLUMNS_AT_ONCE = 16
VARIANCE_ROUNDING = 1e-12  # a smaller part of the mean square is not variance but rounding


@dataclass(frozen=True)
class Winsorised:
    """Every feature between two limits, and its mean and standard deviation then, over all rows of the data.

    With a and b the 1 % and 99 % quantiles, the limits are a − (b − a) and b + (b − a). A feature with a = b has
    none. All values are scaled as the data are.
    """

    lowest: FloatArray  # (n,)
    highest: FloatArray  # (n,)
    unstored: FloatArray  # (n,) what a value is that sparse data do not store, 0 where they store all
    mean: DoubleArray  # (n,)
    sd: DoubleArray  # (n,) 0 where the feature is constant
    mean_as_given: DoubleArray  # (n,) the mean of the values that are not clipped

    @classmethod
    def of(cls, matrix: Matrix, run: Run) -> Winsorised:
        columns = _Columns.of(matrix)

        def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
            found = [_statistics(*column) for column in columns.between(start, stop)]
            *limits, mean, sd, as_given = (np.array(values) for values in zip(*found, strict=True))
            return *(values.astype(np.float32) for values in limits), mean, sd, as_given

        return cls(*run.by_blocks(matrix.shape[1], body, COLUMNS_AT_ONCE))

    def clipped(self, matrix: Matrix) -> Matrix:
        """Some rows of the data, or new ones, with every feature between its limits. Sparse rows stay sparse."""
        if not isinstance(matrix, SparseRows):
            return np.clip(matrix, self.lowest, self.highest)
        entries, features = matrix.entries, matrix.entries.indices
        inside = np.clip(entries.data, self.lowest[features], self.highest[features])
        stored = sp.csr_matrix((inside, features, entries.indptr), entries.shape)
        return SparseRows(stored, np.clip(matrix.zeros, self.lowest, self.highest))

    def clipped_columns(self, matrix: np.ndarray, columns: slice) -> FloatArray:
        """Some columns of dense rows, with every feature between its limits."""
        return np.clip(matrix[:, columns], self.lowest[columns], self.highest[columns])


def winsorised(mapped: MappedData, run: Run) -> Winsorised:
    """The features of the data that have been mapped, computed once."""
    return mapped.kept("winsorised", lambda: Winsorised.of(mapped.data.matrix, run))


@dataclass(frozen=True)
class _Columns:
    """The values of each feature: those that are stored, how many others there are, and the value they all have."""

    matrix: Any  # an array, or CSC
    zeros: FloatArray

    @classmethod
    def of(cls, matrix: Matrix) -> _Columns:
        if isinstance(matrix, SparseRows):
            return cls(matrix.entries.tocsc(), matrix.zeros)
        return cls(matrix, np.zeros(matrix.shape[1], np.float32))

    def between(self, start: int, stop: int) -> Iterator[tuple[np.ndarray, int, np.float32]]:
        if not sp.issparse(self.matrix):
            for column in np.ascontiguousarray(self.matrix[:, start:stop].T):
                yield column, 0, np.float32(0)
            return
        starts, n_rows = self.matrix.indptr, self.matrix.shape[0]
        for h in range(start, stop):
            stored = self.matrix.data[starts[h] : starts[h + 1]]
            yield stored, n_rows - len(stored), self.zeros[h]


def _statistics(stored: np.ndarray, n_others: int, other: np.float32) -> tuple[float, ...]:
    """The fields of `Winsorised` for one feature."""
    stored = np.sort(stored)
    n_rows = len(stored) + n_others
    a, b = (_quantile(stored, n_others, other, part) for part in (TAIL, 1 - TAIL))
    lowest, highest = (2 * a - b, 2 * b - a) if a < b else (-np.inf, np.inf)
    as_given = (stored.sum(dtype=np.float64) + n_others * float(other)) / n_rows
    # Limits are rounded to float32 as they will be used. np.clip would take most of the time of rare features.
    least, most = np.float32(lowest), np.float32(highest)
    inside = np.minimum(np.maximum(stored, least), most).astype(np.float64)
    inside_other = float(min(max(other, least), most))
    mean = (inside.sum() + n_others * inside_other) / n_rows
    inside -= mean
    variance = (inside @ inside + n_others * (inside_other - mean) ** 2) / n_rows
    sd = np.sqrt(variance) if variance > VARIANCE_ROUNDING * mean**2 else 0.0
    return lowest, highest, float(other) if n_others else 0.0, mean, sd, as_given


def _quantile(ordered: np.ndarray, n_others: int, other: np.float32, part: float) -> float:
    """The quantile, between two values by a straight line, of values in order and of others that are all equal."""
    position = part * (len(ordered) + n_others - 1)
    before = int(np.searchsorted(ordered, other))

    def at(rank: int) -> float:
        if rank < before:
            return float(ordered[rank])
        return float(other) if rank < before + n_others else float(ordered[rank - n_others])

    below = at(int(position))
    return below + (position - int(position)) * (at(int(np.ceil(position))) - below)
