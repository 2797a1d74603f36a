"""Chosen rows on a map: a ring around each, and its name."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from .canvas import INK
from .checks import MOST_NAMES
from .model import Model
from .names import name_of_row
from .placed_labels import Label

RING = 110.0  # area of a ring, in square points
CLEAR = 7.0  # distance of a name from the middle of its ring, in points


def draw_rings(ax: Axes, positions: np.ndarray) -> None:
    """Draw a ring around each position above everything else, with a white rim so that it is seen on any colour."""
    if not len(positions):
        return
    x, y = positions.T
    for colour, width in (("white", 4.0), (INK, 1.8)):
        ax.scatter(x, y, s=RING, facecolors="none", edgecolors=colour, linewidths=width, zorder=5, gid="mark")


def names_of_rings(model: Model, rows: np.ndarray, positions: np.ndarray) -> list[Label]:
    """Return the name of each row beside its ring, or nothing if there are too many to read."""
    if len(rows) > MOST_NAMES:
        return []
    return [
        Label(name_of_row(model, row), tuple(position), weight="bold", clear=CLEAR, away=(1.0, 0.3), gid="row")
        for row, position in zip(rows, positions, strict=True)
    ]
