"""The answers about all cells, in ``adata.obs``, so that scanpy draws them."""

from __future__ import annotations

from anndata import AnnData
from pandas import Categorical

from .asking import model
from .contents import KEY, documented

WRITTEN = {"kind": "kind", "kept": "kept", "is_doubtful": "doubtful"}  # of the record, and how it is called in obs


@documented
def answers(
    adata: AnnData, label: str | None = None, *, key: str = KEY, key_added: str | None = None, copy: bool = False
) -> AnnData | None:
    """Write what is said of every cell into ``adata.obs``.

    Parameters
    ----------
    {adata}
    label : str or None, default=None
        A column of ``adata.obs`` that is known of the cells, such as their type. Only with labels a cell can be
        among others than its own.
    {key}
    key_added : str or None, default=None
        How the columns begin. By default as `key`.
    {copy}

    Returns
    -------
    AnnData or None
        The copy, or None. ``obs["featmap_kind"]`` is what sort of answer each cell has, "typical" for example;
        ``obs["featmap_kept"]`` how many of its nearest cells in the data are near it on the map; and, with labels,
        ``obs["featmap_doubtful"]`` whether it lies among cells of another label.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> adata = anndata.AnnData(X[:300], obs={"digit": y[:300].astype(str)})
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.tl.answers(adata, "digit")
    >>> [name for name in adata.obs if name.startswith("featmap")]
    ['featmap_kind', 'featmap_kept', 'featmap_doubtful']
    """
    found = model(adata, key, label=label).labelled(unit="cell").to_frame()
    adata = adata.copy() if copy else adata
    begins = key if key_added is None else key_added
    for name, called in WRITTEN.items():
        if name in found:
            values = found[name].to_numpy()
            adata.obs[f"{begins}_{called}"] = Categorical(values) if name == "kind" else values
    return adata if copy else None
