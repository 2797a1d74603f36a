"""Weights of the rows around a point on the map: which of them belong to its neighbourhood in the data.

The nearest rows on a map may be of another group that lies beside the point. A short walk on the graph reaches the
rows that are near in the data as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernels.walk import room_for_walk, walk_visits
from ..values import DoubleArray, IntArray

if TYPE_CHECKING:
    from .points import Points

N_STEPS = 8
LEAST = 1e-4  # of the largest weight; rows below have none
FEWEST_WEIGHTED = 16  # with weight; if there are fewer, the nearest on the map count as well
NEAREST = 30
BASE = 1e-3  # what each of these nearest gets in addition


def walk_weights(points: Points, chosen: IntArray, near: IntArray) -> DoubleArray:
    """The weight of each row ``near`` the chosen points on the map, (chosen, k); the largest of a point is about 1.

    w_j = Σ_{s=1..8} p_s(j)/d_j, where p_s is the distribution of a walk after s steps from the point within the k
    rows, and d_j the weight of a row's edges there. Where the walk reaches fewer than 16 rows, the 30 nearest on the
    map get a little weight each.
    """
    weights = _visits(points, chosen, near)
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    weights = np.divide(weights, largest, out=np.zeros_like(weights), where=largest > 0)
    weights[weights < LEAST] = 0
    is_small = (weights > 0).sum(axis=1) < FEWEST_WEIGHTED
    if near.shape[1] < NEAREST:
        is_small[:] = True
    weights[is_small, :NEAREST] += BASE
    weights[is_small, NEAREST:] = 0
    return weights


def _visits(points: Points, chosen: IntArray, near: IntArray) -> DoubleArray:
    graph, links = points.mapped.manifold.graph.weights, points.links[chosen]
    near, visits = np.ascontiguousarray(near), np.empty(near.shape)
    walk_visits(
        *(graph.indptr, graph.indices, graph.data, links.indptr, links.indices, links.data),
        *(points.rows[chosen], near, N_STEPS, room_for_walk(graph.indptr, links.indptr, near), visits),
    )
    return visits
