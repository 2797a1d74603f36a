"""Axes to draw on: given or new, without ticks, with their size in points."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

INK = "#222222"
PALE_INK = "#8a8a8a"
FAINT_INK = "#cfcfcf"

# A rim around texts, which makes them legible on points and lines.
HALO = withStroke(linewidth=2.5, foreground="white", alpha=0.85)

# Names come from the data. A "$" or "_" in a name is a character, not a formula.
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}


def axes_or_new(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the given Axes, or those of a new figure that leaves room for a legend or a colour bar.

    ``size`` is the width and height of a new figure in inches. Every function of `featmap.plot` returns Axes that
    come from here.
    """
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
    # IPython calls this attribute instead of printing the object. Without it a notebook shows "<Axes: >" above
    # every figure.
    ax._ipython_display_ = print_nothing  # type: ignore[attr-defined]
    return ax


def print_nothing() -> None:
    """Print nothing. This is a function of a module because it is pickled together with the figure."""


def without_ticks(ax: Axes) -> None:
    """Remove ticks and box, because positions on a map have no units. Axis labels stay possible."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def name_dimensions(ax: Axes, n_dimensions: int) -> None:
    """Write which two dimensions are drawn if the map has more than two."""
    if n_dimensions > 2:
        ax.set_xlabel(f"map dimension 1 of {n_dimensions}")
        ax.set_ylabel(f"map dimension 2 of {n_dimensions}")


def add_to_label(ax: Axes, text: str) -> None:
    """Add a line of text below the Axes, under the label that is already there."""
    label = ax.get_xlabel()
    ax.set_xlabel(f"{label}\n{text}" if label else text, fontsize="small")


def show_part(ax: Axes, corners: np.ndarray) -> None:
    """Let the part of a map between two corners fill the Axes, whatever else is drawn.

    Fixed limits would not do: matplotlib could not make the scales of the two axes equal without a warning.
    """
    ax.dataLim.set_points(corners)
    ax.autoscale_view()


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return width and height of the Axes in points (1/72 inch)."""
    box = ax.get_window_extent()
    points_per_pixel = 72 / ax.figure.dpi
    return box.width * points_per_pixel, box.height * points_per_pixel
