"""What all searches share: the protocol, and merging and sorting of what they find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..data.sparse import Matrix
from ..kernels.search import smallest_of_each_row
from ..run import Run
from ..run.threads import BLOCK
from ..values import FloatArray, IntArray, Neighbors, SearchReport

# Indices, sorted by (distance, index), and distances or their squares. Index −1 at infinity where there are too few.
Found = tuple[IntArray, np.ndarray]

QUERIES_PER_BLOCK = 512
ROWS_FOR_DIRECTIONS = 4000  # of the sample that coordinates are found from
EXACT = SearchReport(1.0, "exact")


class Search(Protocol):
    """Finds the k nearest training rows of queries: indices and distances, sorted, ties by index."""

    @property
    def report(self) -> SearchReport | None:
        """How it searches, and its recall. None before that is known."""

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found: ...


def squared_sizes(rows: FloatArray) -> FloatArray:
    """The squared size of every row, in float32."""
    return np.einsum("ij,ij->i", rows, rows)


def smallest(distances: np.ndarray, k: int) -> Found:
    """The k smallest of each row of distances to all rows of the data, by (distance, index)."""
    indices, lengths = np.empty((len(distances), k), np.int32), np.empty((len(distances), k))
    smallest_of_each_row(distances, indices, lengths)
    return indices, lengths


def merged(parts: Sequence[Found], k: int) -> Found:
    """The k nearest of what several parts of the data found, by (distance, index): a total order."""
    if len(parts) == 1:
        return parts[0][0][:, :k], parts[0][1][:, :k]  # it is in order already
    indices, distances = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
    return nearest_first(indices, distances, k)


def nearest_first(indices: IntArray, distances: np.ndarray, k: int) -> Found:
    """The k nearest of each row, by (distance, index)."""
    order = np.lexsort((indices, distances), axis=1)[:, :k]
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(distances, order, axis=1)


def among(indices: IntArray, others: IntArray) -> np.ndarray:
    """Which indices of each row are among the others of that row. Comparing all pairs would take much memory."""
    rows = np.arange(len(indices), dtype=np.int64)[:, None] << 32
    return np.isin(rows + indices, rows + others)


def without_self(indices: IntArray, distances: np.ndarray, k: int, numbers: IntArray | None = None) -> Neighbors:
    """Drop each row's own number, or its last entry where duplicates have crowded it out. Rows count from 0."""
    n_rows, k = len(indices), min(k, indices.shape[1] - 1)
    own = np.arange(n_rows, dtype=indices.dtype) if numbers is None else numbers
    others, lengths = np.empty((n_rows, k), np.int32), np.empty((n_rows, k), np.float32)
    for start in range(0, n_rows, BLOCK):  # copies of all would take more memory than what they are made of
        here = slice(start, start + BLOCK)
        is_other = indices[here] != own[here, None]
        is_other[is_other.all(axis=1), -1] = False
        for values, kept in ((indices, others), (distances, lengths)):
            kept[here] = values[here][is_other].reshape(len(is_other), -1)[:, :k]
    return Neighbors(others, lengths)
