"""Which features separate two groups of points, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks.arguments import checked_count, checked_rate, pandas_for
from ..values import DoubleArray, IntArray

if TYPE_CHECKING:
    from pandas import DataFrame

DISCOVERED = 0.05  # features with a larger q-value come last


def discovered_first(effect_size: DoubleArray, q_values: DoubleArray) -> IntArray:
    """The order in which features are named: those that are discovered first, by the largest effect size."""
    return np.lexsort((-np.abs(effect_size), q_values > DISCOVERED)).astype(np.int32)


@dataclass(frozen=True)
class Contrast:
    """Two groups of rows compared, feature by feature.

    `FeatMAP.contrast` and `Explanation.contrast` make it. The p-values do not know how the groups were found: they
    are too small for groups that were picked on the map.

    Parameters
    ----------
    features : ndarray of shape (n_features,)
        Names of the features, or their column numbers if the data had no names.
    difference : ndarray of shape (n_features,)
        Mean of the first group minus mean of the second, in units of the data.
    effect_size : ndarray of shape (n_features,)
        The difference over the spread within the groups, the root of the mean of both variances: Cohen's d for groups
        of unequal spread. The spread counts as at least 1 % of that of all rows.
    auc : ndarray of shape (n_features,)
        Probability that a random row of the first group has a larger value than one of the second, with half of the
        probability that both are equal: 0.5 if the groups do not differ. Of groups of more than 10,000 rows a random
        sample of so many counts.
    p_values : ndarray of shape (n_features,)
        Probability of a difference at least as sure if the groups do not differ in the mean: by permutations of
        Welch's statistic, twice the smaller tail, and at least Welch's own p-value (features with one value in half
        of the rows, such as binary ones, excepted).
    q_values : ndarray of shape (n_features,)
        Expected share of false discoveries among all features with a p-value at most as large.
    statistic : ndarray of shape (n_features,)
        Welch's t on the scale of a normal variable. It has no unit.
    importance_a : ndarray of shape (n_features,)
        Mean importance of each feature in the first group, or in a random sample of 10,000 of its rows.
    importance_b : ndarray of shape (n_features,)
        Mean importance of each feature in the second group.
    sizes : tuple of int
        Numbers of rows of the two groups.
    n_permutations : int
        How often the rows were permuted, at least: features that few others are like took more.
    groups : tuple of str, default=("a", "b")
        Names of the two groups.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> iris = load_iris(as_frame=True)
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
    >>> model.contrast(0, 1, labels=iris.target)
    Contrast(0 against 1: 4 features, 4 with a q-value of at most 0.05, first petal length (cm): effect size -7.9)
    """

    features: np.ndarray
    difference: DoubleArray
    effect_size: DoubleArray
    auc: DoubleArray
    p_values: DoubleArray
    q_values: DoubleArray
    statistic: DoubleArray
    importance_a: DoubleArray
    importance_b: DoubleArray
    sizes: tuple[int, int]
    n_permutations: int
    groups: tuple[str, str] = ("a", "b")

    @property
    def order(self) -> IntArray:
        """Column numbers of all features, those with a q-value of at most 0.05 first, by the largest effect size.

        Nothing else orders small groups well. A feature that happens to be the same in all rows of a small group has
        a huge statistic, however little the groups differ. The smallest p-values cannot be compared, since features
        have references of different sizes.
        """
        return discovered_first(self.effect_size, self.q_values)

    def top(self, k: int = 10) -> np.ndarray:
        """Name the features that separate the groups best.

        Parameters
        ----------
        k : int, default=10
            How many features to name. There are no more than the data have.

        Returns
        -------
        ndarray of shape (k,)
            Names of features, or column numbers if the data had no names: those with a q-value of
            at most 0.05 first, by the largest effect size.

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
        checked_rate("significant", rate)
        order = self.order
        return self.features[order[self.q_values[order] <= rate]]

    def to_frame(self) -> DataFrame:
        """Give the contrast as a tidy pandas DataFrame.

        Returns
        -------
        DataFrame of shape (n_features, 9)
            One line for each feature in the order of `top`, with the columns feature, difference, effect_size, auc,
            p_value, q_value, statistic, importance_a and importance_b.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.contrast(range(50), range(50, 100)).to_frame().shape
        (4, 9)
        """
        columns = {
            "feature": self.features,
            "difference": self.difference,
            "effect_size": self.effect_size,
            "auc": self.auc,
            "p_value": self.p_values,
            "q_value": self.q_values,
            "statistic": self.statistic,
            "importance_a": self.importance_a,
            "importance_b": self.importance_b,
        }
        return pandas_for("to_frame").DataFrame({name: values[self.order] for name, values in columns.items()})

    def __repr__(self) -> str:
        n_found, first = int((self.q_values <= DISCOVERED).sum()), self.order[0]
        groups = " against ".join(self.groups)
        return (
            f"Contrast({groups}: {len(self.features)} features, {n_found} with a q-value of at most 0.05, "
            f"first {self.features[first]}: effect size {self.effect_size[first]:.1f})"
        )


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
        DataFrame of shape (n_groups * n_features, 11)
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
