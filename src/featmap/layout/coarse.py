"""A coarse graph, made from the graph alone: its points are groups of points, and its edges sum those between them.

A map of the groups takes a fraction of the time, and a few sweeps of averaging spread it over all points. In
`levels` groups are joined again, until they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..kernels.coarse import choose_centers, join_centers, sum_between_groups
from ..run import Run
from ..values import FloatArray, Graph, IntArray, edge_numbers, sorted_csr
from .order import members_of
from .start import NOISE, averaged

GROUPS_AT_ONCE = 1024  # whose edges a thread sums
SPREADING_SWEEPS = 4
# A map of all points is larger than one of their groups by about this factor (docs/start.md).
GROWTH = 1.2


@dataclass(frozen=True, repr=False)
class CoarseGraph:
    """Groups of the points of a graph, each around one of them, and the graph of the groups."""

    centers: Annotated[IntArray, "(groups,)"]  # the points at the centres
    groups: Annotated[IntArray, "(m,)"]  # the group of each point
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
    edges, (firsts, members) = graph.weights, members_of(groups, n_groups)
    degrees, found = np.diff(edges.indptr), {}

    def task(start: int, stop: int) -> None:
        most = int(degrees[members[firsts[start] : firsts[stop]]].sum())
        counts, columns = np.empty(stop - start, np.int64), np.empty(most, np.int32)
        sums, places = np.empty(most, np.int64), np.full(n_groups, -1, np.int32)
        known = (edges.indptr, edges.indices, edges.data, groups, firsts, members, start, stop)
        n = sum_between_groups(*known, places, counts, columns, sums)
        found[start] = counts, columns[:n].copy(), sums[:n].copy()

    run.over_rows(n_groups, task, GROUPS_AT_ONCE)
    counts, columns, sums = zip(*(found[start] for start in sorted(found)), strict=True)
    largest = max((part.max(initial=0) for part in sums), default=0)
    indptr = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.concatenate(counts), out=indptr[1:])
    weights = np.concatenate([(part / max(largest, 1)).astype(np.float32) for part in sums])
    return Graph(sorted_csr(weights, np.concatenate(columns), edge_numbers(indptr)))


def spread(embedding: FloatArray, groups: IntArray, graph: Graph, seed: int, run: Run) -> FloatArray:
    """A map of all points from one of their groups, grown, plus a little noise.

    Each point begins where its group is, and moves a few times to the mean of its neighbours.
    """
    points = embedding.astype(np.float64)[groups]
    for _ in range(SPREADING_SWEEPS):
        points = averaged(points, graph, run)
    noise = np.random.default_rng([seed, 3]).normal(0, NOISE, points.shape)
    return (GROWTH * points + noise).astype(np.float32)
