"""Explain colours beside the data: a legend for categories, a colour bar for numbers."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .canvas import PLAIN_TEXT, size_in_points
from .names import shortened

LEGEND_ROWS = 20
BAR_POINTS = 12.0


def legend(ax: Axes, styles: list[tuple[str, str]], names: list[str], title: str | None) -> None:
    """Draw colours and markers with their names to the right of the Axes."""
    handles = [Line2D([], [], linestyle="", marker=marker, color=colour, markersize=6) for colour, marker in styles]
    box = ax.legend(
        handles,
        ["name"] * len(names),
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        ncols=math.ceil(len(names) / LEGEND_ROWS),
        frameon=False,
        fontsize="small",
        handletextpad=0.2,
        columnspacing=1.0,
    )
    # matplotlib leaves out names that begin with an underscore, so they are set one by one.
    for text, name in zip(box.get_texts(), names, strict=True):
        text.set(text=shortened(name), **PLAIN_TEXT)
    box.get_title().set(**PLAIN_TEXT)


def widen_by_legend(ax: Axes) -> None:
    """Make the figure wider by the width of the legend, so that the map keeps its size."""
    box, figure = ax.get_legend(), ax.figure
    if box is not None and isinstance(figure, Figure):
        figure.set_figwidth(figure.get_figwidth() + box.get_window_extent().width / figure.dpi)


def colour_bar(ax: Axes, shown: Any, label: str) -> None:
    """Draw a colour bar. It takes space from the Axes if they are part of a layout, else it is to their right."""
    if ax.get_subplotspec() is None or not ax.axison:
        attached_bar(ax, shown, label)
        return
    bar = ax.figure.colorbar(shown, ax=ax)
    bar.outline.set_visible(False)
    bar.set_label(label, **PLAIN_TEXT)


def attached_bar(ax: Axes, shown: Any, label: str) -> None:
    """Draw a colour bar that is always as high as the Axes, whatever the layout does to them."""
    width = BAR_POINTS / size_in_points(ax)[0]
    bar = ax.figure.colorbar(shown, cax=ax.inset_axes((1 + width, 0, width, 1)))
    bar.outline.set_visible(False)
    bar.set_label(label, **PLAIN_TEXT)
