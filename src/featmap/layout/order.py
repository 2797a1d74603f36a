"""The order of the points in the layout, which keeps neighbours near each other in memory.

An epoch reads the positions of all neighbours of all points. With a million points in random order nearly every read
misses the cache, and an epoch takes several times as long.
"""

from __future__ import annotations

import numpy as np

from ..kernels.coarse import sort_by_groups
from ..values import FloatArray, IntArray, Order

CELLS = 12  # bits along each axis


def order_along_map(embedding: FloatArray) -> Order:
    """The order along the Morton curve through the plane (interleaved bits), which stays long in one region."""
    code = np.zeros(len(embedding), np.uint32)
    plane = embedding[:, :2].astype(np.float64)
    width = np.ptp(plane, axis=0)
    cells = ((plane - plane.min(axis=0)) / np.where(width > 0, width, 1.0) * (2**CELLS - 1)).astype(np.uint32)
    for bit in range(CELLS):
        for axis in range(plane.shape[1]):
            code |= ((cells[:, axis] >> np.uint32(bit)) & np.uint32(1)) << np.uint32(2 * bit + axis)
    return Order.of(np.argsort(code, kind="stable").astype(np.int32))


def order_by_groups(groups: IntArray, order: Order) -> Order:
    """The order of points in which those of a group are side by side, and groups are in an order of their own."""
    return Order.of(members_of(order.positions[groups], len(order))[1])


def members_of(groups: IntArray, n_groups: int) -> tuple[np.ndarray, IntArray]:
    """The points of each group, one after another and in rising order, and where those of each group begin."""
    firsts = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.bincount(groups, minlength=n_groups), out=firsts[1:])
    members = np.empty(len(groups), np.int32)
    sort_by_groups(groups, firsts[:-1].copy(), members)
    return firsts, members
