"""Rows in groups: how far each group is from all others in every feature, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.sparse import Matrix
from ..run import Run
from ..values import DoubleArray, IntArray
from .permutations import Stratum, normal_score, permutation_p_values, strata_of, welch_p_values
from .table import GroupMoments, Table
from .two_values import TwoValued
from .winsor import VARIANCE_ROUNDING

# Groups in which nothing varies are compared as if their spread were this part of that of all rows.
LEAST_SPREAD = 0.01


@dataclass(frozen=True)
class Difference:
    """One group against all others, feature by feature, in the units of the scaled data."""

    means: DoubleArray
    effect_size: DoubleArray
    auc: DoubleArray
    statistic: DoubleArray
    p_values: DoubleArray


@dataclass(frozen=True)
class GroupComparison:
    """Rows in groups, with all that the comparisons of each group with the others share."""

    table: Table
    codes: IntArray  # (rows,) the group of each row
    sizes: NDArray[np.int64]
    sums: DoubleArray  # (3, n, groups) of values, squares and cubes
    ranks: DoubleArray  # (n, groups) sums
    has_ties: NDArray[np.bool_]  # (n,) whether at least half of the rows have one value
    two_valued: TwoValued
    strata: list[Stratum]
    seed: int

    @classmethod
    def of(
        cls,
        rows: Matrix,
        codes: IntArray,
        described: list[IntArray],
        n_permutations: int | None,
        seed: int,
        run: Run,
    ) -> GroupComparison:
        """Moments of the rows of an array or CSR matrix, and rank sums of the ``described`` rows of each group."""
        table, sizes = Table.of(rows), np.bincount(codes)
        sums = table.sums(codes, len(sizes))
        some = np.sort(np.concatenate(described))
        ranked = table if len(some) == len(codes) else Table(table.lines[:, some])
        ranks, commonest = ranked.rank_sums(codes[some], sizes / [len(part) for part in described], run)
        strata = strata_of(table, GroupMoments.of(len(codes), sums.sum(axis=2)), n_permutations)
        has_ties = 2 * commonest >= len(codes)
        return cls(table, codes, sizes, sums, ranks, has_ties, TwoValued.of(table), strata, seed)

    @property
    def work(self) -> int:
        """How many permuted statistics it takes to compare one group."""
        return sum(stratum.size for stratum in self.strata)

    @property
    def n_permutations(self) -> int:
        """How often the rows are permuted for every feature."""
        return min((stratum.n_permutations for stratum in self.strata), default=0)

    def difference(self, group: int, run: Run, step: Callable[[int], object] = lambda done: None) -> Difference:
        """A group against all others. ``step`` hears of every part of the work that is done."""
        n_a, n_b = int(self.sizes[group]), len(self.codes) - int(self.sizes[group])
        of_all = self.sums.sum(axis=2)
        a = GroupMoments.of(n_a, self.sums[:, :, group])
        b = GroupMoments.of(n_b, of_all - self.sums[:, :, group])
        whole = GroupMoments.of(n_a + n_b, of_all)
        means = np.where(whole.variance > 0, a.mean - b.mean, 0.0)
        least = np.maximum(VARIANCE_ROUNDING * whole.variance, np.finfo(float).tiny)
        statistic = normal_score(means, a.squared_error, b.squared_error, n_a, n_b, least)
        in_a = self.codes == group
        permuted = permutation_p_values(self.table, in_a, statistic, whole, self.strata, self.seed, run, step)
        p_values = np.where(self.has_ties, permuted, np.maximum(permuted, welch_p_values(a, b)))
        binary = self.two_valued
        p_values[binary.features] = binary.p_values(self.sums[0, :, group], n_a, of_all[0], n_a + n_b)
        # Among themselves the ranks of a sum to n_a²/2; the rest counts the rows of b below.
        auc = (self.ranks[:, group] - n_a**2 / 2) / (n_a * n_b)
        return Difference(means, means / spread_within(a, b, whole), auc, statistic, p_values)


def spread_within(a: GroupMoments, b: GroupMoments, whole: GroupMoments) -> DoubleArray:
    """The root of the mean of both variances; 1 for constant features."""
    variance = (a.squared_error * a.size + b.squared_error * b.size) / 2
    spread = np.sqrt(np.maximum(variance, LEAST_SPREAD**2 * whole.variance))
    return np.where(spread > 0, spread, 1.0)
