"""What the colours of a map mean: a legend, names on the map, or a colour bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from .canvas import PLAIN_TEXT, shortened, size_in_points, write_caption
from .colours import COLOURS, NEUTRAL, Categories, Numbers
from .model import some_of
from .placed_labels import Label, PlacedLabels, densest_place

LEGEND_ROWS = 20
BAR_POINTS = 12.0  # width of a colour bar
SMALL = 0.02  # a name could hide a group that is a smaller part of the points
UNCOVERED_POINTS = 300  # points of small groups that names try not to cover


def explain_colours(ax: Axes, labels: Categories | Numbers | None, shown: Any) -> None:
    """Add a legend or a colour bar beside the Axes. ``shown`` is what `Cloud.draw_labelled` returned."""
    if isinstance(labels, Numbers):
        remark = "" if np.isfinite(labels.values).all() else "grey: missing"
        colour_bar(ax, shown, " · ".join(filter(None, [labels.title, remark])))
    elif labels is not None:
        names = [*labels.names, labels.rest] if (labels.codes < 0).any() else labels.names
        styles = [(colour, "o") for colour in [*labels.colours, NEUTRAL][: len(names)]]
        legend(ax, styles, names, labels.title)


def are_named_on_the_map(labels: Categories | Numbers | None) -> TypeGuard[Categories]:
    """Tell whether there are more groups than colours that one can look up in a legend."""
    return isinstance(labels, Categories) and len(labels.names) > len(COLOURS)


def name_groups(
    ax: Axes, positions: np.ndarray, labels: Categories, others: Sequence[Label] = (), visible: ArrayLike = ()
) -> None:
    """Write the name of each group at its densest place; larger groups get the better places.

    ``others`` are labels that are placed before them, and ``visible`` are places that no label should cover.
    """
    groups = [np.flatnonzero(labels.codes == code) for code in range(len(labels.names))]
    names = [
        Label(shortened(labels.names[code]), densest_place(positions[groups[code]]), weight="bold", gid="group")
        for code in sorted(range(len(groups)), key=lambda code: -len(groups[code]))
    ]
    small = [rows for rows in groups if len(rows) < SMALL * len(positions)]
    each = max(UNCOVERED_POINTS // max(len(small), 1), 3)
    uncovered = [np.reshape(visible, (-1, 2)), *(positions[some_of(rows, each)] for rows in small)]
    PlacedLabels(ax, [*others, *names], np.concatenate(uncovered))
    meaning = [f"names: {labels.title}"] if labels.title else []
    if (labels.codes < 0).any():
        meaning.append(f"grey: {labels.rest}")
    write_caption(ax, [" · ".join(meaning)])


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
