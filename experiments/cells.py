"""Single cells prepared as the field does: counts per 10,000, logarithms, variable genes, principal components.

The components are projected back to the genes, so that whatever is said of a feature is said of a gene.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils import Bunch

from featmap import DatasetError

N_GENES = 2000
N_COMPONENTS = 50


def prepared_cells(counts: Bunch, *, by_residuals: bool = False) -> Bunch:
    """The cells over their variable genes, without the noise beyond the leading components.

    Variable genes are those of large dispersion, Scanpy's default, which passes over most genes that tell T cells
    from others (CD3D, CD8A, IL7R) for genes of a few cells; or those of large Pearson residuals, which does not.
    """
    if counts.target is None:
        raise DatasetError("these cells have no labels, which are not among the published files: set FEATMAP_DATA")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scanpy and its dependencies, on each other
        import scanpy

        cells = scanpy.AnnData(counts.data.astype(np.float32))
        if by_residuals:  # they are those of the counts
            scanpy.experimental.pp.highly_variable_genes(cells, n_top_genes=N_GENES)
        scanpy.pp.normalize_total(cells, target_sum=1e4)
        scanpy.pp.log1p(cells)
        if not by_residuals:
            scanpy.pp.highly_variable_genes(cells, n_top_genes=N_GENES)
        variable = cells.var["highly_variable"].to_numpy()
        cells = cells[:, variable].copy()
        scanpy.pp.pca(cells, n_comps=N_COMPONENTS, random_state=0)
    smooth = cells.obsm["X_pca"] @ cells.varm["PCs"].T + np.asarray(cells.X.mean(axis=0)).ravel()
    return Bunch(
        data=smooth.astype(np.float32),
        logs=cells.X,
        target=counts.target,
        feature_names=np.asarray(counts.feature_names)[variable],
        image_shape=None,
    )
