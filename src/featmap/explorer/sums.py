"""Sums over two groups of rows, block by block, so that rows in a file are never in memory as a whole."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.sizing import power_of_two_below, with_values
from ..data.sparse import SparseRows
from ..explanation.points import Points
from ..run import Run
from ..values import DoubleArray, IntArray

BLOCK_VALUES = 2**21  # of the rows of a block


@dataclass(frozen=True)
class GroupSums:
    """Scaled sums of every feature in two groups, from which they are compared."""

    scale: float  # values in the units of the user are these over the scale
    means: DoubleArray  # (2, n), without the centre
    powers: DoubleArray  # (3, n, 2) sums of values, squares and cubes, about a common origin


def group_sums(points: Points, rows: IntArray, codes: IntArray, run: Run) -> GroupSums:
    """Sums over the groups that the codes 0 and 1 name."""
    belongs = (codes[:, None] == np.arange(2)).astype(np.float64)
    if points.lengths is None:
        scale = points.mapped.data.scale
    else:
        scale = float(power_of_two_below(points.lengths[rows].max(initial=0.0)))
    of = _of_sparse if isinstance(points.values, SparseRows) else _of_dense
    return of(points, rows, belongs, scale, run)


def _of_dense(points: Points, rows: IntArray, belongs: DoubleArray, scale: float, run: Run) -> GroupSums:
    def block(start: int, stop: int) -> DoubleArray:
        features = points.features(rows[start:stop])
        return features.matrix.astype(np.float64) * (scale / features.scale)  # a power of two

    size = max(1, BLOCK_VALUES // points.values.shape[1])
    sums = _summed(lambda start, stop: [block(start, stop).T @ belongs[start:stop]], len(rows), size, run)[0]
    middle = sums.sum(axis=1) / len(rows)

    def powers(start: int, stop: int) -> list[DoubleArray]:
        centered = (block(start, stop) - middle).astype(np.float32).astype(np.float64)  # as `Table` has it
        return [power.T @ belongs[start:stop] for power in _powers(centered)]

    return GroupSums(scale, (sums / belongs.sum(axis=0)).T, _summed(powers, len(rows), size, run))


def _of_sparse(points: Points, rows: IntArray, belongs: DoubleArray, scale: float, run: Run) -> GroupSums:
    """Stored values alone are looked at; what zeros have after centring is added to the means."""
    zeros, stored = points.values.zeros, points.values.entries
    n_of_row = max(stored.nnz / max(stored.shape[0], 1), 1.0)  # on average
    size = max(1, int(BLOCK_VALUES / n_of_row))

    def block(start: int, stop: int) -> Any:
        features = points.features(rows[start:stop])
        entries = features.matrix.entries
        return with_values(entries, entries.data * np.float32(scale / features.scale))  # a power of two

    def first_sums(start: int, stop: int) -> list[DoubleArray]:
        entries = block(start, stop)
        beside = entries.data.astype(np.float64) - zeros[entries.indices]
        each = (with_values(entries, values) for values in (beside, np.ones(entries.nnz)))
        return [values.T @ belongs[start:stop] for values in each]

    sums, n_stored = _summed(first_sums, len(rows), size, run)
    origin = np.where(n_stored.sum(axis=1) < len(rows), zeros, 0)  # as `SparseRows.tocsr` has it

    def powers(start: int, stop: int) -> list[DoubleArray]:
        entries = block(start, stop)
        values = (entries.data - origin[entries.indices]).astype(np.float64)
        return [with_values(entries, power).T @ belongs[start:stop] for power in _powers(values)]

    means = zeros.astype(np.float64) + (sums / belongs.sum(axis=0)).T
    return GroupSums(scale, means, _summed(powers, len(rows), size, run))


def _powers(values: DoubleArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    squares = values * values
    return values, squares, squares * values


def _summed(of_block: Callable[[int, int], list[DoubleArray]], n_rows: int, size: int, run: Run) -> DoubleArray:
    """Sums of what blocks of rows give. They are added in order, so that threads do not matter."""
    ready: dict[int, DoubleArray] = {}
    total, n_added = np.zeros(()), 0
    lock = threading.Lock()

    def task(start: int, stop: int) -> None:
        nonlocal total, n_added
        part = np.array(of_block(start, stop))
        with lock:
            ready[start] = part
            while n_added * size in ready:
                total, n_added = total + ready.pop(n_added * size), n_added + 1

    run.over_rows(n_rows, task, size)
    return total
