"""Charts with one named line per feature."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties

from .canvas import FAINT_INK, INK, PLAIN_TEXT, size_in_points
from .names import shortened

LINE = 1.35  # distance of two lines of text, in font sizes


def name_bars(ax: Axes, names: Sequence[str]) -> None:
    """Name the bars of a chart from top to bottom, and remove the parts of the box that do not help to read it."""
    room = size_in_points(ax)[1] / (len(names) * LINE)
    size = min(FontProperties(size="small").get_size_in_points(), room)
    ax.set_yticks(range(len(names)), [shortened(name) for name in names], fontsize=size, color=INK, **PLAIN_TEXT)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color=FAINT_INK, linewidth=0.5)
    ax.set_axisbelow(True)
