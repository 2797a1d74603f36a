"""Which features separate two groups of points, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..checks.counts import checked_count
from ..checks.extras import pandas_for
from ..data.sparse import Matrix
from ..errors import InvalidParameterError
from ..run.threads import BLOCK
from ..values import DoubleArray, IntArray

if TYPE_CHECKING:
    from pandas import DataFrame

PERMUTATIONS_AT_ONCE = 50
ROUNDING = 1e-12  # a smaller part of the mean square is not variance but rounding


@dataclass(frozen=True)
class Contrast:
    """Two groups of rows compared, feature by feature.

    `FeatMAP.contrast` and `Explanation.contrast` make it. The p-values do not know how the groups were found: they
    are too small for groups that were picked on the map.

    Parameters
    ----------
    features : ndarray of shape (n_features,)
        Names of the features, or their column numbers if the data had no names.
    importance_a : ndarray of shape (n_features,)
        Mean importance of each feature in the first group.
    importance_b : ndarray of shape (n_features,)
        Mean importance of each feature in the second group.
    difference : ndarray of shape (n_features,)
        Mean of the first group minus mean of the second, in units of the data.
    p_values : ndarray of shape (n_features,)
        Probability of a difference at least as large if rows are assigned to groups at random, by permutation.
    q_values : ndarray of shape (n_features,)
        Expected share of false discoveries among all features with a p-value at most as large.
    groups : tuple of str, default=("a", "b")
        Names of the two groups.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> iris = load_iris(as_frame=True)
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
    >>> model.contrast(0, 1, labels=iris.target)
    Contrast(0 against 1: 4 features, 4 with a q-value of at most 0.05)
    """

    features: np.ndarray
    importance_a: DoubleArray
    importance_b: DoubleArray
    difference: DoubleArray
    p_values: DoubleArray
    q_values: DoubleArray
    groups: tuple[str, str] = ("a", "b")

    @property
    def order(self) -> IntArray:
        """Column numbers of all features, those with the smallest p-value first, then by the largest difference."""
        return np.lexsort((-np.abs(self.difference), self.p_values)).astype(np.int32)

    def top(self, k: int = 10) -> np.ndarray:
        """Name the features that separate the groups most surely.

        Parameters
        ----------
        k : int, default=10
            How many features to name. There are no more than the data have.

        Returns
        -------
        ndarray of shape (k,)
            Names of features, or column numbers if the data had no names: smallest p-value first, then largest
            difference.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.contrast(range(50), range(50, 100)).top(2).shape
        (2,)
        """
        return self.features[self.order[: checked_count("top", "k", k, 1)]]

    def significant(self, rate: float = 0.05) -> np.ndarray:
        """Name the features that separate the groups at a false-discovery rate.

        Parameters
        ----------
        rate : float, default=0.05
            The largest share of false discoveries to accept, from 0 to 1.

        Returns
        -------
        ndarray of shape (n_found,)
            Names of features, or column numbers if the data had no names, in the order of `top`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> len(model.contrast(range(50), range(50, 100)).significant())
        4
        """
        if not 0 <= rate <= 1:
            raise InvalidParameterError(f"significant(rate={rate!r}): rate must be a number from 0 to 1")
        order = self.order
        return self.features[order[self.q_values[order] <= rate]]

    def to_frame(self) -> DataFrame:
        """Give the contrast as a tidy pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_features, 6)
            One line for each feature in the order of `top`, with the columns feature, importance_a, importance_b,
            difference, p_value and q_value.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.contrast(range(50), range(50, 100)).to_frame().shape
        (4, 6)
        """
        columns = {
            "feature": self.features,
            "importance_a": self.importance_a,
            "importance_b": self.importance_b,
            "difference": self.difference,
            "p_value": self.p_values,
            "q_value": self.q_values,
        }
        return pandas_for("to_frame").DataFrame({name: values[self.order] for name, values in columns.items()})

    def __repr__(self) -> str:
        n_found = int((self.q_values <= 0.05).sum())
        groups = " against ".join(self.groups)
        return f"Contrast({groups}: {len(self.features)} features, {n_found} with a q-value of at most 0.05)"


class FeatureRanking(dict[Any, Contrast]):
    """Every group of rows against all other rows: a dict from the label of a group to its `Contrast`.

    `FeatMAP.rank_features` and `Explanation.rank_features` make it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> iris = load_iris(as_frame=True)
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
    >>> ranking = model.rank_features(iris.target_names[iris.target])
    >>> str(ranking["setosa"].top(1)[0])
    'petal length (cm)'
    """

    def to_frame(self) -> DataFrame:
        """Give all contrasts as one tidy pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_groups * n_features, 8)
            One line for each group and feature: group, rank within the group (1 is the first), and the columns of
            `Contrast.to_frame`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> list(model.rank_features(iris.target).to_frame().columns[:3])
        ['group', 'rank', 'feature']
        """
        frames = {group: contrast.to_frame() for group, contrast in self.items()}
        tables = [
            frame.assign(group=group, rank=1 + np.arange(len(frame)))[["group", "rank", *frame.columns]]
            for group, frame in frames.items()
        ]
        return pandas_for("to_frame").concat(tables, ignore_index=True)


def difference_with_p_values(
    rows: Matrix, in_a: np.ndarray, n_permutations: int, seed: int
) -> tuple[DoubleArray, DoubleArray]:
    """Mean of a minus mean of b for every feature, and its p-value under permutations of the rows.

    Features are compared by Student's t, which has one distribution for all of them: so the permuted t of all
    features together are the reference of each, and a hundred permutations resolve p-values far below 1/100.
    """
    n_rows, n_in_a = len(in_a), int(in_a.sum())
    rows, mean, spread = _centered(rows)
    varies = spread > 0

    def differences(memberships: np.ndarray) -> DoubleArray:
        means_a = np.asarray(memberships @ rows, dtype=np.float64) / n_in_a
        return (means_a - mean) * (n_rows / (n_rows - n_in_a))

    def statistic(difference: DoubleArray) -> DoubleArray:
        """It rises with t², by one rule for all features, since the total variance does not depend on the groups."""
        return difference[..., varies] ** 2 / spread[varies]

    observed = differences(in_a[None].astype(rows.dtype))[0]
    rng = np.random.default_rng(seed)
    permuted = []
    for start in range(0, n_permutations, PERMUTATIONS_AT_ONCE):
        n_now = min(PERMUTATIONS_AT_ONCE, n_permutations - start)
        shuffled = rng.permuted(np.broadcast_to(in_a, (n_now, n_rows)), axis=1)
        permuted.append(statistic(differences(shuffled.astype(rows.dtype))).ravel())
    reference = np.sort(np.concatenate(permuted))
    p_values = np.ones(len(mean))
    as_large = len(reference) - np.searchsorted(reference, statistic(observed), side="left")
    p_values[varies] = (1 + as_large) / (1 + len(reference))
    return observed, p_values


def _centered(rows: Matrix) -> tuple[Matrix, DoubleArray, DoubleArray]:
    """Rows minus their mean if they are dense, the mean that they have then, and the variance.

    Groups may lie far from the middle of the data and near to each other. Float32 holds their differences, but not
    sums of their values. Sparse rows keep their zeros, and get float64 instead.
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
