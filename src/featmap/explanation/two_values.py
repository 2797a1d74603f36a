"""Features with two values, whose p-values need no permutations: the test is Fisher's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.stats import hypergeom

from ..values import DoubleArray, IntArray
from .table import Table


@dataclass(frozen=True)
class TwoValued:
    """The features that have exactly two values, and these."""

    features: IntArray
    low: DoubleArray
    high: DoubleArray

    @classmethod
    def of(cls, table: Table) -> TwoValued:
        lines = table.lines
        if sp.issparse(lines):
            low, high = (np.asarray(extreme(axis=1).todense()).ravel() for extreme in (lines.min, lines.max))
            features = np.flatnonzero(_has_two_sparse(lines, low, high))
        else:
            low, high = lines.min(axis=1), lines.max(axis=1)
            is_extreme = [((line == a) | (line == b)).all() for line, a, b in zip(lines, low, high, strict=True)]
            features = np.flatnonzero(np.array(is_extreme, bool) & (low < high))
        return cls(features.astype(np.int32), low[features].astype(np.float64), high[features].astype(np.float64))

    def p_values(self, sums: DoubleArray, size: int, sums_of_all: DoubleArray, n_rows: int) -> DoubleArray:
        """Twice the smaller tail of the hypergeometric distribution, for a group with these sums of all features."""
        in_group, in_all = self._n_high(sums, size), self._n_high(sums_of_all, n_rows)
        as_small = hypergeom.cdf(in_group, n_rows, in_all, size)
        as_large = hypergeom.sf(in_group - 1, n_rows, in_all, size)
        return np.minimum(2 * np.minimum(as_small, as_large), 1.0)

    def _n_high(self, sums: DoubleArray, size: int) -> np.ndarray:
        """How many of some rows have the higher value, from the sums over them."""
        return np.rint((sums[self.features] - size * self.low) / (self.high - self.low)).astype(np.int64)


def _has_two_sparse(lines: sp.csr_matrix, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    line_of = np.repeat(np.arange(lines.shape[0]), np.diff(lines.indptr))
    is_extreme = (lines.data == low[line_of]) | (lines.data == high[line_of])
    n_others = np.bincount(line_of, ~is_extreme, minlength=lines.shape[0])
    has_zeros = np.diff(lines.indptr) < lines.shape[1]
    return (n_others == 0) & (low < high) & (~has_zeros | (low == 0) | (high == 0))
