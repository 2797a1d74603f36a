"""The features of single cells in an AnnData as a map needs them: logarithms of counts, and principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

COUNTS_PER_CELL = 10_000
REPRESENTATION = "X_pca"
NORMALISED = (
    f"Counts were divided by their sum in each cell and multiplied by {COUNTS_PER_CELL:,}; features are log(1 + x)."
)


def features_of_cells(adata: Any) -> tuple[Any, list[str], str]:
    """Logarithms of normalised counts, the names of the genes, and what was done for it in words."""
    X, names, text = adata.X, adata.var_names, ""
    if adata.raw is not None and (stored(X) < 0).any():
        X, names = adata.raw.X, adata.raw.var_names
        text = "X has negative values, so the values are those of raw."
    if _are_counts(X):
        X = log_normalised(X)
        text = f"{text} {NORMALISED}".strip()
    return X, [str(name) for name in names], text


def components_of_cells(adata: Any, X: Any) -> Any:
    """The components that neighbours and map are made of, as `FeatMAP` takes them.

    They are those of scanpy's X_pca if that was made of X, else a number of them; few genes need none.
    """
    from ..tl.inputs import DEFAULT_COMPONENTS, loadings_of

    places = np.asarray(adata.obsm.get(REPRESENTATION))
    if X.shape[1] == adata.n_vars and places.ndim == 2 and places.shape[1] > 0:
        loadings = loadings_of(adata, REPRESENTATION, X, places)
        if loadings is not None:
            return loadings
    return DEFAULT_COMPONENTS if min(X.shape) > DEFAULT_COMPONENTS else None


def log_normalised(counts: Any) -> Any:
    """log(1 + counts per 10,000 of a cell), as scanpy's normalize_total and log1p; a cell without counts stays 0.

    Gaps have no part in the sum of their cell and stay gaps.
    """
    known = counts.copy() if sp.issparse(counts) else np.array(counts)
    np.nan_to_num(stored(known), copy=False)
    totals = np.asarray(known.sum(axis=1), dtype=np.float64).reshape(-1, 1)
    factors = COUNTS_PER_CELL / np.where(totals > 0, totals, 1)
    if sp.issparse(counts):
        return sp.csr_matrix(sp.diags_array(factors.ravel()) @ counts).log1p().astype(np.float32)
    return np.log1p(np.asarray(counts) * factors).astype(np.float32)


def stored(X: Any) -> np.ndarray:
    """The values of a matrix, of a sparse one those that it holds."""
    return X.data if sp.issparse(X) else np.asarray(X)


def _are_counts(X: Any) -> bool:
    values = stored(X)
    known = values[~np.isnan(values)]
    return bool((known >= 0).all() and (known == np.rint(known)).all() and np.isfinite(known).all())
