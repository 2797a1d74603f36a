"""The model behind a map, from what an AnnData keeps of it."""

from __future__ import annotations

import numpy as np
from anndata import AnnData

from ..errors import InvalidDataError
from ..explanation import Explanation
from ..explanation.any_map import explain
from ..explanation.points import Points
from .fitting import any_distances
from .inputs import Source, name_of_features
from .kept import kept_points
from .marks import mark_of_features
from .record import KEY, MapKeys, checked_adata

# Parameters of `explain` that it has from the record, where they are not at their defaults.
NAMES = ("n_neighbors", "intrinsic_dim", "n_tangent_neighbors", "tangent_center", "frames")


def model(adata: AnnData, key: str = KEY, *, n_jobs: int | None = -1, verbose: bool = False) -> Explanation:
    """Give the model behind a map, to ask it all questions of `Explanation`.

    Nothing is fitted again: the map and the neighbours are those in ``adata``, also after it has been written to a
    file and read. Tangent spaces are made anew from the features, which takes a small part of the time of a fit.
    The last model is kept while ``adata`` lives and does not change. Genes and cells have the names of ``adata``.
    Functions of `featmap.plot` take the model.

    Parameters
    ----------
    adata : AnnData
        The cells, with a map that `featmap.tl.featmap` made.
    key : str, default="featmap"
        The key of the map in ``adata.uns``: the ``key_added`` with which it was made.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Answers never depend on it.
    verbose : bool, default=False
        Whether to show a progress bar, here and for answers that may take long.

    Returns
    -------
    Explanation
        Answers about every cell of the map.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.tl.model(adata).top_features(["7"], k=3).shape
    (1, 3)
    """
    return rebuilt("featmap.tl.model", adata, key, n_jobs, verbose)


def rebuilt(caller: str, adata: AnnData, key: str, n_jobs: int | None = -1, verbose: bool = False) -> Explanation:
    """The same for a function of another name."""
    record = MapKeys.read(caller, checked_adata(caller, adata), key)
    params = record.params
    source = Source.read(caller, adata, params["use_rep"], params.get("layer"), params.get("pca"))
    distances = adata.obsp[record.distances_key]
    if mark_of_features(source.X, distances) != params.get("features"):
        raise _changed(caller, key, f"the features in {name_of_features(params.get('layer'))} are")
    if source.has_loadings != bool(params["has_loadings"]):
        raise _changed(caller, key, f"obsm[{params['use_rep']!r}] and its loadings are")
    arguments = {
        "pca": source.pca,
        "metric": params["metric"] if source.places is None else "euclidean",
        "precomputed_knn": distances,
        **{name: params[name] for name in NAMES if name in params},
    }
    embedding = np.asarray(adata.obsm[record.embedding_key])

    def make() -> Points:
        with any_distances():
            explained = explain(source.X, embedding, **arguments, n_jobs=n_jobs, verbose=verbose)
        return explained._points.on_a_map(by_another_method=False)

    points = kept_points(adata, (source.X, embedding, *arguments.values()), make)
    return Explanation(points, adata.var_names, adata.obs_names, n_jobs, verbose)


def _changed(caller: str, key: str, what: str) -> InvalidDataError:
    return InvalidDataError(
        f"{caller}(adata): {what} no longer those that the map in adata.uns[{key!r}] was made of; restore them, or "
        "run featmap.tl.featmap again"
    )
