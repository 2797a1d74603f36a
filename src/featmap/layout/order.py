"""The order in which the layout keeps its points: neighbours near each other in memory.

An epoch reads the places of all neighbours of all points. At a million points in any order nearly every one of these
reads misses the cache, and takes several times as long.
"""

from __future__ import annotations

import numpy as np

from ..values import FloatArray, IntArray

CELLS = 12  # bits along each axis


def order_along_map(coordinates: FloatArray) -> IntArray:
    """The points along a curve through the plane that stays long in one region (Morton's, by interleaved bits)."""
    code = np.zeros(len(coordinates), np.uint32)
    plane = coordinates[:, :2].astype(np.float64)
    width = np.ptp(plane, axis=0)
    cells = ((plane - plane.min(axis=0)) / np.where(width > 0, width, 1.0) * (2**CELLS - 1)).astype(np.uint32)
    for bit in range(CELLS):
        for axis in range(plane.shape[1]):
            code |= ((cells[:, axis] >> np.uint32(bit)) & np.uint32(1)) << np.uint32(2 * bit + axis)
    return np.argsort(code, kind="stable").astype(np.int32)
