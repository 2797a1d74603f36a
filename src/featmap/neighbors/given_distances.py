"""Search among distances that the user gives: a query is the row of its distances to all rows of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..checks.distances import check_distances
from ..data.sparse import Matrix, canonical
from ..errors import InvalidDataError
from ..run import Run
from ..values import Neighbors, SearchReport
from .search import QUERIES_PER_BLOCK, Found, smallest, without_self


@dataclass(frozen=True)
class DistanceSearch:
    """Queries are dense rows of distances, or sparse ones whose stored entries are the distances that are known."""

    n_rows: int

    @property
    def report(self) -> SearchReport | None:
        """None, since the recall of given distances cannot be measured."""
        return None

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        check_distances(queries)
        return _complete(*self._found(queries, k, run))

    def others(self, distances: Matrix, k: int, run: Run) -> Neighbors:
        """The k nearest others of every row of the data. Sparse distances have the row itself among them or not."""
        neighbors = without_self(*self._found(distances, k + 1, run), k)
        _complete(neighbors.indices, neighbors.distances)
        return neighbors

    def _found(self, queries: Matrix, k: int, run: Run) -> Found:
        rows = canonical(queries) if sp.issparse(queries) else queries

        def body(start: int, stop: int) -> Found:
            part = rows[start:stop]
            return _smallest_stored(part, k) if sp.issparse(part) else smallest(part.astype(np.float64), k)

        indices, distances = run.by_blocks(rows.shape[0], body, QUERIES_PER_BLOCK, with_progress=True)
        return indices, distances


def _smallest_stored(rows: sp.csr_matrix, k: int) -> Found:
    """The k smallest stored entries of each row, by (distance, index). Index −1 at infinity where there are fewer."""
    indices, distances = np.full((rows.shape[0], k), -1, np.int32), np.full((rows.shape[0], k), np.inf)
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    order = np.lexsort((rows.indices, rows.data, row))
    rank = np.arange(len(row)) - rows.indptr[row]
    places, first = (row[rank < k], rank[rank < k]), order[rank < k]
    indices[places], distances[places] = rows.indices[first], rows.data[first]
    return indices, distances


def _complete(indices: np.ndarray, distances: np.ndarray) -> Found:
    if (indices < 0).any():
        n_needed, n_fewest = indices.shape[1], int((indices >= 0).sum(axis=1).min())
        raise InvalidDataError(
            f"metric='precomputed': {n_needed} distances to others are needed in every row of X (n_neighbors minus "
            f"one), but a row of the sparse X has only {n_fewest}; store more distances, or choose a smaller "
            "n_neighbors"
        )
    return indices, distances
