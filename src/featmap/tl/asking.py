"""Questions about the cells of a map: the model behind it, and answers from the model."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from anndata import AnnData
from pandas import DataFrame

from ..checks.rows import grouped
from ..data.sparse import digest_of
from ..errors import InvalidDataError, NotEnoughMemoryError
from ..explanation import Explanation
from ..explanation.any_map import explain
from ..explanation.points import Points
from ..explanation.why import Why
from .contents import (
    KEY,
    PLAIN_TYPES,
    MapInputs,
    checked_adata,
    checked_column,
    documented,
    mark_of_features,
    name_of_features,
    record_of,
)
from .fitting import any_distances

# What `explain` takes from the record; parameters that are not there have their defaults.
RECORDED = ("n_neighbors", "intrinsic_dim", "n_tangent_neighbors", "tangent_center", "frames")
CELLS_AT_ONCE = 1024
# The last model, by its AnnData and digests of all that it is made of. Two could take too much memory.
_LAST_MODEL: dict[tuple[Any, ...], Points] = {}


@documented
def model(
    adata: AnnData, key: str = KEY, *, label: str | None = None, n_jobs: int | None = -1, verbose: bool = False
) -> Explanation:
    """Give the model behind a map, to ask it all questions of `Explanation`.

    Nothing is fitted again: the map and the neighbours are those in ``adata``, also after it has been written to a
    file and read. Tangent spaces are made anew from the features, which takes a small part of the time of a fit.
    The last model is kept while ``adata`` lives and does not change. Genes and cells have the names of ``adata``.
    Functions of `featmap.plot` take the model.

    Parameters
    ----------
    {adata}
    key : str, default="featmap"
        The key of the map in ``adata.uns``: the ``key_added`` with which it was made.
    label : str or None, default=None
        A column of ``adata.obs`` that is known of the cells, such as their type. With it answers know the labels, as
        those of `featmap.map_table` do.
    n_jobs : int or None, default=-1
        The number of threads; -1 for all cores, None for one. Answers never depend on it.
    verbose : bool, default=False
        Whether to show a progress bar, here and for answers that may take long.

    Returns
    -------
    Explanation
        Answers about every cell of the map; with a label a `TableMap`.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.tl.model(adata).top_features(["7"], k=3).shape
    (1, 3)
    """
    caller = "featmap.tl.model"
    explained = rebuilt(caller, adata, key, n_jobs, verbose)
    return explained if label is None else explained.labelled(checked_column(caller, adata, label), unit="cell")


def rebuilt(caller: str, adata: AnnData, key: str, n_jobs: int | None = -1, verbose: bool = False) -> Explanation:
    """Rebuild the model of a map; errors name the function that was called."""
    record = record_of(caller, checked_adata(caller, adata), key)
    params = record["params"]
    source = MapInputs.read(caller, adata, params["use_rep"], params.get("layer"), params.get("pca"))
    distances = adata.obsp[record["distances_key"]]
    if mark_of_features(source.X, distances) != params.get("features"):
        raise _changed(caller, key, f"the features in {name_of_features(params.get('layer'))} are")
    if source.has_loadings != bool(params["has_loadings"]):
        raise _changed(caller, key, f"obsm[{params['use_rep']!r}] and its loadings are")
    arguments = {
        "pca": source.pca,
        "metric": params["metric"] if source.places is None else "euclidean",
        "precomputed_knn": distances,
        **{name: params[name] for name in RECORDED if name in params},
    }
    embedding = np.asarray(adata.obsm[record["embedding_key"]])

    def make() -> Points:
        with any_distances():
            explained = explain(source.X, embedding, **arguments, n_jobs=n_jobs, verbose=verbose)
        return explained._points.on_a_map(by_another_method=False)

    points = _kept_points(adata, {"X": source.X, "embedding": embedding} | arguments, make)
    return Explanation(points, adata.var_names, adata.obs_names, n_jobs, verbose)


def _changed(caller: str, key: str, what: str) -> InvalidDataError:
    return InvalidDataError(
        f"{caller}(adata): {what} no longer those that the map in adata.uns[{key!r}] was made of; restore them, or "
        "run featmap.tl.featmap again"
    )


@documented
def why(adata: AnnData, cells: Any, k: int = 5, *, key: str = KEY) -> Why:
    """Say why a cell, or a group of cells, is where it is on the map, and which genes matter around it.

    It is what ``featmap.tl.model(adata).why(cells)`` says. The first question takes longer than the next.

    Parameters
    ----------
    {adata}
    cells : int, str, array-like or slice
        The cell, or the cells of a group: names, numbers that count from 0, or a mask such as
        ``adata.obs["leiden"] == "3"``.
    k : int, default=5
        The largest number of genes in each list.
    {key}

    Returns
    -------
    Why
        What sets the cells apart, what changes across them on the map, and what varies there but is not seen on the
        map. Print it to read it; a notebook shows tables.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> adata = anndata.AnnData(load_digits().data[:300])
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> print(featmap.tl.why(adata, "7"))
    Row 7 lies among ...
    """
    return rebuilt("featmap.tl.why", adata, key).why(cells, k)


@documented
def importance(
    adata: AnnData,
    groupby: str | None = None,
    *,
    key: str = KEY,
    key_added: str = "featmap_importance",
    copy: bool = False,
) -> AnnData | None:
    """Tell how much each gene varies around each cell, or around the cells of each group.

    Importance is local variation: the length of the part of a gene in the tangent space of a cell, from 0 to 1. It
    does not name markers, which cells of one type have in common: `featmap.tl.rank_features` does.

    Parameters
    ----------
    {adata}
    groupby : str or None, default=None
        A column of ``adata.obs``. With it, the importance is the mean over the cells of each group.
    {key}
    key_added : str, default="featmap_importance"
        The key of the result.
    {copy}

    Returns
    -------
    AnnData or None
        The copy, or None. With `groupby` a frame of genes by groups is written to ``varm[key_added]``. Without, the
        importance for each cell is written to ``layers[key_added]``; that is a dense matrix of 4 bytes a value.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> adata = anndata.AnnData(X[:300], obs={"digit": y[:300].astype(str)})
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.tl.importance(adata, "digit")
    >>> adata.varm["featmap_importance"].shape
    (64, 10)
    """
    caller = "featmap.tl.importance"
    checked_adata(caller, adata)
    result: Any
    if groupby is None:
        _check_memory(caller, adata.shape)
        result = rebuilt(caller, adata, key).feature_importance()
    else:
        groups = grouped(caller, checked_column(caller, adata, groupby), adata.n_obs, "groupby")
        explained = rebuilt(caller, adata, key)
        means = {str(name): _mean(explained, groups.rows_of(name)) for name in groups.names}
        result = DataFrame(means, index=adata.var_names)
    adata = adata.copy() if copy else adata
    (adata.layers if groupby is None else adata.varm)[key_added] = result
    return adata if copy else None


def _check_memory(caller: str, shape: tuple[int, int]) -> None:
    from ..memory import available_memory, in_gb

    needed, available = 4 * shape[0] * shape[1], available_memory()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"{caller}(groupby=None): the importance of {shape[1]} genes for {shape[0]} cells takes {in_gb(needed)}, "
            f"and {in_gb(available)} are available; give groupby, or ask featmap.tl.model(adata) for some cells"
        )


def _mean(explained: Explanation, rows: np.ndarray) -> np.ndarray:
    """The mean importance over some cells, by blocks, since cells times genes may not fit in memory."""
    blocks = (rows[start : start + CELLS_AT_ONCE] for start in range(0, len(rows), CELLS_AT_ONCE))
    total = sum(explained.feature_importance(block).sum(axis=0, dtype=np.float64) for block in blocks)
    return (total / len(rows)).astype(np.float32)


def _kept_points(adata: AnnData, made_of: Mapping[str, Any], make: Callable[[], Points]) -> Points:
    """Return ``make()``, cached until the AnnData changes or is deleted."""
    marks = {name: _mark(part) for name, part in made_of.items()}
    if None in marks.values():  # parts in a file have no mark, since they would have to be read
        _LAST_MODEL.clear()
        return make()
    key = (id(adata), *marks.items())
    points = _LAST_MODEL.get(key)  # another thread may take it out at any time
    if points is None:
        _LAST_MODEL.clear()
        points = _LAST_MODEL[key] = make()
        weakref.finalize(adata, _LAST_MODEL.pop, key, None)
    return points


def _mark(part: Any) -> str | None:
    if isinstance(part, np.ndarray) or sp.issparse(part):
        return f"{type(part).__name__} {digest_of(part)}"  # CSR and CSC may have equal arrays
    return repr(part) if part is None or isinstance(part, PLAIN_TYPES) else None
