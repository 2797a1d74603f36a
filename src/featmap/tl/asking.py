"""Questions about the cells of a map, answered into the AnnData or in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from anndata import AnnData

from ..checks.rows import grouped
from ..errors import NotEnoughMemoryError
from ..explanation import Explanation
from ..explanation.why import Why
from .rebuilding import rebuilt
from .record import KEY, checked_adata, checked_column, documented

ROWS_AT_ONCE = 1024


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
    copy : bool, default=False
        Whether to write to a copy and return it.

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
    labels = None if groupby is None else checked_column(caller, checked_adata(caller, adata), groupby)
    groups = None if labels is None else grouped(caller, labels, adata.n_obs, "groupby")
    if groups is None:
        _check_memory(caller, checked_adata(caller, adata).shape)
    explained = rebuilt(caller, adata, key)
    adata = adata.copy() if copy else adata
    if groups is None:
        adata.layers[key_added] = explained.feature_importance()
    else:
        means = {str(name): _mean(explained, groups.rows_of(name)) for name in groups.names}
        adata.varm[key_added] = _frame(means, adata)
    return adata if copy else None


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


def _check_memory(caller: str, shape: tuple[int, int]) -> None:
    from ..memory import available_memory, in_gb

    needed, available = 4 * shape[0] * shape[1], available_memory()
    if available is not None and needed > available:
        raise NotEnoughMemoryError(
            f"{caller}(groupby=None): the importance of {shape[1]} genes for {shape[0]} cells takes {in_gb(needed)}, "
            f"and {in_gb(available)} are available; give groupby, or ask featmap.tl.model(adata) for some cells"
        )


def _mean(explained: Explanation, rows: np.ndarray) -> np.ndarray:
    """By blocks, since cells times genes may not fit in memory."""
    blocks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
    sums = [explained.feature_importance(block).sum(axis=0, dtype=np.float64) for block in blocks]
    return (np.sum(sums, axis=0) / len(rows)).astype(np.float32)


def _frame(columns: dict[str, np.ndarray], adata: AnnData) -> Any:
    from pandas import DataFrame

    return DataFrame(columns, index=adata.var_names)
