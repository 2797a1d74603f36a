"""Tables whose rows are in blocks on workers: Dask arrays and frames, checked and scaled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import Any

import dask
import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed, delayed

from ..checks.inputs import check_table
from ..data.scaling import ScaledData
from ..data.sizing import Sizing, column_ranges, rows_for_center, unit_rows
from ..data.sparse import Matrix, SparseRows, digest_of, stacked
from ..errors import InvalidDataError, InvalidDataTypeError
from ..values import DoubleArray
from .cluster import each, persisted, results


@dataclass(frozen=True)
class Input:
    """The data of a user: arrays or CSR matrices in blocks."""

    blocks: Blocks
    n_features: int
    is_sparse: bool
    example: Any  # a small table with the same columns, by which their names and number are checked

    @property
    def shape(self) -> tuple[int, int]:
        return self.blocks.n_rows, self.n_features

    def digest(self) -> str:
        """Return the digests of all blocks, by which a checkpoint recognizes the data."""
        return " ".join(results(each(self.blocks.tables, digest_of)))


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask array or frame."""
    return dask.is_dask_collection(X) and hasattr(X, "to_delayed") and isinstance(getattr(X, "ndim", None), int)


def checked_input(X: Any, caller: str, fewest: int) -> Input:
    """Check a Dask array or frame and return its blocks. Rows are counted if Dask does not know their number."""
    if not is_dask(X):
        raise InvalidDataTypeError(
            f"{caller}(X): got an object of type {type(X).__name__}; give a Dask array or frame, or fit data that "
            "are in memory with featmap.FeatMAP"
        )
    if X.ndim != 2:
        raise InvalidDataError(f"{caller}(X): X has {X.ndim} dimensions; give a table of rows and features")
    is_frame = hasattr(X, "columns")
    if not is_frame and np.isnan(X.shape[1]):
        raise InvalidDataError(
            f"{caller}(X): Dask does not know how many features X has; call X.compute_chunk_sizes() first"
        )
    whole_rows = X if is_frame or len(X.chunks[1]) == 1 else X.rechunk({1: -1})
    tables = each(np.ravel(whole_rows.to_delayed()).tolist(), _checked, caller)
    is_counted = not is_frame and not np.isnan(X.chunks[0]).any()
    lengths = X.chunks[0] if is_counted else results([table.shape[0] for table in tables])
    kept = [(table, int(length)) for table, length in zip(tables, lengths, strict=True) if length]
    starts = np.append(0, np.cumsum([length for _, length in kept], dtype=int))
    blocks = Blocks([table for table, _ in kept], starts)
    if blocks.n_rows < fewest:
        raise InvalidDataError(f"{caller}(X): X has {blocks.n_rows} rows; give at least {fewest}")
    is_sparse = not is_frame and sp.issparse(X._meta)
    n_features = int(X.shape[1])
    return Input(blocks, n_features, is_sparse, X._meta_nonempty if is_frame else np.zeros((1, n_features)))


def _checked(block: Any, caller: str) -> Matrix:
    """Return a block as an array or CSR matrix of finite real numbers."""
    return check_table(block, caller, "X", accept_sparse="csr", ensure_min_samples=0)


@dataclass(frozen=True)
class Blocks:
    """Blocks of rows, which workers hold, or compute when they are needed."""

    tables: Sequence[Delayed]
    starts: np.ndarray  # (blocks + 1,) the first row of each block, and at the end the number of rows

    @property
    def n_rows(self) -> int:
        return int(self.starts[-1])

    def mapped(self, function: Callable[..., Any], *arguments: Any) -> Blocks:
        """Apply ``function(block, *arguments)`` to every block."""
        return Blocks(each(self.tables, function, *arguments), self.starts)

    def persisted(self) -> Blocks:
        """Start to compute the blocks, which workers then keep."""
        return Blocks(persisted(self.tables), self.starts)

    def rows(self, chosen: slice | np.ndarray) -> Matrix:
        """Return some rows, by a slice or by their numbers in rising order."""
        if isinstance(chosen, slice):
            chosen = np.arange(*chosen.indices(self.n_rows))
        bounds = np.searchsorted(chosen, self.starts)
        take = delayed(getitem, pure=True)
        parts = [
            take(table, chosen[first:last] - start)
            for table, start, first, last in zip(self.tables, self.starts, bounds, bounds[1:], strict=False)
            if last > first
        ]
        return joined(list(results(parts)))


def joined(parts: Sequence[Matrix]) -> Matrix:
    """Join the rows of several tables of one kind."""
    if isinstance(parts[0], SparseRows):
        return stacked(parts)
    if any(sp.issparse(part) != sp.issparse(parts[0]) for part in parts):
        raise InvalidDataError(
            "fit(X): some blocks of X are sparse and others are not; give blocks of one kind, for example by "
            "X.map_blocks(scipy.sparse.csr_matrix)"
        )
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def n_bytes_of_row(table: Matrix) -> int:
    """Return about how many bytes a row takes."""
    entries = table.entries if isinstance(table, SparseRows) else table
    n_bytes = sum(part.nbytes for part in (entries.data, entries.indices)) if sp.issparse(entries) else entries.nbytes
    return n_bytes // max(table.shape[0], 1)


@dataclass(frozen=True)
class ScaledBlocks:
    """`ScaledData` in blocks: ``data = matrix / scale + center``, and the lengths of unit rows."""

    matrix: Blocks  # float32, or SparseRows
    n_features: int
    center: DoubleArray
    scale: float
    lengths: DoubleArray | None

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.n_rows, self.n_features

    def with_matrix(self, matrix: Matrix) -> ScaledData:
        """Return the same data with all rows in one matrix."""
        return ScaledData(matrix, self.center, self.scale, self.lengths)


def scaled_blocks(blocks: Blocks, n_features: int, *, with_unit_rows: bool) -> ScaledBlocks:
    """Scale all blocks as `scale_data` scales a whole table, and keep them on the workers."""
    if with_unit_rows:
        divided = blocks.mapped(unit_rows).persisted()
        lengths = np.concatenate(list(results(each(divided.tables, getitem, 1))))
        return ScaledBlocks(divided.mapped(getitem, 0), n_features, np.zeros(n_features), 1.0, lengths)
    sample = blocks.rows(rows_for_center(blocks.n_rows))
    lowest, highest = zip(*results(each(blocks.tables, column_ranges)), strict=True)
    sizing = Sizing.of(sample, (np.min(lowest, axis=0), np.max(highest, axis=0)))
    return ScaledBlocks(blocks.mapped(sizing.prepare).persisted(), n_features, sizing.center, sizing.scale, None)
