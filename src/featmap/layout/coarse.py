"""A coarse graph, made from the graph alone: its points are groups of points, and its edges sum those between them.

A map of the groups takes a fraction of the time, and a few sweeps of averaging spread it over all points. In
`levels` groups are joined again, until they are few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..kernels.coarse import choose_centers, join_centers
from ..run import Run
from ..values import FloatArray, Graph, IntArray
from .start import NOISE, averaged

GROUPS_AT_ONCE = 1024  # whose edges a thread sums
SPREADING_SWEEPS = 4
# A map of all points is larger than one of their groups by about this factor (docs/start.md).
GROWTH = 1.2


@dataclass(frozen=True, repr=False)
class CoarseGraph:
    """Groups of the points of a graph, each around one of them, and the graph of the groups."""

    centers: IntArray  # (groups,) the points at the centres
    groups: IntArray  # (m,) the group of each point
    graph: Graph  # sums of the weights between groups, relative to the largest sum

    def __repr__(self) -> str:
        return f"CoarseGraph({len(self.centers)} groups of {len(self.groups)} points)"


def coarsen(graph: Graph, seed: int, run: Run) -> CoarseGraph:
    """Join the points around centres that have no edges between them. Every other point has an edge to a centre.

    The layout does not depend on the size of weights, since Adam does not, so any scale of them will do.
    """
    weights = graph.weights
    n_points = weights.shape[0]
    is_center = np.zeros(n_points, bool)
    choose_centers(weights.indptr, weights.indices, np.random.default_rng([seed, 2]).permutation(n_points), is_center)
    centers = np.flatnonzero(is_center).astype(np.int32)
    numbers, groups = np.full(n_points, -1, np.int32), np.empty(n_points, np.int32)
    numbers[centers] = np.arange(len(centers))

    def task(start: int, stop: int) -> None:
        join_centers(weights.indptr, weights.indices, weights.data, numbers, start, stop, groups)

    run.over_rows(n_points, task)
    return CoarseGraph(centers, groups, between_groups(graph, groups, len(centers), run))


def between_groups(graph: Graph, groups: IntArray, n_groups: int, run: Run) -> Graph:
    """W_ab = Σ P_ij over the points i of a and j of b, divided by the largest; 0 within a group."""
    ones, rows = np.ones(len(groups), np.float32), np.arange(len(groups) + 1)
    belongs = sp.csr_matrix((ones, groups, rows), (len(groups), n_groups))
    members, sums = belongs.T.tocsr(), {}

    def task(start: int, stop: int) -> None:
        to_points = members[start:stop] @ graph.weights
        to_points.sort_indices()  # sums over points are in their order
        sums[start] = to_points @ belongs

    run.over_rows(n_groups, task, GROUPS_AT_ONCE)
    return symmetric(sp.vstack([part for _, part in sorted(sums.items())], "coo"))


def symmetric(sums: sp.coo_matrix) -> Graph:
    """Sums between groups without those within groups, relative to the largest."""
    apart = sums.row != sums.col
    between = sp.csr_matrix((sums.data[apart], (sums.row[apart], sums.col[apart])), sums.shape)
    # W_ab and W_ba are summed in another order. Their sum is the same for both, and twice as large as either.
    between = (between + between.T).astype(np.float32).tocsr()
    between.sort_indices()
    between.data /= between.data.max(initial=np.float32(1e-30))
    return Graph(between)


def spread(embedding: FloatArray, coarse: CoarseGraph, graph: Graph, seed: int, run: Run) -> FloatArray:
    """A map of all points from one of their groups, grown, plus a little noise.

    Each point begins where its group is, and moves a few times to the mean of its neighbours.
    """
    points = embedding.astype(np.float64)[coarse.groups]
    for _ in range(SPREADING_SWEEPS):
        points = averaged(points, graph, run)
    noise = np.random.default_rng([seed, 3]).normal(0, NOISE, points.shape)
    return (GROWTH * points + noise).astype(np.float32)
