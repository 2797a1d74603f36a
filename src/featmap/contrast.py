"""Which features tell two groups of points apart, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from .errors import InvalidParameterError, MissingExtraError
from .parallel import BLOCK
from .rows import Matrix, rows_of
from .values import DoubleArray, IntArray

PERMUTATIONS_AT_ONCE = 50
ROUNDING = 1e-12  # a smaller part of the mean square is no variance


@dataclass(frozen=True)
class Contrast:
    """Two groups, a and b, feature by feature."""

    features: Sequence[str]
    importance_a: DoubleArray  # mean importance
    importance_b: DoubleArray
    difference: DoubleArray  # mean of a less mean of b, in the data's units
    p_values: DoubleArray  # of a difference as large by chance, by permutation
    q_values: DoubleArray  # the share of false discoveries among all features that are at least as sure
    groups: tuple[str, str] = ("a", "b")  # their names

    def top(self, k: int = 10) -> IntArray:
        """Column numbers of the surest features, and among equally sure ones of the largest difference."""
        order = np.lexsort((-np.abs(self.difference), self.p_values))
        return order[:k].astype(np.int32)

    def significant(self, rate: float = 0.05) -> IntArray:
        """Column numbers of the features found when at most this share of false discoveries is accepted."""
        chosen = self.top(len(self.q_values))
        return chosen[self.q_values[chosen] <= rate]

    def to_frame(self) -> Any:
        """As a pandas frame, the surest features first."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise MissingExtraError("to_frame needs pandas: pip install pandas") from error
        columns = ["importance_a", "importance_b", "difference", "p_values", "q_values"]
        frame = DataFrame({name: getattr(self, name) for name in columns}, index=list(self.features))
        return frame.iloc[self.top(len(frame))]

    def __repr__(self) -> str:
        found = len(self.significant())
        groups = " against ".join(self.groups)
        return f"Contrast({groups}: {len(self.features)} features, {found} found at a false-discovery rate of 0.05)"


def difference_with_p_values(
    rows: Matrix, in_a: np.ndarray, n_permutations: int, seed: int
) -> tuple[DoubleArray, DoubleArray]:
    """Mean of a less mean of b for every feature, and its p-value under permutations of who is in a.

    Features are compared by Student's t, which has one distribution for all of them: so the permuted t of all
    features together are the reference of each, and a hundred permutations tell one feature in a thousand.
    """
    n_rows, n_in_a = len(in_a), int(in_a.sum())
    rows, mean, spread = _centered(rows)
    varies = spread > 0

    def differences(memberships: np.ndarray) -> DoubleArray:
        means_a = np.asarray(memberships @ rows, dtype=np.float64) / n_in_a
        return (means_a - mean) * (n_rows / (n_rows - n_in_a))

    def statistic(difference: DoubleArray) -> DoubleArray:
        """It rises with t², by one rule for all features; the total spread does not depend on who is in a."""
        return difference[..., varies] ** 2 / spread[varies]

    observed = differences(in_a[None].astype(rows.dtype))[0]
    rng = np.random.default_rng(seed)
    by_chance = []
    for start in range(0, n_permutations, PERMUTATIONS_AT_ONCE):
        n_now = min(PERMUTATIONS_AT_ONCE, n_permutations - start)
        shuffled = rng.permuted(np.broadcast_to(in_a, (n_now, n_rows)), axis=1)
        by_chance.append(statistic(differences(shuffled.astype(rows.dtype))).ravel())
    reference = np.sort(np.concatenate(by_chance))
    p_values = np.ones(len(mean))
    as_large = len(reference) - np.searchsorted(reference, statistic(observed), side="left")
    p_values[varies] = (1 + as_large) / (1 + len(reference))
    return observed, p_values


def _centered(rows: Matrix) -> tuple[Matrix, DoubleArray, DoubleArray]:
    """Rows from which the mean was taken if they are dense, the mean they have now, and the variance.

    Groups may lie far from the middle of the data and near to each other. Float32 has room for their differences, not
    for sums of their places; sparse rows keep their zeros, and get float64 instead.
    """
    if sp.issparse(rows):
        rows = rows.astype(np.float64)
        mean = np.asarray(rows.mean(axis=0)).ravel()
        squares = np.asarray(rows.multiply(rows).mean(axis=0)).ravel()
        spread = squares - mean**2
        return rows, mean, np.where(spread > ROUNDING * squares, spread, 0.0)
    mean = rows.mean(axis=0, dtype=np.float64)
    centered = np.empty_like(rows)
    for start in range(0, len(rows), BLOCK):
        centered[start : start + BLOCK] = rows[start : start + BLOCK] - mean
    spread = np.einsum("ij,ij->j", centered, centered, dtype=np.float64) / len(rows)
    return centered, np.zeros_like(mean), spread


def compare_groups(
    rows: Matrix,
    in_a: np.ndarray,
    importance_a: DoubleArray,
    importance_b: DoubleArray,
    names: Sequence[str],
    scale: float,
    n_permutations: int,
    seed: int,
) -> Contrast:
    """A against b among some rows of the data in unit size, which are ``scale`` times the data's."""
    difference, p_values = difference_with_p_values(rows, in_a, n_permutations, seed)
    q_values = false_discovery_control(p_values)
    return Contrast(names, importance_a, importance_b, difference / scale, p_values, q_values)


def groups_of(caller: str, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """The labels there are, sorted, and how many rows have each."""
    try:
        groups, sizes = np.unique(np.asarray(labels), return_counts=True)
    except TypeError as error:
        raise InvalidParameterError(f"{caller}(labels=…): must be of one kind; {error}") from error
    if (groups != groups).any():
        raise InvalidParameterError(f"{caller}(labels=…): some are NaN; give them a label, or leave out their rows")
    return groups, sizes


def group_of(caller: str, chosen: Any, labels: Any, n_rows: int) -> IntArray:
    """The rows of a group: those with a label, or those chosen by numbers or by a mask."""
    everything = np.arange(n_rows, dtype=np.int32)
    if labels is not None:
        labels = np.asarray(labels)
        if labels.shape != (n_rows,):
            raise InvalidParameterError(f"{caller}(labels=...): must have one label per row, {n_rows}")
        rows = everything[labels == chosen]
    else:
        rows = np.unique(rows_of(chosen, n_rows))
    if len(rows) < 2:
        advice = "" if labels is not None else "; if it is a label, give the labels of all rows as labels=…"
        raise InvalidParameterError(f"{caller}: a group needs at least 2 rows; {chosen!r} has {len(rows)}{advice}")
    return rows
