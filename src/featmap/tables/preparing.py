"""The data of a fit from what was given, and what the user says of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.arguments import listed
from ..checks.inputs import NamedTable
from ..errors import InvalidParameterError
from ..preparation.columns import Column, read_columns
from ..preparation.prepare import Prepare, Recipe
from .given import Given, dense, stored

CALLER = "map_table"


@dataclass(frozen=True)
class Asked:
    """What the user says of the columns."""

    label: Any
    id: str | None
    drop: tuple[str, ...]
    scale: bool | None
    groups: Any

    @property
    def named(self) -> list[tuple[str, str]]:
        """Parameters that name a column, with the name."""
        one = [(name, getattr(self, name)) for name in ("label", "id", "groups")]
        return [(name, value) for name, value in one if isinstance(value, str)] + [
            ("drop", name) for name in self.drop
        ]


@dataclass(frozen=True)
class Prepared:
    """What a fit is given, and how it was made."""

    fit: NamedTable
    text: str
    preparation: Prepare | None = None
    columns: tuple[Column, ...] = ()  # of the table, as they were read


def check_names(given: Given, asked: Asked) -> None:
    """Whether the columns that were named are there."""
    own = [str(name) for name in given.values.columns] if given.is_frame else list(given.names or ())
    own = own if given.is_table else []
    known = [*own, *given.columns]
    for parameter, name in asked.named:
        if name not in known and not (parameter == "id" and given.image_shape and given.ids is not None):
            there = f"there are {listed(known)}" if known else "it has no named columns"
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): {given.called} has no such column; {there}")
        if name in given.columns and parameter in ("id", "drop"):
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): this column is no feature; leave it out")


def prepared_of(given: Given, asked: Asked) -> Prepared:
    """The data of the fit. Values that are finite numbers of one kind need no preparation."""
    held = None if given.is_table else stored(given.values)
    has_gaps = held is not None and held.dtype.kind == "f" and np.isnan(np.min(held, initial=0.0))
    if held is not None and not asked.scale and not has_gaps:
        kind = "numbers" if given.image_shape is None else "pixels"
        size = f"{given.n_rows:,} rows and {given.values.shape[1]:,} columns of {kind}."
        text = f"{size} {given.text or 'They are used as they are.'}"
        return Prepared(NamedTable(given.values, given.names, given.ids), text)
    values = dense(given.values)
    columns = read_columns(CALLER, values, given.names)
    own = {column.name for column in columns}
    aside = [name for name in (asked.label, asked.groups) if isinstance(name, str) and name in own]
    label = aside[0] if asked.label in aside else None
    scale = given.is_table if asked.scale is None else asked.scale
    drop = (*asked.drop, *(name for name in aside if name != label and name not in asked.drop))
    preparation = Prepare(id=asked.id, drop=drop, label=label, scale=scale, names=given.names)
    preparation._learned(columns, drop)
    table = preparation._made_of([column for name in preparation._used for column in columns if column.name == name])
    ids = given.ids
    if preparation.ids_ is not None and (ids is None or asked.id is not None):
        ids = preparation.ids_.tolist()
    text = "\n".join(filter(None, [given.text, str(preparation)]))
    return Prepared(NamedTable(table, None, ids, Recipe.of(preparation)), text, preparation, tuple(columns))
