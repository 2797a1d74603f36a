"""The style of arrows, and what their lengths mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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


def longest_in_words(
    kind: str, names: Sequence[str], arrows: np.ndarray, scale: float, units: np.ndarray | None = None
) -> list[str]:
    """Write what the length of arrows means: how much the feature of the longest one rises from its tail to its head.

    ``scale`` is the drawn length of a slope of 1, and ``units`` lead from slopes to the user's units. Arrows of the
    paper's frames have no unit, so nothing is written.
    """
    lengths = np.linalg.norm(arrows, axis=1)
    if kind == "frame" or not lengths.any():
        return []
    longest = int(lengths.argmax())
    rise = lengths[longest] ** 2 * scale * (1.0 if units is None else units[longest])
    return [f"Along the longest arrow, {names[longest]} rises by {rise:.2g}."]
