"""How strongly each value of a row speaks for its own group against another: a likelihood ratio, the row left out.

For numbers it is the mean of two. Normal distributions of normal scores are right for smooth differences,
and counts in twelve bins for any shape. For levels it is that of their counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from scipy.special import ndtri

from ..values import BoolArray, DoubleArray, FloatArray, WholeArray
from .features import Features
from .labels import Labels

BINS = 12
TO_NEXT_BIN = 0.5  # what each count gives to the bins beside it
PRIOR = 0.5  # added to each bin
PRIOR_OF_LEVELS = 10.0  # rows that have the frequencies of all rows are added to each group
FLOOR = 0.05  # of the standard deviation of all rows
FEWEST = 10  # a group of fewer rows says nothing
REST = -1  # the other group is all other rows


@dataclass(frozen=True, eq=False)
class Evidence:
    """Sums over groups, from which the evidence of any row against any group is made."""

    scores: Annotated[FloatArray, "(m, p)"]  # normal scores of the ranks; NaN for gaps
    codes: Annotated[WholeArray, "(m, p)"]  # bins or levels, −1 for gaps
    counts: Annotated[DoubleArray, "(groups, p, bins)"]
    n_bins: Annotated[WholeArray, "(p,)"]
    moments: Annotated[DoubleArray, "(3, groups, p)"]  # numbers, sums and squares of the scores
    floor: Annotated[DoubleArray, "(p,)"]  # the least variance of the scores
    is_category: BoolArray
    sizes: WholeArray  # (groups,)

    @classmethod
    def of(cls, features: Features, labels: Labels) -> Evidence:
        scores = ndtri(features.ranks)
        codes, n_bins = binned(features)
        n_groups = len(labels.names)
        moments = np.array([_summed(part, labels.codes, n_groups) for part in _powers(scores)])
        counts = _counted(codes, labels.codes, n_groups, int(n_bins.max(initial=1)))
        floor = (FLOOR * _spread(scores)) ** 2
        return cls(scores, codes, counts, n_bins, moments, floor, features.is_category, labels.sizes)

    def against(self, rows: WholeArray, own: WholeArray, other: WholeArray) -> DoubleArray:
        """For some rows of the groups ``own``: above 0 if a value speaks for it, below for ``other``. (rows, p)"""
        found = (self._of_scores(rows, own, other) + self._of_bins(rows, own, other)) / 2
        found[:, self.is_category] = self._of_levels(rows, own, other)[:, self.is_category]
        found[self.codes[rows] < 0] = 0
        is_small = (self.sizes[own] < FEWEST) | ((other != REST) & (self.sizes[other] < FEWEST))
        found[is_small] = 0
        return found

    def _of_scores(self, rows: WholeArray, own: WholeArray, other: WholeArray) -> DoubleArray:
        x = np.nan_to_num(self.scores[rows].astype(np.float64))
        n, total, squares = self.moments
        n_a, mean_a, rest_a = _deviations(n[own] - 1, total[own] - x, squares[own] - x**2)
        is_rest = (other == REST)[:, None]
        others = (np.where(is_rest, part.sum(axis=0) - part[own], part[other]) for part in (n, total, squares))
        n_b, mean_b, rest_b = _deviations(*others)
        variance = np.maximum((rest_a + rest_b) / np.maximum(n_a + n_b - 2, 1), self.floor)
        log_ratio = (x - mean_b) ** 2 - (x - mean_a) ** 2
        return np.divide(log_ratio, 2 * variance, out=np.zeros_like(x), where=variance > 0)

    def _of_bins(self, rows: WholeArray, own: WholeArray, other: WholeArray) -> DoubleArray:
        """Each count gives half of itself to both bins beside it, and each bin begins with one half."""
        in_bin_a, n_a, in_bin_b, n_b = self._counts_of(rows, own, other, self._smooth)
        wide = 1 + 2 * TO_NEXT_BIN
        p_a = (in_bin_a / wide + PRIOR) / (n_a + PRIOR * self.n_bins)
        p_b = (in_bin_b / wide + PRIOR) / (n_b + PRIOR * self.n_bins)
        return np.log(p_a / p_b)

    @cached_property
    def _smooth(self) -> DoubleArray:
        smooth = self.counts.copy()
        smooth[:, :, 1:] += TO_NEXT_BIN * self.counts[:, :, :-1]
        smooth[:, :, :-1] += TO_NEXT_BIN * self.counts[:, :, 1:]
        return smooth

    @cached_property
    def _n_known(self) -> DoubleArray:
        return self.counts.sum(axis=2)

    def _of_levels(self, rows: WholeArray, own: WholeArray, other: WholeArray) -> DoubleArray:
        """Ten rows with the frequencies of all rows are added to each group."""
        in_bin_a, n_a, in_bin_b, n_b = self._counts_of(rows, own, other, self.counts)
        features, codes = np.arange(self.codes.shape[1]), np.maximum(self.codes[rows], 0)
        everywhere = self.counts.sum(axis=0)
        usual = everywhere[features, codes] / np.maximum(everywhere.sum(axis=1), 1)
        p_a = (in_bin_a + PRIOR_OF_LEVELS * usual) / (n_a + PRIOR_OF_LEVELS)
        p_b = (in_bin_b + PRIOR_OF_LEVELS * usual) / (n_b + PRIOR_OF_LEVELS)
        return np.log(np.maximum(p_a, 1e-12) / np.maximum(p_b, 1e-12))

    def _counts_of(
        self, rows: WholeArray, own: WholeArray, other: WholeArray, counts: DoubleArray
    ) -> tuple[DoubleArray, DoubleArray, DoubleArray, DoubleArray]:
        """Of both groups the count in the bin of each value, and of all values, the row itself left out."""
        features, codes = np.arange(self.codes.shape[1]), np.maximum(self.codes[rows], 0)
        a, b, is_rest = own[:, None], other[:, None], (other == REST)[:, None]
        in_bin, n = counts[a, features, codes], self._n_known
        others_in_bin = counts.sum(axis=0)[features, codes] - in_bin
        in_bin_b = np.where(is_rest, others_in_bin, counts[b, features, codes])
        n_b = np.where(is_rest, n.sum(axis=0) - n[own], n[other])
        itself = self.codes[rows] >= 0  # a gap is in no bin
        return in_bin - itself, n[own] - itself, in_bin_b, n_b


def binned(features: Features) -> tuple[WholeArray, WholeArray]:
    """The bin of each value by quantiles of its feature, or the number of its level; −1 for gaps. And how many."""
    values = features.values
    codes, n_bins = np.full(values.shape, -1, np.int32), np.ones(values.shape[1], np.int32)
    for column, ordered in enumerate(features.ordered):
        known = np.isfinite(values[:, column])
        if len(ordered) == 0:
            continue
        if features.is_category[column]:
            codes[known, column], n_bins[column] = values[known, column], int(ordered[-1]) + 1
        else:
            starts = starts_of_bins(ordered)
            n_bins[column] = len(starts) + 1
            codes[known, column] = np.searchsorted(starts, values[known, column], "right")
    return codes, n_bins


def starts_of_bins(ordered: DoubleArray) -> DoubleArray:
    """Where all bins but the first begin: at quantiles, or at each further value if there are few."""
    bounds = np.unique(ordered[np.rint(np.linspace(0, len(ordered) - 1, BINS + 1)).astype(np.int64)])
    if len(bounds) <= BINS:
        distinct = np.unique(ordered)
        if len(distinct) <= BINS:
            return distinct[1:]
    return bounds[1:-1]


def _powers(scores: FloatArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    known = np.isfinite(scores)
    values = np.where(known, scores, 0).astype(np.float64)
    return known.astype(np.float64), values, values**2


def _summed(values: DoubleArray, group: WholeArray, n_groups: int) -> DoubleArray:
    """The sums over each group; rows without a group are in none: (groups, p)."""
    sums = np.zeros((n_groups, values.shape[1]))
    for number in range(n_groups):
        sums[number] = values[group == number].sum(axis=0)
    return sums


def _counted(codes: WholeArray, group: WholeArray, n_groups: int, most: int) -> DoubleArray:
    counts = np.zeros((n_groups, codes.shape[1], most))
    for column in range(codes.shape[1]):
        known = (codes[:, column] >= 0) & (group >= 0)
        cells = group[known].astype(np.int64) * most + codes[known, column]
        counts[:, column] = np.bincount(cells, minlength=n_groups * most).reshape(n_groups, most)
    return counts


def _deviations(
    n: DoubleArray, total: DoubleArray, squares: DoubleArray
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """The number, the mean, and the sum of squared deviations from it."""
    mean = total / np.maximum(n, 1)
    return n, mean, np.maximum(squares - n * mean**2, 0)


def _spread(scores: FloatArray) -> DoubleArray:
    known, values, squares = (part.sum(axis=0) for part in _powers(scores))
    size = np.maximum(known, 1)
    spread = np.sqrt(np.maximum(squares / size - (values / size) ** 2, 0))
    return np.where(spread > 0, spread, 1.0)
