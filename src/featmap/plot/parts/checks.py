"""Checks of parameters that several functions share: rows and kinds of arrows."""

from __future__ import annotations

from typing import Any

from ...checks.rows import checked_rows as rows_asked_for
from ...errors import InvalidParameterError, InvalidRowsError
from ...explanation.arrows import KINDS
from ...values import IntArray
from .model import Model, row_names_of

MOST_NAMES = 40  # more names in one picture are too small to read


def checked_row(caller: str, model: Model, row: Any) -> int:
    """Return the number of one row, given by its number or its name. A negative number counts from the end."""
    chosen = checked_rows(caller, model, row, "row")
    if len(chosen) != 1:
        raise InvalidRowsError(f"{caller}(row=…): row must be one row; got {len(chosen)}")
    return int(chosen[0])


def checked_rows(caller: str, model: Model, rows: Any, parameter: str = "rows") -> IntArray:
    """Return the numbers of one or more rows, given by numbers, a mask, a slice or names."""
    try:
        chosen = rows_asked_for(rows, len(model.embedding_), row_names_of(model))
    except InvalidRowsError as error:
        raise InvalidRowsError(f"{caller}({parameter}=…): {error}") from error
    if not len(chosen):
        raise InvalidRowsError(f"{caller}({parameter}=…): {parameter} must select at least one row")
    return chosen


def check_kind(caller: str, kind: Any) -> None:
    """Refuse unknown kinds of arrows."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidParameterError(f"{caller}(kind={kind!r}): kind must be one of {', '.join(map(repr, KINDS))}")
