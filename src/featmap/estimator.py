"""FeatMAP for scikit-learn: validate, call the pipeline, store. No mathematics here.

Only scikit-learn's base and checks are imported with this module. Compiled code is loaded by the first fit.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .checks.distances import check_distances_of_fit
from .checks.inputs import NamedTable, check_form, check_rows, read_rows
from .checks.parameters import NAME_OF_DISTANCES, check_parameters
from .checks.rows import row_names
from .checks.settings import Settings, drawn_seed, fit_settings
from .data.advice import warn_of_scales
from .explanation import Explanation
from .explanation.mixin import ExplanationMixin

if TYPE_CHECKING:
    from os import PathLike

    from .data.sparse import Matrix
    from .paper.estimator import PaperFeatMAP
    from .pipeline import Fitted
    from .run import Checkpoint, Run
    from .run.progress import FitReport, Progress
    from .store.model import SavedModel
    from .values import Geometry

    StrPath = str | PathLike[str]


class FeatMAP(ExplanationMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A map of the data that keeps its features.

    A graph of nearest neighbours gives the topology. A local SVD gives every point its tangent space, and with it an
    importance for each feature. The tangent spaces are embedded as a frame at each point of the map, so that features
    can be drawn there as arrows.

    Parameters
    ----------
    n_neighbors : int, default=15
        The size of a neighbourhood, the row itself included, as umap-learn counts.
    n_components : int, default=2
        The number of dimensions of the map.
    metric : str or callable, default="euclidean"
        The metric of the neighbourhoods. ``"euclidean"``, ``"cosine"`` and, for counts and shares, ``"hellinger"``
        are fast at any size; any other metric of scikit-learn, or a function of two rows, is computed for all pairs.
        Tangent spaces are those of the features (of rows of unit length for ``"cosine"``, where a row of zeros counts
        as half-way to every other). ``"precomputed"`` says that X has distances between the rows instead of
        features: there is a map, but it answers no questions about features.
    metric_kwds : dict or None, default=None
        Parameters of the metric, by scipy's names: ``{"p": 3}`` for ``"minkowski"`` (and weights ``"w"``), ``"VI"``
        or ``"V"`` for ``"mahalanobis"``, ``"V"`` for ``"seuclidean"``; for a function, its keyword arguments.
    pca : int, ndarray of shape (n_features, q) or None, default=None
        The number of leading principal components that neighbourhoods, tangent spaces and the map are made of, or
        their directions if you have them: orthonormal columns, such as ``PCA().components_.T``. By
        default they are made of the features themselves. Components leave out the noise of many features: 50 are
        usual for single cells. All answers are about the features still. A warning recommends it
        where distances between rows are mostly noise.
    min_dist : float, default=0.1
        How close points may be on the map, as in UMAP.
    spread : float, default=1.0
        The scale of the map, as in UMAP.
    n_epochs : int or None, default=None
        The number of steps of the layout. By default it is chosen: 140 for more than 20,000 rows, after a map of
        groups of rows; 750 for fewer rows and wherever `init` is given.
    density : float or None, default=None
        How the map shows local density: the slope of log distance on the map against log distance in the data, for
        neighbours. 0 gives every neighbourhood the same size, as UMAP does. 1 keeps local scale: rows that are twice
        as far apart are drawn twice as far apart. 2 squares it. By default it is 1.5 for a map of up to three
        components, which people look at, and less where local scales differ so much that the map would lose
        neighbours, as with heavy tails; and it is 0 for more components, which clustering uses.
    intrinsic_dim : "auto" or int, default="auto"
        Local directions that count for feature importance: enough for 90 % of the local variance, or a number.
    n_tangent_neighbors : int or None, default=None
        The size of the neighbourhood of a tangent space, at least `n_neighbors`. By default the same.
    tangent_center : {"mean", "point"}, default="mean"
        What a tangent space is about: the mean of the neighbours, or the point itself as in the paper. About the
        point, the first direction is little more than the offset of the point from its neighbours.
    frames : {"aligned", "paper"}, default="aligned"
        How tangent spaces are embedded as frames.
    init : {"auto", "pca", "spectral", "random"} or array-like of shape (n_samples, n_components), default="auto"
        Where the map starts.
    precomputed_knn : tuple, sparse matrix, ndarray or None, default=None
        Neighbours that you already have: ``(indices, distances)`` with or without the row itself, for example
        `neighbors_` of another model; umap-learn's triple; or a sparse matrix of distances such as scanpy's
        ``obsp["distances"]`` and scikit-learn's ``kneighbors_graph``; or an array of the distances between all rows.
        Index -1 or an infinite distance marks a missing neighbour. New rows are searched by `metric`, so give the
        metric of the neighbours too; a warning says when their distances are not those of the metric.
    random_state : int, RandomState or None, default=None
        The seed of the map. One seed gives the same bytes on any number of threads.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Results never depend on it.
    verbose : bool, default=False
        Whether to show a bar with the stage and the time left.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, in float32.
    frames_ : ndarray of shape (n_samples, n_components, n_components)
        The frame of each row. Column l shows its local direction l on the map. Frames and tangent spaces have no part
        in the map: they are made by the first question that needs them, which includes this attribute.
    graph_ : CSR matrix of shape (n_samples, n_samples)
        The weights of the neighbourhood graph.
    neighbors_ : tuple of (indices, distances)
        The nearest others of each row, both of shape (n_samples, n_others), distances in units of the data. It is
        accepted by `precomputed_knn` and gives the same map. A missing neighbour is at an infinite distance.
    singular_values_ : ndarray of shape (n_samples, r)
        Singular values of the weighted neighbourhoods, in units of the data.
    intrinsic_dim_ : ndarray of shape (n_samples,)
        How many local directions count for feature importance.
    density_ : float
        The density p of the map: the parameter, or the library's choice.
    density_correlation_ : float
        Whether the map is wide where the data are wide: the correlation of two logarithms, of the distance of a row
        to its last neighbour of the graph, in the metric of the neighbours, and of the distance of its point to the
        neighbour of the same rank on the map, which may be another row. It is measured when it is first asked for, on
        at most 10,000 rows, always the same; rows with a missing neighbour, or with copies at distance 0, do not
        count. 0 if there are no differences.
    density_slope_ : float
        How much wider the map is where the data are wider: the slope of least squares of the same logarithms, of the
        map on the data. It follows the parameter `density`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features. Only if the data had names that are strings.
    row_names_in_ : ndarray of shape (n_samples,)
        Names of the rows. Only if the data were a pandas frame with an index that does not just count its rows, or a
        file with names that ``featmap fit`` read.
    recipe_ : Recipe
        How the features were made from the columns of a table. Only in models of `featmap.map_table`;
        `in_original_units` reads it.
    table_ : KnownTable
        What is known of the rows of a table. Only in models of `featmap.map_table`; `featmap.load` reads it.
    n_epochs_ : int
        The number of epochs run on all rows; fewer than asked for if a callback stopped the layout.
    fit_report_ : FitReport
        Seconds, CPU seconds and peak memory of each stage, and the recall of the search for neighbours.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:500])
    >>> model.embedding_.shape
    (500, 2)
    >>> model.top_features([0], k=3).shape
    (1, 3)
    """

    _fits_geometry = False  # whether a fit makes tangent spaces and frames, rather than the first question about them

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        metric: str | Callable[..., float] = "euclidean",
        metric_kwds: dict[str, Any] | None = None,
        pca: int | np.ndarray | None = None,
        min_dist: float = 0.1,
        spread: float = 1.0,
        n_epochs: int | None = None,
        density: float | None = None,
        intrinsic_dim: int | str = "auto",
        n_tangent_neighbors: int | None = None,
        tangent_center: str = "mean",
        frames: str = "aligned",
        init: str | ArrayLike = "auto",
        precomputed_knn: Any = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.metric_kwds = metric_kwds
        self.pca = pca
        self.min_dist = min_dist
        self.spread = spread
        self.n_epochs = n_epochs
        self.density = density
        self.intrinsic_dim = intrinsic_dim
        self.n_tangent_neighbors = n_tangent_neighbors
        self.tangent_center = tangent_center
        self.frames = frames
        self.init = init
        self.precomputed_knn = precomputed_knn
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @staticmethod
    def paper(
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        density_weight: float = 0.5,
        n_epochs: int = 500,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> PaperFeatMAP:
        """Make an estimator of the method as the paper prints it.

        It is for comparisons, and answers the same questions. `PaperFeatMAP` says what was chosen where the print is
        silent or contradicts itself.

        Parameters
        ----------
        n_neighbors : int, default=15
            The size of a neighbourhood, the row itself included.
        n_components : int, default=2
            The number of dimensions of the map.
        density_weight : float, default=0.5
            The weight λ of the correlation of radii. 0 is UMAP's objective.
        n_epochs : int, default=500
            The number of steps of the layout. Density acts in the last 30 % of them.
        random_state : int, RandomState or None, default=None
            The seed of the map.
        n_jobs : int or None, default=-1
            The number of threads; -1 for all cores, None for one.
        verbose : bool, default=False
            Whether to show a bar.

        Returns
        -------
        PaperFeatMAP
            An estimator that has not been fitted.

        Examples
        --------
        >>> from featmap import FeatMAP
        >>> FeatMAP.paper(random_state=0)
        PaperFeatMAP(random_state=0)
        """
        from .paper.estimator import PaperFeatMAP

        return PaperFeatMAP(
            n_neighbors,
            n_components,
            density_weight=density_weight,
            n_epochs=n_epochs,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )

    def fit(
        self,
        X: ArrayLike | NamedTable,
        y: Any = None,
        *,
        callback: Callable[[str, int, int], object] | None = None,
        checkpoint: StrPath | None = None,
    ) -> FeatMAP:
        """Make the map of the data.

        Whatever ends a fit early, an exception of the callback or Ctrl-C, leaves the estimator as it was.

        Parameters
        ----------
        X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_samples, n_features)
            The data: finite numbers. With ``metric="precomputed"`` the distances between all rows, of shape
            (n_samples, n_samples); of a sparse matrix the stored entries are the distances that are known. Features
            of different units should be scaled first. A memory map is never copied as a whole, except for metrics
            that are computed for all pairs; what a fit allocates of its size is the scaled copy in float32 that the
            model keeps, and for ``"hellinger"`` a second one. An array of Zarr or a dataset of HDF5 is read once, in
            order, in its own type: up to 64 MB into memory, larger data into an unnamed temporary file, beside the
            checkpoint if there is one. The model needs neither afterwards.
        y : None
            Ignored. It is there because scikit-learn's pipelines pass it; featMAP is not supervised.
        callback : callable or None, default=None
            A function ``callback(stage, done, total)``, called at every stage and at steps within it. If it
            returns True in the stage ``"layout"`` or later, the layout ends there and the map is kept; if earlier,
            the fit ends with `FitStopped`.
        checkpoint : str, path or None, default=None
            A file in which the fit keeps its results every few seconds. A fit with the same data and parameters
            resumes from it and ends with the same bytes; ``n_jobs`` and ``verbose`` may differ, and with
            ``random_state=None`` the seed is the one it began with. The checkpoint of another fit is refused. The
            file is removed when all epochs are done.

        Returns
        -------
        FeatMAP
            The fitted estimator itself.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data).embedding_.shape
        (150, 2)
        """
        fresh = copy(self)  # this estimator changes all at once or not at all
        table, settings = fresh._checked(X, checkpoint)

        from .data.sparse import digest_of
        from .run import Run

        digest = partial(digest_of, table)
        begun = settings, table.shape[0], digest, callback, checkpoint
        progress, kept, settings = self._begun(*begun, with_geometry=self._fits_geometry)
        with Run(self.n_jobs, progress, kept) as run:
            fitted, geometry = self._fitted(table, settings, run)
        fresh._store(fitted, progress.report, geometry)
        self.__dict__ = fresh.__dict__
        if fitted.is_complete:
            kept.finish()
        return self

    def fit_transform(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        callback: Callable[[str, int, int], object] | None = None,
        checkpoint: StrPath | None = None,
    ) -> np.ndarray:
        """Make the map of the data and return it.

        Parameters
        ----------
        X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_samples, n_features)
            The data, as in `fit`.
        y : None
            Ignored.
        callback : callable or None, default=None
            A function that is called with the progress, as in `fit`.
        checkpoint : str, path or None, default=None
            A file from which a killed fit can be resumed, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The map.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> FeatMAP(n_epochs=50, random_state=0).fit_transform(load_iris().data).shape
        (150, 2)
        """
        return self.fit(X, y, callback=callback, checkpoint=checkpoint).embedding_

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Place new rows on the map.

        Each row is placed alone, at the geometric median of its nearest rows of the fit: its position does not depend
        on the other rows of X. A row that is equal to a row of the fit gets the position of that row, and a row that
        moves a little is placed a little further. A row unlike all rows of the fit is still placed among its nearest
        rows: `outlier_score` tells such rows.

        Parameters
        ----------
        X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_rows, n_features)
            New rows, with the columns of the fit. With ``metric="precomputed"`` their distances to the rows of the
            fit, of shape (n_rows, n_samples).

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            The positions of the rows on the map.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> X = load_iris().data
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(X)
        >>> bool((model.transform(X[:5]) == model.embedding_[:5]).all())
        True
        """
        check_is_fitted(self)
        table = check_rows(self, X, "transform", reset=False)

        from .explanation.placement import place_rows
        from .run import Run

        mapped = self._points.mapped
        with Run(self.n_jobs) as run:
            return place_rows(table, mapped.manifold, mapped.embedding, run)

    def outlier_score(self, X: ArrayLike) -> np.ndarray:
        """Tell how far new rows are from the data of the fit.

        `transform` places every row on the map, also one that is unlike all rows of the fit. The score tells such
        rows: it is the mean distance of a row to its nearest rows of the fit, divided by what is usual there, the
        median over these rows of their own mean distance to their neighbours. 1 is usual. Each row is scored alone;
        rows of the fit score a little below 1, since each is its own nearest row. On a map of 2,500 digits of MNIST
        5 % of new digits score above 1.28, but 88 % of the pictures of Fashion-MNIST and 99 % of KMNIST's letters
        (docs/new_rows.md).

        Parameters
        ----------
        X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_rows, n_features)
            New rows, with the columns of the fit.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores, at least 0. A thousandth of the mean distance in the data is added above and below the line,
            so that duplicates have finite scores. The score is infinite for a row that has nothing in common with any
            row of the fit (at the largest distance of the metric), and for a row beside a fit of equal rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> X = load_iris().data
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(X[::2])
        >>> bool(model.outlier_score([[5, 3, 1, 9]])[0] > model.outlier_score(X[1::2]).max())
        True
        """
        check_is_fitted(self)
        table = check_rows(self, X, "outlier_score", reset=False)

        from .explanation.outliers import outlier_scores
        from .run import Run

        with Run(self.n_jobs) as run:
            return outlier_scores(table, self._points.mapped.manifold, run)

    def explain(self, X: ArrayLike) -> Explanation:
        """Explain new rows: their positions on the map, and which features matter there.

        A row that is equal to a row of the fit (at distance 0 from it) counts as that row, the first among its
        copies, and has the answers that the model itself gives for it.

        Parameters
        ----------
        X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_rows, n_features)
            New rows, with the columns of the fit.

        Returns
        -------
        Explanation
            Answers about the new rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> X = load_iris().data
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(X)
        >>> model.explain(X[:3] + 0.1).feature_importance().shape
        (3, 4)
        """
        check_is_fitted(self)
        self._check_features()
        table = check_rows(self, X, "explain", reset=False)

        from .explanation.points import points_of_new_rows
        from .run import Run

        with Run(self.n_jobs) as run:
            points = points_of_new_rows(table, self._points.mapped, run)
        names = getattr(self, "feature_names_in_", None)
        return Explanation(points, names, row_names(X), self.n_jobs, bool(self.verbose))

    def save(self, path: StrPath) -> None:
        """Write the fitted model to a file.

        The file holds the parameters, all that `fit` made, and tangent spaces and frames if a question has made them,
        as plain data with checksums. Nothing in it is run on loading. It is written beside an old file and renamed
        when it is complete, so that there is always a whole file. A model whose metric is a function cannot be saved,
        and names of rows that are neither strings nor integers (dates, for example) become strings.

        Parameters
        ----------
        path : str or path
            Where to write. A file that is there is replaced.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "iris.featmap"))
        """
        check_is_fitted(self)

        from .store.model import ATTRIBUTES, SOMETIMES, SavedModel, save_model

        attributes = {name: getattr(self, name) for name in (*ATTRIBUTES, *SOMETIMES) if hasattr(self, name)}
        parameters = self.get_params(deep=False)
        mapped = self._points.mapped
        save_model(path, SavedModel(type(self).__name__, parameters, mapped, mapped.deferred.made, attributes))

    @classmethod
    def load(cls, path: StrPath) -> FeatMAP:
        """Read a model that `save` has written.

        The loaded model has the same bytes and gives the same answers. Arrays of a megabyte or more stay in the file
        until they are needed; changes to them stay in memory. A file that is damaged, of another class or of a later
        version is refused with a `StoreError`.

        Parameters
        ----------
        path : str or path
            The file to read.

        Returns
        -------
        FeatMAP
            The fitted model.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from featmap import FeatMAP
        >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "iris.featmap"))
        ...     loaded = FeatMAP.load(os.path.join(folder, "iris.featmap"))
        >>> bool((loaded.embedding_ == model.embedding_).all())
        True
        """
        from .store.model import load_model

        return cls._of_saved(load_model(path, {cls.__name__: cls._get_param_names()}))

    @classmethod
    def _of_saved(cls, saved: SavedModel) -> FeatMAP:
        """The model that was read from a file."""
        from .explanation.geometry import DeferredGeometry
        from .explanation.points import points_of_data

        model = cls(**saved.parameters)
        deferred = DeferredGeometry(model.n_jobs, bool(model.verbose), saved.geometry)
        model._points = points_of_data(replace(saved.mapped, deferred=deferred))
        for name, value in saved.attributes.items():
            setattr(model, name, value)
        return model

    @property
    def neighbors_(self) -> tuple[np.ndarray, np.ndarray]:
        """The nearest others of each row: indices, and distances in units of the data, infinite if one is missing."""
        check_is_fitted(self)
        manifold = self._points.mapped.manifold
        # A copy: changes to it do not reach the model.
        return manifold.neighbors.indices.copy(), manifold.distances_in_units

    def _checked(self, X: Any, checkpoint: StrPath | None) -> tuple[Any, Settings]:
        """The data as an array or CSR matrix, and the settings for them. Stores the names that come with the data."""
        owner = type(self).__name__
        self._check_parameters(owner)
        seed = drawn_seed(owner, self.random_state)
        given = NamedTable.of(X)
        table = check_form(self, given.values, "fit", ensure_min_samples=2)
        self._remember(given)
        settings = self._settings(owner, table.shape, seed)

        from .memory import check_memory

        has_checkpoint = checkpoint is not None
        sized = settings, self.n_components, self.n_jobs
        check_memory("fit", table, *sized, n_epochs=settings.n_epochs, checkpoint=has_checkpoint)
        table = read_rows(table, "fit", beside=checkpoint)
        if self.metric == NAME_OF_DISTANCES:
            check_distances_of_fit(table)
        elif self.metric != "cosine":
            warn_of_scales(table, getattr(self, "feature_names_in_", None))
        return table, settings

    def _check_parameters(self, owner: str) -> None:
        check_parameters(owner, self.get_params(deep=False))

    def _settings(self, owner: str, shape: tuple[int, int], seed: int) -> Settings:
        """The settings for data of this shape."""
        return fit_settings(owner, self.get_params(deep=False), shape, seed)

    def _fitted(self, X: Matrix, settings: Settings, run: Run) -> tuple[Fitted, Geometry | None]:
        """The map of the data, and tangent spaces and frames if they had to be made for it."""
        from .pipeline import fit_map

        return fit_map(X, settings, run), None

    def _remember(self, given: NamedTable) -> None:
        """The names of features and rows, and how the features were made; not those of an earlier fit."""
        for name in ("row_names_in_", "recipe_", "table_"):
            self.__dict__.pop(name, None)
        if given.feature_names is not None:
            self.feature_names_in_ = np.array(given.feature_names, dtype=object)
        if given.row_names is not None:
            self.row_names_in_ = np.array(given.row_names, dtype=object)
        if given.recipe is not None:
            self.recipe_ = given.recipe

    def _begun(
        self,
        settings: Settings,
        n_rows: int,
        digest: Callable[[], str],
        callback: Callable[[str, int, int], object] | None,
        checkpoint: StrPath | None,
        *,
        with_geometry: bool,
    ) -> tuple[Progress, Checkpoint, Settings]:
        """The progress report of a fit, its checkpoint, and its settings, with the old seed if the fit is resumed.

        A checkpoint recognizes the data by their ``digest``.
        """
        from .run import Checkpoint
        from .run.progress import SHARES, SHARES_OF_COARSE, SHARES_OF_GEOMETRY, Progress

        shares = SHARES | SHARES_OF_COARSE if settings.plan(n_rows).coarse > 0 else SHARES
        if with_geometry:
            shares = shares | SHARES_OF_GEOMETRY
        progress = Progress(callback, bool(self.verbose), shares)
        if checkpoint is None:
            return progress, Checkpoint(), settings

        from .store.checkpoints import FileCheckpoint

        any_seed = self.random_state is None
        kept = FileCheckpoint(checkpoint, n_rows, digest, vars(settings), any_seed=any_seed)
        return progress, kept, replace(settings, seed=kept.seed)

    def _store(self, fitted: Fitted, report: FitReport, geometry: Geometry | None = None) -> None:
        from .explanation.geometry import DeferredGeometry
        from .explanation.points import MappedData, points_of_data
        from .run.progress import FitReport

        manifold, deferred = fitted.manifold, DeferredGeometry(self.n_jobs, bool(self.verbose), geometry)
        # A copy: what users do to the map that they got does not move where new rows are placed.
        self._points = points_of_data(MappedData(manifold, fitted.embedding.copy(), deferred))
        self.embedding_ = fitted.embedding
        self.graph_ = manifold.graph.weights
        self.density_ = fitted.density
        self.n_epochs_ = fitted.n_epochs
        self.fit_report_ = FitReport(report, manifold.search_report)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def _repr_html_inner(self) -> str:
        """What scikit-learn's `_repr_html_` shows: its diagram, or the map if there is one."""
        return self._html_of_map() if self.__sklearn_is_fitted__() else super()._repr_html_inner()

    def _repr_mimebundle_(self, **given: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**given)
        if "text/html" in bundle and self.__sklearn_is_fitted__():  # it is not if set_config asks for text only
            bundle["text/html"] = self._html_of_map()
        return bundle

    def _html_of_map(self) -> str:
        from .explanation.notebook import density_fact, html_of

        return html_of(repr(self), self._points, [density_fact(self.density_correlation_)], self._answers.known_trust)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_points")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == NAME_OF_DISTANCES
        tags.transformer_tags.preserves_dtype = ["float32"]  # maps are float32, whatever the data
        return tags
