"""A map of the cells of an AnnData, written into it as scanpy writes its own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
from anndata import AnnData

from ..checks.arguments import shown
from ..checks.parameters import NAME_OF_DISTANCES, check_parameters
from ..checks.settings import drawn_seed, is_given, n_components_of
from ..errors import FeatmapWarning, InvalidParameterError, warn
from ..estimator import FeatMAP
from .contents import (
    THE_FEATURES,
    GivenNeighbors,
    MapInputs,
    checked_adata,
    documented,
    loadings_key,
    mark_of_features,
    name_of_features,
    plain_parameters,
    write_map,
)

CALLER = "featmap.tl.featmap"
FIND_FIRST = "find neighbours with scanpy.pp.neighbors first, and give neighbors_key"


@documented
def featmap(
    adata: AnnData,
    *,
    use_rep: str = "X_pca",
    layer: str | None = None,
    neighbors_key: str | None = None,
    n_neighbors: int | None = None,
    key_added: str | None = None,
    copy: bool = False,
    random_state: int = 0,
    **parameters: Any,
) -> AnnData | None:
    """Make a map of cells that keeps their genes.

    It takes the place of ``scanpy.tl.umap``. Neighbours are found in a representation of the cells, by default their
    principal components. Features are the genes in ``adata.X`` or a layer: give logarithms of counts per 10,000, as
    after ``scanpy.pp.normalize_total`` and ``scanpy.pp.log1p``. The loadings of the components lead from one to the
    other, so that tangent spaces are those of the components and answers are about genes. Genes that had no part in
    the components, such as those that are not highly variable, have importance 0, but all other answers are about
    them too.

    A representation without loadings (scVI, Harmony, or components of values that are no longer there) gives the
    neighbours, and tangent spaces are of 50 principal components of the genes. A warning says so.

    Parameters
    ----------
    adata : AnnData
        The cells. It may be backed, and its matrices may be sparse.
    use_rep : str, default="X_pca"
        The representation in ``adata.obsm`` that neighbours are found in. ``"X"`` is the genes themselves; then give
        ``pca=50``.
    layer : str or None, default=None
        The layer with the features. By default they are ``adata.X``.
    neighbors_key : str or None, default=None
        Neighbours that ``scanpy.pp.neighbors`` found: ``"neighbors"``, or its ``key_added``. They are used as they
        are, with their number and their metric. By default neighbours are found here.
    n_neighbors : int or None, default=None
        The size of a neighbourhood, the cell itself included, as scanpy counts. By default 15, or that of
        `neighbors_key`.
    key_added : str or None, default=None
        Where the map is written: ``obsm[key_added]``, ``uns[key_added]``, and with the endings below. By default
        ``obsm["X_featmap"]`` and ``"featmap"``.
    {copy}
    random_state : int, default=0
        The seed of the map.
    **parameters : dict
        Other parameters of `FeatMAP`: ``metric``, ``min_dist``, ``density``, ``n_epochs``, ``verbose`` and so
        on. ``pca`` is how many of the components are used, by default all. Of a representation without loadings it
        is how many components of the genes tangent spaces are made of.

    Returns
    -------
    AnnData or None
        The copy, or None. These are written: ``obsm["X_featmap"]``, the map; ``obsp["featmap_connectivities"]`` and
        ``obsp["featmap_distances"]``, UMAP's graph and the neighbours behind it; ``uns["featmap"]``, the names of
        these and all parameters, so that ``neighbors_key="featmap"`` works with scanpy.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> pca = PCA(10, random_state=0).fit(adata.X)  # scanpy.pp.pca does this
    >>> adata.obsm["X_pca"], adata.varm["PCs"] = pca.transform(adata.X), pca.components_.T
    >>> featmap.tl.featmap(adata, n_epochs=50)
    >>> adata.obsm["X_featmap"].shape
    (300, 2)
    """
    checked_adata(CALLER, adata)
    given = None if neighbors_key is None else GivenNeighbors.read(CALLER, adata, neighbors_key)
    if given is not None:
        n_neighbors = given.n_neighbors if n_neighbors is None else n_neighbors
        # Of a representation the neighbours are enough: distances are not computed again.
        metric = given.metric if use_rep == THE_FEATURES else "euclidean"
        parameters = {"metric": metric, "pca": given.n_components} | parameters
    if n_neighbors is not None:
        parameters["n_neighbors"] = n_neighbors
    _check_choices(use_rep, key_added, parameters)
    asked = FeatMAP(random_state=random_state, **parameters)
    check_parameters(CALLER, asked.get_params())
    drawn_seed(CALLER, deepcopy(random_state))  # a wrong one is refused before neighbours are searched
    source = MapInputs.read(CALLER, adata, use_rep, layer, n_components_of(asked.pca))
    if source.places is not None and not source.has_loadings:
        _warn_of_no_loadings(use_rep, layer)
    fitted = _fitted(asked, source, None if given is None else given.distances)
    adata = adata.copy() if copy else adata
    kept = _kept_parameters(adata, asked, source, use_rep, layer)
    if given is not None and source.places is not None:
        kept |= plain_parameters({"metric": given.metric})
    distances = _as_matrix(*fitted.neighbors_)
    write_map(adata, key_added, fitted, distances, kept | {"features": mark_of_features(source.X, distances)})
    return adata if copy else None


def _fitted(asked: FeatMAP, source: MapInputs, neighbors: Any) -> FeatMAP:
    """Fit the features. In a representation the metric is that of the neighbour search only."""
    model = FeatMAP(**asked.get_params()).set_params(pca=source.pca, precomputed_knn=neighbors)
    if source.places is not None:
        model.set_params(metric="euclidean")
        if neighbors is None:
            model.set_params(precomputed_knn=_found(asked, source.places))
    with any_distances():
        return model.fit(source.X)


def _found(asked: FeatMAP, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from ..neighbors import neighbors_of_rows
    from ..run import Run

    size = max(asked.n_neighbors, asked.n_tangent_neighbors or 0)
    with Run(asked.n_jobs) as run:
        found = neighbors_of_rows(places, min(size, len(places)) - 1, asked.metric, run)
    return found.indices, found.distances


@contextmanager
def any_distances() -> Iterator[None]:
    """Silence the warning about new rows of another metric: a map of an AnnData searches no new cells."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "precomputed_knn: the given distances", FeatmapWarning)
        yield


