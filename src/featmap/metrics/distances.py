"""Squared distances from some rows to all points, in the data and on the map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.spatial.distance import cdist

from ..data.scaling import ScaledData, dense_rows
from ..values import DoubleArray, IntArray


class Distances(Protocol):
    """Computes squared distances from some rows to all points: (rows, points)."""

    def __call__(self, rows: IntArray) -> DoubleArray: ...


@dataclass(frozen=True, repr=False)
class DataDistances:
    """Distances in the scaled data: |x|² + |x'|² − 2x·x' in float64. Centring the data makes rounding harmless."""

    data: ScaledData
    sizes: DoubleArray

    @classmethod
    def within(cls, data: ScaledData) -> DataDistances:
        return cls(data, np.concatenate([np.einsum("ij,ij->i", x, x) for _, x in _blocks(data)]))

    def __call__(self, rows: IntArray) -> DoubleArray:
        doubled = -2 * self.data.rows(rows).astype(np.float64)
        squared = np.empty((len(rows), len(self.sizes)))
        for columns, block in _blocks(self.data):
            np.matmul(doubled, block.T, out=squared[:, columns])
        squared += self.sizes
        squared += self.sizes[rows][:, None]
        return np.maximum(squared, 0, out=squared)


@dataclass(frozen=True, repr=False)
class MapDistances:
    """Distances on the map, from differences, because an embedding has few columns."""

    embedding: DoubleArray

    def __call__(self, rows: IntArray) -> DoubleArray:
        return cdist(self.embedding[rows], self.embedding, "sqeuclidean")


def _blocks(data: ScaledData) -> Iterator[tuple[slice, DoubleArray]]:
    """Dense float64 copies of a few rows at a time."""
    n_rows, step = data.shape[0], data.rows_per_block()
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        yield rows, dense_rows(data.matrix, rows).astype(np.float64)
