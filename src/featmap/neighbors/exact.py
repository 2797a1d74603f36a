"""Exact search: all pairs, ranked by distances in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sparse import Matrix, SparseRows, dense_rows
from ..kernels.search import rank_candidates
from ..run import Run
from ..values import FloatArray, IntArray
from .copies import n_earlier_copies
from .search import QUERIES_PER_BLOCK, Found

ROWS_PER_BLOCK = 1024  # that queries are compared with
BYTES_OF_CANDIDATES = 2**26  # where they have to be made dense


@dataclass(frozen=True)
class ExactSearch:
    """All pairs by matrix products, whose rounding error is bounded. What the bound cannot rule out is ranked."""

    matrix: Matrix

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        rows = self._rows_that_count(k)
        norms = self._norms[rows]

        def body(start: int, stop: int) -> Found:
            block = dense_rows(queries, slice(start, stop))
            offsets, candidates = self._candidates(block, rows, norms, k)
            return rank(block, self.matrix, offsets, rows[candidates], k)

        indices, squared = run.by_blocks_with_progress(queries.shape[0], body, QUERIES_PER_BLOCK)
        return indices, np.sqrt(squared)

    def _rows_that_count(self, k: int) -> IntArray:
        """All rows but those that have k earlier copies, which are never among the k nearest."""
        return np.flatnonzero(self._n_earlier_copies < k).astype(np.int32)

    @cached_property
    def _n_earlier_copies(self) -> np.ndarray:
        return n_earlier_copies(self.matrix, np.arange(self.matrix.shape[0]))

    @cached_property
    def _norms(self) -> FloatArray:
        return np.concatenate(
            [_squared_norms(dense_rows(self.matrix, rows)) for rows in _blocks(self.matrix.shape[0])]
        )

    def _candidates(
        self, queries: FloatArray, rows: IntArray, norms: FloatArray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Every row that could be among the k nearest, given the rounding of float32 products of n terms."""
        products = np.empty((len(queries), len(rows)), np.float32)
        for block in _blocks(len(rows)):
            # Usually all rows count, and a slice makes no copy of them.
            compared = block if len(rows) == self.matrix.shape[0] else rows[block]
            products[:, block] = queries @ dense_rows(self.matrix, compared).T
        sizes = _squared_norms(queries)[:, None] + norms
        error = np.float32((queries.shape[1] + 8) * np.finfo(np.float32).eps)
        estimate = sizes - 2 * products
        highest = np.partition(estimate + error * sizes, k - 1, axis=1)[:, k - 1 : k]
        query, candidates = np.nonzero(estimate - error * sizes <= highest)
        offsets = np.searchsorted(query, np.arange(len(queries) + 1))
        return offsets, candidates


def rank(queries: FloatArray, matrix: Matrix, offsets: np.ndarray, candidates: IntArray, k: int) -> Found:
    """The k nearest of each query's candidates: indices and squared distances. Index −1 where there are fewer."""
    indices, squared = np.full((len(queries), k), -1, np.int32), np.empty((len(queries), k))
    if not isinstance(matrix, SparseRows):
        rank_candidates(queries, matrix, candidates, candidates, offsets, indices, squared)
        return indices, squared
    # Only as many rows are made dense at a time as there is memory for.
    rows = np.unique(candidates[candidates >= 0])
    at_once = max(1, BYTES_OF_CANDIDATES // (4 * matrix.shape[1]))
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        positions = np.searchsorted(part, candidates).astype(np.int32)
        positions[(positions == len(part)) | (part[np.minimum(positions, len(part) - 1)] != candidates)] = -1
        rank_candidates(queries, matrix[part].toarray(), positions, candidates, offsets, indices, squared)
    return indices, squared


def _blocks(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_PER_BLOCK) for start in range(0, n_rows, ROWS_PER_BLOCK))


def _squared_norms(rows: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->i", rows, rows)
