"""Arguments that many functions have: numbers within bounds, how messages show values, packages that a call needs."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ..errors import InvalidParameterError, MissingExtraError

MOST_CHARACTERS = 200
MOST_LISTED = 5


def shown(value: Any) -> str:
    """The repr of a value, cut if it is long."""
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"


def listed(values: Iterable[Any]) -> str:
    """The first values of a list."""
    first = [repr(value) for value in islice(values, MOST_LISTED + 1)]
    return ", ".join(first[:MOST_LISTED] + ["…"] * (len(first) > MOST_LISTED))


def is_integer(value: Any, least: int, most: int | None = None) -> bool:
    """Whether a value is an integer, Python's or numpy's, from ``least`` to ``most``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        return False
    return least <= int(value) and (most is None or int(value) <= most)


def is_number(value: Any, least: float, most: float = math.inf) -> bool:
    """Whether a value is a finite number, Python's or numpy's, from ``least`` to ``most``."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value) and least <= float(value) <= most
    except OverflowError:  # an integer beyond float64
        return False


def checked_count(caller: str, name: str, value: Any, least: int, most: int | None = None) -> int:
    """An integer from ``least`` to ``most``, or without an upper bound."""
    if not is_integer(value, least, most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidParameterError(f"{caller}({name}={value!r}): {name} must be an integer {bounds}")
    return int(value)


def checked_rate(caller: str, rate: Any) -> float:
    """A number from 0 to 1."""
    if not is_number(rate, 0, 1):
        raise InvalidParameterError(f"{caller}(rate={rate!r}): rate must be a number from 0 to 1")
    return float(rate)


def pandas_for(caller: str) -> Any:
    """The package pandas."""
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError(f"{caller} needs pandas: pip install pandas") from error
    return pandas
