"""The map coloured by one number per row."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from .canvas import add_to_label, axes_or_new
from .cloud import Cloud
from .legends import colour_bar
from .model import Model, map_behind
from .titles import write_title


def draw_coloured(
    model: Model, rows: np.ndarray, values: np.ndarray, title: str, meaning: str, ax: Axes | None
) -> Axes:
    """Draw all points, some of them in colour. ``meaning`` is written at the colour bar."""
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, behind=map_behind(model))
    shown = cloud.draw_sample(rows, values)
    colour_bar(ax, shown, meaning if np.isfinite(values).all() else f"{meaning} · grey: missing")
    cloud.finish_axes()
    if len(rows) < len(model.embedding_):
        add_to_label(ax, f"{len(rows):,} of {len(model.embedding_):,} points are coloured")
    write_title(ax, model, title)
    return ax
