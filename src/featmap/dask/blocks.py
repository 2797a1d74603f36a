"""A table whose rows are in blocks on workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed, delayed

from ..data.sparse import Matrix, SparseRows, stacked
from ..errors import InvalidDataError
from .cluster import persisted, results


@dataclass(frozen=True)
class Blocks:
    """Blocks of rows, which workers hold, or make when they are needed."""

    tables: Sequence[Delayed]
    starts: np.ndarray  # (blocks + 1,) the number of the first row of each block, and at the end that of all rows

    @property
    def n_rows(self) -> int:
        return int(self.starts[-1])

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Delayed]:
        """``function(block, *arguments)`` of every block."""
        call = delayed(function, pure=True)
        return [call(table, *arguments) for table in self.tables]

    def mapped(self, function: Callable[..., Any], *arguments: Any) -> Blocks:
        """The blocks that ``function(block, *arguments)`` makes."""
        return Blocks(self.each(function, *arguments), self.starts)

    def kept(self) -> Blocks:
        """The same blocks, made now and kept by the workers."""
        return Blocks(persisted(self.tables), self.starts)

    def rows(self, chosen: np.ndarray) -> Matrix:
        """Some rows, by their numbers in rising order."""
        bounds = np.searchsorted(chosen, self.starts)
        take = delayed(_taken, pure=True)
        parts = [
            take(table, chosen[first:last] - start)
            for table, start, first, last in zip(self.tables, self.starts, bounds, bounds[1:], strict=False)
            if last > first
        ]
        return joined(list(results(parts)))


def _taken(table: Matrix, rows: np.ndarray) -> Matrix:
    return table[rows]


def joined(parts: Sequence[Matrix]) -> Matrix:
    """Rows of several tables of one kind."""
    if isinstance(parts[0], SparseRows):
        return stacked(parts)
    if any(sp.issparse(part) != sp.issparse(parts[0]) for part in parts):
        raise InvalidDataError(
            "fit(X): some blocks of X are sparse and others are not; give blocks of one kind, for example by "
            "X.map_blocks(scipy.sparse.csr_matrix)"
        )
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def n_bytes_of_row(table: Matrix) -> int:
    """About how many bytes a row takes."""
    entries = table.entries if isinstance(table, SparseRows) else table
    n_bytes = sum(part.nbytes for part in (entries.data, entries.indices)) if sp.issparse(entries) else entries.nbytes
    return n_bytes // max(table.shape[0], 1)
