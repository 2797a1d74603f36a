"""What can be asked of the points of a map: the questions that `FeatMAP` and `Explanation` share.

Only scikit-learn's checks are imported with this module. Compiled code is loaded by the first question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from pandas import DataFrame

    from .answers import Answers
    from .contrast import Contrast, FeatureRanking
    from .perturbation import Perturbation
    from .points import Points

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


class ExplanationMixin:
    """Questions about the points of a map, for a class that has ``_points``, ``n_jobs`` and ``verbose``."""

    n_jobs: int | None
    verbose: bool
    _points: Points

    def feature_importance(self, rows: ArrayLike | None = None, *, out: np.ndarray | None = None) -> np.ndarray:
        """Tell how much each feature varies around each row.

        The importance of a feature is the length of its part in the tangent space of the row. The squares of a row
        sum to its intrinsic dimension, and a feature that is constant around the row has importance 0. Importance
        measures local variation, and noise varies too: a noisy feature is important in this sense. `contrast` tells
        which features separate groups.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.
        out : ndarray of shape (n_rows, n_features) or None, default=None
            Where to write the result block by block, for example a memory map. By default a new array.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            The importance of each feature for each row, at least 0 and at most 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.feature_importance([0, 1]).shape
        (2, 4)
        """
        return self._answers.feature_importance(rows, out)

    def loadings(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Give the leading directions in which the data vary around each row.

        Column l holds the local direction l in terms of the features; the directions are orthonormal. Their signs
        are arbitrary, and so are the directions themselves where two singular values are nearly equal.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.

        Returns
        -------
        ndarray of shape (n_rows, n_features, n_components)
            The loadings of the features. Columns beyond the local rank are zero.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.loadings([0]).shape
        (1, 4, 2)
        """
        return self._answers.loadings(rows)

    def arrows(
        self, rows: ArrayLike | None = None, kind: str = "tangent", n_neighbors: int | None = None
    ) -> np.ndarray:
        """Show in which direction each feature grows on the map around each row.

        An arrow is the local slope of a feature on the map, so it is only as good as the map is there. `fidelity`
        measures how good: do not read arrows of rows whose fidelity is near that of ``kind="random"``.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.
        kind : {"tangent", "map", "frame"}, default="tangent"
            The kind of arrows. ``"map"`` is the regression of each feature on the map around the row. ``"tangent"``
            is the part of it that lies in the tangent spaces there, so it shows features that vary around the row.
            ``"frame"`` draws the leading local directions through the frame of the row, as the paper does.
        n_neighbors : int or None, default=None
            The number of nearest rows on the map that arrows are fitted to. By default a tenth of all rows, at least
            30 and at most 300.

        Returns
        -------
        ndarray of shape (n_rows, n_features, n_components)
            One arrow for each feature, in units of the data per unit of the map; without unit for ``"frame"``. Rows
            without neighbours have arrows of length 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.arrows([0, 1]).shape
        (2, 4, 2)
        """
        return self._answers.arrows(rows, kind, n_neighbors)

    def explained_variance(self, rows: ArrayLike | None = None, n_neighbors: int | None = None) -> np.ndarray:
        """Tell which part of the variance of each feature the map shows around each row.

        It is the R² of the regression behind ``arrows(kind="map")``, on the rows that the regression was fitted to.
        So it is above 0 for pure noise as well: about ``n_components / n_neighbors``.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.
        n_neighbors : int or None, default=None
            The number of nearest rows on the map that count. By default a tenth of all rows, at least 30 and at most
            300.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            The R² of each feature, from 0 to 1.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.explained_variance([0]).shape
        (1, 4)
        """
        return self._answers.explained_variance(rows, n_neighbors)

    def fidelity(
        self, rows: ArrayLike | None = None, kind: str = "tangent", n_neighbors: int | None = None
    ) -> np.ndarray:
        """Measure how true the arrows of each row are.

        It is the cosine between the changes of the features that the arrows predict and the true ones, among the
        nearest rows on the map. It is cross-fitted: arrows are scored on rows that they were not fitted to. Compare
        it with ``kind="map"``, a linear regression on the map, and with ``kind="random"``, the score of random
        frames.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.
        kind : {"tangent", "map", "frame", "random"}, default="tangent"
            The kind of arrows to score, see `arrows`.
        n_neighbors : int or None, default=None
            The number of nearest rows on the map that count. By default a tenth of all rows, at least 30 and at most
            300.

        Returns
        -------
        ndarray of shape (n_rows,)
            The cosine of each row, from -1 to 1. Rows without neighbours have 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> bool((abs(model.fidelity()) <= 1).all())
        True
        """
        return self._answers.fidelity(rows, kind, n_neighbors)

    def consistency(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Tell how consistent the tangent space of each row is with those of its neighbours.

        It is the mean of cos Θ over the edges of the row, with Θ the angle between two tangent spaces: 1 where they
        are equal, 0 where they have no direction in common. Where it is small the data are curved or noisy, and
        arrows hold only very near to the row.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The mean cos Θ of each row. It is nan for a row without directions, for example one among its copies, and
            for a row without neighbours.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.consistency([0, 1]).shape
        (2,)
        """
        return self._answers.consistency(rows)

    def top_features(self, rows: ArrayLike | None = None, k: int = 10) -> np.ndarray:
        """Name the most important features of each row.

        They are ordered by `feature_importance`, so they are the features that vary most around the row, noise
        included.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.
        k : int, default=10
            How many features to name. There are no more than the data have.

        Returns
        -------
        ndarray of shape (n_rows, k)
            Names of features, the most important first. They are column numbers if the data had no names.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> model.top_features([0], k=2).shape
        (1, 2)
        >>> str(model.top_features([0], k=1)[0, 0]) in iris.feature_names
        True
        """
        return self._answers.top_features(rows, k)

    def contrast(
        self,
        a: Any,
        b: Any = None,
        *,
        labels: ArrayLike | None = None,
        n_permutations: int | None = None,
        random_state: int = 0,
    ) -> Contrast:
        """Find the features that separate two groups of rows.

        Every feature gets the difference of the means in units of the data, two effect sizes, a p-value from a
        permutation test of Welch's statistic, and its mean importance in both groups. The groups may differ in size
        and spread. The test does not know how they were found: if they were picked on the map, or by clustering the
        same data, the p-values are too small. Large data show progress if the model is ``verbose``.

        Parameters
        ----------
        a : array-like, slice or label
            The first group: its rows (numbers, a mask or names), or its label if ``labels`` are given.
        b : array-like, slice, label or None, default=None
            The second group. By default all other rows.
        labels : array-like of shape (n_rows,) or None, default=None
            A label for each row. Then ``a`` and ``b`` are labels.
        n_permutations : int or None, default=None
            How often the rows are permuted. Features with a like reference share it, so that a few hundred suffice.
            By default 200 to 4,000, more for features that few others are like, and down to 50 on large data; the
            result tells.
        random_state : int, default=0
            The seed of the permutations.

        Returns
        -------
        Contrast
            The groups compared, feature by feature.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> found = model.contrast(0, 1, labels=iris.target)
        >>> str(found.top(1)[0])
        'petal length (cm)'
        """
        return self._answers.contrast(a, b, labels, n_permutations, random_state)

    def rank_features(
        self, labels: ArrayLike, *, n_permutations: int | None = None, random_state: int = 0
    ) -> FeatureRanking:
        """Find the features that separate each group of rows from all other rows.

        Each group is compared by `contrast`, and what is said there of p-values holds here. Groups of one row are
        left out with a warning.

        Parameters
        ----------
        labels : array-like of shape (n_rows,)
            The group of each row.
        n_permutations : int or None, default=None
            How often the rows are permuted for each group, as in `contrast`.
        random_state : int, default=0
            The seed of the permutations.

        Returns
        -------
        FeatureRanking
            A dict from the label of each group to its `Contrast`, with `to_frame` for one table of all.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> ranking = model.rank_features(iris.target)
        >>> sorted(ranking)
        [0, 1, 2]
        >>> ranking.to_frame().shape
        (12, 11)
        """
        return self._answers.rank_features(labels, n_permutations, random_state)

    def perturbation(
        self, rows: ArrayLike | None = None, *, fractions: Sequence[float] = FRACTIONS, random_state: int = 0
    ) -> Perturbation:
        """Measure how far rows move on the map when features are taken from them.

        A feature is taken by setting it to its mean over the neighbours of the row. If important features move rows
        further than random ones, importance means something for this map. On data with few features the test says
        little.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to move: numbers that count from 0, a mask, or names if the data had an index. By default 200
            random rows.
        fractions : sequence of float, default=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
            Which fractions of the features are taken, in rising order.
        random_state : int, default=0
            The seed of the random rows and of the random features.

        Returns
        -------
        Perturbation
            Mean moves for the most important, random and least important features.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:300])
        >>> model.perturbation(range(20), fractions=(0.1, 0.5)).most.shape
        (2,)
        """
        return self._answers.perturbation(rows, fractions, random_state)

    def to_frame(self, rows: ArrayLike | None = None) -> DataFrame:
        """Give the importance of all features as a pandas DataFrame.

        It holds what `feature_importance` gives, and needs pandas.

        Parameters
        ----------
        rows : array-like, slice or None, default=None
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names). By default all rows.

        Returns
        -------
        DataFrame of shape (n_rows, n_features)
            A column for each feature and a line for each row, with the index that the data came with.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> list(model.to_frame([0]).columns) == iris.feature_names
        True
        """
        return self._answers.to_frame(rows)

    @property
    def _answers(self) -> Answers:
        if not hasattr(self, "_points"):
            check_is_fitted(self)

        from .answers import Answers

        names = getattr(self, "feature_names_in_", None), getattr(self, "row_names_in_", None)
        return Answers(self._points, *names, self.n_jobs, bool(self.verbose))
