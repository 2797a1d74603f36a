"""What the colours of a map mean: a legend, names on the map, or a colour bar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .canvas import PLAIN_TEXT, add_to_label, shortened, size_in_points
from .colours import COLOURS, NEUTRAL, Categories, Numbers
from .model import some_of
from .placed_labels import Label, densest_place

SMALL = 0.02  # groups of a smaller part of the points could be hidden by a name
FEW = 300  # points of small groups that names try not to cover


def explain_colours(ax: Axes, labels: Categories | Numbers | None, shown: Any) -> None:
    """Add a legend or a colour bar beside the Axes. ``shown`` is what `Cloud.draw_labelled` returned."""
    if isinstance(labels, Numbers):
        remark = "" if np.isfinite(labels.values).all() else "grey: missing"
        colour_bar(ax, shown, " · ".join(filter(None, [labels.title, remark])))
    elif labels is not None:
        rest = [labels.rest] if (labels.codes < 0).any() else []
        colours = [*labels.colours, NEUTRAL]
        legend(
            ax, [(colour, "o") for colour in colours[: len(labels.names + rest)]], labels.names + rest, labels.title
        )


def are_named_on_the_map(labels: Categories | Numbers | None) -> bool:
    """Tell whether there are more groups than colours that one can look up in a legend."""
    return isinstance(labels, Categories) and len(labels.names) > len(COLOURS)


def names_of_groups(labels: Categories, positions: np.ndarray) -> list[Label]:
    """Return the name of each group at its densest place; large groups come first and get the better places."""
    sizes = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.names))
    return [
        Label(
            shortened(labels.names[code]),
            tuple(densest_place(positions[labels.codes == code])),
            weight="bold",
            gid="group",
        )
        for code in np.argsort(-sizes, kind="stable")
    ]


def small_groups(labels: Categories, positions: np.ndarray) -> np.ndarray:
    """Return some points of each group that a name could hide."""
    members = [np.flatnonzero(labels.codes == code) for code in range(len(labels.names))]
    small = [rows for rows in members if len(rows) < SMALL * len(positions)]
    each = max(FEW // max(len(small), 1), 3)
    return positions[np.concatenate([np.empty(0, int), *(some_of(rows, each) for rows in small)])]


def write_rest(ax: Axes, labels: Categories) -> None:
    """Write below the map what its names are, and what grey points are."""
    rest = f"grey: {labels.rest}" if (labels.codes < 0).any() else ""
    text = " · ".join(filter(None, [labels.title and f"names: {labels.title}", rest]))
    if text:
        add_to_label(ax, text)


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
