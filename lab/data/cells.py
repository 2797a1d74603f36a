"""Single cells prepared as the field does: counts per 10,000, logarithms, variable genes, principal components.

The components are projected back to the genes, so that whatever is said of a feature is said of a gene.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from featmap import DatasetError

from .loaders import CELLS

N_GENES = 2000
N_COMPONENTS = 50

Choose = Callable[[Any, Any], np.ndarray]  # counts and their logarithms as AnnData to a mask of genes


def by_dispersion(counts: Any, logs: Any) -> np.ndarray:
    """Scanpy's default. It passes over most genes that tell T cells from others (CD3D, CD8A, IL7R)."""
    import scanpy

    scanpy.pp.highly_variable_genes(logs, n_top_genes=N_GENES)
    return logs.var["highly_variable"].to_numpy()


def by_residuals(counts: Any, logs: Any) -> np.ndarray:
    """The largest Pearson residuals of the counts. They keep the genes that tell T cells from others."""
    import scanpy

    scanpy.experimental.pp.highly_variable_genes(counts, n_top_genes=N_GENES)
    return counts.var["highly_variable"].to_numpy()


def prepared_cells(name: str, choose: Choose = by_dispersion) -> Bunch:
    """The cells over their variable genes, without the noise beyond the leading components."""
    published = CELLS[name]()
    if published.target is None:
        raise DatasetError("these cells have no labels, which are not among the published files: set FEATMAP_DATA")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Scanpy and its dependencies warn about each other
        import scanpy

        counts = scanpy.AnnData(published.data.astype(np.float32))
        logs = counts.copy()
        scanpy.pp.normalize_total(logs, target_sum=1e4)
        scanpy.pp.log1p(logs)
        variable = choose(counts, logs)
        cells = logs[:, variable].copy()
        scanpy.pp.pca(cells, n_comps=N_COMPONENTS, random_state=0)
    smooth = cells.obsm["X_pca"] @ cells.varm["PCs"].T + np.asarray(cells.X.mean(axis=0)).ravel()
    return Bunch(
        data=smooth.astype(np.float32),
        logs=cells.X,
        target=published.target,
        feature_names=np.asarray(published.feature_names)[variable],
        image_shape=None,
    )


def log_counts(name: str) -> sp.csr_matrix:
    """Counts per 10,000 of each cell, as logarithms."""
    counts = CELLS[name]().data
    scaled = sp.diags_array(1e4 / np.asarray(counts.sum(axis=1)).ravel()) @ counts
    return scaled.tocsr().log1p().astype(np.float32)
