"""Search of lists: the few lists nearest to a query propose candidates, exact distances decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.sparse import Matrix, SparseRows, dense_rows
from ..kernels.search import rank_candidates
from ..run import SERIAL, Run
from ..values import FloatArray, IntArray, SearchReport
from .exact import ExactSearch, exact_neighbors, n_earlier_copies, possible_copies, squared_sizes_of
from .lists import Lists
from .quantizer import Quantizer, coordinates_along
from .search import QUERIES_PER_BLOCK, Found

SPARE_CANDIDATES = 8  # beyond k, where only the rounding of float32 can bring candidates out of order
COPIES_KEPT = 1000  # equal rows in a list; 15,000 in one list took seconds
BYTES_OF_CANDIDATES = 2**26  # sparse candidates that are made dense at a time


@dataclass(frozen=True)
class Width:
    """The width of a search: how much it looks at."""

    n_probes: int  # lists that a query looks into
    candidates_per_neighbor: float  # ranked candidates, where coordinates do not give the whole distance

    def n_lists(self, quantizer: Quantizer) -> int:
        """How many lists a query looks into."""
        return min(self.n_probes, quantizer.n_lists)

    def n_candidates(self, quantizer: Quantizer, k: int) -> int:
        """How many candidates are ranked to find the k nearest rows."""
        return (
            int(np.ceil(self.candidates_per_neighbor * (k + 1))) if quantizer.has_remainder else k + SPARE_CANDIDATES
        )


class OverLists:
    """Base of all searches of lists, on one machine or on a cluster."""

    quantizer: Quantizer
    width: Width
    recall: float  # the part of the neighbours that it finds

    @property
    def report(self) -> SearchReport:
        """How it is searched, in words, and how much is found."""
        way = f"{self.width.n_lists(self.quantizer)} of {self.quantizer.n_lists} lists along "
        way += f"{self.quantizer.directions.shape[1]} coordinates"
        if self.quantizer.has_remainder:
            way += f", {self.width.candidates_per_neighbor:.3g} candidates for each neighbour"
        return SearchReport(self.recall, way)


@dataclass(frozen=True)
class ListSearch(OverLists):
    """Searches the lists of one partition, which has all rows."""

    quantizer: Quantizer
    partition: Partition
    width: Width
    recall: float = float("nan")

    def unfilled(self) -> UnfilledSearch:
        """This search without the coordinates in its lists."""
        lists = self.partition.lists
        return UnfilledSearch(self.quantizer, lists.first_blocks, lists.members, self.width, self.recall)

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        matrix = self.partition.matrix
        if k > COPIES_KEPT and not self.partition.has_all_rows:
            return ExactSearch(matrix).nearest(queries, k, run)  # the lists have too few of the equal rows
        order, coordinates = self._in_order_of_lists(queries, run)
        n_candidates = self.width.n_candidates(self.quantizer, k)

        def body(start: int, stop: int) -> Found:
            points = self.quantizer.as_queries(coordinates(start, stop))
            lists = self.quantizer.lists_near(points, self.width.n_lists(self.quantizer))
            rows = dense_rows(queries, order[start:stop])
            candidates, _ = self.partition.lists.nearest(points, lists, n_candidates)
            indices, squared = self.partition.rank(rows, candidates, k)
            return indices, np.sqrt(squared)

        indices, distances = run.by_blocks(len(order), body, QUERIES_PER_BLOCK, order, with_progress=True)
        short = np.flatnonzero((indices < 0).any(axis=1))  # the lists held fewer than k rows
        if len(short):
            indices[short], distances[short] = ExactSearch(matrix).nearest(queries[short], k, run)
        return indices, distances

    def _in_order_of_lists(self, queries: Matrix, run: Run) -> tuple[np.ndarray, Callable[[int, int], FloatArray]]:
        """An order in which queries look into much the same lists, and the coordinates of queries in this order."""
        if queries is self.partition.matrix and self.partition.has_all_rows:
            lists, places = self.partition.lists, self.partition.lists.places
            return lists.members.ravel()[places], lambda start, stop: lists.points_at(places[start:stop])
        coordinates = coordinates_along(self.quantizer.directions, queries, run)
        order = np.argsort(self.quantizer.homes(coordinates, run), kind="stable")
        return order, lambda start, stop: coordinates[order[start:stop]]


@dataclass(frozen=True)
class UnfilledSearch(OverLists):
    """A search whose lists have given up their coordinates. With the rows, they can be computed again."""

    quantizer: Quantizer
    first_blocks: np.ndarray  # of `Lists`
    members: IntArray
    width: Width
    recall: float

    def filled(self, matrix: Matrix, run: Run) -> ListSearch:
        directions = self.quantizer.directions

        def points(rows: IntArray) -> FloatArray:
            return coordinates_along(directions, matrix[rows], SERIAL)

        lists = Lists.refilled(self.first_blocks, self.members, points, directions.shape[1], run)
        return ListSearch(self.quantizer, Partition(matrix, lists), self.width, self.recall)


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
        """Put every row into its list, but for those that have COPIES_KEPT earlier copies."""
        counts = np.ones(len(coordinates), bool)
        suspects = possible_copies(coordinates, COPIES_KEPT)
        counts[suspects] = n_earlier_copies(matrix, suspects) < COPIES_KEPT
        kept = np.flatnonzero(counts).astype(np.int32)
        if len(kept) < len(coordinates):
            coordinates, homes = coordinates[kept], homes[kept]
        members = kept if numbers is None else numbers[kept]
        return cls(matrix, Lists.fill(coordinates, members, homes, n_lists, run), numbers)

    @property
    def has_all_rows(self) -> bool:
        """Whether no copies were left out."""
        return self.lists.n_members == self.matrix.shape[0]

    def rank(self, queries: FloatArray, candidates: IntArray, k: int) -> Found:
        """The k nearest of those candidates of each query that are in this partition, with squared distances."""
        indices, squared = np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), np.inf)
        # By rows: one that is a candidate of many queries is compared with all of them while it is in the cache.
        packed = (candidates.astype(np.int64) << 32) + np.arange(len(candidates))[:, None]
        packed = np.sort(packed, axis=None)
        numbers, of_query = (packed >> 32).astype(np.int32), packed.astype(np.int32)
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
        return squared_sizes_of(self.matrix)

    def _positions(self, numbers: IntArray) -> IntArray:
        """Where the rows of these numbers are; −1 for those of other partitions."""
        if self.numbers is None:
            return numbers
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1).astype(np.int32)
        return np.where(self.numbers[places] == numbers, places, np.int32(-1))
