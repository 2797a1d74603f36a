"""Single cells with genes as features: are the important genes of a cell type those it is known by?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from featmap import FeatMAP, plot
from lab.data.cells import by_residuals, prepared_cells
from lab.data.loaders import CELLS
from lab.data.parts import random_part

from ..report import Report
from .claims import claims_of
from .markers import markers_of, missing
from .pictures import arrows_of, precision_bars
from .rankings import (
    IMPORTANCE,
    TOP,
    Orders,
    found_by_chance,
    found_in_top,
    highest_in,
    median_ranks,
    rank_genes,
)

QUICK_CELLS = 1000
SHOWN_GENES = {"PBMC 3k": ("LYZ", "NKG7"), "Paul 2015": ("Hba-a2", "Elane")}
ABOUT = f"""The paper's single cells (COVID, Liu et al. 2021) could not be had; PBMC 3k and the myeloid
progenitors of Paul et al. (2015) stand in for them. Features are 2,000 genes, those of the largest Pearson
residuals, projected back from 50 principal components. Genes are ranked for each type of cells in eight ways:
by their mean importance in the type, by its difference from and its ratio to that in the rest; by
`rank_features` (contrast) as it orders them, and with the genes that are higher in the type first; by how far the
cells around those of the type are above all cells (apart, the order of `top_features`); by Scanpy's
Wilcoxon test of the type against the rest; and by their variance in all cells, the same for every type.
Contrast and importance see the genes as the map got them, Wilcoxon and variance the logs of the counts, of the
same genes. What counts is how many of the type's known markers are among the first {TOP}. Methods but apart, which
came later, markers and rules of the verdicts were set before the first run. The clusters of Paul et al. are joined
to lineages, for which markers are known; progenitors of several lineages (MEP, GMP) have none of their own and
count as rest only."""


def run(report: Report) -> None:
    figures = {}
    for name in CELLS:
        cells = cells_of(name, report.quick)
        model = FeatMAP(random_state=0).fit(cells.data)
        figures[name] = figures_of(name, cells, rank_genes(model, cells.logs, cells.target))
        draw(report, name, model, cells)
    report.picture(precision_bars(figures), "precision", f"Markers among the first {TOP} genes, by method and type")
    report.write("Single cells", ABOUT, claims_of(figures), figures)


def cells_of(name: str, quick: bool) -> Bunch:
    """With genes chosen by residuals, so that the markers are among them; clusters go by their names only."""
    cells = prepared_cells(name, by_residuals)
    cells = random_part(cells, QUICK_CELLS) if quick else cells
    cells.clusters = cells.target
    cells.target = np.array([cluster.lstrip("0123456789") for cluster in cells.clusters.tolist()])
    return cells


def figures_of(name: str, cells: Bunch, orders: Orders) -> dict[str, Any]:
    genes = cells.feature_names.tolist()
    markers = markers_of(name, genes)
    n_markers = {kind: len(wanted) for kind, wanted in markers.items()}
    found = found_in_top(orders, markers)
    by_chance, rarely_by_chance = found_by_chance(markers, len(genes))
    return {
        "cells": len(cells.target),
        "genes": len(genes),
        "markers": n_markers,
        "markers that are not among the genes": missing(name, genes),
        f"found in the first {TOP}": found,
        "found in all": {method: sum(types.values()) for method, types in found.items()},
        "markers in all": sum(n_markers.values()),
        "found by chance": by_chance,
        "found by one chance in a hundred": rarely_by_chance,
        "mean precision": {method: mean_precision(types) for method, types in found.items()},
        "largest mean precision there can be": mean_precision(n_markers),
        "mean recall": {method: mean_recall(types, n_markers) for method, types in found.items()},
        "median rank of the markers": median_ranks(orders, markers),
        "median rank by chance": (len(genes) + 1) / 2,
        "cluster in which each marker is highest": {
            kind: dict(zip(names_of(genes, wanted), highest_in(cells.logs, cells.clusters, wanted), strict=True))
            for kind, wanted in markers.items()
        },
        f"first {TOP} by importance": {
            kind: names_of(genes, order[:TOP]) for kind, order in orders[IMPORTANCE].items()
        },
    }


def names_of(genes: list[str], columns: Sequence[int]) -> list[str]:
    return [genes[column] for column in columns]


def mean_precision(found: dict[str, int]) -> float:
    return float(np.mean([count / TOP for count in found.values()]))


def mean_recall(found: dict[str, int], n_markers: dict[str, int]) -> float:
    return float(np.mean([found[kind] / n_markers[kind] for kind in found]))


def draw(report: Report, name: str, model: FeatMAP, cells: Bunch) -> None:
    file, genes = name.split()[0].lower(), cells.feature_names.tolist()
    report.picture(plot.embedding(model, labels=cells.target).figure, f"{file}_types", f"{name}: types of cells")
    heatmap = plot.importance(model, labels=cells.target, feature_names=genes)
    report.picture(heatmap.figure, f"{file}_importance", f"{name}: mean importance of genes in each type")
    shown = SHOWN_GENES[name]
    report.picture(arrows_of(model, shown, genes), f"{file}_arrows", f"{name}: where {' and '.join(shown)} grow")