def _kept_parameters(
    adata: AnnData, asked: FeatMAP, source: MapInputs, use_rep: str, layer: str | None
) -> dict[str, object]:
    said = {"method": "umap", "use_rep": use_rep, "layer": layer, "has_loadings": source.has_loadings}
    said |= {"n_obs": adata.n_obs, "n_vars": adata.n_vars}
    sizes = {"n_neighbors": min(asked.n_neighbors, adata.n_obs), "pca": n_components_of(source.pca)}
    return plain_parameters(asked.get_params() | said | sizes)


def _check_choices(use_rep: str, key_added: str | None, parameters: Mapping[str, Any]) -> None:
    metric, kwds = parameters.get("metric"), parameters.get("metric_kwds")
    if "precomputed_knn" in parameters:
        raise _refused("precomputed_knn=…", "neighbours are read from adata; give neighbors_key")
    if callable(metric):
        raise _refused("metric=…", "metric must be a name, since adata.uns cannot keep a function")
    if isinstance(metric, str) and metric == NAME_OF_DISTANCES:
        reason = "metric must be one of the representation; to use distances that you have"
        raise _refused("metric='precomputed'", f"{reason}, {FIND_FIRST}")
    if isinstance(kwds, Mapping) and kwds:
        reason = "metric_kwds must be None; to use a metric with parameters"
        raise _refused("metric_kwds=…", f"{reason}, {FIND_FIRST}")
    if is_given(parameters.get("pca")):
        raise _refused("pca=…", "pca must be a number; directions are read from adata.varm")
    if key_added is not None and (not isinstance(key_added, str) or not key_added or "/" in key_added):
        reason = "key_added must be a name without '/', which files do not allow"
        raise _refused(f"key_added={shown(key_added)}", reason)
    if key_added in (use_rep, "X_pca"):
        raise _refused(f"key_added={key_added!r}", f"the map would replace adata.obsm[{key_added!r}]")


def _refused(argument: str, reason: str) -> InvalidParameterError:
    return InvalidParameterError(f"{CALLER}({argument}): {reason}")


def _warn_of_no_loadings(use_rep: str, layer: str | None) -> None:
    key = loadings_key(use_rep)
    warn(
        f"use_rep={use_rep!r}: there are no orthonormal loadings in adata.varm[{key!r}] that make it of the genes in "
        f"{name_of_features(layer)} "
        "(it is not linear, or the genes have been scaled or chosen since); neighbours are those of the "
        "representation, and tangent spaces are of principal components of the genes"
    )


def _as_matrix(indices: np.ndarray, distances: np.ndarray) -> sp.csr_matrix:
    """Neighbours as a sparse matrix; distances of 0 are stored too."""
    n_rows, k = indices.shape
    matrix = sp.csr_matrix((distances.ravel(), indices.ravel(), np.arange(0, n_rows * k + 1, k)), (n_rows, n_rows))
    matrix.sort_indices()
    return matrix
