"""Squared distances from some rows to all, in the data and on the map, and pairs of both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from ..features import Features, dense_rows
from ..values import DoubleArray, IntArray

# (some rows) → (rows, all points)
Distances = Callable[[IntArray], DoubleArray]


def data_distances(features: Features) -> Distances:
    """In the data, of unit size: |x|² + |x'|² − 2x·x' in float64, whose rounding the centring keeps harmless."""
    n_rows = features.shape[0]
    step = features.rows_per_block()
    blocks = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]

    def block(rows: slice) -> DoubleArray:
        return dense_rows(features.matrix, rows).astype(np.float64)

    sizes = np.concatenate([np.einsum("ij,ij->i", x, x) for x in map(block, blocks)])

    def squared(rows: IntArray) -> DoubleArray:
        doubled = -2 * features.rows(rows).astype(np.float64)
        out = np.empty((len(rows), n_rows))
        for columns in blocks:
            np.matmul(doubled, block(columns).T, out=out[:, columns])
        out += sizes
        out += sizes[rows][:, None]
        return np.maximum(out, 0, out=out)

    return squared


def map_distances(Y: DoubleArray) -> Distances:
    """On the map, by differences: a map has few coordinates."""
    return lambda rows: cdist(Y[rows], Y, "sqeuclidean")
