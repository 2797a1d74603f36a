"""Single cells prepared as the field does: counts per 10,000, logarithms, variable genes, principal components.

The components are projected back to the genes, so that whatever is said of a feature is said of a gene.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils import Bunch

N_GENES = 2000
N_COMPONENTS = 50


def prepared_cells(counts: Bunch) -> Bunch:
    """The cells over their variable genes, without the noise beyond the leading components."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scanpy and its dependencies, on each other
        import scanpy

        cells = scanpy.AnnData(counts.data.astype(np.float32))
        scanpy.pp.normalize_total(cells, target_sum=1e4)
        scanpy.pp.log1p(cells)
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
