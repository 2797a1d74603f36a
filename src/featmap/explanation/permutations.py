"""Whether two groups differ in the mean of a feature: p-values that hold for unequal spreads and for rare values.

The statistic is Welch's t, brought to the scale of a normal variable by its degrees of freedom. Its reference are the
statistics of permuted groups. A few hundred permutations resolve p-values of 1/100 only, too coarse for thousands of
features. So features with a like reference share it: the larger the skewness of a feature, the more lopsided its
reference is where groups differ in size.

Permutations are exact if both groups have one distribution. If they have one mean and two spreads, the reference is
too narrow for small groups: 20 rows of sd 3 against 500 of sd 1 make a false discovery among 50 features in 10 % of
trials instead of 5 %. So a p-value is at least Welch's own, of Student's distribution with a correction for skewness.
Features with one value in half of the rows are exempt. For binary features one mean means one distribution, and
Student's distribution says nothing about rare values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray
from .table import LINES, GroupMoments, Table, product

# With 40 values for each feature of the data a single p-value at its smallest, 2/(1 + size), is a discovery at 0.05.
VALUES_PER_FEATURE = 40
LEAST_REFERENCE = 10_000
FEW_PERMUTATIONS, MANY_PERMUTATIONS = 200, 4000
# What bounds the time on large data: so many entries of permuted memberships, and so many additions.
MOST_MEMBERSHIPS, MOST_ADDITIONS = 10**8, 10**11
FEWEST_PERMUTATIONS = 50
BYTES_OF_MEMBERSHIPS = 2**25

# A smaller part of the squared error that the spread of all rows makes is rounding in float32.
FLAT = 1e-5
# A permuted statistic that is smaller by no more than this part is as large: sums in float32 are no more exact.
TIED = 1e-4


@dataclass(frozen=True)
class Stratum:
    """Features that share a reference, and how often the rows are permuted for it."""

    features: IntArray
    n_permutations: int

    @property
    def size(self) -> int:
        return len(self.features) * self.n_permutations


def strata_of(table: Table, whole: GroupMoments, n_permutations: int | None) -> list[Stratum]:
    """Features that vary, by octaves of their skewness; neighbouring octaves together if they have few features.

    By default a stratum gets as many permutations as its reference needs, within what the size of the data allows.
    """
    varying = np.flatnonzero(whole.variance > 0).astype(np.int32)
    most, usual = n_permutations, n_permutations
    if most is None or usual is None:
        most = int(np.clip(MOST_MEMBERSHIPS // whole.size, FEWEST_PERMUTATIONS, MANY_PERMUTATIONS))
        usual = int(np.clip(MOST_ADDITIONS // max(table.n_stored, 1), FEWEST_PERMUTATIONS, FEW_PERMUTATIONS))
    needed = max(VALUES_PER_FEATURE * len(varying), LEAST_REFERENCE if n_permutations is None else 0)
    octaves = np.floor(np.log2(np.maximum(np.abs(whole.skewness[varying]), 0.5)))
    return [
        Stratum(features, int(np.clip(-(-needed // len(features)), min(usual, most), most)))
        for features in _together(varying, octaves, -(-VALUES_PER_FEATURE * len(varying) // most))
    ]


def _together(features: IntArray, octaves: DoubleArray, fewest: int) -> list[IntArray]:
    """Features by octave, from the lowest; an octave is joined to the next until there are enough of them."""
    parts: list[IntArray] = []
    for octave in np.unique(octaves):
        found = features[octaves == octave]
        if parts and len(parts[-1]) < fewest:
            found = np.concatenate([parts.pop(), found])
        parts.append(found)
    if len(parts) > 1 and len(parts[-1]) < fewest:
        last = parts.pop()
        parts[-1] = np.concatenate([parts[-1], last])
    return parts


def permutation_p_values(
    table: Table,
    in_a: NDArray[np.bool_],
    observed: DoubleArray,
    whole: GroupMoments,
    strata: list[Stratum],
    seed: int,
    run: Run,
    step: Callable[[int], object] = lambda done: None,
) -> DoubleArray:
    """Twice the smaller tail: the share of permuted statistics that are as large as observed, or as small."""
    sides = np.where(whole.skewness < 0, -1.0, 1.0)  # features with the skewness of either sign share a reference
    references: list[list[np.ndarray]] = [[] for _ in strata]
    most = max((stratum.n_permutations for stratum in strata), default=0)
    for start, memberships in _permuted(in_a, most, seed):
        for stratum, reference in zip(strata, references, strict=True):
            some = memberships[:, : max(stratum.n_permutations - start, 0)]
            if some.shape[1]:
                reference.append(_statistics(table, stratum.features, some, int(in_a.sum()), whole, sides, run))
                step(reference[-1].size)
    p_values = np.ones(len(observed))
    # References differ in size. What one of them cannot tell from 0 is equally sure in all, or strata make the order.
    least = max((2 / (1 + stratum.size) for stratum in strata), default=1.0)
    for stratum, reference in zip(strata, references, strict=True):
        lines = np.sort(np.concatenate([part.ravel() for part in reference]))
        p_values[stratum.features] = np.maximum(_two_sided((sides * observed)[stratum.features], lines), least)
    return p_values


def _permuted(in_a: NDArray[np.bool_], n_permutations: int, seed: int) -> Iterator[tuple[int, FloatArray]]:
    """Memberships of a in permuted rows, (rows, permutations), some at a time, and how many came before.

    The rows of the smaller group are drawn, which is much faster than to permute all rows.
    """
    rng = np.random.default_rng(seed)
    n_rows, n_a = len(in_a), int(in_a.sum())
    n_drawn, drawn, others = (n_a, 1, 0) if 2 * n_a <= n_rows else (n_rows - n_a, 0, 1)
    at_once = int(np.clip(BYTES_OF_MEMBERSHIPS // (4 * n_rows), 1, FEW_PERMUTATIONS))
    for start in range(0, n_permutations, at_once):
        memberships = np.full((n_rows, min(at_once, n_permutations - start)), others, np.float32)
        for column in memberships.T:
            column[rng.choice(n_rows, n_drawn, replace=False, shuffle=False)] = drawn
        yield start, memberships


def _statistics(
    table: Table,
    features: IntArray,
    memberships: FloatArray,
    n_a: int,
    whole: GroupMoments,
    sides: DoubleArray,
    run: Run,
) -> FloatArray:
    """Statistics of permuted groups: (features, permutations). Sparse features come first."""
    sparse = table.is_sparse[features]
    features = np.concatenate([features[sparse], features[~sparse]])

    def body(start: int, stop: int) -> tuple[FloatArray]:
        chosen = features[start:stop]
        known = whole[chosen]
        if table.is_sparse[chosen].all():
            lines = table.lines[chosen]
        else:
            lines, known = table.centered(chosen, known.mean), known.centered()
        statistics = _of_sums(lines @ memberships, product(lines, lines) @ memberships, n_a, known)
        return ((sides[chosen, None] * statistics).astype(np.float32),)

    return run.by_blocks(len(features), body, LINES)[0]


def _of_sums(sums: np.ndarray, squares: np.ndarray, n_a: int, whole: GroupMoments) -> DoubleArray:
    """Statistics from sums over the rows of a, and what is known of all rows."""
    n_b = whole.size - n_a
    mean, variance = whole.mean[:, None], whole.variance[:, None]
    mean_a = sums / n_a
    mean_b = (whole.size * mean - sums) / n_b
    mean_squares = squares / n_a, (whole.size * (variance + mean**2) - squares) / n_b
    error_a = np.maximum(mean_squares[0] - mean_a**2, 0) / (n_a - 1)
    error_b = np.maximum(mean_squares[1] - mean_b**2, 0) / (n_b - 1)
    return normal_score(mean_a - mean_b, error_a, error_b, n_a, n_b, FLAT * variance)


def normal_score(
    difference: DoubleArray, error_a: DoubleArray, error_b: DoubleArray, n_a: int, n_b: int, flat: DoubleArray
) -> DoubleArray:
    """Welch's t as a normal variable: sign(t) (8f + 1)/(8f + 3) √(f log(1 + t²/f)), f its degrees of freedom.

    ``flat`` is the least variance that counts, so that groups in which nothing varies have a finite score.
    """
    error = np.maximum(error_a + error_b, flat * (1 / n_a + 1 / n_b))
    t_squared = difference**2 / error
    freedom = degrees_of_freedom(error_a, error_b, n_a, n_b)
    size = (8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(t_squared / freedom))
    return np.copysign(size, difference)


def degrees_of_freedom(error_a: DoubleArray, error_b: DoubleArray, n_a: int, n_b: int) -> DoubleArray:
    """The degrees of freedom of Welch and Satterthwaite; where nothing varies, those of the larger group."""
    error = error_a + error_b
    with np.errstate(divide="ignore", invalid="ignore"):
        part = error_a / error
        freedom = 1 / (part**2 / (n_a - 1) + (1 - part) ** 2 / (n_b - 1))
    return np.where(error > 0, freedom, max(n_a, n_b) - 1.0)


def _two_sided(observed: DoubleArray, reference: np.ndarray) -> DoubleArray:
    tolerance = TIED * np.maximum(np.abs(observed), 1)
    as_large = len(reference) - np.searchsorted(reference, observed - tolerance, side="left")
    as_small = np.searchsorted(reference, observed + tolerance, side="right")
    return np.minimum(2 * (1 + np.minimum(as_large, as_small)) / (1 + len(reference)), 1.0)


def welch_p_values(a: GroupMoments, b: GroupMoments) -> DoubleArray:
    """Welch's test by Student's distribution.

    Means of skewed values make t skewed. Hall's transformation, which rises with t, removes most of that; it counts
    where it makes t smaller.
    """
    error = a.squared_error + b.squared_error
    root = np.sqrt(np.where(error > 0, error, 1.0))
    t = (a.mean - b.mean) / root
    skewness = (a.third / a.size**2 - b.third / b.size**2) / root**3
    corrected = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    smaller = np.where(corrected * t > 0, np.minimum(np.abs(t), np.abs(corrected)), 0.0)
    p_values = 2 * stdtr(degrees_of_freedom(a.squared_error, b.squared_error, a.size, b.size), -smaller)
    return np.where(error > 0, p_values, 0.0)
