"""What a map of a table says of itself: what was done, the labels of its rows, and how far it keeps neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..answers.numbers import plain
from ..answers.place import Places
from ..preparation.known import KnownColumn

if TYPE_CHECKING:
    from .table_map import TableMap

MOST_LABELS = 8


def lines_of(found: TableMap) -> Iterator[str]:
    """A description, line by line."""
    yield from what_was_done(found)
    places = Places.of(found._points.mapped)
    kept = int(np.median(places.kept))
    yield f"Around a typical {found.known.unit} the map keeps {kept} of its {places.n} nearest."


def what_was_done(found: TableMap) -> Iterator[str]:
    """What was done with the columns, and the labels of the rows."""
    known = found.known
    yield known.text or f"{many(len(found), known.unit)} and {found.n_features_in_:,} columns."
    if known.label is not None:
        yield about_label(known.label)


def about_label(label: KnownColumn) -> str:
    """How many rows have each label, or the range of numbers."""
    n_missing = int(np.isnan(label.numbers).sum())
    without = f"; {n_missing:,} without" if n_missing else ""
    if label.levels is None:
        known = label.numbers[~np.isnan(label.numbers)]
        low, middle, high = (plain(value, float(known.std())) for value in np.quantile(known, (0, 0.5, 1)))
        return f"{label.name}: {low} to {high}, half of them up to {middle}{without}."
    counts = [f"{name} {count:,}" for name, count in label.counts]
    more = f" and {len(counts) - MOST_LABELS} more" if len(counts) > MOST_LABELS else ""
    return f"{label.name}: {', '.join(counts[:MOST_LABELS])}{more}{without}."


def many(number: int, unit: str) -> str:
    """A number of rows by what they are called: 569 tumours."""
    return f"{number:,} {unit}{'' if number == 1 or unit.endswith('s') else 's'}"
