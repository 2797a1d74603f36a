"""What is known of the rows of a table beside the columns that the fit was given, as plain data for a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Annotated, Any

import numpy as np

from ..checks.rows import label_values
from ..errors import InvalidDataError
from ..values import MAY_BE_INFINITE, DoubleArray
from .columns import DATE, NUMBER, Column, text_of

Levels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """One value for each row: a number, or the number of a level; NaN where it is missing.

    Parameters
    ----------
    name : str
        The name of the column.
    numbers : ndarray of shape (m,)
        Numbers, or numbers of levels.
    levels : tuple of str or None
        The texts of the levels; None if the column holds numbers.
    """

    name: str
    numbers: Annotated[DoubleArray, "(m,)", MAY_BE_INFINITE]
    levels: Levels | None = None

    def __post_init__(self) -> None:
        if self.levels is None:
            return
        known = self.numbers[~np.isnan(self.numbers)]
        if len(known) and not (known.min() >= 0 and known.max() < len(self.levels)):
            raise ValueError(f"the column {self.name!r} has levels without a text")

    @classmethod
    def of_values(cls, caller: str, name: str, given: Any, n_rows: int) -> KnownColumn:
        """One value for each row, of any kind."""
        values, missing = label_values(caller, given, n_rows, name)
        if values.dtype.kind == "M":
            values, missing = np.datetime_as_string(values, unit="auto"), missing | np.isnat(values)
        listed = [None if gap else value for value, gap in zip(values.tolist(), missing.tolist(), strict=True)]
        known = [value for value in listed if value is not None]
        if known and all(isinstance(value, Real) and not isinstance(value, bool) for value in known):
            numbers = np.array([np.nan if value is None else float(value) for value in listed], np.float64)
            if np.isinf(numbers).any():
                raise InvalidDataError(f"{caller}: {name!r} has infinite values; replace them, or leave them empty")
            return cls(name, numbers)
        return cls(name, *_coded([None if value is None else text_of(value) or None for value in listed]))

    @classmethod
    def of_column(cls, column: Column) -> KnownColumn:
        """A column of a table that was read."""
        if column.kind == NUMBER:
            return cls(column.name, column.values)
        return cls(column.name, *_coded(list(column.values)))

    @property
    def is_category(self) -> bool:
        """Whether it holds texts."""
        return self.levels is not None

    @cached_property
    def values(self) -> np.ndarray:
        """Whole numbers if all are, else numbers with NaN, or texts with None for missing ones: (m,)."""
        if self.levels is not None:
            return np.array(self.tolist(), dtype=object)
        are_whole = np.isfinite(self.numbers).all() and bool((self.numbers == np.rint(self.numbers)).all())
        return self.numbers.astype(np.int64) if are_whole else self.numbers

    def tolist(self) -> list[Any]:
        """All values; None where one is missing."""
        if self.levels is None:
            return [None if number != number else number for number in self.numbers.tolist()]
        return [None if code != code else self.levels[int(code)] for code in self.numbers.tolist()]

    def __len__(self) -> int:
        return len(self.numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The values. A column has these and a name, so it can be given in place of a pandas Series."""
        return self.values.astype(dtype or self.values.dtype)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many rows have each level, the commonest first."""
        levels = self.levels or ()
        counts = np.bincount(self.numbers[~np.isnan(self.numbers)].astype(int), minlength=len(levels))
        order = np.argsort(-counts, kind="stable")
        return [(levels[code], int(counts[code])) for code in order if counts[code]]


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The values of a table as they were before gaps were filled, categories encoded and numbers scaled.

    Parameters
    ----------
    numbers : ndarray of shape (m, p)
        Numbers, and the numbers of levels for categories; NaN where a value was missing.
    names : tuple of str
        Names of the columns.
    levels : tuple
        For each column None if it holds numbers, else the texts of its levels.
    """

    numbers: Annotated[DoubleArray, "(m, p)", MAY_BE_INFINITE]
    names: tuple[str, ...]
    levels: tuple[Levels | None, ...]

    def __post_init__(self) -> None:
        if not (self.numbers.shape[1] == len(self.names) == len(self.levels)):
            raise ValueError("the own values of a table must have a name and an entry of levels for each column")

    @classmethod
    def of(cls, columns: Sequence[Column]) -> OwnValues:
        """The columns that a map is made of."""
        known = [KnownColumn.of_column(column) for column in columns]
        numbers = np.column_stack([column.numbers for column in known])
        return cls(numbers, tuple(column.name for column in known), tuple(column.levels for column in known))


@dataclass(frozen=True, eq=False)
class KnownTable:
    """What is known of the rows of a map, beside the data of the fit. A saved model of `map_table` has it.

    Parameters
    ----------
    text : str
        What was done with the columns, in words.
    unit : str
        What a row is, "cell" for example.
    label : KnownColumn or None
        What is known of the rows and had no part in the map.
    columns : tuple of KnownColumn
        Further columns that had no part and can colour the map.
    unused : tuple of (str, str)
        Columns that had no part, and why.
    own : OwnValues or None
        The values before they were prepared; None if they were used as they are.
    order : tuple of str
        The names of all columns of the table in their order; empty if they were used as they are.
    groups : KnownColumn or None
        Rows that depend on each other have the same value.
    image_shape : tuple of int or None
        The shape of images whose pixels are the columns.
    """

    text: str = ""
    unit: str = "row"
    label: KnownColumn | None = None
    columns: tuple[KnownColumn, ...] = ()
    unused: tuple[tuple[str, str], ...] = ()
    own: OwnValues | None = None
    order: tuple[str, ...] = ()
    groups: KnownColumn | None = None
    image_shape: tuple[int, ...] | None = None

    def fits(self, n_rows: int) -> bool:
        """Whether all parts are about so many rows."""
        known = [column for column in (self.label, self.groups, *self.columns) if column is not None]
        own = [] if self.own is None else [len(self.own.numbers)]
        return all(size == n_rows for size in (*map(len, known), *own))


def can_colour(column: Column) -> bool:
    """Whether a column that had no part can colour a map: it holds numbers or repeated texts."""
    if column.kind == DATE or column.n_distinct < 2:
        return False
    return column.kind == NUMBER or 2 * column.n_distinct <= column.n_known


def _coded(texts: list[str | None]) -> tuple[DoubleArray, Levels]:
    levels = tuple(sorted({text for text in texts if text is not None}))
    codes = {level: float(code) for code, level in enumerate(levels)}
    return np.array([np.nan if text is None else codes[text] for text in texts], np.float64), levels
