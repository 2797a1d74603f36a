"""Checks of parameters that several functions share: counts, rows, kinds of arrows."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ...arrows import KINDS
from ...errors import InvalidParameterError
from .model import Model
from .names import shortened

MOST_NAMES = 40  # more names in one picture are too small to read


def checked_count(caller: str, name: str, value: Any, least: int, most: int) -> int:
    """Return an integer from ``least`` to ``most``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not least <= int(value) <= most:
        raise InvalidParameterError(f"{caller}({name}={value!r}): {name} must be an integer from {least} to {most}")
    return int(value)


def checked_row(caller: str, model: Model, row: Any) -> int:
    """Return the number of one row. A negative number counts from the end."""
    n_rows = len(model.embedding_)
    return checked_count(caller, "row", row, -n_rows, n_rows - 1) % n_rows


def checked_rows(caller: str, model: Model, rows: Any) -> np.ndarray:
    """Return the numbers of one or more rows, given by anything that indexes an array."""
    n_rows = len(model.embedding_)
    try:
        chosen = np.atleast_1d(np.arange(n_rows)[rows])
    except (IndexError, TypeError, ValueError):
        chosen = np.empty(0, int)
    if chosen.ndim != 1 or not len(chosen):
        raise InvalidParameterError(
            f"{caller}(rows={shortened(repr(rows), 40)}): rows must be one or more integers from {-n_rows} to "
            f"{n_rows - 1}, a slice, or a mask of shape ({n_rows},) that selects at least one row"
        )
    return chosen


def check_kind(caller: str, kind: Any) -> None:
    """Refuse unknown kinds of arrows."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): kind must be one of {', '.join(map(repr, KINDS))}")
