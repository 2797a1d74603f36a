"""Genes in the order in which a method would name them for each type of cells, and how soon markers come up."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from featmap import FeatMAP
from featmap.explanation.apart import Comparison
from featmap.explanation.regression import default_neighbors
from featmap.run import Run

TOP = 20
CHANCE_DRAWS = 10_000
IMPORTANCE, AGAINST_REST, RATIO = "importance", "importance − rest", "importance ÷ rest"
CONTRAST, HIGHER = "contrast", "contrast, higher genes"
APART = "apart"
WILCOXON, VARIANCE = "Wilcoxon", "variance"
OURS = (IMPORTANCE, AGAINST_REST, RATIO, CONTRAST, HIGHER, APART)
Orders = dict[str, dict[str, np.ndarray]]  # method → type → column numbers of all genes, best first


def rank_genes(model: FeatMAP, logs: sp.csr_matrix, types: np.ndarray) -> Orders:
    """Our rankings are of the genes as the map got them, Wilcoxon's and the variance of the logs of the counts."""
    orders: Orders = {method: {} for method in OURS}
    for kind, found in model.rank_features(types).items():
        order = found.order
        higher = found.difference[order] > 0
        orders[IMPORTANCE][kind] = best_first(found.importance_a)
        orders[AGAINST_REST][kind] = best_first(found.importance_a - found.importance_b)
        orders[RATIO][kind] = best_first(found.importance_a / np.maximum(found.importance_b, 1e-12))
        orders[CONTRAST][kind] = order
        orders[HIGHER][kind] = np.concatenate([order[higher], order[~higher]])
        orders[APART][kind] = best_first(apart(model, np.flatnonzero(types == kind)))
    orders[WILCOXON] = wilcoxon(logs, types)
    orders[VARIANCE] = dict.fromkeys(orders[IMPORTANCE], best_first(variance(logs)))
    return orders


def apart(model: FeatMAP, rows: np.ndarray) -> np.ndarray:
    """How far the cells around those of a type are above all cells, in units: the mean over its cells."""
    points = model._points
    with Run(-1) as run:
        comparison = Comparison.of(points.mapped, run, "units")
    return comparison.together(points, rows.astype(np.int32), default_neighbors(len(points))).score[0]


def best_first(scores: np.ndarray) -> np.ndarray:
    return np.argsort(-scores, kind="stable")


def variance(logs: sp.csr_matrix) -> np.ndarray:
    mean = np.asarray(logs.mean(axis=0), np.float64).ravel()
    return np.asarray(logs.power(2).mean(axis=0), np.float64).ravel() - mean**2


def wilcoxon(logs: sp.csr_matrix, types: np.ndarray) -> dict[str, np.ndarray]:
    """Each type against the rest by rank sums, highest first, as Scanpy does it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scanpy and its dependencies, on each other
        import scanpy

        cells = scanpy.AnnData(logs, obs={"type": types}, var={"column": np.arange(logs.shape[1])})
        cells.obs["type"] = cells.obs["type"].astype("category")
        scanpy.tl.rank_genes_groups(cells, "type", method="wilcoxon")
        names = cells.uns["rank_genes_groups"]["names"]
    return {kind: names[kind].astype(int) for kind in names.dtype.names}


def found_in_top(orders: Orders, markers: dict[str, list[int]]) -> dict[str, dict[str, int]]:
    """How many markers of each type are among the first genes of each method."""
    return {
        method: {kind: int(np.isin(order[kind][:TOP], wanted).sum()) for kind, wanted in markers.items()}
        for method, order in orders.items()
    }


def median_ranks(orders: Orders, markers: dict[str, list[int]]) -> dict[str, float]:
    """The middle of all markers' places, counted from 1."""
    places = {
        method: [int(np.flatnonzero(order[kind] == gene)[0]) + 1 for kind in markers for gene in markers[kind]]
        for method, order in orders.items()
    }
    return {method: float(np.median(found)) for method, found in places.items()}


def found_by_chance(markers: dict[str, list[int]], n_genes: int) -> tuple[float, float]:
    """Markers among the first of genes in random order, all types together: mean, and what one in a hundred beats."""
    rng = np.random.default_rng(0)
    draws = sum(
        rng.hypergeometric(len(wanted), n_genes - len(wanted), TOP, CHANCE_DRAWS) for wanted in markers.values()
    )
    return float(np.mean(draws)), float(np.quantile(draws, 0.99))


def highest_in(logs: sp.csr_matrix, groups: np.ndarray, columns: list[int]) -> list[str]:
    """The group in which each of some genes has its largest mean."""
    names = np.unique(groups)
    means = np.array([np.asarray(logs[groups == name][:, columns].mean(axis=0)).ravel() for name in names])
    return names[means.argmax(axis=0)].tolist()
