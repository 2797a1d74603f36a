"""What can be asked of the points of a map: the questions that `FeatMAP` and `Explanation` share.

Only scikit-learn's checks are imported with this module. Compiled code is loaded by the first question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..docstrings import PAGE_PARAMETERS, shared_parameters
from ..errors import InvalidParameterError, MissingExtraError

if TYPE_CHECKING:
    from os import PathLike

    from pandas import DataFrame

    from ..explorer.widget import ExplorerWidget
    from ..metrics.density import OwnDistances
    from ..tables.table_map import TableMap
    from .answers import Answers
    from .backing import Backing
    from .contrast import Contrast, FeatureRanking
    from .map_variance import MapVariance
    from .points import Points
    from .trust import Trust
    from .why import Why

NO_FEATURES = (
    "metric='precomputed': this map was made of distances, so it cannot answer questions about features; "
    "featmap.explain(X, model.embedding_) answers them, with X the features of the rows, and "
    "FeatMAP(precomputed_knn=distances).fit(X) makes a map of the same neighbours that has them"
)
SAMPLE = "sample"  # asks for the rows of `ExplanationMixin.sampled_rows`

documented = shared_parameters(
    """
rows : array-like, slice or None, default=None
    The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
    is read as names). By default all rows.
groups : array-like of shape (n_samples,) or None, default=None
    A label for each row of the data. Rows of one group depend on each other, like replicates or parts of one
    time series, and are never on both sides of a score. Rows that are nearly equal never are.
n_neighbors : int or None, default=None
    The number of nearest rows on the map that count. By default a tenth of all rows, at least 30 and at most
    300.
