"""Paul15: how blood cells become what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .answers import answer, counts_of
from .download import package, published
from .folder import kept_arrays

PAUL15 = """
Paul15: counts of 3,451 informative genes of 2,730 myeloid progenitors of mouse bone marrow (MARS-seq), as sparse
integers, in 19 clusters named as in Scanpy.

Paul et al.: Transcriptional heterogeneity and lineage commitment in myeloid progenitors, Cell 163:1663 (2015), GEO
GSE72857. No formal licence is known (public GEO record).
``root_cell`` is the start that Haghverdi et al., Nat. Methods 13:845 (2016), chose. ``dpt_pseudotime`` is the
diffusion pseudotime from there as others computed it with Scanpy, a reference, not a measurement; it comes with the
folder FEATMAP_DATA only and is None where the counts are downloaded.
Downloads are checked by the checksum that Scanpy publishes.
"""
SHAPES = {
    "data": (2_386_248,),
    "indices": (2_386_248,),
    "indptr": (2_731,),
    "genes": (3_451,),
    "cell_type": (2_730,),
    "dpt_pseudotime": (2_730,),
}
CELL_TYPES = [*["Ery"] * 6, "MEP", "Mk", "GMP", "GMP", "DC", "Baso", "Baso", "Mo", "Mo", "Neu", "Neu", "Eos", "Lymph"]
ROOT_CELL = 840


def load_paul15(*, return_X_y: bool = False) -> Any:
    """Load Paul15; the target is the cluster of each cell."""
    arrays = kept_arrays("paul15.npz", SHAPES)
    if arrays is None:
        counts, genes, clusters = _downloaded()
        pseudotime = None
    else:
        counts, genes, clusters = counts_of(arrays), arrays["genes"], arrays["cell_type"]
        pseudotime = arrays["dpt_pseudotime"]
    return answer(
        return_X_y,
        data=counts,
        target=clusters,
        feature_names=genes.tolist(),
        dpt_pseudotime=pseudotime,
        root_cell=ROOT_CELL,
        DESCR=PAUL15,
    )


def _downloaded() -> tuple[sp.csr_matrix, np.ndarray, np.ndarray]:
    h5py = package("h5py")
    with published("paul15", "paul15.h5") as path, h5py.File(path) as file:
        counts = file["data.debatched"][()]  # genes × cells
        # Where a gene has several names, the first is the one that the list of informative genes uses.
        names = [name.split(";")[0] for name in file["data.debatched_rownames"].asstr()[()]]
        informative = file["info.genes_strings"].asstr()[()]
        numbers = file["cluster.id"][()].ravel().astype(int)
        clusters = np.array([f"{number}{CELL_TYPES[number - 1]}" for number in numbers])
        genes, rows, _ = np.intersect1d(np.array(names), informative.astype(str), return_indices=True)
        if counts.shape != (len(names), len(clusters)):
            raise ValueError(f"{counts.shape} counts of {len(names)} genes and {len(clusters)} cells")
    return sp.csr_matrix(counts[rows].T, dtype=np.int32), genes, clusters
