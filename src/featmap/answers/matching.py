"""Which rows of any table meet some conditions, and the same as a query of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import InvalidDataError, InvalidParameterError
from ..preparation.columns import text_of
from ..values import DoubleArray

if TYPE_CHECKING:
    from .values import Condition


def matches(conditions: Sequence[Condition], table: Any) -> NDArray[np.bool_]:
    """Whether each row meets all conditions. A missing value meets none."""
    rows = table if hasattr(table, "columns") or sp.issparse(table) else np.asarray(table)
    meets = np.ones(rows.shape[0], bool)
    for condition in conditions:
        meets &= _meets_levels(condition, rows) if condition.levels else _meets_bounds(condition, rows)
    return meets


def query(conditions: Sequence[Condition]) -> str:
    """The conditions as ``DataFrame.query`` takes them."""
    return " and ".join(_query(condition) for condition in conditions)


def _meets_bounds(condition: Condition, rows: Any) -> NDArray[np.bool_]:
    values = _numbers(condition, rows)
    low = -np.inf if condition.low is None else condition.low
    high = np.inf if condition.high is None else condition.high
    return (values > low) & (values <= high) & ~np.isnan(values)


def _meets_levels(condition: Condition, rows: Any) -> NDArray[np.bool_]:
    values = _column(condition, rows, condition.columns[0] if condition.columns else None)
    is_gap = [value is None or value != value for value in values]
    pairs = zip(values, is_gap, strict=True)
    return np.array([not gap and text_of(value) in condition.levels for value, gap in pairs], bool)


def _numbers(condition: Condition, rows: Any) -> DoubleArray:
    """The values of the condition's column; of several columns, the pixels of a patch, their mean."""
    if len(condition.columns) > 1:
        columns = [_as_numbers(_column(condition, rows, column)) for column in condition.columns]
        return np.mean(columns, axis=0)
    return _as_numbers(_column(condition, rows, condition.columns[0] if condition.columns else None))


def _as_numbers(values: Any) -> DoubleArray:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _column(condition: Condition, rows: Any, number: int | None) -> Any:
    """One column: of a frame by its name, of an array by its number."""
    if hasattr(rows, "columns"):
        names = [str(name) for name in rows.columns]
        if len(condition.columns) < 2 and condition.feature not in names:
            raise InvalidDataError(f"matches(table): the table has no column {condition.feature!r}")
        at = number if len(condition.columns) > 1 else names.index(condition.feature)
        return rows.iloc[:, at].tolist() if hasattr(rows, "iloc") else rows[rows.columns[at]].to_list()
    if number is None or number >= rows.shape[1]:
        raise InvalidDataError(f"matches(table): the table has no column for {condition.feature!r}")
    return rows[:, [number]].toarray().ravel() if sp.issparse(rows) else rows[:, number]


def _query(condition: Condition) -> str:
    if len(condition.columns) > 1:
        raise InvalidParameterError(
            "Rule.query: a patch of an image is the mean of many columns; use matches(table) instead"
        )
    name = condition.feature if condition.feature.isidentifier() else f"`{condition.feature}`"
    if condition.levels:
        return f"{name} in {list(condition.levels)!r}"
    bounds = [f"{name} > {condition.low!r}"] if condition.low is not None else []
    bounds += [f"{name} <= {condition.high!r}"] if condition.high is not None else []
    return " and ".join(bounds)
