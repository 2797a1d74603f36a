"""Labels of rows, read in one way wherever they are given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidDataError, InvalidDataTypeError
from ..values import IntArray


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
        missing = np.array([_is_missing(value) for value in given.ravel().tolist()], bool)
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


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType" or value != value


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
