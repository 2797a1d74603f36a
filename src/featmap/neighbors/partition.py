"""The rows of some lists: they propose candidates, and rank those that are theirs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sparse import Matrix, SparseRows
from ..kernels.search import rank_candidates
from ..run import Run
from ..values import FloatArray, IntArray
from .copies import n_earlier_copies, possible_copies
from .exact import exact_neighbors, squared_sizes
from .lists import Lists
from .search import Found

COPIES_KEPT = 1000  # of equal rows; 15,000 in one list took seconds
BYTES_OF_CANDIDATES = 2**26  # where they have to be made dense


@dataclass(frozen=True)
class Partition:
    """Rows with the numbers that they have among all, and their lists. Lists of other partitions are empty.

    Equal rows have one home. So they are in one partition, and those that have enough copies before them are left out
    of its list.
    """

    matrix: Matrix
    lists: Lists
    numbers: IntArray | None = None  # of the rows, rising; None if they are numbered from 0

    @classmethod
    def fill(
        cls,
        matrix: Matrix,
        coordinates: FloatArray,
        homes: IntArray,
        n_lists: int,
        run: Run,
        numbers: IntArray | None = None,
    ) -> Partition:
        """Put every row into its list."""
        kept = _rows_that_count(matrix, coordinates)
        if len(kept) < len(coordinates):
            coordinates, homes = coordinates[kept], homes[kept]
        members = kept if numbers is None else numbers[kept]
        return cls(matrix, Lists.fill(coordinates, members, homes, n_lists, run), numbers)

    @property
    def has_all_rows(self) -> bool:
        """Whether no copies were left out."""
        return self.lists.n_members == self.matrix.shape[0]

    def candidates(self, points: FloatArray, lists: IntArray, n_wanted: int) -> Found:
        """The nearest members of the lists of each query, by float32 squared distances of coordinates."""
        return self.lists.nearest(points, lists, n_wanted)

    def rank(self, queries: FloatArray, candidates: IntArray, k: int) -> Found:
        """The k nearest of those candidates of each query that are in this partition, with squared distances."""
        indices, squared = np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), np.inf)
        numbers, of_query = _by_row(candidates)
        positions = self._positions(numbers)
        is_here = positions >= 0
        pairs = of_query[is_here], positions[is_here], numbers[is_here]
        if isinstance(self.matrix, SparseRows):
            self._rank_sparse(queries, *pairs, indices, squared)
        else:
            rank_candidates(queries, self.matrix, *pairs, indices, squared)
        return indices, squared

    def _rank_sparse(
        self,
        queries: FloatArray,
        of_query: IntArray,
        positions: IntArray,
        numbers: IntArray,
        indices: IntArray,
        squared: np.ndarray,
    ) -> None:
        """Only as many rows are made dense at a time as there is memory for."""
        rows, places = np.unique(positions, return_inverse=True)
        at_once = max(1, BYTES_OF_CANDIDATES // (4 * self.matrix.shape[1]))
        for start in range(0, len(rows), at_once):
            part = slice(*np.searchsorted(places, [start, start + at_once]))
            dense = self.matrix[rows[start : start + at_once]].toarray()
            local = (places[part] - start).astype(np.int32)
            rank_candidates(queries, dense, of_query[part], local, numbers[part], indices, squared)

    def rows(self, numbers: IntArray) -> Matrix:
        """The rows of these numbers, which must be in this partition."""
        return self.matrix[self._positions(numbers)]

    def exact(self, queries: FloatArray, k: int) -> Found:
        """The k nearest of all rows that the lists hold, with squared distances."""
        places, squared = exact_neighbors(queries, self.matrix, self._held, self._sizes, k)
        if self.numbers is None:
            return places, squared
        return np.where(places >= 0, self.numbers[places], np.int32(-1)), squared

    @cached_property
    def _held(self) -> IntArray:
        """The places of the rows that the lists hold."""
        return np.sort(self._positions(self.lists.members[self.lists.members >= 0]))

    @cached_property
    def _sizes(self) -> FloatArray:
        return squared_sizes(self.matrix)

    def _positions(self, numbers: IntArray) -> IntArray:
        """Where the rows of these numbers are; −1 for those of other partitions."""
        return numbers if self.numbers is None else _places(self.numbers, numbers)


def _by_row(candidates: IntArray) -> tuple[IntArray, IntArray]:
    """Candidates of all queries in the order of their numbers, and the query of each.

    A row that is a candidate of many queries is then compared with all of them while it is in the cache.
    """
    pairs = (candidates.astype(np.int64) << 32) + np.arange(len(candidates))[:, None]
    pairs = np.sort(pairs, axis=None)
    return (pairs >> 32).astype(np.int32), pairs.astype(np.int32)


def _places(sorted_values: IntArray, values: IntArray) -> IntArray:
    """The place of each value among the sorted ones, −1 if it is none of them."""
    places = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1).astype(np.int32)
    return np.where(sorted_values[places] == values, places, np.int32(-1))


def _rows_that_count(matrix: Matrix, coordinates: FloatArray) -> IntArray:
    """All rows but those that have COPIES_KEPT earlier copies."""
    counts = np.ones(len(coordinates), bool)
    suspects = possible_copies(coordinates, COPIES_KEPT)
    counts[suspects] = n_earlier_copies(matrix, suspects) < COPIES_KEPT
    return np.flatnonzero(counts).astype(np.int32)
