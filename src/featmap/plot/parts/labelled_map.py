"""A map whose points have the colours of their labels, with a key to the colours and with rings around some rows."""

from __future__ import annotations

import numpy as np

from .cloud import Cloud
from .keys import are_named_on_the_map, explain_colours, names_of_groups, small_groups, write_rest
from .labels import Categories, Numbers
from .marks import draw_rings
from .placed_labels import Label, PlacedLabels


def draw_labelled_map(
    cloud: Cloud, colours: Categories | Numbers | None, rings: np.ndarray, names: list[Label]
) -> None:
    """Draw the points, the rings and their names. Many categories are named on the map, others in a legend."""
    ax = cloud.ax
    shown = cloud.draw_labelled(colours)
    draw_rings(ax, rings)
    cloud.finish_axes()
    if isinstance(colours, Categories) and are_named_on_the_map(colours):
        names = names + names_of_groups(colours, cloud.positions)
        PlacedLabels(ax, names, np.concatenate([rings, small_groups(colours, cloud.positions)]))
        write_rest(ax, colours)
    else:
        PlacedLabels(ax, names, rings)
        explain_colours(ax, colours, shown)
