"""The order of the points in the layout, which keeps neighbours near each other in memory.

An epoch reads the positions of all neighbours of all points. With a million points in random order nearly every read
misses the cache, and an epoch takes several times as long.
"""

from __future__ import annotations

import numpy as np

from ..values import FloatArray, Order

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
