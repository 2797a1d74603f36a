"""The style of arrows and the units of their lengths."""

from __future__ import annotations

from typing import Any

from .palette import COLOURS

ARROW = COLOURS[0]

# Arrows are as long as they are in the coordinates of the map. Shafts are in inches, heads in widths of the shaft.
ARROW_STYLE: dict[str, Any] = {
    "angles": "xy",
    "scale_units": "xy",
    "units": "inches",
    "headwidth": 4.5,
    "headlength": 5.5,
    "headaxislength": 5,
    "zorder": 3,
    "gid": "arrows",
}

_PER_UNIT = "{:g} units of the data per unit of the map"
_LENGTHS = {"tangent": _PER_UNIT, "map": _PER_UNIT, "frame": "arrow length {:g}, without unit"}


def length_with_unit(kind: str, length: float) -> str:
    """Write the length of an arrow with its unit."""
    return _LENGTHS[kind].format(length)
