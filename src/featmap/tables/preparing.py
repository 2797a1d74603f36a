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
        pairs = [
            ("label", self.label),
            ("id", self.id),
            ("groups", self.groups),
            *(("drop", name) for name in self.drop),
        ]
        return [(parameter, name) for parameter, name in pairs if isinstance(name, str)]


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
        if name not in known:
            there = f"there are {listed(known)}" if known else "it has no named columns"
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): {given.called} has no such column; {there}")
        if name in given.columns and parameter in ("id", "drop"):
            raise InvalidParameterError(f"{CALLER}({parameter}={name!r}): this column is no feature; leave it out")


def prepared_of(given: Given, asked: Asked) -> Prepared:
    """The data of the fit. Values that are finite numbers of one kind need no preparation."""
    held = None if given.is_table else stored(given.values)
    has_gaps = held is not None and held.dtype.kind == "f" and np.isnan(np.min(held, initial=0.0))
    needs_none = held is not None and not asked.scale and not has_gaps
    return _as_they_are(given) if needs_none else _by_preparation(given, asked)


def _as_they_are(given: Given) -> Prepared:
    kind = "numbers" if given.image_shape is None else "pixels"
    size = f"{given.n_rows:,} rows and {given.values.shape[1]:,} columns of {kind}."
    text = f"{size} {given.text or 'They are used as they are.'}"
    return Prepared(NamedTable(given.values, given.names, given.ids), text)


def _by_preparation(given: Given, asked: Asked) -> Prepared:
    columns = read_columns(CALLER, dense(given.values), given.names)
    by_name = {column.name: column for column in columns}
    label, groups = (
        name if isinstance(name, str) and name in by_name else None for name in (asked.label, asked.groups)
    )
    drop = asked.drop if groups is None else (*asked.drop, groups)
    scale = given.is_table if asked.scale is None else asked.scale
    preparation = Prepare(id=asked.id, drop=drop, label=label, scale=scale, names=given.names)
    preparation._learned(columns, drop)
    table = preparation._made_of([by_name[name] for name in preparation._used])
    found = None if preparation.ids_ is None else preparation.ids_.tolist()
    ids = found if given.ids is None or (asked.id is not None and found is not None) else given.ids
    text = "\n".join(filter(None, [given.text, str(preparation)]))
    return Prepared(NamedTable(table, None, ids, Recipe.of(preparation)), text, preparation, tuple(columns))
