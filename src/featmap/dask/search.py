"""Neighbours of all rows, which are shuffled once to partitions, each with the rows of some lists.

Queries are sent to the partitions whose lists they search, rows are not. A visit returns the best candidates of a
partition by the distances of their coordinates, and their exact distances. The best candidates of all partitions are
those that one partition with all rows would have chosen, and (distance, index) is a total order. So the neighbours
are those of a search on one machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from dask.delayed import Delayed, delayed

from ..data.sparse import Matrix, dense_rows
from ..neighbors.list_search import OverLists, Partition, Width
from ..neighbors.quantizer import Quantizer, coordinates_along, make_quantizer
from ..neighbors.search import EXACT, QUERIES_PER_BLOCK, Found, among, merged, nearest_first
from ..run import Run
from ..values import FloatArray, IntArray, SearchReport
from .blocks import Blocks, joined, n_bytes_of_row
from .cluster import each, persisted, results, sent_once

# The most bytes that a visit sends and returns. More queries are sent in several rounds.
BYTES_OF_VISIT = 2**27

FoundInPart = tuple[IntArray, IntArray, np.ndarray, int]  # numbers of rows, their nearest, distances, bytes exchanged

# The rows of a block for one partition: their numbers in rising order, the rows, and their lists.
Share = tuple[IntArray, Matrix, IntArray]


@dataclass(frozen=True)
class Workers:
    """The rows in blocks, before they are divided among partitions."""

    matrix: Blocks
    n_features: int
    n_partitions: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.n_rows, self.n_features

    def rows(self, numbers: np.ndarray) -> Matrix:
        chosen, places = np.unique(numbers, return_inverse=True)
        return self.matrix.rows(chosen)[places]

    def in_lists(self, n_coordinates: int, run: Run) -> Partitions:
        quantizer = make_quantizer(self.matrix.n_rows, self.rows, n_coordinates, run)
        return shuffled(self.matrix, quantizer, self.n_partitions)


@dataclass(frozen=True)
class Partitions:
    """All rows, in partitions of lists. Lists that are close to each other share a partition as far as possible."""

    quantizer: Quantizer
    owners: IntArray  # (lists,) the partition of each list, rising
    parts: Sequence[Delayed]  # of `Partition`

    def nearest(self, queries: Matrix, k: int) -> Found:
        """Compare a few queries with all rows; return indices and distances of the k nearest."""
        indices, squared = merged(list(results(each(self.parts, _exact, sent_once(queries), k))), k)
        return indices, np.sqrt(squared)

    def exact(self, queries: Matrix, k: int, run: Run) -> IntArray:
        return self.nearest(queries, k)[0]

    def search(self, quantizer: Quantizer, width: Width) -> ClusterSearch:
        return ClusterSearch(quantizer, self, width)

    def all_pairs(self) -> AllPairs:
        return AllPairs(self)


def shuffled(matrix: Blocks, quantizer: Quantizer, n_partitions: int) -> Partitions:
    """Send every row to the partition that has its list."""
    sent = sent_once(quantizer)
    homes = persisted(each(matrix.tables, _homes, sent))
    sizes = sum(results(each(homes, np.bincount, None, quantizer.n_lists)))
    owners = shared_out(np.asarray(sizes), n_partitions)
    split, gather = delayed(_shares, pure=True), delayed(_partition, pure=True)
    n_owners, sent_owners = int(owners[-1]) + 1, sent_once(owners)
    shares = [
        split(table, int(start), lists, sent_owners, n_owners)
        for table, start, lists in zip(matrix.tables, matrix.starts, homes, strict=False)
    ]
    parts = [gather([share[owner] for share in shares], sent) for owner in range(n_owners)]
    return Partitions(quantizer, owners, persisted(parts))


def shared_out(sizes: np.ndarray, n_partitions: int) -> IntArray:
    """Return the partition of each list: consecutive lists with at least one row, about as many rows in each."""
    middles = np.cumsum(sizes) - sizes / 2
    owners = np.minimum((middles * n_partitions / max(sizes.sum(), 1)).astype(np.int32), n_partitions - 1)
    with_rows = np.unique(owners[sizes > 0])
    return np.minimum(np.searchsorted(with_rows, owners), len(with_rows) - 1).astype(np.int32)


def _homes(table: Matrix, quantizer: Quantizer) -> IntArray:
    with Run(None) as run:
        return quantizer.homes(coordinates_along(quantizer.directions, table, run), run)


def _shares(table: Matrix, start: int, homes: IntArray, owners: IntArray, n_partitions: int) -> list[Share]:
    """Divide the rows of a block among the partitions."""
    owner = owners[homes]
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(n_partitions + 1))
    chosen = (order[first:last] for first, last in pairwise(bounds))
    return [((start + rows).astype(np.int32), table[rows], homes[rows]) for rows in chosen]


def _partition(shares: Sequence[Share], quantizer: Quantizer) -> Partition:
    numbers, matrices, homes = zip(*(share for share in shares if len(share[0])), strict=True)
    matrix = joined(matrices)
    with Run(None) as run:
        coordinates = coordinates_along(quantizer.directions, matrix, run)
        return Partition.fill(
            matrix, coordinates, np.concatenate(homes), quantizer.n_lists, run, np.concatenate(numbers)
        )


@dataclass(frozen=True)
class ClusterSearch(OverLists):
    """Searches the lists nearest to a query, in the partitions that have them."""

    quantizer: Quantizer
    partitions: Partitions
    width: Width
    recall: float = float("nan")

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        """Return indices and distances of the k nearest rows of a few queries."""
        n_candidates = self.width.n_candidates(self.quantizer, k)
        visits = visits_of(queries, self.quantizer, self.width, self.partitions.owners)
        propose, quantizer = delayed(candidates_of, pure=True), sent_once(self.quantizer)
        asked = zip(self.partitions.parts, visits, strict=True)
        candidates = list(
            results([propose(part, visit, quantizer, n_candidates) for part, visit in asked if len(visit.queries)])
        )
        indices, squared = nearest_of(candidates, queries.shape[0], n_candidates, k)
        return _completed(indices, np.sqrt(squared), queries, self.partitions)

    def nearest_of_all(self, k: int) -> Iterator[FoundInPart]:
        """Find the k nearest rows of every row. In each round some rows of every partition are queries."""
        n_candidates = self.width.n_candidates(self.quantizer, k)
        n_rows, of_row = zip(*results(each(self.partitions.parts, _size)), strict=True)
        n_queries = queries_at_once(max(of_row), self.quantizer, self.width, n_candidates)
        quantizer, owners = sent_once(self.quantizer), sent_once(self.partitions.owners)
        find_visits, propose, join = (delayed(step, pure=True) for step in (_visits, candidates_of, _found))
        parts = self.partitions.parts
        for start in range(0, max(n_rows), n_queries):
            rows, asked = slice(start, start + n_queries), []
            for own in (own for own, n_own in enumerate(n_rows) if start < n_own):
                visits = find_visits(parts[own], rows, quantizer, self.width, owners)
                candidates = [
                    propose(part, visits[number], quantizer, n_candidates) for number, part in enumerate(parts)
                ]
                asked.append(join(parts[own], rows, own, candidates, n_candidates, k))
            for numbers, indices, squared, short, n_bytes in results(asked):
                indices, distances = _completed(indices, np.sqrt(squared), short, self.partitions)
                yield numbers, indices, distances, n_bytes


def queries_at_once(n_bytes_of_query: int, quantizer: Quantizer, width: Width, n_candidates: int) -> int:
    """Return how many queries of a partition make a round, by the sizes of a `Visit` and of its `Candidates`."""
    there = n_bytes_of_query + 4 * (1 + width.n_lists(quantizer))
    points = 4 * quantizer.directions.shape[1] if quantizer.has_remainder else 0
    back = n_candidates * (4 + 4 + 4 + 8)  # numbers and float32 distances, numbers and float64 distances
    return max(QUERIES_PER_BLOCK, BYTES_OF_VISIT // (there + points + back))


@dataclass(frozen=True)
class AllPairs:
    """Compares every row with every row, partition by partition."""

    partitions: Partitions

    @property
    def report(self) -> SearchReport:
        return EXACT

    def nearest_of_all(self, k: int) -> Iterator[FoundInPart]:
        compare, join = delayed(_compared, pure=True), delayed(_nearest_of_compared, pure=True)
        parts = self.partitions.parts
        yield from results(
            [join(part, own, [compare(other, part, k) for other in parts], k) for own, part in enumerate(parts)]
        )


def _completed(indices: IntArray, distances: np.ndarray, queries: Matrix, partitions: Partitions) -> Found:
    """Complete the neighbours of queries whose lists held too few rows. ``queries`` are all, or only those."""
    short = np.flatnonzero((indices < 0).any(axis=1))
    if len(short):
        asked = queries if queries.shape[0] == len(short) else queries[short]
        indices[short], distances[short] = partitions.nearest(asked, indices.shape[1])
    return indices, distances


@dataclass(frozen=True)
class Visit:
    """The queries that search one partition."""

    queries: IntArray  # their numbers in the block that they come from
    rows: Matrix
    lists: IntArray  # to be searched, −1 for lists of other partitions
    points: FloatArray | None  # their coordinates, unless they are quickly computed from the rows

    @property
    def n_bytes(self) -> int:
        own = (self.queries, self.lists) if self.points is None else (self.queries, self.lists, self.points)
        return sum(array.nbytes for array in own) + len(self.queries) * n_bytes_of_row(self.rows)


@dataclass(frozen=True)
class Candidates:
    """The best rows of a partition for each query, by distances in float32 and by exact squared distances."""

    queries: IntArray
    proposed: Found
    ranked: Found
    n_bytes: int = 0  # of the visit and of the candidates


def visits_of(rows: Matrix, quantizer: Quantizer, width: Width, owners: IntArray) -> list[Visit]:
    """Divide queries among the partitions whose lists they search."""
    points = _points(rows, quantizer)
    blocks = range(0, len(points), QUERIES_PER_BLOCK)
    n_lists = width.n_lists(quantizer)
    near = [quantizer.lists_near(points[start : start + QUERIES_PER_BLOCK], n_lists) for start in blocks]
    lists = np.concatenate(near)
    owner = np.where(lists >= 0, owners[lists], -1)
    visits = []
    for number in range(owners[-1] + 1):
        queries = np.flatnonzero((owner == number).any(axis=1)).astype(np.int32)
        here = np.where(owner[queries] == number, lists[queries], np.int32(-1))
        visits.append(Visit(queries, rows[queries], here, points[queries] if quantizer.has_remainder else None))
    return visits


def candidates_of(part: Partition, visit: Visit, quantizer: Quantizer, n_candidates: int) -> Candidates:
    """Search the lists of one partition, in blocks of queries that search nearly the same lists."""
    points = _points(visit.rows, quantizer) if visit.points is None else visit.points
    order = np.argsort(visit.lists.max(axis=1, initial=-1), kind="stable")
    shape = (len(visit.queries), n_candidates)
    proposed = np.full(shape, -1, np.int32), np.full(shape, np.inf, np.float32)
    ranked = np.full(shape, -1, np.int32), np.full(shape, np.inf)
    for start in range(0, len(order), QUERIES_PER_BLOCK):
        here = order[start : start + QUERIES_PER_BLOCK]
        found = part.lists.nearest(points[here], visit.lists[here], n_candidates)
        exact = part.rank(dense_rows(visit.rows, here), found[0], n_candidates)
        for whole, block in zip((*proposed, *ranked), (*found, *exact), strict=True):
            whole[here] = block
    n_bytes = visit.n_bytes + sum(array.nbytes for array in (*proposed, *ranked))
    return Candidates(visit.queries, proposed, ranked, n_bytes)


def _points(rows: Matrix, quantizer: Quantizer) -> FloatArray:
    """Return the coordinates of queries."""
    with Run(None) as run:
        return quantizer.as_queries(coordinates_along(quantizer.directions, rows, run))


def nearest_of(candidates: Sequence[Candidates], n_queries: int, n_candidates: int, k: int) -> Found:
    """Return the k nearest candidates of all visits, with squared distances. Missing ones have the index −1."""
    indices, squared = np.full((n_queries, k), -1, np.int32), np.full((n_queries, k), np.inf)
    for start in range(0, n_queries, QUERIES_PER_BLOCK):
        stop = min(start + QUERIES_PER_BLOCK, n_queries)
        parts = [_of_queries(part, start, stop) for part in candidates]
        proposed, _ = merged([part.proposed for part in parts], n_candidates)
        ranked, exact = (
            np.concatenate(arrays, axis=1) for arrays in zip(*(part.ranked for part in parts), strict=True)
        )
        is_proposed = among(ranked, proposed)
        ranked, exact = np.where(is_proposed, ranked, np.int32(-1)), np.where(is_proposed, exact, np.inf)
        indices[start:stop], squared[start:stop] = nearest_first(ranked, exact, k)
    return indices, squared


def _of_queries(candidates: Candidates, start: int, stop: int) -> Candidates:
    """Return the candidates of consecutive queries, with one row for each query."""
    first, last = np.searchsorted(candidates.queries, [start, stop])
    rows = candidates.queries[first:last] - start

    def spread(values: np.ndarray, missing: float) -> np.ndarray:
        out = np.full((stop - start, values.shape[1]), missing, values.dtype)
        out[rows] = values[first:last]
        return out

    proposed, ranked = (
        (spread(found[0], -1), spread(found[1], np.inf)) for found in (candidates.proposed, candidates.ranked)
    )
    return Candidates(candidates.queries, proposed, ranked)


def _size(part: Partition) -> tuple[int, int]:
    """Return the number of rows, and the bytes of one."""
    return part.matrix.shape[0], n_bytes_of_row(part.matrix)


def _visits(part: Partition, rows: slice, quantizer: Quantizer, width: Width, owners: IntArray) -> list[Visit]:
    return visits_of(part.matrix[rows], quantizer, width, owners)


def _found(
    part: Partition, rows: slice, own: int, candidates: Sequence[Candidates], n_candidates: int, k: int
) -> tuple[IntArray, IntArray, np.ndarray, Matrix, int]:
    """Return the nearest of some rows of a partition, the rows whose lists held too few, and the bytes exchanged."""
    assert part.numbers is not None
    numbers = part.numbers[rows]
    indices, squared = nearest_of(candidates, len(numbers), n_candidates, k)
    short = np.flatnonzero((indices < 0).any(axis=1))
    exchanged = sum(found.n_bytes for number, found in enumerate(candidates) if number != own)
    return numbers, indices, squared, part.matrix[rows.start + short], exchanged


def _exact(part: Partition, queries: Matrix, k: int) -> Found:
    blocks = range(0, queries.shape[0], QUERIES_PER_BLOCK)
    found = [part.exact(dense_rows(queries, slice(start, start + QUERIES_PER_BLOCK)), k) for start in blocks]
    indices, squared = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return indices, squared


def _compared(other: Partition, part: Partition, k: int) -> Found:
    return _exact(other, part.matrix, k)


def _nearest_of_compared(part: Partition, own: int, found: Sequence[Found], k: int) -> FoundInPart:
    """Return the nearest of a partition's rows, and the bytes exchanged: its rows are sent to every other one."""
    indices, squared = merged(found, k)
    assert part.numbers is not None
    there = len(part.numbers) * n_bytes_of_row(part.matrix)
    from_others = [pair for number, pair in enumerate(found) if number != own]
    exchanged = sum(there + sum(array.nbytes for array in pair) for pair in from_others)
    return part.numbers, indices, np.sqrt(squared), exchanged
