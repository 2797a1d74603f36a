"""Axes to draw on, alone or in panels, and the texts around them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke

INK = "#222222"
PALE_INK = "#8a8a8a"
FAINT_INK = "#cfcfcf"

# A rim around texts, which makes them legible on points and lines.
HALO = withStroke(linewidth=2.5, foreground="white", alpha=0.85)

# Names come from the data. A "$" or "_" in a name is a character, not a formula.
PLAIN_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}

LONGEST_NAME = 28  # characters
LETTER = 0.47  # mean width of a letter, in font sizes
FEWEST_LETTERS = 30  # in a line of a caption, however narrow the picture is
LINE = 1.35  # distance of two lines of text, in font sizes

PANEL_INCHES = 3.4
WIDEST_FIGURE, HIGHEST_FIGURE = 16.0, 12.0  # inches
NARROWEST_FIGURE, LOWEST_FIGURE = 3.0, 2.2
FLATTEST = 0.4  # smallest height divided by width of the space for a panel; an image may leave some of it empty
GAP_POINTS = 10.0
TITLE_POINTS = 12.0  # height of a line of a title, and of the space around the title


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


def axes_for_panels(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given Axes or new ones, without ticks and box: panels are added as its ``child_axes``.

    Panels move with their Axes in any layout, and are removed when it is cleared.
    """
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
    inches = min(inches, WIDEST_FIGURE / n_columns, HIGHEST_FIGURE / (n_rows * shape))
    size = max(NARROWEST_FIGURE, inches * n_columns), max(LOWEST_FIGURE, inches * shape * n_rows)
    ax = axes_for_panels(ax, size)
    width, height = size_in_points(ax)
    gap = min(GAP_POINTS / width, 0.2 / n_columns)
    title = min(TITLE_POINTS * (1 + title_lines) / height, 0.3 / n_rows)
    step_across, step_down = (1 + gap) / n_columns, (1 + title) / n_rows
    positions = [divmod(number, n_columns) for number in range(n_panels)]
    return ax, [
        ax.inset_axes((column * step_across, 1 - (row + 1) * step_down + title, step_across - gap, step_down - title))
        for row, column in positions
    ]


def columns_for(n_panels: int) -> int:
    """Return the number of columns: one row for up to four panels, else few gaps and no more rows than columns."""
    if n_panels <= 4:
        return n_panels
    candidates = range(math.ceil(math.sqrt(n_panels)), math.ceil(math.sqrt(2.5 * n_panels)) + 1)
    return min(candidates, key=lambda n_columns: -n_panels % n_columns)


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return width and height of the Axes in points (1/72 inch)."""
    box = ax.get_window_extent()
    points_per_pixel = 72 / ax.figure.dpi
    return box.width * points_per_pixel, box.height * points_per_pixel


def without_ticks(ax: Axes) -> None:
    """Remove ticks and box, because positions on a map have no units. Axis labels stay possible."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def name_bars(ax: Axes, names: Sequence[str]) -> None:
    """Name the bars of a chart from top to bottom, and remove the parts of the box that do not help to read it."""
    room = size_in_points(ax)[1] / (len(names) * LINE)
    size = min(FontProperties(size="small").get_size_in_points(), room)
    ax.set_yticks(range(len(names)), [shortened(name) for name in names], fontsize=size, color=INK, **PLAIN_TEXT)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(axis="x", color=FAINT_INK, linewidth=0.5)
    ax.set_axisbelow(True)


def write_caption(ax: Axes, sentences: Sequence[str]) -> None:
    """Write sentences below the Axes, under the label that is already there, in lines no wider than the Axes."""
    size = FontProperties(size="small").get_size_in_points()
    letters = max(int(size_in_points(ax)[0] / (LETTER * size)), FEWEST_LETTERS)
    lines = [line for sentence in sentences for line in textwrap.wrap(sentence, letters)]
    ax.set_xlabel("\n".join(filter(None, [ax.get_xlabel(), *lines])), fontsize="small", **PLAIN_TEXT)


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """Return the name on one line, with "…" in the middle if it is longer than ``most`` characters."""
    name = " ".join(name.split())
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return name[: most - 1 - tail] + "…" + name[len(name) - tail :]
