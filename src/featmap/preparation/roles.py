"""What becomes of each column of a table: a number, a category, or left out, and why."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidDataError, InvalidParameterError
from .columns import CATEGORY, DATE, NUMBER, Column

LABEL, ID, LEFT_OUT = "label", "id", "left out"
NAMED_ID = re.compile(r"(.*[\W_])?(id|ids|uuid|guid|index|rowid)|unnamed: 0|", re.IGNORECASE)
MOSTLY_DIFFERENT = 0.5  # a column of texts of which more are different is free text
FEWEST_TEXTS = 20  # that are judged by the part that is different


@dataclass(frozen=True)
class Role:
    """What a column is used as, and the reason if it is not used."""

    name: str
    use: str  # number, category, label, id or left out
    reason: str = ""


def roles_of(columns: list[Column], label: str | None, id: str | None, drop: Collection[str]) -> list[Role]:
    """One role for each column. Names that are asked for must be there."""
    known = [column.name for column in columns]
    asked = [(role, name) for role, name in (("label", label), ("id", id)) if name is not None]
    for parameter, name in (*asked, *(("drop", name) for name in drop)):
        if name not in known:
            raise InvalidParameterError(
                f"prepare({parameter}={name!r}): there is no such column; there are {listed(known)}"
            )
    for column in columns:
        _check_id(column, id)
    roles = [_role(column, label, id, drop) for column in columns]
    if not any(role.use in (NUMBER, CATEGORY) for role in roles):
        raise InvalidDataError("prepare(frame): no column is left to make a map of; all are labels, ids or constant")
    return roles


def _check_id(column: Column, id: str | None) -> None:
    if column.name != id:
        return
    if column.kind == DATE:
        raise InvalidParameterError(f"prepare(id={id!r}): the column has dates; give one of texts or whole numbers")
    if column.is_gap.any():
        raise InvalidParameterError(
            f"prepare(id={id!r}): {int(column.is_gap.sum()):,} rows have no value in this column; fill them, or "
            "leave id out"
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
    if _identifies_rows(column, use_name=id is None):
        return Role(name, ID, "a different value in each row")
    if column.kind == CATEGORY and _is_free_text(column):
        return Role(name, LEFT_OUT, f"free text, {column.n_distinct:,} different values")
    _check_finite(column)
    return Role(name, column.kind)


def _check_finite(column: Column) -> None:
    if column.kind == NUMBER and np.isinf(column.values).any():
        raise InvalidDataError(
            f"prepare(frame): the column {column.name!r} has infinite values; replace or drop them"
        )


def _identifies_rows(column: Column, use_name: bool) -> bool:
    """All values differ, and they are texts, or whole numbers in a column that is called so or just counts."""
    if column.n_distinct < len(column.values):
        return False
    if column.kind == CATEGORY:
        return True
    values = column.values
    is_whole = bool((values == np.rint(values)).all())
    counts = is_whole and bool((np.diff(values) == 1).all()) and values[0] in (0, 1)
    return counts or (use_name and is_whole and NAMED_ID.fullmatch(column.name.strip()) is not None)


def _is_free_text(column: Column) -> bool:
    return column.n_known >= FEWEST_TEXTS and column.n_distinct > MOSTLY_DIFFERENT * column.n_known
