"""Counts of single cells, which only experiments and benchmarks use, from the folder that FEATMAP_DATA names.

``scanpy.datasets`` has both sets too: ``pbmc3k`` without these labels, and ``paul15``.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from .folder import data_file


def load_pbmc3k() -> Bunch:
    """Load PBMC 3k: 13,714 genes of 2,638 blood cells of a healthy donor, with nine types of cells as the target.

    10x Genomics (Cell Ranger 1.1.0, 2016); Zheng et al.: Massively parallel digital transcriptional profiling of
    single cells, Nat. Commun. 8:14049 (2017). Licence: CC BY 4.0, as all data sets of 10x Genomics. Cells, genes and
    types are those of Seurat's tutorial: genes seen in at least 3 of the 2,700 cells published; of these the cells
    with more than 200 and fewer than 2,500 genes and less than 5 % mitochondrial counts.
    """
    return cells_in("pbmc3k.npz")


def load_paul15() -> Bunch:
    """Load Paul15: 3,451 informative genes of 2,730 myeloid progenitors, with 19 clusters as the target.

    Paul et al.: Transcriptional heterogeneity and lineage commitment in myeloid progenitors, Cell 163:1663 (2015),
    GEO GSE72857 (mouse bone marrow, MARS-seq). No formal licence is known (public GEO record). The clusters have the
    names that Scanpy gives them.
    """
    return cells_in("paul15.npz")


def cells_in(name: str) -> Bunch:
    """Counts as a CSR matrix of cells by genes (int32), the type of each cell, the names of the genes."""
    path = data_file(name)
    with np.load(path) as arrays:
        return Bunch(data=sp.load_npz(path), target=arrays["cell_type"], feature_names=arrays["genes"].tolist())
