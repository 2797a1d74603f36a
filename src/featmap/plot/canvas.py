"""The paper to draw on: Axes given or new, bare of ticks, and their size in points."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

INK = "#222222"
PALE_INK = "#8a8a8a"
FAINT_INK = "#cfcfcf"

# Names come from the data: a "$" or "_" in them is a letter, not a formula.
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}

# Arrows as long as the map says, with shafts in inches and heads in widths of the shaft.
ARROW_STYLE: dict[str, Any] = {
    "angles": "xy",
    "scale_units": "xy",
    "units": "inches",
    "headwidth": 4.5,
    "headlength": 5.5,
    "headaxislength": 5,
    "zorder": 3,
    "gid": "arrows",
}


def axes_or_new(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The Axes given, or those of a new figure (of so many inches) that leaves room for a legend or colour bar."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def without_ticks(ax: Axes) -> None:
    """Take away ticks and box: places on a map have no units. Axis labels stay possible."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def name_dimensions(ax: Axes, n_dimensions: int) -> None:
    """Say which two dimensions are drawn where the map has more."""
    if n_dimensions > 2:
        ax.set_xlabel(f"map dimension 1 of {n_dimensions}")
        ax.set_ylabel(f"map dimension 2 of {n_dimensions}")


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Width and height of the Axes in points (1/72 inch)."""
    box = ax.get_window_extent()
    points_per_pixel = 72 / ax.figure.dpi
    return box.width * points_per_pixel, box.height * points_per_pixel
