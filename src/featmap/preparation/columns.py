"""Columns of a table of any kind: how they are read, and what each is used as, or why it is left out.

Numbers have NaN for gaps, texts None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..checks.arguments import listed
from ..errors import InvalidDataError, InvalidDataTypeError, InvalidParameterError

FIRST_INEXACT = 2**53  # from here on float64 does not hold every whole number
NUMBER, CATEGORY, DATE = "number", "category", "date"
DAY = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}"
TIME = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
WRITTEN_DATE = re.compile(rf"({DAY})([T ]{TIME}(Z|[+-]\d{{2}}:?\d{{2}})?)?|{TIME}")
LABEL, ID, LEFT_OUT = "label", "id", "left out"
NAMED_ID = re.compile(r"(.*[\W_])?(id|ids|uuid|guid|index|rowid)|unnamed: 0|", re.IGNORECASE)
MOSTLY_DIFFERENT = 0.5  # texts of which a larger part is distinct are free text
FEWEST_TEXTS = 20  # fewer texts are never free text


@dataclass(frozen=True)
class Column:
    """A column: its kind, and float64 values or texts."""

    name: str
    kind: str
    values: np.ndarray
    digits: list[str | None] | None = None  # of whole numbers that float64 would round

    @cached_property
    def is_gap(self) -> np.ndarray:
        """Which values are missing."""
        return np.isnan(self.values) if self.kind == NUMBER else np.array([value is None for value in self.values])

    @cached_property
    def n_distinct(self) -> int:
        """How many different values there are, gaps left out."""
        known = (self.values if self.digits is None else np.array(self.digits, object))[~self.is_gap]
        return len(np.unique(known)) if known.dtype == np.float64 else len(set(known))

    @property
    def n_known(self) -> int:
        """How many values are not missing."""
        return int((~self.is_gap).sum())

    @property
    def texts(self) -> np.ndarray:
        """All values as texts, None for gaps."""
        if self.kind != NUMBER:
            return self.values
        pairs = zip(self.values.tolist(), self.is_gap, strict=True)
        return np.array(self.digits or [None if gap else text_of(value) for value, gap in pairs], object)


def read_columns(caller: str, X: Any, names: Sequence[str] | None = None) -> list[Column]:
    """All columns of a pandas or polars frame, or of an array whose columns have these names."""
    if sp.issparse(X):
        raise InvalidDataTypeError(f"{caller}(X): sparse data need no preparation; fit them as they are")
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # a frame of pandas
        found = [_of_pandas(X.iloc[:, number], str(name)) for number, name in enumerate(X.columns)]
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):  # of polars
        found = [_of_polars(caller, X[name], str(name)) for name in X.columns]
    else:
        found = _of_array(caller, X, names)
    repeated = [name for name, count in Counter(column.name for column in found).items() if count > 1]
    if repeated:
        raise InvalidDataError(f"{caller}(X): several columns are called {repeated[0]!r}; give each its own name")
    return found


def read_named(X: Any, wanted: Sequence[str], names: Sequence[str] | None = None) -> list[Column]:
    """The columns with these names, in this order; those of an array have ``names``."""
    columns = {column.name: column for column in read_columns("transform", X, names)}
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise InvalidDataError(f"transform(X): X has no column {listed(missing)}, which the fit had")
    return [columns[name] for name in wanted]


def as_kind(column: Column, kind: str) -> Column:
    """A column as the kind that it was in the fit: new rows may have only gaps, or numbers for texts."""
    if column.kind == kind:
        return column
    if column.kind == DATE:
        had = "numbers" if kind == NUMBER else "categories"
        raise InvalidDataTypeError(f"transform(X): the column {column.name!r} had {had} in the fit; now it has dates")
    if kind == NUMBER:
        try:
            values = np.array([np.nan if value is None else float(value) for value in column.values], np.float64)
        except ValueError as error:
            raise InvalidDataTypeError(
                f"transform(X): the column {column.name!r} had numbers in the fit; now {error}"
            ) from error
        return Column(column.name, NUMBER, values)
    return Column(column.name, CATEGORY, column.texts)


def text_of(value: Any) -> str:
    """A value as a person writes it: 7 rather than 7.0, and True however a file spells it."""
    if isinstance(value, float | np.floating):
        return str(int(value)) if np.isfinite(value) and value == np.rint(value) else str(value)
    text = str(value).strip()
    return text.capitalize() if text.lower() in ("true", "false") else text


def _of_pandas(series: Any, name: str) -> Column:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "mM" or str(series.dtype).startswith("period"):
        return _dates(name, len(series))
    is_gap = series.isna().to_numpy()

    def values() -> list[Any]:
        return [None if gap else value for value, gap in zip(series.tolist(), is_gap, strict=True)]

    if kind in "iuf":
        return _numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan), kind == "f", values)
    return _texts(name, values()) if str(series.dtype) == "category" else _of_objects(name, values())


def _of_polars(caller: str, series: Any, name: str) -> Column:
    if series.dtype.is_nested() or str(series.dtype) in ("Object", "Binary"):
        raise InvalidDataTypeError(f"{caller}(X): the column {name!r} holds values of type {series.dtype}; drop it")
    if series.dtype.is_temporal():
        return _dates(name, len(series))
    if series.dtype.is_float():
        return _numbers(name, series.to_numpy().astype(np.float64), True, series.to_list)
    return _of_objects(name, series.to_list())


def _of_array(caller: str, X: Any, names: Sequence[str] | None) -> list[Column]:
    table = np.asarray(X)
    if table.ndim != 2:
        raise InvalidDataTypeError(f"{caller}(X): give a table; got an array of shape {table.shape}")
    given = [f"x{number}" for number in range(table.shape[1])] if names is None else [str(name) for name in names]
    if len(given) != table.shape[1]:
        raise InvalidDataError(
            f"{caller}(X): X has {table.shape[1]} columns, but there are {len(given)} names of columns"
        )
    columns = list(zip(given, table.T, strict=True))
    kind = table.dtype.kind
    if kind in "iuf":
        return [_numbers(name, values.astype(np.float64), kind == "f", values.tolist) for name, values in columns]
    if kind not in "bOU":
        raise InvalidDataTypeError(f"{caller}(X): the array has values of type {table.dtype}; give numbers or texts")
    return [_of_objects(name, values.tolist()) for name, values in columns]


def _of_objects(name: str, values: list[Any]) -> Column:
    """A column of numbers or dates if all values are, else of texts. None and NaN are gaps."""
    values = [None if value is None or value != value else value for value in values]
    known = [value for value in values if value is not None]
    if all(isinstance(value, Real | Decimal) and not isinstance(value, bool) for value in known):
        floats = np.array([np.nan if value is None else float(value) for value in values], np.float64)
        return _numbers(name, floats, any(isinstance(value, float | Decimal) for value in known), lambda: values)
    if all(isinstance(value, date | time | timedelta) for value in known):
        return _dates(name, len(values))
    return _texts(name, values)


def _numbers(name: str, values: np.ndarray, are_floats: bool, exact: Callable[[], list[Any]]) -> Column:
    """A column of numbers. For integers that float64 would round, the digits are kept."""
    if are_floats or np.nanmax(np.abs(values), initial=0) < FIRST_INEXACT:
        return Column(name, NUMBER, values)
    return Column(name, NUMBER, values, [None if value is None else text_of(value) for value in exact()])


def _texts(name: str, values: list[Any]) -> Column:
    """A column of texts, or of dates if all values are written as dates. Empty texts are gaps."""
    texts = [None if value is None else text_of(value) or None for value in values]
    known = [text for text in texts if text is not None]
    if known and all(WRITTEN_DATE.fullmatch(text) for text in known):
        return _dates(name, len(values))
    return Column(name, CATEGORY, np.array(texts, object))


def _dates(name: str, n_rows: int) -> Column:
    return Column(name, DATE, np.full(n_rows, None, object))


@dataclass(frozen=True)
class Role:
    """What a column is used as, and the reason if it is not used."""

    name: str
    use: str  # number, category, label, id or left out
    reason: str = ""


def roles_of(columns: list[Column], label: str | None, id: str | None, drop: Collection[str]) -> list[Role]:
    """One role for each column. Names that are asked for must be there."""
    known = {column.name: column for column in columns}
    asked = [(role, name) for role, name in (("label", label), ("id", id)) if name is not None]
    for parameter, name in (*asked, *(("drop", name) for name in drop)):
        if name not in known:
            raise InvalidParameterError(
                f"Prepare({parameter}={name!r}): there is no such column; there are {listed(list(known))}"
            )
    if id is not None:
        _check_id(known[id])
    roles = [_role(column, label, id, drop) for column in columns]
    if not any(role.use in (NUMBER, CATEGORY) for role in roles):
        raise InvalidDataError("Prepare.fit(X): no column is left to make a map of; all are labels, ids or constant")
    return roles


def _check_id(column: Column) -> None:
    if column.kind == DATE:
        raise InvalidParameterError(
            f"Prepare(id={column.name!r}): the column has dates; give one of texts or whole numbers"
        )
    if column.is_gap.any():
        raise InvalidParameterError(
            f"Prepare(id={column.name!r}): {int(column.is_gap.sum()):,} rows have no value in this column; fill "
            "them, or leave id out"
        )


def _role(column: Column, label: str | None, id: str | None, drop: Collection[str]) -> Role:
    name = column.name
    if name == label:
        _check_finite(column)
        return Role(name, LABEL)
    if name == id:
        return Role(name, ID, "as asked")
    if name in drop:
        return Role(name, LEFT_OUT, "as asked")
    if column.kind == DATE:
        return Role(name, LEFT_OUT, "dates")
    if column.n_distinct < 2:
        return Role(name, LEFT_OUT, "no values" if column.n_known == 0 else "one value only")
    if 2 * column.n_known < len(column.values):
        return Role(name, LEFT_OUT, "more gaps than values")
    if _identifies_rows(column, use_name=id is None):
        return Role(name, ID, "a different value in each row")
    is_text = column.kind == CATEGORY and column.n_known >= FEWEST_TEXTS
    if is_text and column.n_distinct > MOSTLY_DIFFERENT * column.n_known:
        return Role(name, LEFT_OUT, f"free text, {column.n_distinct:,} different values")
    _check_finite(column)
    return Role(name, column.kind)


def _check_finite(column: Column) -> None:
    if column.kind == NUMBER and np.isinf(column.values).any():
        raise InvalidDataError(
            f"Prepare.fit(X): the column {column.name!r} has infinite values; replace or drop them"
        )


def _identifies_rows(column: Column, use_name: bool) -> bool:
    """Whether all values differ and are texts, or integers that count the rows or are named like an id."""
    if column.n_distinct < len(column.values):
        return False
    if column.kind == CATEGORY:
        return True
    values = column.values
    is_whole = bool((values == np.rint(values)).all())
    counts = is_whole and bool((np.diff(values) == 1).all()) and values[0] in (0, 1)
    return counts or (use_name and is_whole and NAMED_ID.fullmatch(column.name.strip()) is not None)
