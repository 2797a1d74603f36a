"""Values of users in messages: shown as they are written, and cut if they are long."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

MOST_CHARACTERS = 200
MOST_LISTED = 5


def shown(value: Any) -> str:
    """One value."""
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"


def listed(values: Iterable[Any]) -> str:
    """The first few of some values."""
    first = [repr(value) for value in islice(values, MOST_LISTED + 1)]
    return ", ".join(first[:MOST_LISTED] + ["…"] * (len(first) > MOST_LISTED))
