"""Numbers as a person writes them: 97,560 and 17.4 and 0.0371, and thresholds that are exactly what is printed."""

from __future__ import annotations

import math

import numpy as np

from ..values import DoubleArray

DIGITS = 3
FIRST_WITH_COMMA = 10_000  # below, people write none: 2007 may be a year
FIRST_DECIMAL = 1e-5  # smaller numbers have an exponent


def plain(value: float, spread: float = 0.0) -> str:
    """The number with three digits, or as many as tell it from others of the same spread."""
    if not math.isfinite(value):
        return "none"
    if 0 < abs(value) < FIRST_DECIMAL:
        return f"{value:.{DIGITS - 1}e}"
    return written(round(value, decimals(value, spread)))


def written(value: float) -> str:
    """All digits of a number that is rounded already."""
    if value != 0 and abs(value) < FIRST_DECIMAL:
        return f"{value:.{DIGITS - 1}e}"
    text = np.format_float_positional(value, trim="-")
    whole, point, fraction = text.removeprefix("-").partition(".")
    if abs(value) >= FIRST_WITH_COMMA:
        whole = f"{int(whole):,}"
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}{point}{fraction}"


def decimals(value: float, spread: float) -> int:
    """How many decimals are printed: three digits of the number, and two of the spread of its feature."""
    of_value = DIGITS - 1 - math.floor(math.log10(abs(value))) if value else 0
    of_spread = DIGITS - 2 - math.floor(math.log10(spread)) if 0 < spread < math.inf else 0
    return min(max(of_value, of_spread, 0), 15)


def as_printed(values: DoubleArray, spread: float) -> DoubleArray:
    """Thresholds as they will be printed. A rule is scored with these, so that what is read is what was measured."""
    return np.array([_rounded(float(value), spread) for value in values], np.float64)


def _rounded(value: float, spread: float) -> float:
    if 0 < abs(value) < FIRST_DECIMAL:
        return float(f"{value:.{DIGITS - 1}e}")
    return round(value, decimals(value, spread))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def of_100(part: float) -> str:
    """A part of the whole as a count: 91 of 100."""
    return f"{round(100 * part)} of 100"
