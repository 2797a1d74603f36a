"""Approximate search in large data: coarse lists of rows along the principal directions, ranked exactly."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.components import principal_directions, project
from ..data.sparse import Matrix, dense_rows
from ..kernels.search import BLOCK_COLUMNS, COORDINATES_AT_ONCE, scan_lists
from ..run import Run
from ..run.threads import one_library_thread
from ..values import FloatArray, IntArray
from .copies import n_earlier_copies, possible_copies
from .exact import ExactSearch, rank
from .search import QUERIES_PER_BLOCK, Found

LIST_DIRECTIONS = 64
PROBED_LISTS = 20
SPARE_CANDIDATES = 8  # beyond k, where only the rounding of float32 can bring candidates out of order
ROWS_PER_CENTER = 40  # of the sample from which the centres of the lists are found
ROUNDS = 8  # of k-means
COPIES_KEPT = 1000  # of equal rows; 15,000 in one list took seconds


@dataclass(frozen=True)
class Lists:
    """Lists of points. Each is stored by columns, in blocks of a fixed number, the last filled up with infinity."""

    blocks: FloatArray  # (blocks, coordinates, columns)
    first_blocks: np.ndarray  # where each list begins
    members: IntArray  # (blocks, columns): the number of the point in a column, −1 for none

    @property
    def n_members(self) -> int:
        return int((self.members >= 0).sum())

    @classmethod
    def fill(cls, points: FloatArray, numbers: IntArray, homes: IntArray, n_lists: int, run: Run) -> Lists:
        """Put every point, under its number, into the list that is its home."""
        sizes = np.bincount(homes, minlength=n_lists)
        first_blocks = np.append(0, np.cumsum(-(-sizes // BLOCK_COLUMNS)))
        order = np.argsort(homes, kind="stable")
        positions = np.empty(len(points), np.int64)
        positions[order] = np.arange(len(points)) + np.repeat(
            first_blocks[:-1] * BLOCK_COLUMNS - (np.cumsum(sizes) - sizes), sizes
        )
        blocks = np.full((first_blocks[-1], points.shape[1], BLOCK_COLUMNS), np.inf, np.float32)
        members = np.full((first_blocks[-1], BLOCK_COLUMNS), -1, np.int32)

        def task(start: int, stop: int) -> None:
            block, column = np.divmod(positions[start:stop], BLOCK_COLUMNS)
            blocks[block, :, column] = points[start:stop]
            members[block, column] = numbers[start:stop]

        run.over_rows(len(points), task)
        return cls(blocks, first_blocks, members)

    def nearest(self, points: FloatArray, lists: IntArray, n_wanted: int) -> IntArray:
        """The nearest members of each point's lists, nearest first, by float32; −1 where there are too few."""
        found = np.full((len(points), n_wanted), -1, np.int32)
        nearest = np.full(found.shape, np.inf, np.float32)
        # The nearest list first, since its members rule out most of the others'.
        for part in (lists[:, :1], lists[:, 1:]):
            order = np.argsort(part, axis=None, kind="stable")  # here, since numba takes a second to compile a sort
            scan_lists(points, part, order, self.blocks, self.first_blocks, self.members, nearest, found)
        return found


@dataclass(frozen=True)
class ListIndex:
    """Lists of rows around coarse centres along the principal directions."""

    directions: FloatArray
    centers: Lists  # all in one list
    lists: Lists

    @classmethod
    def build(cls, matrix: Matrix, run: Run) -> ListIndex:
        directions = _list_directions(matrix)
        coordinates = project(matrix, directions, run)
        rows = _rows_that_count(matrix, coordinates)
        if len(rows) < len(coordinates):
            coordinates = coordinates[rows]
        points = _coarse_centers(coordinates)
        n_lists = len(points)
        centers = Lists.fill(points, np.arange(n_lists, dtype=np.int32), np.zeros(n_lists, np.int32), 1, run)
        homes = _nearest_centers(coordinates, centers, 1, run).ravel()
        return cls(directions, centers, Lists.fill(coordinates, rows, homes, n_lists, run))


