"""Search in large data, built when it is first used, and as wide as it needs to be: its recall is measured."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..data.pca import fixed_sample, project
from ..data.sparse import Matrix, dense_rows
from ..errors import warn
from ..run import Run
from ..values import FloatArray, IntArray, SearchReport
from .exact import ExactSearch
from .list_search import ListSearch, Partition, UnfilledSearch, Width
from .quantizer import ROWS_PER_LIST, Quantizer, coordinates_along, make_quantizer
from .search import Found, among

LISTS_KEPT_UP_TO = 100_000  # rows; in a fit of more, their coordinates are given up until the map is made
WANTED_RECALL = 0.95  # promised to users, and measured in every fit
MEASURED_ROWS = 200  # the recall of 300 other rows differed by at most 0.006 on the data of docs/scale.md
QUERIES_AT_ONCE = 100  # measured rows in a block, so that two threads have work
BYTES_OF_REMAINDERS = 2**25  # dense rows and neighbours from which the shared remainder is computed at a time
# This width is enough for MNIST, letters and CIFAR-10; Fashion-MNIST and KMNIST need the next (docs/scale.md).
FIRST_PROBES = 20
FIRST_CANDIDATES = 2.5  # for each neighbour
# Coordinates, and the steps of width that are tried with them; each step is √2 times as wide as the one before.
LADDER = ((64, 0, 5), (128, 4, 7), (256, 6, 11))
LAST_STEP = 11
# Nanoseconds, about: to multiply two numbers of a matrix product, to look at a product, to compare two coordinates of
# a list, to compare two features of a candidate. Only their ratios matter.
MULTIPLIED, LOOKED_AT, SCANNED, RANKED = 0.025, 2.0, 0.08, 0.5
WORTH_BEING_EXACT = 2.0  # times the cost of a search that finds too few


@dataclass
class LargeSearch:
    """A search that finds enough of the k nearest rows."""

    matrix: Matrix
    k: int
    chosen: ListSearch | ExactSearch | UnfilledSearch | None = None

    @property
    def report(self) -> SearchReport | None:
        return None if self.chosen is None else self.chosen.report

    def nearest(self, queries: Matrix, k: int, run: Run) -> Found:
        return self._built(run).nearest(queries, k, run)

    def give_up_lists(self) -> None:
        """Give up the lists of very many rows, and keep what they are filled by."""
        if isinstance(self.chosen, ListSearch) and self.matrix.shape[0] > LISTS_KEPT_UP_TO:
            self.chosen = self.chosen.unfilled()

    @property
    def gave_up_lists(self) -> bool:
        return isinstance(self.chosen, UnfilledSearch)

    def fill_lists(self, run: Run) -> None:
        """Fill lists that were given up. They have the bytes that they had."""
        if self.gave_up_lists:
            self._built(run)

    def _built(self, run: Run) -> ListSearch | ExactSearch:
        if self.chosen is not None and not isinstance(self.chosen, UnfilledSearch):
            return self.chosen
        with _building:  # another thread may have built it in the meantime
            if self.chosen is None:
                found: ListSearch | ExactSearch = search_wide_enough(ThisMachine(self.matrix), self.k, run)
                self.chosen = found
            elif isinstance(self.chosen, UnfilledSearch):
                self.chosen = self.chosen.filled(self.matrix, run)
            return self.chosen


_building = threading.Lock()


def _after_fork_in_child() -> None:
    """The thread that held the lock is not in the child, and would never release it."""
    global _building
    _building = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


class Holder(Protocol):
    """The place that holds the rows of the data: this machine, or the workers of a cluster."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of features."""

    def rows(self, numbers: np.ndarray) -> Matrix:
        """Some rows."""

    def in_lists(self, n_coordinates: int, run: Run) -> Listed:
        """Put all rows into lists by this number of coordinates."""


class Listed(Protocol):
    """Rows in lists, in one partition or in those of a cluster."""

    @property
    def quantizer(self) -> Quantizer:
        """Assigns rows to lists."""

    def exact(self, queries: Matrix, k: int, run: Run) -> IntArray:
        """The k nearest of the rows in the lists."""

    def search(self, quantizer: Quantizer, width: Width) -> Any:
        """A search of the lists, whose recall is not known yet."""

    def all_pairs(self) -> Any:
        """The exact search."""


