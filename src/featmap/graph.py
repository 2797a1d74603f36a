"""Neighbors → Graph: how strongly each point is connected to its neighbours (umap-learn's fuzzy simplicial set)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .errors import warn
from .kernels.memberships import (
    count_edges,
    edge_weights,
    fill_backward,
    fill_forward,
    join_directions,
    memberships,
    row_sums,
)
from .run import Run
from .values import DoubleArray, FloatArray, Graph, IntArray, Neighbors, edge_numbers, sorted_csr


def build_graph(neighbors: Neighbors, n_neighbors: int, unconnected_from: float, run: Run) -> Graph:
    """The fuzzy union of all points' memberships. Neighbours at a distance of ``unconnected_from`` get no edge."""
    firsts, lasts = connected_entries(neighbors.distances, unconnected_from)
    strengths = membership_strengths(neighbors.distances.ravel(), firsts, lasts, n_neighbors, run)
    return join(neighbors.indices.ravel(), strengths, firsts, lasts, run)


def neighbor_memberships(
    neighbors: Neighbors, n_neighbors: int, unconnected_from: float, run: Run, mean: float | None = None
) -> DoubleArray:
    """P̃_{j|i} for every neighbour j of every point i, 0 for those that get no edge: (m, k)."""
    entries = connected_entries(neighbors.distances, unconnected_from)
    strengths = membership_strengths(neighbors.distances.ravel(), *entries, n_neighbors, run, mean)
    return strengths.reshape(neighbors.distances.shape)


def connected_entries(distances: FloatArray, unconnected_from: float) -> tuple[np.ndarray, np.ndarray]:
    """The entries of each row of distances that get an edge, as numbers first and beyond the last in a flat array.

    Distances rise along a row, so these are the first ones.
    """
    n_rows, k = distances.shape
    firsts = np.arange(0, n_rows * k, k) if k else np.zeros(n_rows, np.int64)
    return firsts, firsts + np.count_nonzero(distances < unconnected_from, axis=1)


def membership_strengths(
    distances: np.ndarray,
    firsts: np.ndarray,
    lasts: np.ndarray,
    n_neighbors: int,
    run: Run,
    mean: float | None = None,
) -> DoubleArray:
    """P̃_{j|i} = exp(−max(0, d_ij − ρ_i)/γ_i), with γ_i such that each row sums to log2(n_neighbors).

    Row i has the entries firsts[i]:lasts[i]; all others are 0. ``mean`` replaces a row's own mean distance where all
    its neighbours are duplicates, by default the mean over all rows.
    """
    if mean is None:
        mean = mean_distance(distances, firsts, lasts)
    strengths, target = np.zeros(distances.shape), np.log2(n_neighbors)
    run.over_rows(
        len(firsts),
        lambda start, stop: memberships(distances, firsts, lasts, target, mean, start, stop, strengths),
    )
    return strengths


def mean_distance(distances: np.ndarray, firsts: np.ndarray, lasts: np.ndarray) -> float:
    """The mean distance to neighbours. As in umap-learn it counts every point itself, at distance 0.

    Rows are added up one by one and then their sums: so it does not matter where the rows are.
    """
    sums = np.empty(len(firsts))
    row_sums(distances, firsts, lasts, sums)
    return float(sums.sum() / (np.sum(lasts - firsts) + len(sums)))


def symmetrize(directed: sp.csr_matrix, run: Run) -> Graph:
    """P = P̃ + P̃ᵀ − P̃∘P̃ᵀ: there is an edge if either end has it."""
    return join(directed.indices, directed.data, directed.indptr[:-1], directed.indptr[1:], run)


def join(targets: IntArray, strengths: DoubleArray, firsts: np.ndarray, lasts: np.ndarray, run: Run) -> Graph:
    """The union of both directions of edges, given by rows: those of point i are the entries firsts[i] to lasts[i].

    Edges are counted, and then each is written to its place.
    """
    n_rows = len(firsts)
    joined = np.zeros(len(strengths), np.float32)
    run.over_rows(n_rows, lambda start, stop: join_directions(targets, strengths, firsts, lasts, start, stop, joined))
    indptr = np.zeros(n_rows + 1, np.int64)
    count_edges(targets, joined, firsts, lasts, indptr[1:])
    np.cumsum(indptr, out=indptr)
    indices, weights, ends = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32), indptr[:-1].copy()
    fill_backward(targets, joined, firsts, lasts, ends, indices, weights)
    run.over_rows(
        n_rows,
        lambda start, stop: fill_forward(targets, joined, firsts, lasts, indptr, ends, start, stop, indices, weights),
    )
    return Graph(sorted_csr(weights, indices, edge_numbers(indptr)))


def warn_of_unconnected(graph: Graph, metric: Any) -> None:
    """Warn of rows without any edge."""
    n_rows, n_unconnected = len(graph.is_connected), int((~graph.is_connected).sum())
    if n_unconnected:
        warn(
            f"{n_unconnected} of {n_rows} rows have no neighbours: they are as far from all others as "
            f"metric={metric!r} can tell, or neighbours were missing; they have no importance and no arrows, and a "
            "fit places them on a ring around the map"
        )


def weights_of_neighbors(graph: Graph, neighbors: IntArray, run: Run) -> FloatArray:
    """P_ij for every neighbour j of every point i."""
    found = np.empty(neighbors.shape, np.float32)
    matrix = graph.weights
    run.over_rows(
        len(neighbors),
        lambda start, stop: edge_weights(matrix.indptr, matrix.indices, matrix.data, neighbors, start, stop, found),
    )
    return found
