"""What becomes of each column of a table: a number, a category, or left out, and why; and this in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidDataError, InvalidParameterError
from .columns import CATEGORY, DATE, NUMBER, Column

if TYPE_CHECKING:
    from .prepare import Prepare

LABEL, ID, LEFT_OUT = "label", "id", "left out"
NAMED_ID = re.compile(r"(.*[\W_])?(id|ids|uuid|guid|index|rowid)|unnamed: 0|", re.IGNORECASE)
MOSTLY_DIFFERENT = 0.5  # a column of texts of which more are different is free text
FEWEST_TEXTS = 20  # that are judged by the part that is different
MOST_NAMED = 12  # columns in a sentence; the others are counted


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
    """All values differ, and they are texts, or whole numbers in a column that is called so or just counts."""
    if column.n_distinct < len(column.values):
        return False
    if column.kind == CATEGORY:
        return True
    values = column.values
    is_whole = bool((values == np.rint(values)).all())
    counts = is_whole and bool((np.diff(values) == 1).all()) and values[0] in (0, 1)
    return counts or (use_name and is_whole and NAMED_ID.fullmatch(column.name.strip()) is not None)


def lines_about(prepared: Prepare) -> Iterator[str]:
    """What a preparation did: one line for each thing."""
    uses = {role.name: role.use for role in prepared.roles_}
    numbers, categories = ([name for name, use in uses.items() if use == kind] for kind in (NUMBER, CATEGORY))
    kinds = [_counted(len(numbers), "number")] if numbers else []
    kinds += [_counted(len(categories), "category", "categories")] if categories else []
    total = len(numbers) + len(categories)
    size = f"{len(prepared.gaps_of_rows_):,} rows and {len(uses):,} columns"
    makes = "makes" if total == 1 else "make"
    yield f"{size}: {' and '.join(kinds)} {makes} {_counted(total, 'feature')}."
    left_out = [
        f"{'a column without a name' if role.name == '' else role.name} ({role.reason})"
        for role in prepared.roles_
        if role.use in (ID, LEFT_OUT)
    ]
    if left_out:
        yield f"Left out: {_named(left_out)}."
    yield from (f"Label: {name}. It has no part in the map." for name, use in uses.items() if use == LABEL)
    if categories:
        columns = "one column of zeros and ones for each value"
        one, more = f"has {columns} and counts", f"have {columns}; each category counts"
        yield f"Categories: {_named(_levels(prepared))} {one if len(categories) == 1 else more} as one feature."
    if prepared.n_gaps_:
        yield f"Gaps: {_gaps(prepared.n_gaps_, uses)}."
    n_empty = int((2 * prepared.gaps_of_rows_ > total).sum())
    if n_empty:
        have = "row has" if n_empty == 1 else "rows have"
        yield f"{n_empty:,} {have} more gaps than values; their places on the map say little."
    if numbers:
        yield (
            "Scale: each number has mean 0 and standard deviation 1."
            if prepared.scale
            else "Scale: numbers are as they were given, so that those with large values count most."
        )


def _levels(prepared: Prepare) -> list[str]:
    origins = prepared._origins
    counts = Counter(name for name, level in zip(origins.sources, origins.levels, strict=True) if level is not None)
    return [f"{name} ({_counted(count, 'value')})" for name, count in counts.items()]


def _gaps(gaps: dict[str, int], uses: dict[str, str]) -> str:
    filled = {NUMBER: "the median", CATEGORY: "the most frequent value"}
    kinds = {uses[name] for name in gaps}
    by = filled[kinds.pop()] if len(kinds) == 1 else "the median, of categories with the most frequent value"
    if len(gaps) == 1:
        ((name, count),) = gaps.items()
        return f"{_counted(count, 'value')} of {name}, filled with {by}"
    parts = [f"{name} ({count:,})" for name, count in gaps.items()]
    return f"{sum(gaps.values()):,} values in {len(gaps)} columns, filled with {by}: {_named(parts)}"


def _named(parts: list[str]) -> str:
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    return ", ".join(parts[:MOST_NAMED]) + more


def _counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
