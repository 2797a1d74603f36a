"""Colours of points: labels as categories or numbers, legends, colour bars and names of groups, and the colours."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias, TypeGuard

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from ...checks.rows import check_order, label_values
from .canvas import PLAIN_TEXT, shortened, size_in_points, write_caption
from .model import Model, row_names_of, some_of
from .placed_labels import MOST_UNCOVERED, Label, PlacedLabels, densest_place

MOST_INTEGER_CATEGORIES = 30  # more different integers are read as numbers, not as categories
LEGEND_ROWS = 20
BAR_POINTS = 12.0  # width of a colour bar
SMALL = 0.02  # a name could hide a group with a smaller part of the points


@dataclass(frozen=True)
class Categories:
    """One category per row, as an index into ``names``; -1 for the other rows, which the legend calls ``rest``."""

    codes: np.ndarray
    names: list[str]
    rest: str
    title: str | None
    colours: list[str]  # one for each name

    @property
    def known(self) -> np.ndarray:
        """Which rows have a category."""
        return self.codes >= 0

    @property
    def style(self) -> dict[str, Any]:
        """The colours of all rows, as options of ``scatter``."""
        return {"c": np.array([*self.colours, NEUTRAL])[self.codes]}


@dataclass(frozen=True)
class Numbers:
    """One number per row, not finite where it is missing."""

    values: np.ndarray
    title: str | None
    rest: ClassVar[str] = "missing"

    @property
    def known(self) -> np.ndarray:
        """Which rows have a number."""
        return np.isfinite(self.values)

    @property
    def style(self) -> dict[str, Any]:
        """The colours of all rows, as options of ``scatter``."""
        known = self.values[self.known]
        limits = {"vmin": known.min(), "vmax": known.max()} if len(known) else {}
        return {"c": self.values, "cmap": "viridis", **limits}


RowLabels: TypeAlias = Categories | Numbers


def labels_of(caller: str, model: Model, labels: Any) -> RowLabels | None:
    """Return the labels of the rows of a model; None if there are none."""
    return None if labels is None else read_labels(caller, labels, len(model.embedding_), row_names_of(model))


def read_labels(caller: str, labels: Any, n_rows: int, names: np.ndarray | None = None) -> RowLabels:
    """Read floats and many different integers as numbers, everything else as categories.

    Labels that have been read stay as they are.
    """
    if isinstance(labels, Categories | Numbers):
        return labels
    check_order("labels", labels, names)
    values, missing = label_values(caller, labels, n_rows)
    title = getattr(labels, "name", None)
    title = None if title is None else str(title)
    kind = values.dtype.kind
    if kind == "f" or (kind in "iu" and len(np.unique(values)) > MOST_INTEGER_CATEGORIES):
        return Numbers(np.where(missing, np.nan, values.astype(float)), title)
    texts = [None if gone else str(value) for value, gone in zip(values.tolist(), missing, strict=True)]
    counts = Counter(texts)
    known, rest = [name for name in _order(labels, values[~missing]) if name in counts], "missing"
    if len(known) > MOST_COLOURS:
        most_frequent = set(sorted(known, key=lambda name: -counts[name])[:MOST_COLOURS])
        known, rest = [name for name in known if name in most_frequent], "other"
    numbers: dict[str | None, int] = {name: number for number, name in enumerate(known)}
    codes = np.array([numbers.get(text, -1) for text in texts])
    return Categories(codes, known, rest, title, colours_for(len(known)))


def _order(labels: Any, values: np.ndarray) -> list[str]:
    """Return the names in the order of a pandas Categorical, else numbers by size and texts as people sort them."""
    declared = getattr(getattr(labels, "dtype", None), "categories", None)
    if declared is not None:
        return [str(name) for name in declared]
    if values.dtype.kind in "biu":
        return [str(value) for value in np.unique(values).tolist()]
    return sorted({str(value) for value in values.tolist()}, key=_natural)


def _natural(name: str) -> list[str | int]:
    """Return a key that sorts "cluster 2" before "cluster 10"."""
    parts: list[str | int] = list(re.split(r"(\d+)", name))
    parts[1::2] = [int(part) for part in parts[1::2]]
    return parts


# What explains the colours


def explain_colours(ax: Axes, labels: RowLabels | None, shown: Any) -> None:
    """Add a legend or a colour bar beside the Axes. ``shown`` is what `Cloud.draw_labelled` returned."""
    if isinstance(labels, Numbers):
        colour_bar(ax, shown, _in_words(labels.title, labels))
    elif labels is not None:
        names = labels.names if labels.known.all() else [*labels.names, labels.rest]
        styles = [(colour, "o") for colour in [*labels.colours, NEUTRAL][: len(names)]]
        legend(ax, styles, names, labels.title)


def are_named_on_the_map(labels: RowLabels | None) -> TypeGuard[Categories]:
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
    each = max(MOST_UNCOVERED // max(len(small), 1), 3)
    uncovered = [np.reshape(visible, (-1, 2)), *(positions[some_of(rows, each)] for rows in small)]
    PlacedLabels(ax, [*others, *names], np.concatenate(uncovered))
    write_caption(ax, [_in_words(labels.title and f"names: {labels.title}", labels)])


def _in_words(title: str | None, labels: RowLabels) -> str:
    """Return the title, and what points without a label are."""
    return " · ".join(filter(None, [title, "" if labels.known.all() else f"grey: {labels.rest}"]))


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


def colour_bar(ax: Axes, shown: Any, label: str, attached: bool = False) -> None:
    """Draw a colour bar.

    It takes space from the Axes if they are part of a layout. Else, or if it is to be attached, it is to the right of
    the Axes and always as high as they are, whatever the layout does to them.
    """
    place: dict[str, Any] = {"ax": ax}
    if attached or ax.get_subplotspec() is None or not ax.axison:
        width = BAR_POINTS / size_in_points(ax)[0]
        place = {"cax": ax.inset_axes((1 + width, 0, width, 1))}
    bar = ax.figure.colorbar(shown, **place)
    bar.outline.set_visible(False)
    bar.set_label(label, **PLAIN_TEXT)


# The colours

# These are the colours of Okabe and Ito, with a darker yellow for white paper, and three more. Under simulated
# protanopia, deuteranopia and tritanopia (Machado et al. 2009) the three are as far from all others as the colours of
# Okabe and Ito are from each other.
COLOURS = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#d55e00",  # vermilion
    "#56b4e9",  # sky
    "#cc79a7",  # pink
    "#d9cf00",  # yellow
    "#3333cc",  # indigo
    "#8b1a1a",  # dark red
    "#222222",  # black
)
NEUTRAL = "#b8b8b8"

MOST_COLOURS = 120
COLOUR_STEPS = 18  # candidates for more colours are a grid of so many steps in red, green and blue
DARKEST, LIGHTEST = 0.38, 0.85  # of candidates, where black is 0 and white is 1

# Ottosson's OKLab, in which distances are differences seen: cones from linear RGB, then lightness and two hues.
TO_CONES = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
TO_LAB = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])


def colours_for(n_categories: int) -> list[str]:
    """Return one colour for each category. Each colour is far from those before it."""
    return [*COLOURS, *_more_colours()][:n_categories]


def darkened(colour: str) -> str:
    """Return a colour in which text is legible on white paper, and which still belongs to the one given."""
    red, green, blue = to_rgb(colour)
    return to_hex((0.6 * red, 0.6 * green, 0.6 * blue))


@lru_cache(maxsize=1)
def _more_colours() -> list[str]:
    """Return the colours after the first ten. Each is the candidate furthest from those before, grey and white."""
    axis = np.linspace(0, 1, COLOUR_STEPS)
    candidates = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    seen = perceived(candidates)
    in_between = (seen[:, 0] > DARKEST) & (seen[:, 0] < LIGHTEST)
    candidates, seen = candidates[in_between], seen[in_between]
    taken = perceived(np.array([to_rgb(colour) for colour in (*COLOURS, NEUTRAL, "white")]))
    nearest = np.linalg.norm(seen[:, None] - taken, axis=2).min(axis=1)
    chosen = []
    for _ in range(MOST_COLOURS - len(COLOURS)):
        best = int(nearest.argmax())
        chosen.append(to_hex(candidates[best]))
        nearest = np.minimum(nearest, np.linalg.norm(seen - seen[best], axis=1))
    return chosen


def perceived(rgb: np.ndarray) -> np.ndarray:
    """Return sRGB colours as lightness and two hues of OKLab: shape (n_colours, 3)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ TO_CONES.T) @ TO_LAB.T
