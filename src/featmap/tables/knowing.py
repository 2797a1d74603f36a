"""What is known of the rows of a table beside the data of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks.rows import check_order, row_names
from ..errors import InvalidDataError
from ..preparation.columns import CATEGORY, LEFT_OUT, NUMBER, Column
from ..preparation.known import KnownColumn, KnownTable, OwnValues, can_colour
from .given import Given
from .preparing import CALLER, Asked, Prepared

LABEL, GROUPS = "label", "groups"


def known_of(given: Given, prepared: Prepared, asked: Asked, unit: str | None) -> KnownTable:
    """The label, own values, columns that can colour the map, and what had no part in it."""
    by_name = {column.name: column for column in prepared.columns}
    for parameter, values in ((LABEL, asked.label), (GROUPS, asked.groups)):
        _check_order(parameter, values, given, prepared)
    label = _column_of(LABEL, asked.label, given, by_name)
    if label is not None and np.isnan(label.numbers).all():
        raise InvalidDataError(f"{CALLER}(label={label.name!r}): no row has a label; leave label out")
    groups = _column_of(GROUPS, asked.groups, given, by_name)
    aside = {column.name for column in (label, groups) if column is not None}
    found = [*_known_columns(given), *_colouring(prepared)]
    return KnownTable(
        text=prepared.text,
        unit=unit or given.unit,
        label=label,
        columns=tuple(column for column in found if column.name not in aside),
        unused=tuple((name, reason) for name, (use, reason) in _uses(prepared).items() if use == LEFT_OUT),
        own=_own_values(prepared),
        order=tuple(by_name),
        groups=groups,
        image_shape=None if prepared.preparation is not None else given.image_shape,
    )


def _uses(prepared: Prepared) -> dict[str, tuple[str, str]]:
    """What each column is used as, and the reason if it is not."""
    roles = () if prepared.preparation is None else prepared.preparation.roles_
    return {role.name: (role.use, role.reason) for role in roles}


def _own_values(prepared: Prepared) -> OwnValues | None:
    uses = _uses(prepared)
    used = [column for column in prepared.columns if uses[column.name][0] in (NUMBER, CATEGORY)]
    return OwnValues.of(used) if used else None


def _colouring(prepared: Prepared) -> list[KnownColumn]:
    """Columns by which a page can be coloured beside the numbers that the map was made of."""
    uses = _uses(prepared)
    found = [column for column in prepared.columns if _colours(column, uses[column.name][0])]
    return [KnownColumn.of_column(column) for column in found]


def _colours(column: Column, use: str) -> bool:
    return use == CATEGORY or (use == LEFT_OUT and can_colour(column))


def _column_of(parameter: str, asked: Any, given: Given, by_name: dict[str, Column]) -> KnownColumn | None:
    if asked is None:
        return None
    if not isinstance(asked, str):
        name = str(getattr(asked, "name", None) or parameter)
        return KnownColumn.of_values(f"{CALLER}({parameter}=…)", name, asked, given.n_rows)
    if asked in by_name:
        return KnownColumn.of_column(by_name[asked])
    return KnownColumn.of_values(f"{CALLER}({parameter}={asked!r})", asked, given.columns[asked], given.n_rows)


def _check_order(parameter: str, asked: Any, given: Given, prepared: Prepared) -> None:
    """Refuse values in another order than the rows: their index may be that of the frame, or names of the rows."""
    ids = prepared.fit.row_names
    for names in (row_names(given.values), None if ids is None else np.asarray(ids, object)):
        check_order(parameter, asked, names)


def _known_columns(given: Given) -> list[KnownColumn]:
    """What came with the values, such as the annotations of cells, as far as it can colour a map."""
    found = []
    for name, values in given.columns.items():
        try:
            column = KnownColumn.of_values(CALLER, name, values, given.n_rows)
        except (InvalidDataError, TypeError):
            continue
        if column.levels is None or 2 * len(column.levels) <= np.isfinite(column.numbers).sum():
            found.append(column)
    return found
