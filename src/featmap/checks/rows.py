"""Rows as users ask for them: by numbers, a mask, a slice, or the names that the data came with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from datetime import date
from typing import Any

import numpy as np

from ..errors import InvalidRowsError
from ..values import IntArray
from .messages import shown

NO_NAMES = "the data had no names for their rows; in a pipeline, set_output(transform='pandas') keeps them"


def row_names(X: Any) -> np.ndarray | None:
    """The index of a pandas frame. None for other data, and for an index that only counts the rows from 0."""
    index = getattr(X, "index", None)
    if index is None or not hasattr(X, "iloc"):
        return None
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None
    names = np.empty(len(index), dtype=object)
    names[:] = index.tolist()
    return names


def checked_rows(rows: Any, n_rows: int, names: np.ndarray | None = None) -> IntArray:
    """The numbers of the rows asked for.

    Integers, masks and slices count rows from 0, whatever the names are. Other values, and a pandas Index, are names.
    """
    if _are_names(rows):
        return _numbers_of(rows, n_rows, names)
    if str(getattr(rows, "dtype", "")).startswith("bool"):
        check_order("rows", rows, names)
    try:
        chosen = np.atleast_1d(np.arange(n_rows, dtype=np.int32)[list(rows) if isinstance(rows, tuple) else rows])
    except (IndexError, TypeError, ValueError) as error:
        raise InvalidRowsError(
            f"rows={shown(rows)}: rows must be numbers from 0 to {n_rows - 1}, a mask of {n_rows} values, a slice of "
            "them, or names; integers always count rows, a pandas Index is looked up by name"
        ) from error
    if chosen.ndim != 1:
        raise InvalidRowsError(f"rows: rows must be a list, not an array of shape {chosen.shape}; ravel it")
    return chosen


def check_order(name: str, given: Any, names: np.ndarray | None) -> None:
    """Refuse a Series or frame that has the index of the data in another order: it would be read by position."""
    index = row_names(given)
    if index is None or names is None or len(index) != len(names) or (index == names).all():
        return
    if set(index.tolist()) == set(names.tolist()):
        raise InvalidRowsError(
            f"{name}: the index is that of the data in another order; give {name}.loc[X.index], with X the data"
        )


def _are_names(rows: Any) -> bool:
    if hasattr(rows, "get_indexer"):
        return True
    if rows is None or isinstance(rows, slice):
        return False
    values = (rows if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=object)).ravel()
    return len(values) > 0 and isinstance(values[0], str | date)


def _numbers_of(rows: Any, n_rows: int, names: np.ndarray | None) -> IntArray:
    asked = [rows] if isinstance(rows, str | date) else list(rows)
    known = range(n_rows) if names is None else names.tolist()
    numbers = {name: number for number, name in enumerate(known)}
    unknown = [name for name in asked if not isinstance(name, Hashable) or name not in numbers]
    if unknown:
        had = NO_NAMES if names is None else f"the first is {known[0]!r}"
        raise InvalidRowsError(f"rows: {unknown[0]!r} is not a name of a row ({had})")
    if len(numbers) < n_rows:
        counts = Counter(known)
        repeated = next((name for name in asked if counts[name] > 1), None)
        if repeated is not None:
            raise InvalidRowsError(f"rows: {repeated!r} is the name of several rows; ask for rows by their numbers")
    return np.array([numbers[name] for name in asked], dtype=np.int32)
