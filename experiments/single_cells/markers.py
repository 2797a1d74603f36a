"""Genes by which the field knows the types of cells, written down before any ranking was looked at.

PBMC: the tables of the PBMC 3k tutorials of Seurat (Satija lab) and Scanpy, with the antigens and products that every
textbook of immunology gives for the type. Myeloid progenitors: Paul et al., Cell 163:1663 (2015), and the tutorial on
these data in Scanpy (PAGA), with textbook genes of the lineage.
"""

from __future__ import annotations

MARKERS = {
    "PBMC 3k": {
        "Naive CD4 T": "CD3D CD3E IL7R CCR7 LEF1",
        "Memory CD4 T": "CD3D CD3E IL7R S100A4 LTB",
        "CD8 T": "CD3D CD3E CD8A CD8B GZMK",
        "B": "MS4A1 CD79A CD79B TCL1A",
        "NK": "GNLY NKG7 KLRB1 GZMB PRF1",
        "CD14+ Mono": "CD14 LYZ LGALS3 S100A8 S100A9",
        "FCGR3A+ Mono": "FCGR3A MS4A7 IFITM3 CDKN1C LST1",
        "DC": "FCER1A CST3 CLEC10A HLA-DQA1 HLA-DPB1",
        "Platelet": "PPBP PF4 GP9 TUBB1 SDPR",
    },
    "Paul 2015": {
        "Ery": "Gata1 Klf1 Epor Hba-a2 Car1 Car2 Gypa",
        "Mk": "Pf4 Itga2b Gp9 Vwf",
        "Neu": "Elane Mpo Prtn3 Ctsg Gfi1 Cebpe",
        "Mo": "Irf8 Csf1r Ly86 Ctsg",
        "Baso": "Prss34 Mcpt8 Cpa3",
        "DC": "Cd74 H2-Aa H2-Ab1 H2-Eb1 Siglech",
        "Eos": "Prg2 Prg3 Epx",
        "Lymph": "Cd79a Cd79b Dntt Il7r Ccl5",
    },
}


def markers_of(name: str, genes: list[str]) -> dict[str, list[int]]:
    """Column numbers of the markers of each type, as far as the data have them."""
    columns = {gene: column for column, gene in enumerate(genes)}
    return {
        kind: [columns[gene] for gene in names.split() if gene in columns] for kind, names in MARKERS[name].items()
    }


def missing(name: str, genes: list[str]) -> list[str]:
    """The markers that are not among the genes, each once."""
    named = dict.fromkeys(" ".join(MARKERS[name].values()).split())
    return [gene for gene in named if gene not in set(genes)]
