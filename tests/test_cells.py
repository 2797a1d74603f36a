"""Known markers of cells among the genes that set each type apart, beside Wilcoxon's rank sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import ranksums

from featmap import FeatMAP
from featmap.explanation.apart import Comparison
from featmap.explanation.regression import default_neighbors
from featmap.run import Run
from lab.data.cells import log_counts
from lab.data.loaders import CELLS
from lab.rank_sums import rank_sum_scores

# From textbooks and the tutorials on these data, written down before any ranking was looked at.
MARKERS = {
    "PBMC 3k": {
        "Naive CD4 T": "CD3D CD3E IL7R CCR7 LEF1 TCF7 MAL LDHB",
        "Memory CD4 T": "CD3D CD3E IL7R S100A4 LTB IL32 CD2 AQP3",
        "CD8 T": "CD8A CD8B CD3D CD3E GZMK GZMA CCL5 NKG7",
        "B": "MS4A1 CD79A CD79B TCL1A CD74 HLA-DRA LINC00926 VPREB3 BANK1",
        "NK": "GNLY NKG7 GZMB PRF1 KLRD1 FGFBP2 SPON2 CST7",
        "CD14+ Mono": "CD14 LYZ S100A8 S100A9 S100A12 FCN1 LGALS2",
        "FCGR3A+ Mono": "FCGR3A MS4A7 IFITM3 LST1 CDKN1C RHOC AIF1",
        "DC": "FCER1A CST3 CLEC10A CD1C HLA-DQA1 HLA-DPA1 HLA-DPB1",
        "Platelet": "PPBP PF4 GP9 TUBB1 SDPR GNG11 ITGA2B",
    },
    "Paul 2015": {
        "Ery": "Gata1 Klf1 Epor Hba-a2 Hbb-b1 Car1 Car2 Gypa",
        "Mk": "Pf4 Itga2b Gp9 Vwf Gp1bb",
        "Neu": "Elane Mpo Prtn3 Ctsg Gfi1 Cebpe Gstm1",
        "Mo": "Irf8 Csf1r Ly86 Ctss Ly6c2",
        "Baso": "Prss34 Mcpt8 Cpa3 Lmo4 Ms4a2",
        "DC": "Cd74 H2-Aa H2-Ab1 H2-Eb1 Siglech",
        "Eos": "Prg2 Prg3 Epx",
        "Lymph": "Cd79a Cd79b Dntt Il7r Ccl5",
    },
}
N_FIRST = 10


def test_rank_sums_are_those_of_scipy(rng):
    counts = rng.normal(size=(60, 3))  # without ties, for which scipy corrects nothing either
    types = np.array(["a", "b", "c"])[rng.integers(3, size=60)]
    found = rank_sum_scores(sp.csr_matrix(counts), types)
    for kind, scores in found.items():
        expected = ranksums(counts[types == kind], counts[types != kind], axis=0).statistic
        np.testing.assert_allclose(scores, expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [300, 301])
@pytest.mark.parametrize("name", MARKERS)
def test_types_are_set_apart_by_as_many_known_markers_as_by_rank_sums(name, seed, data_set):
    data_set({"PBMC 3k": "pbmc3k", "Paul 2015": "paul15"}[name])  # skips where it is absent
    cells, logs = CELLS[name](), log_counts(name)
    types = np.array([kind.lstrip("0123456789") for kind in cells.target.tolist()])
    genes = np.array(cells.feature_names)
    model = FeatMAP(pca=50, random_state=seed).fit(logs)
    with Run(2) as run:
        comparison = Comparison.of(model._points.mapped, run)
    by_ranks = rank_sum_scores(logs, types)

    def n_found(scores, kind):
        return len(set(genes[np.argsort(-scores, kind="stable")[:N_FIRST]]) & set(MARKERS[name][kind].split()))

    ours = theirs = 0
    for kind in MARKERS[name]:
        rows = np.flatnonzero(types == kind).astype(np.int32)
        ours += n_found(comparison.together(model._points, rows, default_neighbors(len(types))).score[0], kind)
        theirs += n_found(by_ranks[kind], kind)
    print(f"{name}, seed {seed}: {ours} known markers by mean z·f, {theirs} by rank sums")
    assert ours >= theirs
