"""Rows as users ask for them, by numbers, a mask, a slice or names; and labels of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidDataTypeError, InvalidRowsError
from ..values import IntArray
from .arguments import shown

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


@dataclass(frozen=True)
class Groups:
    """Rows by their labels: group g has the rows whose code is g."""

    codes: IntArray  # (rows,)
    names: np.ndarray  # the labels, sorted

    @property
    def sizes(self) -> np.ndarray:
        """How many rows each group has."""
        return np.bincount(self.codes, minlength=len(self.names))

    def rows_of(self, label: Any) -> IntArray:
        """The rows that have a label."""
        return np.flatnonzero(self.names[self.codes] == label).astype(np.int32)


def label_values(caller: str, labels: Any, n_rows: int, name: str = "labels") -> tuple[np.ndarray, np.ndarray]:
    """The labels as an array, and which of them are missing: None, NaN, pandas' NA, or masked."""
    with _comparing(caller, name):
        values = np.asarray(labels)
        # A list of strings and NaN becomes an array of strings, in which NaN is one of them.
        given = values if hasattr(labels, "dtype") else np.asarray(labels, dtype=object)
        missing = np.array(
            [value is None or type(value).__name__ == "NAType" or value != value for value in given.ravel().tolist()],
            bool,
        )
    if values.shape != (n_rows,):
        raise InvalidDataError(
            f"{caller}({name}=…): {name} must have one label per row, shape ({n_rows},); got shape {values.shape}"
        )
    return values, missing | np.ma.getmaskarray(labels) if np.ma.isMaskedArray(labels) else missing


def grouped(caller: str, labels: Any, n_rows: int, name: str = "labels") -> Groups:
    """The groups that labels make. Missing labels are refused."""
    values, missing = label_values(caller, labels, n_rows, name)
    if missing.any():
        raise InvalidDataError(
            f"{caller}({name}=…): {int(missing.sum())} {name} are missing; leave those rows out, or label them"
        )
    with _comparing(caller, name):
        names, codes = np.unique(values, return_inverse=True)
    return Groups(codes.astype(np.int32), names)


@contextmanager
def _comparing(caller: str, name: str) -> Iterator[None]:
    """Say what to do about labels that numpy cannot compare."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InvalidDataTypeError(
            f"{caller}({name}=…): {name} cannot be compared ({error}); give every row one label, all of them numbers "
            "or all of them strings"
        ) from error
