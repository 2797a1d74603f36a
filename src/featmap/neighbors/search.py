"""What every search does: find the k nearest training rows of queries."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..data.sparse import Matrix
from ..run import Run
from ..values import IntArray, Neighbors

Found = tuple[IntArray, np.ndarray]

QUERIES_PER_BLOCK = 256


class Search(Protocol):
    """Finds the k nearest training rows of queries: indices and distances, sorted, ties by index."""

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found: ...


def without_self(indices: IntArray, distances: np.ndarray, k: int) -> Neighbors:
    """Drop each row's own index, or its last entry where duplicates have crowded it out."""
    is_self = indices == np.arange(len(indices), dtype=indices.dtype)[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(indices), indices.shape[1] - 1)
    others, lengths = indices[~is_self].reshape(shape), distances[~is_self].reshape(shape)
    return Neighbors(others[:, :k].astype(np.int32), lengths[:, :k].astype(np.float32))