def search_wide_enough(holder: Holder, k: int, run: Run) -> Any:
    """The narrowest search that finds enough of the k nearest rows, or the widest, with a warning.

    It is the exact search where that costs about the same.
    """
    n_rows, n_features = holder.shape
    numbers = np.arange(n_rows)[fixed_sample(n_rows, MEASURED_ROWS)]
    rows, near = holder.rows(numbers), None
    cost_of_all_pairs = n_rows * (n_features * MULTIPLIED + LOOKED_AT)  # about how long they take for a query
    for n_coordinates, widths in ladder(n_features):
        listed = holder.in_lists(n_coordinates, run)
        if near is None:
            near = listed.exact(rows, k, run)
            others = holder.rows(near.ravel())
        shared = shared_remainder(listed.quantizer, rows, others, near != numbers[:, None], run)
        quantizer = replace(listed.quantizer, shared=shared)
        for width in widths:
            search = listed.search(quantizer, width)
            search = replace(search, recall=_recall(search, rows, near, numbers, run))
            if search.recall >= WANTED_RECALL:
                return search
            if cost_of_all_pairs <= WORTH_BEING_EXACT * _cost(quantizer, width, k):
                return listed.all_pairs()
    warn(
        f"the search for neighbours finds {search.recall:.2f} of them ({search.report.way}), less than "
        f"{WANTED_RECALL}: these data have hardly any nearer and farther rows; try pca=30, which neighbourhoods are "
        "then made of, or give exact neighbours by precomputed_knn"
    )
    return search


def ladder(n_features: int) -> Iterator[tuple[int, list[Width]]]:
    """The steps of widening, by coordinates. With a coordinate for each feature there is no need for more."""
    for n_coordinates, first, last in LADDER:
        is_last = n_features <= n_coordinates
        factors = 2 ** (np.arange(first, (LAST_STEP if is_last else last) + 1) / 2)
        yield n_coordinates, [Width(int(FIRST_PROBES * by), float(FIRST_CANDIDATES * by)) for by in factors]
        if is_last:
            return


@dataclass(frozen=True)
class ThisMachine:
    """Holds all rows."""

    matrix: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    def rows(self, numbers: np.ndarray) -> Matrix:
        return self.matrix[numbers]

    def in_lists(self, n_coordinates: int, run: Run) -> OnePartition:
        return OnePartition(*build(self.matrix, n_coordinates, run))


@dataclass(frozen=True)
class OnePartition:
    """All rows in lists of one partition."""

    quantizer: Quantizer
    partition: Partition

    def exact(self, queries: Matrix, k: int, run: Run) -> IntArray:
        def body(start: int, stop: int) -> tuple[IntArray]:
            return (self.partition.exact(dense_rows(queries, slice(start, stop)), k)[0],)

        return run.by_blocks(queries.shape[0], body, QUERIES_AT_ONCE)[0]

    def search(self, quantizer: Quantizer, width: Width) -> ListSearch:
        return ListSearch(quantizer, self.partition, width)

    def all_pairs(self) -> ExactSearch:
        return ExactSearch(self.partition.matrix)


def build(matrix: Matrix, n_coordinates: int, run: Run) -> tuple[Quantizer, Partition]:
    """The lists of all rows."""
    quantizer = make_quantizer(matrix.shape[0], matrix.__getitem__, n_coordinates, run)
    coordinates = coordinates_along(quantizer.directions, matrix, run)
    return quantizer, Partition.fill(matrix, coordinates, quantizer.homes(coordinates, run), quantizer.n_lists, run)


def _recall(search: Any, rows: Matrix, near: IntArray, numbers: np.ndarray, run: Run) -> float:
    """The part of the true neighbours of some rows, other than themselves, that is found."""
    found, _ = search.nearest(rows, near.shape[1], run)
    return float(among(near, found)[near != numbers[:, None]].mean())


def shared_remainder(quantizer: Quantizer, rows: Matrix, others: Matrix, counted: np.ndarray, run: Run) -> float:
    """The mean cosine between what the directions leave over of a row and of its neighbours, of those that count.

    Row q has the others q·k to (q + 1)·k. Sparse rows may be very wide, so only some are made dense at a time.
    """
    if not quantizer.has_remainder:
        return 0.0
    n_rows, k = counted.shape
    cosines = np.empty((n_rows, k), np.float32)
    step = max(1, BYTES_OF_REMAINDERS // (4 * (k + 1) * rows.shape[1]))
    for start in range(0, n_rows, step):
        stop = min(start + step, n_rows)
        own = _remainders(quantizer.directions, rows[start:stop], run)
        of_others = _remainders(quantizer.directions, others[start * k : stop * k], run).reshape(len(own), k, -1)
        cosines[start:stop] = np.einsum("qh,qkh->qk", own, of_others)
    return float(np.clip(cosines[counted].mean(), 0, 1))


def _remainders(directions: FloatArray, rows: Matrix, run: Run) -> FloatArray:
    """What the directions leave over of rows, as unit vectors."""
    remainders = dense_rows(rows) - project(rows, directions, run) @ directions.T
    lengths = np.linalg.norm(remainders, axis=1, keepdims=True)
    return np.divide(remainders, lengths, out=np.zeros_like(remainders), where=lengths > 0)


def _cost(quantizer: Quantizer, width: Width, k: int) -> float:
    """About how long a search of lists takes for a query."""
    n_features, n_coordinates = quantizer.directions.shape
    n_scanned = ROWS_PER_LIST * width.n_lists(quantizer)
    return n_scanned * n_coordinates * SCANNED + width.n_candidates(quantizer, k) * n_features * RANKED
