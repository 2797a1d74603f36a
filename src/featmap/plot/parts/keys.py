"""What the colours of a map mean: a legend, names on the map, or a colour bar."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .canvas import add_to_label
from .labels import Categories, Numbers
from .legends import colour_bar, legend
from .names import shortened
from .palette import COLOURS, NEUTRAL
from .placed_labels import Label
from .places import densest_place
from .sample import some_of

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