"""
    + PAGE_PARAMETERS
)


class ExplanationMixin:
    """Questions about the points of a map, for a class that has ``_points``, ``n_jobs`` and ``verbose``."""

    n_jobs: int | None
    verbose: bool
    _points: Points

    @property
    def frames_(self) -> np.ndarray:
        """The frame of each point. Column l shows its local direction l on the map."""
        return self._fitted_points.frames.axes

    @property
    def density_correlation_(self) -> float:
        """Whether the map is wide where the data are wide: the correlation of log distances to the last neighbour."""
        return self._own_distances.correlation

    @property
    def density_slope_(self) -> float:
        """How much wider the map is where the data are wider: the slope of the same logarithms."""
        return self._own_distances.slope

    @property
    def intrinsic_dim_(self) -> np.ndarray:
        """How many local directions count for feature importance."""
        return self._fitted_points.tangents.intrinsic_dim

    @property
    def singular_values_(self) -> np.ndarray:
        """Singular values of the weighted neighbourhoods, in units of the data."""
        points = self._fitted_points
        return points.mapped.manifold.space.in_units(points.tangents.singular_values)

    @documented
    def why(
        self,
        rows: Any,
        k: int = 5,
        *,
        groups: ArrayLike | None = None,
        feature_names: ArrayLike | None = None,
    ) -> Why:
        """Say why a row is where it is on the map, and which features matter around it.

        The answer has four lists: what sets the rows around it apart from all rows, what sets the row itself apart
        from them, what changes across them on the map, and what varies there but is not seen on the map. Features
        that no other feature goes with, which may be noise, do not take part. The rows around a row are those near it
        on the map, weighted by a short walk on the graph of neighbours. Several rows are taken as one group, of which
        up to 1,000 rows count.

        Values are in the units of the data; with ``metric="cosine"`` they are those of rows scaled to length 1.

        Parameters
        ----------
        rows : int, name, array-like or slice
            The row, or the rows of a group: numbers that count from 0, a mask, or names if the data had an index.
        k : int, default=5
            The largest number of features in each list.
        {groups}
        feature_names : array-like of shape (n_features,) or None, default=None
            Names of all features. By default those of the data, or column numbers if the data had none.

        Returns
        -------
        Why
            The lists with their numbers. Print it to read it; a notebook shows tables.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
        >>> print(model.why(0))
        Row 0 lies among ...
        """
        return self._answers.why(rows, k, groups, feature_names)

    @documented
    def feature_importance(self, rows: ArrayLike | None = None, *, out: np.ndarray | None = None) -> np.ndarray:
        """Tell how much each feature varies around each row.

        The importance of a feature is the length of its part in the tangent space of the row. The squares of a row
        sum to its intrinsic dimension, and a feature that is constant around the row has importance 0.

        Importance is local variation. It does not tell why a row is where it is: a feature that all rows around have
        in common varies little there. Noise varies around every row, and columns of noise come first in this order
        if their spread is as large as that of other features, as after standardising. `top_features` leaves noise
        out.

        Parameters
        ----------
        {rows}
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

    @documented
    def loadings(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Give the leading directions in which the data vary around each row.

        Column l holds the local direction l in terms of the features; the directions are orthonormal. Their signs
        are arbitrary, and so are the directions themselves where two singular values are nearly equal.

        Parameters
        ----------
        {rows}

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

    @documented
    def arrows(
        self, rows: ArrayLike | None = None, kind: str = "blend", n_neighbors: int | None = None
    ) -> np.ndarray:
        """Show in which direction each feature grows on the map around each row.

        An arrow is the local slope of a feature on the map, so it is only as good as the map is there. Arrows are
        fitted to the nearest rows on the map, weighted by a short walk on the graph of neighbours: rows of another
        group that happens to lie beside the row count little. `trust` says in words how good arrows are on the whole
        map, `fidelity` measures it for each row, and `significant_arrows` tells which arrows beat chance.

        Parameters
        ----------
        {rows}
        kind : {"blend", "tangent", "map", "frame"}, default="blend"
            The kind of arrows. ``"map"`` is the regression of each feature on the map around the row. ``"tangent"``
            is the part of it that lies in the tangent spaces there, so it shows features that vary around the row.
            ``"blend"`` mixes both so that predicted changes have the smallest error: its arrows have the right
            length, and are short where the map tells little. ``"frame"`` draws the leading local directions through
            the frame of the row, as the paper does.
        n_neighbors : int or None, default=None
            The number of nearest rows on the map that arrows are fitted to. By default a tenth of all rows, at least
            30 and at most 300.

        Returns
        -------
        ndarray of shape (n_rows, n_features, n_components)
            One arrow for each feature: how much the feature changes along each axis of the map, in units of the data
            per unit of the map. With ``metric="cosine"`` the data are rows of length 1. Arrows of kind ``"frame"``
            have no unit. Rows without neighbours have arrows of length 0.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.arrows([0, 1]).shape
        (2, 4, 2)
        """
        return self._answers.arrows(rows, kind, n_neighbors)

    @documented
    def significant_arrows(
        self,
        rows: ArrayLike | None = None,
        n_neighbors: int | None = None,
        *,
        rate: float = 0.05,
        groups: ArrayLike | None = None,
    ) -> np.ndarray:
        """Tell which arrows of each row beat chance.

        A feature that has nothing to do with the map has a slope on it as well. So the ranks of each feature around
        the row are regressed on the map, and the p-values of all features of the row are held to a false discovery
        rate. A feature must also have an `explained_variance` above 0.

        Parameters
        ----------
        {rows, n_neighbors}
        rate : float, default=0.05
            The false discovery rate among the features of a row.
        {groups}

        Returns
        -------
        ndarray of bool of shape (n_rows, n_features)
            Whether the arrow of each feature beats chance.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.significant_arrows([0]).shape
        (1, 4)
        """
        return self._answers.significant_arrows(rows, n_neighbors, rate, groups)

    @documented
    def explained_variance(
        self,
        rows: ArrayLike | None = SAMPLE,
        n_neighbors: int | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> np.ndarray:
        """Tell which part of the variance of each feature the map shows around each row.

        It is the R² of the regression behind ``arrows(kind="map")``, and it is cross-fitted: the regression is fitted
        to one half of the rows around a row, and the R² is that of the other half. A feature that has nothing to do
        with the map has 0, on the average.

        Parameters
        ----------
        rows : array-like, slice, None or "sample", default="sample"
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names); None for all rows, which may take minutes. By default those of `sampled_rows`: all rows
            of a map of up to 1,000, else 1,000 random ones, always the same.
        {n_neighbors, groups}

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
        return self._answers.explained_variance(rows, n_neighbors, groups)

    @documented
    def fidelity(
        self,
        rows: ArrayLike | None = SAMPLE,
        kind: str = "blend",
        n_neighbors: int | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> np.ndarray:
        """Measure how true the arrows of each row are.

        It is the cosine between the changes of the features that the arrows predict and the true ones, among the
        rows around the row on the map. It is cross-fitted: arrows, and the tangent spaces behind them, are fitted
        without the rows that they are scored on. Compare it with ``kind="map"``, a linear regression on the map, and
        with ``kind="random"``, the score of random frames. Noise in the features lowers it whatever the map shows;
        `trust` takes that into account.

        Parameters
        ----------
        rows : array-like, slice, None or "sample", default="sample"
            The rows to explain: numbers that count from 0, a mask, or names if the data had an index (a pandas Index
            is read as names); None for all rows, which may take minutes. By default those of `sampled_rows`: all rows
            of a map of up to 1,000, else 1,000 random ones, always the same.
        kind : {"blend", "tangent", "map", "frame", "random"}, default="blend"
            The kind of arrows to score, see `arrows`.
        {n_neighbors, groups}

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
        return self._answers.fidelity(rows, kind, n_neighbors, groups)

    def sampled_rows(self) -> np.ndarray:
        """Give the rows that stand for the whole map where a question takes long.

        They are what `fidelity` and `explained_variance` are about by default. A map of up to 1,000 rows is its own
        sample. Of a larger one it is 1,000 random rows, always the same.

        Returns
        -------
        ndarray of shape (n_sampled,)
            The numbers of the rows, in rising order.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=20, random_state=0).fit(load_digits().data)
        >>> rows = model.sampled_rows()
        >>> len(model.embedding_), len(rows), len(model.fidelity(kind="map"))
        (1797, 1000, 1000)
        >>> places = model.embedding_[rows]  # where the rows are that fidelity is about
        >>> len(model.fidelity(None, kind="map"))  # all rows
        1797
        """
        return self._answers.sampled_rows()

    @documented
    def trust(self, kind: str = "blend", n_neighbors: int | None = None, *, groups: ArrayLike | None = None) -> Trust:
        """Say how far the map and its arrows can be trusted.

        What the arrows explain of the changes around a row is compared with what a plane through the features could
        explain there, and with all that the features tell of each other. So noise in the features, which nothing can
        explain, does not count against the map. Everything is cross-fitted, on 100 random rows that are always the
        same. The answer is kept with the map.

        Parameters
        ----------
        kind : {"blend", "tangent", "map", "frame"}, default="blend"
            The kind of arrows, see `arrows`.
        {n_neighbors, groups}

        Returns
        -------
        Trust
            Figures of arrows, neighbours and density, with `Trust.word` and `Trust.sentence`. Print it to read it.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> model.trust().sentence.startswith("Arrows are")
        True
        """
        return self._answers.trust(kind, n_neighbors, groups)

    @documented
    def consistency(self, rows: ArrayLike | None = None) -> np.ndarray:
        """Tell how consistent the tangent space of each row is with those of its neighbours.

        It is the mean of cos Θ over the edges of the row, with Θ the angle between two tangent spaces: 1 where they
        are equal, 0 where they have no direction in common. Where it is small the data are curved or noisy, and
        arrows hold only very near to the row.

        Parameters
        ----------
        {rows}

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

    @documented
    def top_features(self, rows: ArrayLike | None = None, k: int = 10, *, by: str = "apart") -> np.ndarray:
        """Name the features that matter most around each row.

        By default they are those that set the row apart: whose mean over the rows around it is furthest from the
        mean of all rows. Features that no other feature goes with count for nothing (see `backing`), so that noise
        does not come first. In the middle of a region nothing may be apart, but features are named all the same.

        Parameters
        ----------
        {rows}
        k : int, default=10
            How many features to name. There are no more than the data have.
        by : {"apart", "shown", "varies"}, default="apart"
            The question. ``"apart"``: what sets the row apart from all rows? ``"shown"``: what changes across its
            place on the map, by `explained_variance`? ``"varies"``: what varies around it in the data, by
            `feature_importance`, noise included?

        Returns
        -------
        ndarray of shape (n_rows, k)
            Names of features, the first in order first. They are column numbers if the data had no names.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> model.top_features([0], k=2).shape
        (1, 2)
        >>> str(model.top_features([59], k=1)[0, 0])
        'sepal width (cm)'
        """
        return self._answers.top_features(rows, k, by)

    def backing(self) -> Backing:
        """Tell how well the other features know each feature.

        Rows that are near to each other by one half of the features predict the other half, and the reverse, for
        four random halvings. The part of the variance that they predict is the backing of a feature. Noise has none,
        even if it had a part in making the map. Neither has a real feature that nothing else goes with. One-hot
        columns of one category know each other, and so do two nearly equal columns of noise: give a category as one
        feature, and one of such columns.

        It is about all rows of the data, it is measured on at most 3,000 of them, and it is computed once.

        Returns
        -------
        Backing
            The backing of each feature, and the factor by which it counts in `top_features` and `map_variance`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data).backing().values.shape
        (4,)
        """
        return self._answers.backing()

    def map_variance(self) -> MapVariance:
        """Tell how much of each feature the map shows as a whole.

        It is the part of the variance of a feature that the mean of the 15 nearest rows on the map tells. Columns of
        noise that took part in the distances are shown a little as well, so features are ordered by this part times
        the factor of their `backing`.

        It is about all rows of the map, also for an explanation of new rows, and it is computed once.

        Returns
        -------
        MapVariance
            What the map shows of each feature, with its backing beside it.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris(as_frame=True).data)
        >>> str(model.map_variance().top(1)[0])
        'petal length (cm)'
        """
        return self._answers.map_variance()

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

    @documented
    def to_frame(self, rows: ArrayLike | None = None) -> DataFrame:
        """Give the importance of all features as a pandas DataFrame.

        It holds what `feature_importance` gives, and needs pandas.

        Parameters
        ----------
        {rows}

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

    @documented
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        labels: ArrayLike | None = None,
        columns: Any = None,
        ids: ArrayLike | None = None,
        image_shape: tuple[int, ...] | None = None,
        maps: Mapping[str, ArrayLike] | None = None,
        features: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        title: str | None = None,
    ) -> None:
        """Write one HTML file in which the map can be explored.

        The page shows the map and answers why a point, or a group of points, is where it is, with the numbers that
        this library gives. It needs no network and no installation: a double click opens it in a browser. **The file
        contains the data**, since the page computes its answers from them: give it only to people who may have them,
        or leave parts out with `features` and `rows`.

        Whole numbers of up to 16 bits are carried as they are, others in float32. Dense data that would be too large
        are rounded to 16 bits per feature, and the page states the error. A file above 60 MB is refused.

        Parameters
        ----------
        path : str or path
            Where to write. A file that is there is replaced as a whole.
        {labels, columns, ids, image_shape, maps}
        features : array-like or None, default=None
            Columns that the file contains: numbers, a mask, or names. Tangent spaces are then those of these features
            alone. By default all features.
        rows : array-like, slice or None, default=None
            Rows that the file contains. Neighbours are then searched among these rows alone. By default all rows.
        {title}

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.to_html(os.path.join(folder, "iris.html"), labels=iris.target, title="Iris")
        """
        from ..explorer.html import write_html

        write_html(
            *(self, path),
            labels=labels,
            columns=columns,
            ids=ids,
            image_shape=image_shape,
            maps=maps,
            features=features,
            rows=rows,
            title=title,
        )

    @documented
    def explore(
        self,
        *,
        labels: ArrayLike | None = None,
        columns: Any = None,
        ids: ArrayLike | None = None,
        image_shape: tuple[int, ...] | None = None,
        maps: Mapping[str, ArrayLike] | None = None,
        title: str | None = None,
        height: int = 640,
    ) -> ExplorerWidget:
        """Explore the map in a cell of a notebook.

        The page is that of `to_html`, and this Python answers its questions. The data are not saved with the
        notebook; viewers that run no widgets show a picture of the map.

        Parameters
        ----------
        {labels, columns, ids, image_shape, maps, title}
        height : int, default=640
            The height of the page on the screen, in pixels.

        Returns
        -------
        ExplorerWidget
            The widget, which a notebook shows. Its `selection` has the rows of region A on the page and can be set.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> widget = model.explore(labels=iris.target)
        >>> widget.selection = [3, 1, 2]
        >>> widget.selection.tolist()
        [1, 2, 3]
        """
        try:
            from ..explorer.widget import widget_of
        except ImportError as error:
            raise MissingExtraError("explore needs anywidget: pip install 'featmap[widget]'") from error

        said: dict[str, Any] = {"labels": labels, "columns": columns, "ids": ids}
        said |= {"image_shape": image_shape, "maps": maps}
        return widget_of(self, height=height, title=title, **said)

    def labelled(
        self, labels: ArrayLike | None = None, *, unit: str | None = None, image_shape: tuple[int, ...] | None = None
    ) -> TableMap:
        """Give the same map with the labels of its rows known, as `featmap.map_table` does.

        Parameters
        ----------
        labels : array-like of shape (n_samples,) or None, default=None
            A label for each row; None or NaN where it is not known.
        unit : str or None, default=None
            What a row is, "tumour" for example. By default "row".
        image_shape : tuple of int or None, default=None
            Height and width, and 3 for colours, of images whose pixels are the features.

        Returns
        -------
        TableMap
            The map, with answers that know the labels.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> iris = load_iris(as_frame=True)
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(iris.data)
        >>> model.labelled(iris.target_names[iris.target], unit="flower")
        TableMap(150 flowers, 4 columns, label label)
        """
        if not hasattr(self, "_points"):
            check_is_fitted(self)
        self._check_features()

        from ..tables.parts import labelled

        return labelled(self, labels, unit, image_shape)

    def _check_features(self) -> None:
        """Refuse questions where only distances between rows are known."""
        if not self._points.mapped.manifold.has_features:
            raise InvalidParameterError(NO_FEATURES)

    @property
    def _own_distances(self) -> OwnDistances:
        points = self._fitted_points

        from ..run import Run
        from .map_scale import own_distances_of

        with Run(self.n_jobs) as run:
            return own_distances_of(points.mapped, run)

    @property
    def _fitted_points(self) -> Points:
        if not hasattr(self, "_points"):
            check_is_fitted(self)
        return self._points

    @property
    def _answers(self) -> Answers:
        points = self._fitted_points
        self._check_features()

        from .answers import Answers

        names = getattr(self, "feature_names_in_", None), getattr(self, "row_names_in_", None)
        return Answers(points, *names, self.n_jobs, bool(self.verbose))
