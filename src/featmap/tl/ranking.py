"""The genes that set each group of cells apart, in the layout of scanpy.tl.rank_genes_groups."""

from __future__ import annotations

import numpy as np
from anndata import AnnData

from ..checks.arguments import checked_count
from ..checks.rows import grouped
from ..explanation.apart import Apart, Comparison
from ..explanation.contrast import Contrast
from ..explanation.regression import default_neighbors
from ..run import Run
from .asking import rebuilt
from .contents import KEY, checked_adata, checked_column, compared_rows, documented, features_of

SMALLEST_MEAN = 1e-9  # added to mean counts before they are divided, as scanpy does
LARGEST_LOG = 100.0  # logarithms of counts are far below
COLUMN_TYPES = {
    "names": "O",
    "scores": "float32",
    "logfoldchanges": "float32",
    "pvals": "float64",
    "pvals_adj": "float64",
}


@documented
def rank_features(
    adata: AnnData,
    groupby: str,
    *,
    n_features: int | None = None,
    key: str = KEY,
    key_added: str = "rank_features_groups",
    n_permutations: int | None = None,
    random_state: int = 0,
    copy: bool = False,
) -> AnnData | None:
    """Rank the genes that set each group of cells apart.

    The score of a gene in a group is the mean over its cells of z·√sd·f. Here z tells by how many standard deviations
    the mean of the cells around a cell, on the map and in the graph, is above that of all cells; sd is that standard
    deviation, so that genes that vary more are worth more; and f, from 0 to 1, is 0 for genes that no other gene goes
    with. Genes that are high in the group come first. p-values are those of `FeatMAP.rank_features`, the group
    against all other cells by permutations of Welch's statistic. They do not know how the groups were found: for
    clusters of the same cells they are too small.

    Parameters
    ----------
    {adata}
    groupby : str
        A column of ``adata.obs``. Groups of one cell are left out with a warning.
    n_features : int or None, default=None
        How many genes are listed for each group. By default all.
    {key}
    key_added : str, default="rank_features_groups"
        The key of the result in ``adata.uns``.
    n_permutations : int or None, default=None
        How often cells are permuted for each group, as in `FeatMAP.rank_features`.
    random_state : int, default=0
        The seed of the permutations.
    {copy}

    Returns
    -------
    AnnData or None
        The copy, or None. ``uns[key_added]`` has the arrays ``names``, ``scores``, ``logfoldchanges``, ``pvals`` and
        ``pvals_adj`` with a field for each group, and ``params``, as ``scanpy.tl.rank_genes_groups`` writes them:
        ``scanpy.get.rank_genes_groups_df(adata, None, key=key_added)`` reads them. ``logfoldchanges`` are base 2, of
        mean counts by scanpy's formula, if the features are ``adata.X`` and ``scanpy.pp.log1p`` has made logarithms
        of it, as its record ``uns["log1p"]`` says. Otherwise they are NaN.

    Examples
    --------
    >>> import anndata, featmap
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> adata = anndata.AnnData(X[:300], obs={"digit": y[:300].astype(str)})
    >>> featmap.tl.featmap(adata, use_rep="X", n_epochs=50)
    >>> featmap.tl.rank_features(adata, "digit", n_features=5)
    >>> adata.uns["rank_features_groups"]["names"]["0"].shape
    (5,)
    """
    caller = "featmap.tl.rank_features"
    labels = checked_column(caller, checked_adata(caller, adata), groupby)
    if n_features is not None:
        checked_count(caller, "n_features", n_features, 1)
    groups = grouped(caller, labels, adata.n_obs, "groupby")
    explained = rebuilt(caller, adata, key)
    points, layer = explained._points, adata.uns[key]["params"].get("layer")
    contrasts = explained.rank_features(
        groups.names[groups.codes], n_permutations=n_permutations, random_state=random_state
    )
    with Run(explained.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run, scale="units")
    k = default_neighbors(len(points))
    log_base = _base_of_logs(adata) if layer is None and not points.mapped.data.unit_rows else None
    ranked = {
        str(name): _ranked(comparison.together(points, groups.rows_of(name), k), contrast, log_base, n_features)
        for name, contrast in contrasts.items()
    }
    params = {"groupby": groupby, "reference": "rest", "method": "featmap", "use_raw": False}
    params |= {"corr_method": "benjamini-hochberg", "key": key} | ({} if layer is None else {"layer": layer})
    adata = adata.copy() if copy else adata
    # One array for each column, with a field for each group.
    adata.uns[key_added] = {"params": params} | {
        column: np.rec.fromarrays([one[column] for one in ranked.values()], dtype=[(name, type_) for name in ranked])
        for column, type_ in COLUMN_TYPES.items()
    }
    return adata if copy else None


def _ranked(
    apart: Apart, contrast: Contrast, log_base: float | None, n_features: int | None
) -> dict[str, np.ndarray]:
    """The columns of one group, the highest score first."""
    order = np.argsort(-apart.score[0], kind="stable")[:n_features]
    columns = {
        "names": contrast.features,
        "scores": apart.score[0],
        "logfoldchanges": _fold_changes(apart.own[0], contrast, log_base),
        "pvals": contrast.p_values,
        "pvals_adj": contrast.q_values,
    }
    return {name: column[order] for name, column in columns.items()}


def _fold_changes(mean: np.ndarray, contrast: Contrast, log_base: float | None) -> np.ndarray:
    """log₂ of the ratio of mean counts, which are those behind the means of logarithms."""
    if log_base is None:
        return np.full(len(mean), np.nan)
    # Means of scaled data may be a rounding below 0, which no logarithm of 1 + a count is.
    of_group, of_rest = (np.maximum(values, 0.0) for values in (mean, mean - contrast.difference))
    counts = (np.expm1(values * log_base) + SMALLEST_MEAN for values in (of_group, of_rest))
    return np.log2(np.divide(*counts))


def _base_of_logs(adata: AnnData) -> float | None:
    """ln b, where X has logarithms of counts to the base b; else None.

    scanpy's record of the logarithms stays when X is scaled or exchanged later.
    """
    if "log1p" not in adata.uns:
        return None
    some = features_of("featmap.tl.rank_features", adata, None)[compared_rows(adata.n_obs)]
    if some.min() < 0 or some.max() > LARGEST_LOG:
        return None
    base = adata.uns["log1p"].get("base")
    return 1.0 if base is None else float(np.log(base))
