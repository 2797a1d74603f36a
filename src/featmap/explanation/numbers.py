"""Numbers as a person reads them: no more digits than count, and no exponent unless there is no other way."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

DIGITS = 3
MOST_DECIMALS = 12


def number(value: float, spread: float = 0.0) -> str:
    """The number with about three digits, or as many as tell it from others of the same spread.

    1,940 and 17.4 and 0.0123; a mean of 1e-9 among values of spread 1 is 0.00.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = math.log10(abs(value))
    exponent = round(math.log10(spread)) if 0 < spread < math.inf else math.floor(size)
    decimals = max(DIGITS - 1 - exponent, 0)
    if size >= 9 or (exponent < -4 and (size < -4 or decimals > MOST_DECIMALS)):
        return f"{value:.{DIGITS - 1}e}"
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def percent(part: float) -> str:
    """A part of the whole, as 43 %."""
    return f"{100 * part:.0f} %"


def named(feature: Any) -> str:
    """The name of a feature in a sentence. Features without names are told by their column numbers."""
    return f"feature {feature}" if isinstance(feature, Integral) else str(feature)


def names_of_pixels(shape: tuple[int, ...]) -> list[str]:
    """Return "row 3, column 5" for each pixel, counted from 0 at the upper left, with its channel if it has some."""
    height, width, n_channels = (*shape, 1)[:3]
    channels = {1: [""], 3: [", red", ", green", ", blue"]}.get(
        n_channels, [f", channel {number}" for number in range(n_channels)]
    )
    return [f"row {y}, column {x}{channel}" for y in range(height) for x in range(width) for channel in channels]
