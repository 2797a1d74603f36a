"""Explain a map that any method has made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks.inputs import Columns, check_embedding, check_rows
from ..checks.parameters import NAME_OF_DISTANCES, check_parameters
from ..checks.rows import check_order, row_names
from ..checks.settings import drawn_seed, neighborhood_settings
from ..data.advice import warn_of_scales
from ..errors import InvalidDataError, InvalidParameterError, warn
from . import Explanation

MOST_DIMENSIONS = 3  # of maps that are drawn; one of more that has more columns than the data looks like data
STAGES = ("scaling", "neighbors", "graph")


def explain(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    n_neighbors: int = 15,
    metric: str | Callable[..., float] = "euclidean",
    metric_kwds: dict[str, Any] | None = None,
    pca: int | np.ndarray | None = None,
    intrinsic_dim: int | str = "auto",
    n_tangent_neighbors: int | None = None,
    tangent_center: str = "mean",
    frames: str = "aligned",
    precomputed_knn: Any = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> Explanation:
    """Explain a map that any method has made: which features are behind it.

    Tangent spaces come from the data alone, frames and arrows are fitted to the map. A map that keeps few neighbours
    of the data explains little: look at `Explanation.fidelity` before you read its arrows.

    Parameters
    ----------
    X : array-like, sparse matrix, zarr.Array or h5py.Dataset of shape (n_samples, n_features)
        The data that the map was made of.
    Y : array-like of shape (n_samples, n_components)
        The map: the embedding of each row.
    n_neighbors : int, default=15
        The size of a neighbourhood in the data, the row itself included.
    metric : str or callable, default="euclidean"
        The metric of the neighbourhoods, as in `FeatMAP`, but not ``"precomputed"``: answers are about features.
        Give distances that you have by `precomputed_knn`.
    metric_kwds : dict or None, default=None
        Parameters of the metric, as in `FeatMAP`.
    pca : int, ndarray of shape (n_features, q) or None, default=None
        The number of leading principal components that neighbourhoods and tangent spaces are made of, or their
        directions, as in `FeatMAP`. Give it if the map was made of principal components.
    intrinsic_dim : "auto" or int, default="auto"
        Local directions that count for feature importance: enough for 90 % of the local variance, or a number.
    n_tangent_neighbors : int or None, default=None
        The size of the neighbourhood of a tangent space. By default `n_neighbors`.
    tangent_center : {"mean", "point"}, default="mean"
        What a tangent space is about: the mean of the neighbours, or the point itself as in the paper.
    frames : {"aligned", "paper"}, default="aligned"
        How tangent spaces are embedded as frames.
    precomputed_knn : tuple, sparse matrix or None, default=None
        Neighbours that you already have, in the forms that `FeatMAP` accepts.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Results never depend on it.
    verbose : bool, default=False
        Whether to show a progress bar, here and for answers that may take long.

    Returns
    -------
    Explanation
        Answers about every row of the map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import explain
    >>> iris = load_iris(as_frame=True)
    >>> explanation = explain(iris.data, PCA(2).fit_transform(iris.data))
    >>> explanation.arrows([0]).shape
    (1, 4, 2)
    """
    embedding = check_embedding(Y, "explain", "Y")
    parameters = {
        "n_neighbors": n_neighbors,
        "metric": metric,
        "metric_kwds": metric_kwds,
        "pca": pca,
        "intrinsic_dim": intrinsic_dim,
        "n_tangent_neighbors": n_tangent_neighbors,
        "tangent_center": tangent_center,
        "frames": frames,
        "precomputed_knn": precomputed_knn,
        "n_jobs": n_jobs,
        "verbose": verbose,
    }
    if isinstance(metric, str) and metric == NAME_OF_DISTANCES:
        raise InvalidParameterError(
            "explain(metric='precomputed'): answers are about features, so X must have them; give the features as X, "
            "and the distances by precomputed_knn=distances"
        )
    check_parameters("explain", parameters)
    columns = Columns()
    table = check_rows(columns, X, "explain", ensure_min_samples=2)
    if len(embedding) != table.shape[0]:
        raise InvalidDataError(
            f"explain(X, Y): Y must have one row for each of the {table.shape[0]} rows of X; got {len(embedding)}"
        )
    if embedding.shape[1] > max(table.shape[1], MOST_DIMENSIONS):
        shapes = f"the map Y has {embedding.shape[1]} columns and the data X have {table.shape[1]}"
        warn(f"explain(X, Y): {shapes}; were they exchanged?")
    names = getattr(columns, "feature_names_in_", None)
    check_order("Y", Y, row_names(X))
    parameters["n_components"] = embedding.shape[1]
    settings = neighborhood_settings(parameters, table.shape, drawn_seed("explain", 0))
    if metric != "cosine":
        warn_of_scales(table, names)

    from ..memory import check_memory
    from ..run import Run
    from ..run.progress import Progress
    from .geometry import DeferredGeometry
    from .points import points_of_any_map

    check_memory("explain", table, settings, embedding.shape[1], n_jobs)
    with Run(n_jobs, Progress(verbose=bool(verbose), stages=STAGES)) as run:
        deferred = DeferredGeometry(n_jobs, bool(verbose))
        points = points_of_any_map(table, embedding, settings, deferred, run).on_a_map(by_another_method=True)
    return Explanation(points, names, row_names(X), n_jobs, bool(verbose))
