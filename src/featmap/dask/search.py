"""Neighbours of all rows, which are shuffled once to partitions, each with the rows of some lists.

Queries travel to the partitions whose lists they look into, rows do not. A visit brings back the best candidates of a
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

# The bytes of a visit, there and back. More queries are sent in several rounds, so that no task holds more.
BYTES_OF_VISIT = 2**27

FoundInPart = tuple[IntArray, IntArray, np.ndarray, int]  # numbers of rows, their nearest, distances, bytes exchanged

# The rows of a block that go to one partition: their numbers, rising, the rows, and their lists.
Share = tuple[IntArray, Matrix, IntArray]


@dataclass(frozen=True)
class Workers:
    """The rows in blocks on the workers, before they are divided among partitions."""

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
    """All rows, in partitions of lists. Neighbouring lists are in one partition as far as possible."""

    quantizer: Quantizer
    owners: IntArray  # (lists,) the partition of each list, rising
    parts: Sequence[Delayed]  # of `Partition`

    def nearest(self, queries: Matrix, k: int) -> Found:
        """The k nearest of all rows that the lists hold, of a few queries: indices and distances."""
        indices, squared = merged(list(results(each(self.parts, _exact, queries, k))), k)
        return indices, np.sqrt(squared)

    def exact(self, queries: Matrix, k: int, run: Run) -> IntArray:
        return self.nearest(queries, k)[0]

    def search(self, quantizer: Quantizer, width: Width) -> ClusterSearch:
        return ClusterSearch(quantizer, self, width)

    def all_pairs(self) -> AllPairs:
        return AllPairs(self)


def shuffled(matrix: Blocks, quantizer: Quantizer, n_partitions: int) -> Partitions:
    """Send every row to the partition that owns its list."""
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
    """The partition of each list: consecutive lists with about the same number of rows. None is without rows."""
    middles = np.cumsum(sizes) - sizes / 2
    owners = np.minimum((middles * n_partitions / max(sizes.sum(), 1)).astype(np.int32), n_partitions - 1)
    with_rows = np.unique(owners[sizes > 0])
    return np.minimum(np.searchsorted(with_rows, owners), len(with_rows) - 1).astype(np.int32)


def _homes(table: Matrix, quantizer: Quantizer) -> IntArray:
    with Run(None) as run:
        return quantizer.homes(coordinates_along(quantizer.directions, table, run), run)


def _shares(table: Matrix, start: int, homes: IntArray, owners: IntArray, n_partitions: int) -> list[Share]:
    """The rows of a block for each partition."""
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
    """Searches the lists of all partitions."""

    quantizer: Quantizer
    partitions: Partitions
    width: Width
    recall: float = float("nan")

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        """The k nearest rows of a few queries: indices and distances."""
        n_candidates = self.width.n_candidates(self.quantizer, k)
        visits = visits_of(queries, self.quantizer, self.width, self.partitions.owners)
        answer, quantizer = delayed(answered, pure=True), sent_once(self.quantizer)
        asked = zip(self.partitions.parts, visits, strict=True)
        answers = list(
            results([answer(part, visit, quantizer, n_candidates) for part, visit in asked if len(visit.queries)])
        )
        indices, squared = nearest_of(answers, queries.shape[0], n_candidates, k)
        return _completed(indices, np.sqrt(squared), queries, self.partitions)

    def nearest_of_all(self, k: int) -> Iterator[FoundInPart]:
        """The k nearest rows of every row. In each round some rows of every partition are queries."""
        n_candidates = self.width.n_candidates(self.quantizer, k)
        n_rows, of_row = zip(*results(each(self.partitions.parts, _size)), strict=True)
        n_queries = queries_at_once(max(of_row), self.quantizer, self.width, n_candidates)
        quantizer, owners = sent_once(self.quantizer), sent_once(self.partitions.owners)
        find_visits, answer, join = (delayed(step, pure=True) for step in (_visits, answered, _found))
        parts = self.partitions.parts
        for start in range(0, max(n_rows), n_queries):
            rows, asked = slice(start, start + n_queries), []
            for own in (own for own, n_own in enumerate(n_rows) if start < n_own):
                visits = find_visits(parts[own], rows, quantizer, self.width, owners)
                answers = [answer(part, visits[number], quantizer, n_candidates) for number, part in enumerate(parts)]
                asked.append(join(parts[own], rows, own, answers, n_candidates, k))
            for numbers, indices, squared, short, n_bytes in results(asked):
                indices, distances = _completed(indices, np.sqrt(squared), short, self.partitions)
                yield numbers, indices, distances, n_bytes


def queries_at_once(n_bytes_of_query: int, quantizer: Quantizer, width: Width, n_candidates: int) -> int:
    """How many queries of a partition make a round. The size of a visit is that of `Visit` and of `Answer`."""
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
    """Found neighbours, completed for queries whose lists held too few. ``queries`` are all, or only those."""
    short = np.flatnonzero((indices < 0).any(axis=1))
    if len(short):
        asked = queries if queries.shape[0] == len(short) else queries[short]
        indices[short], distances[short] = partitions.nearest(asked, indices.shape[1])
    return indices, distances


@dataclass(frozen=True)
class Visit:
    """The queries that one partition answers."""

    queries: IntArray  # their numbers in the block that they come from
    rows: Matrix
    lists: IntArray  # what to look into, −1 for lists of other partitions
    points: FloatArray | None  # their coordinates, unless they are soon made of the rows again

    @property
    def n_bytes(self) -> int:
        own = (self.queries, self.lists) if self.points is None else (self.queries, self.lists, self.points)
        return sum(array.nbytes for array in own) + len(self.queries) * n_bytes_of_row(self.rows)


@dataclass(frozen=True)
class Answer:
    """What a visit brings back: candidates by float32, and the same by their exact squared distances."""

    queries: IntArray
    proposed: Found
    ranked: Found
    n_bytes: int = 0  # of the way there and back


def visits_of(rows: Matrix, quantizer: Quantizer, width: Width, owners: IntArray) -> list[Visit]:
    """The queries for each partition."""
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


def answered(part: Partition, visit: Visit, quantizer: Quantizer, n_candidates: int) -> Answer:
    """The candidates of one partition, in blocks of queries that look into much the same lists."""
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
    return Answer(visit.queries, proposed, ranked, n_bytes)


def _points(rows: Matrix, quantizer: Quantizer) -> FloatArray:
    """The coordinates of queries."""
    with Run(None) as run:
        return quantizer.as_queries(coordinates_along(quantizer.directions, rows, run))


def nearest_of(answers: Sequence[Answer], n_queries: int, n_candidates: int, k: int) -> Found:
    """The k nearest of the best candidates of all visits, with squared distances. Index −1 where too few are."""
    indices, squared = np.full((n_queries, k), -1, np.int32), np.full((n_queries, k), np.inf)
    for start in range(0, n_queries, QUERIES_PER_BLOCK):
        stop = min(start + QUERIES_PER_BLOCK, n_queries)
        parts = [_of_queries(answer, start, stop) for answer in answers]
        proposed, _ = merged([part.proposed for part in parts], n_candidates)
        ranked, exact = (
            np.concatenate(arrays, axis=1) for arrays in zip(*(part.ranked for part in parts), strict=True)
        )
        is_proposed = among(ranked, proposed)
        ranked, exact = np.where(is_proposed, ranked, np.int32(-1)), np.where(is_proposed, exact, np.inf)
        indices[start:stop], squared[start:stop] = nearest_first(ranked, exact, k)
    return indices, squared


def _of_queries(answer: Answer, start: int, stop: int) -> Answer:
    """The answer to the queries start:stop, with a row for each of them; empty rows have index −1."""
    first, last = np.searchsorted(answer.queries, [start, stop])
    rows = answer.queries[first:last] - start

    def spread(values: np.ndarray, missing: float) -> np.ndarray:
        out = np.full((stop - start, values.shape[1]), missing, values.dtype)
        out[rows] = values[first:last]
        return out

    proposed, ranked = (
        (spread(found[0], -1), spread(found[1], np.inf)) for found in (answer.proposed, answer.ranked)
    )
    return Answer(answer.queries, proposed, ranked)


def _size(part: Partition) -> tuple[int, int]:
    """The number of rows, and the bytes of one."""
    return part.matrix.shape[0], n_bytes_of_row(part.matrix)


def _visits(part: Partition, rows: slice, quantizer: Quantizer, width: Width, owners: IntArray) -> list[Visit]:
    return visits_of(part.matrix[rows], quantizer, width, owners)


def _found(
    part: Partition, rows: slice, own: int, answers: Sequence[Answer], n_candidates: int, k: int
) -> tuple[IntArray, IntArray, np.ndarray, Matrix, int]:
    """The nearest of some rows of a partition, the rows whose lists held too few, and the bytes exchanged."""
    assert part.numbers is not None
    numbers = part.numbers[rows]
    indices, squared = nearest_of(answers, len(numbers), n_candidates, k)
    short = np.flatnonzero((indices < 0).any(axis=1))
    exchanged = sum(answer.n_bytes for number, answer in enumerate(answers) if number != own)
    return numbers, indices, squared, part.matrix[rows.start + short], exchanged


def _exact(part: Partition, queries: Matrix, k: int) -> Found:
    blocks = range(0, queries.shape[0], QUERIES_PER_BLOCK)
    found = [part.exact(dense_rows(queries, slice(start, start + QUERIES_PER_BLOCK)), k) for start in blocks]
    indices, squared = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return indices, squared


def _compared(other: Partition, part: Partition, k: int) -> Found:
    return _exact(other, part.matrix, k)


def _nearest_of_compared(part: Partition, own: int, found: Sequence[Found], k: int) -> FoundInPart:
    """The nearest of the rows of a partition, and the bytes exchanged: its rows go to every other one."""
    indices, squared = merged(found, k)
    assert part.numbers is not None
    there = len(part.numbers) * n_bytes_of_row(part.matrix)
    from_others = [pair for number, pair in enumerate(found) if number != own]
    exchanged = sum(there + sum(array.nbytes for array in pair) for pair in from_others)
    return part.numbers, indices, np.sqrt(squared), exchanged
