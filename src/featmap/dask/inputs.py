"""Data that live in pieces on a cluster: Dask arrays and frames, as blocks of whole rows that are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dask
import numpy as np
import scipy.sparse as sp
from dask.delayed import Delayed, delayed

from ..checks.inputs import check_table
from ..data.sparse import Matrix
from ..errors import InvalidDataError, InvalidDataTypeError
from .blocks import Blocks
from .cluster import results


@dataclass(frozen=True)
class Input:
    """What a user gave: arrays or CSR matrices in blocks."""

    blocks: Blocks
    n_features: int
    is_sparse: bool
    example: Any  # a table with the columns of the data, for checks of their names and number

    @property
    def shape(self) -> tuple[int, int]:
        return self.blocks.n_rows, self.n_features


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or frame."""
    return dask.is_dask_collection(X) and hasattr(X, "to_delayed") and isinstance(getattr(X, "ndim", None), int)


def checked_input(X: Any, caller: str, fewest: int) -> Input:
    """A Dask array or frame in blocks, of at least so many rows. They are counted where Dask does not know them."""
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
    check = delayed(_checked, pure=True)
    whole_rows = X if is_frame else _with_whole_rows(X)
    tables = [check(block, caller) for block in np.ravel(whole_rows.to_delayed())]
    blocks = _without_empty(tables, _lengths(X, tables, is_frame))
    if blocks.n_rows < fewest:
        raise InvalidDataError(f"{caller}(X): X has {blocks.n_rows} rows; give at least {fewest}")
    is_sparse = not is_frame and sp.issparse(X._meta)
    n_features = int(X.shape[1])
    return Input(blocks, n_features, is_sparse, X._meta_nonempty if is_frame else np.zeros((1, n_features)))


def _with_whole_rows(X: Any) -> Any:
    return X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X


def _checked(block: Any, caller: str) -> Matrix:
    """A block as an array or CSR matrix of finite real numbers."""
    return check_table(block, caller, "X", accept_sparse="csr", ensure_min_samples=0)


def _lengths(X: Any, tables: Sequence[Delayed], is_frame: bool) -> list[int]:
    if not is_frame and not np.isnan(X.chunks[0]).any():
        return [int(length) for length in X.chunks[0]]
    count = delayed(_n_rows, pure=True)
    return list(results([count(table) for table in tables]))


def _n_rows(table: Matrix) -> int:
    return int(table.shape[0])


def _without_empty(tables: Sequence[Delayed], lengths: Sequence[int]) -> Blocks:
    kept = [(table, length) for table, length in zip(tables, lengths, strict=True) if length]
    return Blocks([table for table, _ in kept], np.append(0, np.cumsum([length for _, length in kept], dtype=int)))
