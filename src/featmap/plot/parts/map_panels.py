"""Several maps of the same rows side by side, in the same colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .canvas import PLAIN_TEXT
from .cloud import Cloud
from .keys import are_named_on_the_map, explain_colours, names_of_groups, small_groups
from .labels import Categories, Numbers, read_labels
from .legends import widen_by_legend
from .panels import panels_in_a_grid
from .placed_labels import PlacedLabels

MOST_MAPS = 36
MOST_WITH_NAMES = 4  # more panels are too small for names on them


def draw_maps(
    caller: str, titles: Sequence[str], embeddings: Sequence[np.ndarray], labels: ArrayLike | None, ax: Axes | None
) -> Axes:
    """Draw one panel per map. The panels are the ``child_axes`` of the Axes returned."""
    colours = [None if labels is None else read_labels(caller, labels, len(embedding)) for embedding in embeddings]
    named = are_named_on_the_map(colours[0]) and len(embeddings) <= MOST_WITH_NAMES
    is_new = ax is None
    ax, panels = panels_in_a_grid(ax, len(embeddings), title_lines=2)
    for panel, title, embedding, colour in zip(panels, titles, embeddings, colours, strict=True):
        shown = _draw_panel(panel, title, embedding, colour, named=named)
    if not named:
        explain_colours(ax, colours[0], shown)
    if is_new:
        widen_by_legend(ax)
    return ax


def _draw_panel(
    panel: Axes, title: str, embedding: np.ndarray, labels: Categories | Numbers | None, *, named: bool
) -> Any:
    cloud = Cloud(panel, embedding, labels)
    shown = cloud.draw_labelled(labels)
    cloud.finish_axes()
    if named and isinstance(labels, Categories):
        PlacedLabels(panel, names_of_groups(labels, cloud.positions), small_groups(labels, cloud.positions))
    panel.set(xlabel="", ylabel="")  # there is no room between the panels
    if cloud.n_dimensions > 2 and "\n" not in title:
        title += f"\n(2 of {cloud.n_dimensions} dimensions)"
    panel.set_title(title, fontsize="medium", **PLAIN_TEXT)
    return shown