@dataclass
class ListSearch:
    """Scans the few lists nearest to a query. The index is built when it is first needed."""

    matrix: Matrix
    index: ListIndex | None = None

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        index = self._built(run)
        if k > COPIES_KEPT and index.lists.n_members < self.matrix.shape[0]:
            return self._exact.nearest(queries, k, run)  # the lists have too few of the equal rows
        coordinates = project(queries, index.directions, run)
        n_lists = len(index.lists.first_blocks) - 1
        lists = _nearest_centers(coordinates, index.centers, min(PROBED_LISTS, n_lists), run)
        n_candidates = k + SPARE_CANDIDATES if self._has_all_features else 3 * (k + 1)
        order = np.argsort(lists[:, 0], kind="stable")  # queries of one list look into much the same lists

        def body(start: int, stop: int) -> Found:
            rows = order[start:stop]
            candidates = index.lists.nearest(coordinates[rows], lists[rows], n_candidates)
            offsets = np.arange(0, candidates.size + 1, n_candidates)
            return rank(dense_rows(queries, rows), self.matrix, offsets, candidates.ravel(), k)

        found = run.by_blocks_with_progress(len(lists), body, QUERIES_PER_BLOCK)
        indices, squared = (_reordered(part, order) for part in found)
        short = np.flatnonzero((indices < 0).any(axis=1))  # the probed lists held fewer than k rows
        if len(short):
            indices[short], distances = self._exact.nearest(queries[short], k, run)
            squared[short] = distances**2
        return indices, np.sqrt(squared)

    def _built(self, run: Run) -> ListIndex:
        if self.index is None:
            with _building:
                if self.index is None:
                    self.index = ListIndex.build(self.matrix, run)
        return self.index

    @cached_property
    def _exact(self) -> ExactSearch:
        return ExactSearch(self.matrix)

    @property
    def _has_all_features(self) -> bool:
        return self.matrix.shape[1] <= LIST_DIRECTIONS


_building = threading.Lock()


def _after_fork_in_child() -> None:
    """The thread that held the lock is not in the child, and would never release it."""
    global _building
    _building = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def _reordered(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Values that stand in an order, at the rows they belong to."""
    by_row = np.empty_like(values)
    by_row[order] = values
    return by_row


def _rows_that_count(matrix: Matrix, coordinates: FloatArray) -> IntArray:
    """All rows but those that have COPIES_KEPT earlier copies."""
    counts = np.ones(len(coordinates), bool)
    suspects = possible_copies(coordinates, COPIES_KEPT)
    counts[suspects] = n_earlier_copies(matrix, suspects) < COPIES_KEPT
    return np.flatnonzero(counts).astype(np.int32)


def _list_directions(matrix: Matrix) -> FloatArray:
    """Principal directions, or the features themselves if they are few; with zeros up to a whole number of steps."""
    n_features = matrix.shape[1]
    if n_features > LIST_DIRECTIONS:
        directions = principal_directions(matrix, LIST_DIRECTIONS)
    else:
        directions = np.eye(n_features, dtype=np.float32)
    return np.pad(directions, ((0, 0), (0, -directions.shape[1] % COORDINATES_AT_ONCE)))


def _coarse_centers(coordinates: FloatArray) -> FloatArray:
    """Centres of lists: k-means on a sample. So many that choosing lists costs about as much as scanning them."""
    from sklearn.cluster import KMeans

    n_centers = int(1.5 * np.sqrt(len(coordinates)))
    n_sampled = min(ROWS_PER_CENTER * n_centers, len(coordinates))
    rows = np.random.default_rng(0).choice(len(coordinates), n_sampled, replace=False)
    sample = coordinates[np.sort(rows)]
    with one_library_thread():
        n_centers = _n_distinct(sample, n_centers)
        kmeans = KMeans(n_centers, init="random", n_init=1, max_iter=ROUNDS, tol=0, random_state=0)
        return kmeans.fit(sample).cluster_centers_


def _n_distinct(points: FloatArray, most: int) -> int:
    """How many points are distinct, at most ``most``. Two coordinates tell that of most data."""
    n_sure = len(np.unique(points[:, :2], axis=0))
    return most if n_sure >= most else min(len(np.unique(points, axis=0)), most)


def _nearest_centers(coordinates: FloatArray, centers: Lists, n_probes: int, run: Run) -> IntArray:
    """The numbers of the nearest centres of each row, nearest first."""

    def body(start: int, stop: int) -> tuple[IntArray]:
        only_list = np.zeros((stop - start, 1), np.int32)
        return (centers.nearest(coordinates[start:stop], only_list, n_probes),)

    return run.by_blocks(len(coordinates), body, QUERIES_PER_BLOCK)[0]
