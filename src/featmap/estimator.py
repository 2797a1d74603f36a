"""FeatMAP for scikit-learn: validate, call the pipeline, store. No mathematics here.

Only scikit-learn's base is imported with this module; compiled code is loaded by the first fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .errors import InvalidDataError, InvalidParameterError, warn
from .inputs import check_places, check_rows
from .parameters import check_parameters
from .questions import Questions

if TYPE_CHECKING:
    from os import PathLike

    from .explanation import Explanation
    from .pipeline import Fitted, Settings
    from .progress import Callback
    from .values import Neighbors

    StrPath = str | PathLike[str]

FARTHEST_START = 1e15  # of a map that the user lets it start from; squares of more would leave float32


class FeatMAP(Questions, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A map of the data that keeps its features.

    A graph of nearest neighbours gives the topology, a local SVD gives every point its tangent space and with it
    an importance for each feature, and the tangent spaces are embedded as a frame at each point of the map.

    Parameters
    ----------
    n_neighbors : int, default=15
        Size of a neighbourhood, the point itself included (as umap-learn counts).
    n_components : int, default=2
        Dimensions of the map.
    metric : str or callable, default="euclidean"
        ``"euclidean"`` and ``"cosine"`` are fast at any size; any other metric of scikit-learn, or a function of
        two rows, is computed for all pairs. Tangent spaces are those of the features (of unit-length rows for
        ``"cosine"``, where a row of zeros counts as half-way to every other).
    min_dist, spread : float, default=0.1, 1.0
        How tightly points may be packed on the map, and at which scale; as in UMAP.
    n_epochs : int, default=500
        Steps of the layout.
    density_weight : float, default=0.5
        λ, the weight of local density. 0 gives UMAP's objective.
    density_fraction : float, default=0.3
        The last part of the epochs, in which density acts.
    intrinsic_dim : "auto" or int, default="auto"
        Local directions that count for feature importance: enough for 90 % of the local variance, or a number.
    n_tangent_neighbors : int or None, default=None
        A larger neighbourhood for the tangent spaces than for the graph.
    frames : {"aligned", "paper"}, default="aligned"
        How tangent spaces are embedded as frames.
    init : {"auto", "pca", "spectral", "random"} or array of shape (n_samples, n_components), default="auto"
        Where the map starts.
    precomputed_knn : (indices, distances) or None, default=None
        Neighbours you already have, with or without the point itself.
    random_state : int, RandomState or None, default=None
        One seed, one map: the same bytes on any number of threads.
    n_jobs : int or None, default=-1
        Threads; -1 is all cores, None is one. Results never depend on it.
    verbose : bool, default=False
        Show a bar with stage and time left on stderr.

    Attributes
    ----------
    embedding_ : (n_samples, n_components) float32, the map.
    frames_ : (n_samples, n_components, n_components), column l is the direction of the local direction l.
    graph_ : CSR matrix, the weights of the neighbourhood graph.
    singular_values_ : (n_samples, r), of the weighted neighbourhoods, in the data's units.
    intrinsic_dim_ : (n_samples,), local directions that count.
    radii_, embedding_radii_ : (n_samples, n_components), logs of the local radii in the data and on the map.
    density_correlation_ : (n_components,), how well the two agree along each direction.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    n_epochs_ : epochs run; fewer than asked for if a callback stopped the layout.
    fit_report_ : seconds, CPU seconds and peak memory of each stage.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(random_state=0).fit(load_digits().data)
    >>> model.embedding_.shape
    (1797, 2)
    >>> model.top_features([0], k=3).shape
    (1, 3)
    """

    def __init__(
        self,
        n_neighbors: int = 15,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        min_dist: float = 0.1,
        spread: float = 1.0,
        n_epochs: int = 500,
        density_weight: float = 0.5,
        density_fraction: float = 0.3,
        intrinsic_dim: int | str = "auto",
        n_tangent_neighbors: int | None = None,
        frames: str = "aligned",
        init: Any = "auto",
        precomputed_knn: tuple[Any, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.metric = metric
        self.min_dist = min_dist
        self.spread = spread
        self.n_epochs = n_epochs
        self.density_weight = density_weight
        self.density_fraction = density_fraction
        self.intrinsic_dim = intrinsic_dim
        self.n_tangent_neighbors = n_tangent_neighbors
        self.frames = frames
        self.init = init
        self.precomputed_knn = precomputed_knn
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, callback: Callback | None = None, checkpoint: StrPath | None = None
    ) -> FeatMAP:
        """Make the map of X.

        ``callback(stage, done, total)`` is told of every stage and every epoch. If it returns True in the layout,
        the layout ends there and the map is kept; earlier, the fit ends with `FitStopped`. Whatever else ends a
        fit early, an exception of the callback or Ctrl-C, leaves the estimator as it was.

        ``checkpoint`` names a file in which the fit keeps what it has done, every few seconds. Started again with the
        same data and parameters it goes on from there and ends with the same bytes; ``n_jobs`` and ``verbose`` may
        differ, and with ``random_state=None`` the seed is the one it began with. A file of another fit is refused,
        unless that one has not kept a stage yet. The file is removed once all epochs are done.
        """
        fresh = self._twin()
        X, settings = fresh._checked(X, "fit")

        from .checkpoint import Checkpoint, Stages
        from .parallel import Workers
        from .pipeline import fit_map
        from .progress import Progress

        stages = Stages()
        if checkpoint is not None:
            stages = Checkpoint.open(checkpoint, X, vars(settings), any_seed=self.random_state is None)
            settings = replace(settings, seed=stages.seed)
        progress = Progress(callback, bool(self.verbose))
        with Workers(self.n_jobs) as workers:
            fitted = fit_map(X, settings, workers, progress, stages)
        fresh._store(fitted, progress)
        self.__dict__ = fresh.__dict__
        if fitted.n_epochs == settings.n_epochs:
            stages.finish()
        return self

    def fit_transform(
        self, X: Any, y: Any = None, *, callback: Callback | None = None, checkpoint: StrPath | None = None
    ) -> np.ndarray:
        """Make the map of X and return it."""
        return self.fit(X, y, callback=callback, checkpoint=checkpoint).embedding_

    def save(self, path: StrPath) -> None:
        """Write the fitted model to a file, in the place of whatever file is there.

        The file holds the parameters and all that `fit` made, as plain data with checksums, nothing that is run on
        loading. It is written beside the old one and renamed when it is complete: at every moment there is the old
        model or the new one. A model whose metric is a function cannot be saved.
        """
        check_is_fitted(self)

        from .store.model import ATTRIBUTES, SOMETIMES, SavedModel, save_model

        attributes = {name: getattr(self, name) for name in (*ATTRIBUTES, *SOMETIMES) if hasattr(self, name)}
        parameters = self.get_params(deep=False)
        save_model(path, SavedModel(type(self).__name__, parameters, self._scene.ground, attributes))

    @classmethod
    def load(cls, path: StrPath) -> FeatMAP:
        """Read a model that `save` has written: the same bytes, the same answers.

        Arrays of a megabyte or more stay in the file until they are needed; changes to them stay in memory. A file
        that is damaged, of another class or of a later version is refused with a `StoreError`.
        """
        from .pipeline import look_at
        from .store.model import load_model

        saved = load_model(path, cls.__name__, cls._get_param_names())
        model = cls(**saved.parameters)
        ground = saved.ground
        model._scene = look_at(ground.manifold, ground.places, ground.frames)
        for name, value in saved.attributes.items():
            setattr(model, name, value)
        return model

    def transform(self, X: Any) -> np.ndarray:
        """Place new rows on the map, each for itself: no row's place depends on the rows it comes with."""
        check_is_fitted(self)
        X = check_rows(self, X, "transform", reset=False)

        from .parallel import Workers

        with Workers(self.n_jobs) as workers:
            return self._scene.ground.place(X, workers)

    def explain(self, X: Any) -> Explanation:
        """The same questions asked of new rows: where they belong on the map, and which features matter there.

        Every row is taken for a new one: to a row of the data its own copy is a neighbour, so answers differ a little
        from those that the model has for it.
        """
        check_is_fitted(self)
        X = check_rows(self, X, "explain", reset=False)

        from .explanation import Explanation
        from .parallel import Workers
        from .pipeline import look_at_new

        with Workers(self.n_jobs) as workers:
            scene = look_at_new(X, self._scene.ground, workers)
        return Explanation(scene, getattr(self, "feature_names_in_", None), self.n_jobs)

    def _explain_map(self, X: Any, Y: np.ndarray) -> Explanation:
        """An explanation of another map than one's own."""
        X, settings = self._checked(X, "explain")
        if len(Y) != X.shape[0]:
            raise InvalidDataError(f"explain(X, Y): Y must have one place per row of X, {X.shape[0]}; got {len(Y)}")

        from .explanation import Explanation
        from .parallel import Workers
        from .pipeline import look_at_any_map
        from .progress import Progress

        with Workers(self.n_jobs) as workers:
            scene = look_at_any_map(X, Y, settings, workers, Progress(verbose=bool(self.verbose)))
        return Explanation(scene, getattr(self, "feature_names_in_", None), self.n_jobs)

    def _twin(self) -> FeatMAP:
        """Another in the same state, for a fit to work on: this one then changes all at once or not at all."""
        twin = type(self).__new__(type(self))
        twin.__dict__ = self.__dict__.copy()
        return twin

    def _checked(self, X: Any, caller: str) -> tuple[Any, Settings]:
        check_parameters(type(self).__name__, self.get_params(deep=False))
        seed = self._seed()
        X = check_rows(self, X, caller, ensure_min_samples=2)
        settings = self._settings(X.shape[0], seed)
        self._check_memory(X)
        return X, settings

    def _check_memory(self, X: Any) -> None:
        from .memory import check_memory, estimate_memory

        needed = estimate_memory(
            X.shape,
            n_neighbors=self.n_neighbors,
            n_components=self.n_components,
            n_tangent_neighbors=self.n_tangent_neighbors,
            metric=self.metric,
            dtype=X.dtype,
            n_stored=getattr(X, "nnz", None),
            n_jobs=self.n_jobs,
        )
        check_memory(needed)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_scene")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]  # maps are float32, whatever the data
        return tags

    def _seed(self) -> int:
        try:
            return int(check_random_state(self.random_state).randint(2**31))
        except ValueError as error:
            raise InvalidParameterError(
                f"FeatMAP(random_state={self.random_state!r}): must be None, an integer from 0 to 2³² − 1, or a "
                "numpy RandomState"
            ) from error

    def _settings(self, n_rows: int, seed: int) -> Settings:
        from .pipeline import Settings

        n_neighbors = self.n_neighbors
        if n_neighbors > n_rows:
            warn(f"n_neighbors={n_neighbors} is more than the {n_rows} rows; using {n_rows}")
            n_neighbors = n_rows
        n_tangent_neighbors = min(self.n_tangent_neighbors or n_neighbors, n_rows)
        return Settings(
            n_neighbors=n_neighbors,
            n_components=self.n_components,
            metric=self.metric,
            min_dist=self.min_dist,
            spread=self.spread,
            n_epochs=self.n_epochs,
            density_weight=self.density_weight,
            density_fraction=self.density_fraction,
            intrinsic_dim=self.intrinsic_dim,
            n_tangent_neighbors=n_tangent_neighbors,
            frames=self.frames,
            init=self._checked_init(n_rows),
            precomputed_knn=self._checked_neighbors(n_rows, n_tangent_neighbors - 1),
            seed=seed,
        )

    def _checked_neighbors(self, n_rows: int, n_others: int) -> Neighbors | None:
        if self.precomputed_knn is None:
            return None

        from .neighbors import given_neighbors

        return given_neighbors(*self.precomputed_knn, n_rows, n_others)

    def _checked_init(self, n_rows: int) -> str | np.ndarray:
        if isinstance(self.init, str):
            return self.init
        expected = (n_rows, self.n_components)
        start = check_places(self.init, type(self).__name__, "init")
        if start.shape != expected or np.abs(start).max() > FARTHEST_START:
            raise InvalidDataError(
                f"init: an array must have shape {expected}, one place per row of X, and values within "
                f"±{FARTHEST_START:g}; got shape {start.shape}"
            )
        return start

    def _store(self, fitted: Fitted, progress: Any) -> None:
        from .pipeline import look_at
        from .radii import correlation

        manifold, embedding = fitted.manifold, fitted.embedding
        scale = manifold.features.scale
        self._scene = look_at(manifold, embedding.coordinates.copy(), embedding.frames)
        self.embedding_ = embedding.coordinates  # what users do to the map they got does not move where new rows go
        self.frames_ = embedding.frames.axes
        self.graph_ = manifold.graph.weights
        self.singular_values_ = manifold.tangents.singular_values / scale
        self.intrinsic_dim_ = manifold.tangents.intrinsic_dim
        self.radii_ = embedding.data_radii - 2 * np.log(scale)
        self.embedding_radii_ = embedding.map_radii
        self.density_correlation_ = correlation(embedding.data_radii, embedding.map_radii)
        self.n_epochs_ = fitted.n_epochs
        self.fit_report_ = progress.reports


def explain(
    X: Any,
    Y: Any,
    *,
    n_neighbors: int = 15,
    metric: Any = "euclidean",
    intrinsic_dim: int | str = "auto",
    n_tangent_neighbors: int | None = None,
    frames: str = "aligned",
    precomputed_knn: tuple[Any, Any] | None = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> Explanation:
    """Ask of any map Y of the data X, made by whatever method, which features are behind it.

    Tangent spaces come from X alone; frames and arrows are fitted to Y. The parameters are those of `FeatMAP`.
    """
    Y = check_places(Y, "explain", "Y")
    model = FeatMAP(
        n_neighbors,
        Y.shape[1],
        metric=metric,
        intrinsic_dim=intrinsic_dim,
        n_tangent_neighbors=n_tangent_neighbors,
        frames=frames,
        precomputed_knn=precomputed_knn,
        random_state=0,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return model._explain_map(X, Y)
