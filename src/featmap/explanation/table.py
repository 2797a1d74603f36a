"""Features of chosen rows as lines of a table, and what is known of them in each group of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data.sparse import Matrix
from ..kernels.groups import rank_sums, sparse_rank_sums
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray
from .winsor import VARIANCE_ROUNDING

LINES = 128  # features at a time
STORED = 1 / 8  # lines with more of their values stored are worked on as dense ones


@dataclass(frozen=True)
class Table:
    """One line for each feature, one column for each row.

    Groups may lie far from the middle of the data and near to each other. Float32 holds the differences of their
    values, but not sums of the values: dense lines are centred. Sparse ones keep their zeros.
    """

    lines: Matrix  # (n, rows)

    @classmethod
    def of(cls, rows: Matrix) -> Table:
        if sp.issparse(rows):
            return cls(sp.csr_matrix(rows.T, dtype=np.float32))
        lines = np.empty(rows.shape[::-1], np.float32)
        for some in _parts(len(lines)):
            block = rows[:, some].astype(np.float64)
            lines[some] = (block - block.mean(axis=0)).T
        return cls(lines)

    @property
    def n_features(self) -> int:
        return self.lines.shape[0]

    @property
    def n_stored(self) -> int:
        return self.lines.nnz if sp.issparse(self.lines) else self.lines.size

    @cached_property
    def is_sparse(self) -> NDArray[np.bool_]:
        """Which lines are worked on as sparse ones. Their mean is small beside their spread, so it may stay."""
        if not sp.issparse(self.lines):
            return np.zeros(self.n_features, bool)
        return np.diff(self.lines.indptr) <= STORED * self.lines.shape[1]

    def centered(self, features: IntArray, mean: DoubleArray) -> FloatArray:
        """Some lines without their mean, dense."""
        lines = self.lines[features]
        return (lines.toarray() - mean[:, None]).astype(np.float32) if sp.issparse(lines) else lines

    def sums(self, codes: IntArray, n_groups: int) -> DoubleArray:
        """Sums of values, squares and cubes in each group of the rows: (3, n, groups)."""
        belongs = (codes[:, None] == np.arange(n_groups)).astype(np.float64)
        parts = []
        for some in _parts(self.n_features):
            lines = self.lines[some].astype(np.float64)
            squares = product(lines, lines)
            parts.append([power @ belongs for power in (lines, squares, product(squares, lines))])
        return np.concatenate(parts, axis=1)

    def rank_sums(self, codes: IntArray, weights: DoubleArray, run: Run) -> tuple[DoubleArray, DoubleArray]:
        """Sums of ranks in each group, with the weights of its rows; and the weight of the commonest value."""
        lines = self.lines
        sums, commonest = np.empty((self.n_features, len(weights))), np.empty(self.n_features)

        def task(start: int, stop: int) -> None:
            if sp.issparse(lines):
                stored = lines.indptr, lines.indices, lines.data
                sparse_rank_sums(*stored, codes, weights, start, stop, sums, commonest)
            else:
                rank_sums(lines, codes, weights, start, stop, sums, commonest)

        run.over_rows(self.n_features, task, LINES)
        return sums, commonest


@dataclass(frozen=True)
class GroupMoments:
    """The size of a group of rows, and the mean, variance and third central moment of every feature in it."""

    size: int
    mean: DoubleArray
    variance: DoubleArray  # the mean square
    third: DoubleArray

    @classmethod
    def of(cls, size: int, sums: DoubleArray) -> GroupMoments:
        """The moments, from sums of values, squares and cubes: (3, n)."""
        mean, square, cube = sums / size
        variance = square - mean**2
        variance = np.where(variance > VARIANCE_ROUNDING * square, variance, 0.0)
        third = np.where(variance > 0, cube - 3 * mean * square + 2 * mean**3, 0.0)
        return cls(size, mean, variance, third)

    def __getitem__(self, features: IntArray) -> GroupMoments:
        return GroupMoments(self.size, self.mean[features], self.variance[features], self.third[features])

    def centered(self) -> GroupMoments:
        """The same moments with the mean set to 0."""
        return replace(self, mean=np.zeros_like(self.mean))

    @property
    def skewness(self) -> DoubleArray:
        """0 for constant features."""
        return self.third / np.where(self.variance > 0, self.variance, 1.0) ** 1.5

    @property
    def squared_error(self) -> DoubleArray:
        """The squared standard error of the mean."""
        return self.variance / (self.size - 1)


def product(lines: Matrix, others: Matrix) -> Matrix:
    """Value by value, of arrays or sparse matrices."""
    return lines.multiply(others) if sp.issparse(lines) else lines * others


def _parts(n_features: int) -> Iterator[slice]:
    return (slice(start, start + LINES) for start in range(0, n_features, LINES))
