"""Exact search: products of matrices propose rows, and distances in float64 rank them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from ..data.sparse import Matrix, dense_rows
from ..kernels.search import propose_candidates, rank_candidates
from ..run import Run
from ..values import FloatArray, IntArray, SearchReport
from .bounds import Bounds, worth_trying
from .search import EXACT, QUERIES_PER_BLOCK, Found, squared_sizes

ROWS_PER_BLOCK = 1024  # that queries are compared with
ROWS_DIGESTED_AT_ONCE = 256


@dataclass(frozen=True)
class ExactSearch:
    """All pairs, or those that lower bounds of their distances leave. Both find the same."""

    matrix: Matrix

    @property
    def report(self) -> SearchReport:
        return EXACT

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        # A row that has k earlier copies is never among the k nearest.
        rows = np.flatnonzero(self._n_earlier_copies < k).astype(np.int32)
        bounds = None if self._bounds is None else self._bounds.among(rows)

        def body(start: int, stop: int) -> Found:
            block = dense_rows(queries, slice(start, stop))
            if bounds is not None:
                return bounds.search(block, k)[0]
            return exact_neighbors(block, self.matrix, rows, self._sizes, k)

        indices, squared = run.by_blocks(queries.shape[0], body, QUERIES_PER_BLOCK, with_progress=True)
        return indices, np.sqrt(squared)

    @cached_property
    def _n_earlier_copies(self) -> np.ndarray:
        return n_earlier_copies(self.matrix, np.arange(self.matrix.shape[0]))

    @cached_property
    def _bounds(self) -> Bounds | None:
        """Bounds of distances, if they take less time than the distances."""
        if not isinstance(self.matrix, np.ndarray) or not worth_trying(*self.matrix.shape):
            return None
        bounds = Bounds.of(self.matrix)
        return bounds if bounds.rule_out_most() else None

    @cached_property
    def _sizes(self) -> FloatArray:
        return squared_sizes_of(self.matrix)


def exact_neighbors(queries: FloatArray, matrix: Matrix, rows: IntArray, sizes: FloatArray, k: int) -> Found:
    """The k nearest among some rows of the matrix, by index: indices and squared distances.

    Matrix products propose every row that their rounding does not rule out, and exact distances decide. ``sizes``
    are the squared sizes of all rows.
    """
    n_queries = len(queries)
    indices, squared = np.full((n_queries, k), -1, np.int32), np.full((n_queries, k), np.inf)
    bounds = np.full((n_queries, k), np.inf, np.float32)
    own_sizes = squared_sizes(queries)
    of_query, positions = (np.empty(n_queries * ROWS_PER_BLOCK, np.int32) for _ in range(2))
    error = np.float32((queries.shape[1] + 8) * np.finfo(np.float32).eps)  # of a sum of so many float32 products
    for block in _blocks(len(rows)):
        # Usually all rows count, and a slice makes no copy of them.
        chosen = block if len(rows) == matrix.shape[0] else rows[block]
        compared = dense_rows(matrix, chosen)
        n_proposed = propose_candidates(
            queries @ compared.T, own_sizes, sizes[chosen], error, bounds, of_query, positions
        )
        owners, proposed = of_query[:n_proposed], positions[:n_proposed]
        rank_candidates(queries, compared, owners, proposed, rows[block][proposed], indices, squared)
    return indices, squared


def squared_sizes_of(matrix: Matrix) -> FloatArray:
    """`squared_sizes` of a matrix that may be sparse."""
    return np.concatenate([squared_sizes(dense_rows(matrix, rows)) for rows in _blocks(matrix.shape[0])])


def _blocks(n_rows: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_PER_BLOCK) for start in range(0, n_rows, ROWS_PER_BLOCK))


def n_earlier_copies(matrix: Matrix, rows: np.ndarray) -> np.ndarray:
    """How many of the ``rows`` before each are equal to it.

    A search may leave out rows that have enough copies before them, because ties go by index. Otherwise thousands of
    equal rows would all be compared with each other.
    """
    seen: Counter[bytes] = Counter()
    earlier = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), ROWS_DIGESTED_AT_ONCE):
        for number, row in enumerate(dense_rows(matrix, rows[start : start + ROWS_DIGESTED_AT_ONCE]), start):
            digest = blake2b(np.ascontiguousarray(row), digest_size=16).digest()
            earlier[number] = seen[digest]
            seen[digest] += 1
    return earlier


def possible_copies(coordinates: FloatArray, more_than: int) -> np.ndarray:
    """Rows that share their first coordinates with so many others that they may have too many copies."""
    first_two = np.ascontiguousarray(coordinates[:, :2]).view(np.uint64).ravel()  # two of float32 as one number
    _, groups, sizes = np.unique(first_two, return_inverse=True, return_counts=True)
    return np.flatnonzero(sizes[groups] > more_than)
