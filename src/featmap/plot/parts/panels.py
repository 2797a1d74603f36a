"""Several panels inside one Axes. They move with it in any layout and are cleared with it."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from .canvas import axes_or_new, size_in_points

PANEL_INCHES = 3.4
WIDEST, HIGHEST = 16.0, 12.0  # size of a new figure in inches
NARROWEST, LOWEST = 3.0, 2.2
FLATTEST = 0.4  # smallest height divided by width of the space for a panel; an image may leave some of it empty
GAP_POINTS = 10.0
TITLE_POINTS = 12.0  # height of a line of a title, and of the space around the title


def axes_for_panels(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given Axes or new ones without axis, on which panels are put as ``child_axes``."""
    ax = axes_or_new(ax, size)
    ax.set_axis_off()
    return ax


def panels_in_a_grid(
    ax: Axes | None, n_panels: int, shape: float = 1.0, inches: float = PANEL_INCHES, title_lines: int = 1
) -> tuple[Axes, list[Axes]]:
    """Return the Axes, and panels on it row by row, with room for a title above each.

    ``shape`` is the height of a panel divided by its width. ``inches`` is the width of a panel in a new figure; it is
    smaller if the figure would become too large.
    """
    n_columns = columns_for(n_panels)
    n_rows = math.ceil(n_panels / n_columns)
    shape = min(max(shape, FLATTEST), 1 / FLATTEST)
    inches = min(inches, WIDEST / n_columns, HIGHEST / (n_rows * shape))
    ax = axes_for_panels(ax, (max(NARROWEST, inches * n_columns), max(LOWEST, inches * shape * n_rows)))
    width, height = size_in_points(ax)
    gap, title = (
        min(GAP_POINTS / width, 0.2 / n_columns),
        min(TITLE_POINTS * (1 + title_lines) / height, 0.3 / n_rows),
    )
    step_across, step_down = (1 + gap) / n_columns, (1 + title) / n_rows
    positions = [divmod(number, n_columns) for number in range(n_panels)]
    return ax, [
        ax.inset_axes((column * step_across, 1 - (row + 1) * step_down + title, step_across - gap, step_down - title))
        for row, column in positions
    ]


def columns_for(n_panels: int) -> int:
    """Return one row for up to four panels; for more, a grid with few gaps that is not higher than wide."""
    if n_panels <= 4:
        return n_panels
    candidates = range(math.ceil(math.sqrt(n_panels)), math.ceil(math.sqrt(2.5 * n_panels)) + 1)
    return min(candidates, key=lambda n_columns: -n_panels % n_columns)
