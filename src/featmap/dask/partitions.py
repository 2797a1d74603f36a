"""Rows shuffled once to partitions, each of which holds the rows of some lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed

from ..data.sparse import Matrix
from ..neighbors.list_search import Partition
from ..neighbors.quantizer import Quantizer, coordinates_along
from ..run import Run
from ..values import IntArray
from .blocks import Blocks, joined
from .cluster import persisted, results, sent_once

# Rows on their way to a partition: their numbers, rising, the rows, and the lists that they belong to.
Share = tuple[IntArray, Matrix, IntArray]


@dataclass(frozen=True)
class Partitions:
    """All rows, in partitions of lists. Neighbouring lists are in one partition as far as possible."""

    quantizer: Quantizer
    owners: IntArray  # (lists,) the partition of each list, rising
    parts: Sequence[Delayed]  # of `Partition`

    def __len__(self) -> int:
        return len(self.parts)

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Delayed]:
        """``function(partition, *arguments)`` of every partition."""
        call = delayed(function, pure=True)
        return [call(part, *arguments) for part in self.parts]


def shuffled(matrix: Blocks, quantizer: Quantizer, n_partitions: int) -> Partitions:
    """Send every row to the partition that owns its list."""
    find_homes, sent = delayed(_homes, pure=True), sent_once(quantizer)
    homes = persisted([find_homes(table, sent) for table in matrix.tables])
    count = delayed(np.bincount, pure=True)
    sizes = sum(results([count(part, minlength=quantizer.n_lists) for part in homes]))
    owners = shared_out(np.asarray(sizes), n_partitions)
    split, pick, gather = (delayed(function, pure=True) for function in (_shares, _picked, _partition))
    n_owners, sent_owners = int(owners[-1]) + 1, sent_once(owners)
    shares = [
        split(table, int(start), lists, sent_owners, n_owners)
        for table, start, lists in zip(matrix.tables, matrix.starts, homes, strict=False)
    ]
    parts = [gather([pick(share, owner) for share in shares], sent) for owner in range(n_owners)]
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


def _picked(shares: list[Share], number: int) -> Share:
    return shares[number]


def _partition(shares: Sequence[Share], quantizer: Quantizer) -> Partition:
    numbers, matrices, homes = zip(*(share for share in shares if len(share[0])), strict=True)
    matrix = joined(matrices)
    with Run(None) as run:
        coordinates = coordinates_along(quantizer.directions, matrix, run)
        return Partition.fill(
            matrix, coordinates, np.concatenate(homes), quantizer.n_lists, run, np.concatenate(numbers)
        )
