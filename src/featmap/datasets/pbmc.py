"""PBMC 3k: blood cells, the data of the tutorials of Seurat and Scanpy."""

from __future__ import annotations

import io
import tarfile
from itertools import count
from typing import Any

import numpy as np
import scipy.sparse as sp

from .answers import answer, counts_of
from .download import published
from .folder import kept_arrays
from .reading import tar_member

PBMC3K = """
PBMC 3k: counts of the genes of 2,638 peripheral blood mononuclear cells of a healthy donor, as sparse integers.

10x Genomics (Cell Ranger 1.1.0, 2016); Zheng et al.: Massively parallel digital transcriptional profiling of single
cells, Nat. Commun. 8:14049 (2017). Licence: CC BY 4.0, as all data sets of 10x Genomics.
Kept, as in Seurat's tutorial: genes seen in at least 3 of the 2,700 cells published; of these the cells with more
than 200 and fewer than 2,500 genes and less than 5 % mitochondrial counts. The cell types are that tutorial's
annotation, which comes with the folder FEATMAP_DATA only: no public file of it with a published checksum is known,
and where the counts are downloaded the target is None.
Downloads are checked by the checksum in Bioconductor's TENxPBMCData.
"""
SHAPES = {
    "data": (2_238_732,),
    "indices": (2_238_732,),
    "indptr": (2_639,),
    "genes": (13_714,),
    "cell_type": (2_638,),
    "barcode": (2_638,),
}
FOLDER = "filtered_gene_bc_matrices/hg19/"


def load_pbmc3k(*, return_X_y: bool = False) -> Any:
    """Load PBMC 3k; the target is the type of each cell, or None where the counts are downloaded."""
    arrays = kept_arrays("pbmc3k.npz", SHAPES)
    if arrays is None:
        counts, genes, barcodes = _chosen(*_downloaded())
        cell_types = None
    else:
        counts, genes, barcodes = counts_of(arrays), arrays["genes"], arrays["barcode"]
        cell_types = arrays["cell_type"]
    return answer(
        return_X_y,
        data=counts,
        target=cell_types,
        feature_names=genes.tolist(),
        barcode=barcodes,
        DESCR=PBMC3K,
    )


def _downloaded() -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    """All counts, cells × genes, as published."""
    from scipy.io import mmread

    with published("pbmc3k", "pbmc3k_filtered_gene_bc_matrices.tar.gz") as path, tarfile.open(path) as archive:
        counts = sp.csr_matrix(mmread(io.BytesIO(tar_member(archive, FOLDER + "matrix.mtx"))).T, dtype=np.int32)
        genes = tar_member(archive, FOLDER + "genes.tsv").decode().splitlines()
        barcodes = tar_member(archive, FOLDER + "barcodes.tsv").decode().splitlines()
        if counts.shape != (len(barcodes), len(genes)):
            raise ValueError(f"{counts.shape} counts of {len(barcodes)} cells and {len(genes)} genes")
    symbols = told_apart([gene.split("\t")[1] for gene in genes])
    return counts, np.array(symbols), np.array([barcode.removesuffix("-1") for barcode in barcodes])


def _chosen(
    counts: sp.csr_matrix, genes: np.ndarray, barcodes: np.ndarray
) -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    """The genes and cells that Seurat's tutorial goes on with."""
    is_seen = counts.getnnz(axis=0) >= 3
    counts, genes = counts[:, is_seen], genes[is_seen]
    n_genes = counts.getnnz(axis=1)
    is_mitochondrial = np.char.startswith(genes, "MT-")
    mitochondrial, total = (np.asarray(part.sum(axis=1)).ravel() for part in (counts[:, is_mitochondrial], counts))
    is_good = (n_genes > 200) & (n_genes < 2500) & (100 * mitochondrial < 5 * total)
    return counts[is_good], genes, barcodes[is_good]


def told_apart(names: list[str]) -> list[str]:
    """Names of their own for genes that share a symbol: the second CRIP1 is CRIP1.1, as in Seurat."""
    taken, seen, apart = set(names), set(), []
    for name in names:
        own = name
        if name in seen:
            own = next(other for number in count(1) if (other := f"{name}.{number}") not in taken)
        seen.add(name)
        taken.add(own)
        apart.append(own)
    return apart
