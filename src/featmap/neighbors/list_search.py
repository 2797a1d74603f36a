"""Approximate search: the few lists nearest to a query propose candidates, exact distances decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.sparse import Matrix, dense_rows
from ..run import SERIAL, Run
from ..values import FloatArray, IntArray, SearchReport
from .exact import ExactSearch
from .lists import Lists
from .partition import COPIES_KEPT, Partition
from .quantizer import Quantizer, coordinates_along
from .search import QUERIES_PER_BLOCK, Found, merged

SPARE_CANDIDATES = 8  # beyond k, where only the rounding of float32 can bring candidates out of order


@dataclass(frozen=True)
class Width:
    """How widely is searched."""

    n_probes: int  # lists that a query looks into
    candidates_per_neighbor: float  # that are ranked, where coordinates do not tell the whole distance

    def n_lists(self, quantizer: Quantizer) -> int:
        """How many lists a query looks into."""
        return min(self.n_probes, quantizer.n_lists)

    def n_candidates(self, quantizer: Quantizer, k: int) -> int:
        """How many candidates are ranked to find the k nearest rows."""
        return (
            int(np.ceil(self.candidates_per_neighbor * (k + 1))) if quantizer.has_remainder else k + SPARE_CANDIDATES
        )


class OverLists:
    """What all searches of lists have in common, wherever the rows of the lists are."""

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
        """The same without the coordinates in its lists."""
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
            indices, squared = nearest_in([self.partition], rows, points, lists, n_candidates, k)
            return indices, np.sqrt(squared)

        indices, distances = run.by_blocks_with_progress(len(order), body, QUERIES_PER_BLOCK, order)
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
    """A search whose lists have given up their coordinates, with all that these follow from but the rows."""

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


def in_lists(matrix: Matrix, quantizer: Quantizer, run: Run) -> Partition:
    """One partition with all rows in their lists."""
    coordinates = coordinates_along(quantizer.directions, matrix, run)
    return Partition.fill(matrix, coordinates, quantizer.homes(coordinates, run), quantizer.n_lists, run)


def nearest_in(
    partitions: Sequence[Partition],
    queries: FloatArray,
    points: FloatArray,
    lists: np.ndarray,
    n_candidates: int,
    k: int,
) -> Found:
    """The k nearest rows of all partitions. The same, however the rows are divided among them.

    ``points`` are the coordinates of the queries. The best candidates of all partitions are ranked, each by the
    partition that has it.
    """
    candidates, _ = merged([part.candidates(points, lists, n_candidates) for part in partitions], n_candidates)
    return merged([part.rank(queries, candidates, k) for part in partitions], k)
