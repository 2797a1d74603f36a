"""Pancreas: cells on their way to hormones."""

from __future__ import annotations

from typing import Any

from ..errors import DatasetError
from .answers import answer, counts_of
from .folder import kept_arrays

PANCREAS = """
Pancreatic endocrinogenesis of the mouse at day E15.5: spliced counts of 7,192 genes of 739 cells, as sparse integers,
and the unspliced ones as ``unspliced``. A published subset of the 3,696 cells, with some markers (Neurog3, Ins1, Sst)
missing.

Bastidas-Ponce et al.: Comprehensive single cell mRNA profiling reveals a detailed roadmap for pancreatic
endocrinogenesis, Development 146:dev173849 (2019), GEO GSE132188; counts and labels as distributed with scVelo
(Bergen et al., Nat. Biotechnol. 2020). No formal licence is known (public GEO record).
"""
SHAPES = {
    "data": (1_263_837,),
    "indices": (1_263_837,),
    "indptr": (740,),
    "unspliced_data": (563_203,),
    "unspliced_indices": (563_203,),
    "unspliced_indptr": (740,),
    "genes": (7_192,),
    "cell_type": (739,),
    "barcode": (739,),
}
ELSEWHERE = "get the full set of 3,696 cells from scVelo (scvelo.datasets.pancreas) or GEO (GSE132188)"


def load_pancreas(*, return_X_y: bool = False) -> Any:
    """Load a subset of the pancreas cells, from the folder FEATMAP_DATA only; the target is the type of each cell."""
    arrays = kept_arrays("pancreas_e15_subset.npz", SHAPES, otherwise=ELSEWHERE)
    if arrays is None:
        raise DatasetError(
            "load_pancreas cannot download this subset, which has no public home: let FEATMAP_DATA name a folder "
            f"with pancreas_e15_subset.npz, or {ELSEWHERE}"
        )
    return answer(
        return_X_y,
        data=counts_of(arrays),
        target=arrays["cell_type"],
        feature_names=arrays["genes"].tolist(),
        unspliced=counts_of(arrays, "unspliced_"),
        barcode=arrays["barcode"],
        DESCR=PANCREAS,
    )
