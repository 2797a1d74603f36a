"""The map as a cloud of points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.utils.validation import check_is_fitted

from .canvas import PLAIN_TEXT, axes_or_new, name_dimensions, size_in_points, without_ticks
from .labels import Categories, Numbers, read_labels
from .names import shortened
from .palette import COLOURS, NEUTRAL, style

if TYPE_CHECKING:
    from ..estimator import FeatMAP

COVERED = 0.2  # part of the Axes that the points would cover if none overlapped
SMALLEST, LARGEST = 0.05, 36.0  # area of a point, in square points
MANY = 20_000  # from here on a vector file holds the points as pixels
LEGEND_ROWS = 20
LONGEST_NAME = 28


def embedding(model: FeatMAP, *, labels: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the map, one point per row.

    ``labels`` colours the points: text, booleans and a few different integers name categories (with a legend
    beside the map), floats and many different integers are numbers (with a colour bar). A label that is missing
    is grey. A map of one dimension is drawn as points piled up along it, a map of more than two by its first two.
    """
    check_is_fitted(model)
    n_points, n_dimensions = model.embedding_.shape
    meaning = None if labels is None else read_labels(labels, n_points)
    is_new = ax is None
    ax = axes_or_new(ax)
    cloud = _Cloud(ax, _places(model.embedding_, meaning))
    if meaning is None:
        cloud.draw(c=COLOURS[0])
    elif isinstance(meaning, Numbers):
        _draw_numbers(cloud, meaning)
    else:
        _draw_categories(cloud, meaning)
    _furnish(ax, n_dimensions)
    if is_new:
        _widen_by_legend(ax)
    return ax


class _Cloud:
    """Points to be drawn in an order that favours none of their labels."""

    def __init__(self, ax: Axes, places: np.ndarray) -> None:
        width, height = size_in_points(ax)
        self.ax = ax
        self.places = places
        self.order = np.random.default_rng(0).permutation(len(places))
        self.area = float(np.clip(COVERED * width * height / len(places), SMALLEST, LARGEST))

    def draw(self, chosen: np.ndarray | None = None, c: Any = None, **options: Any) -> Any:
        """Draw the chosen points; `c` is one colour, or an array with a colour or number for every point."""
        order = self.order if chosen is None else self.order[chosen[self.order]]
        x, y = self.places[order].T
        colours = c[order] if isinstance(c, np.ndarray) else c
        rasterized = len(self.places) >= MANY
        return self.ax.scatter(x, y, s=self.area, c=colours, linewidths=0, rasterized=rasterized, **options)


def _places(coordinates: np.ndarray, meaning: Categories | Numbers | None) -> np.ndarray:
    if coordinates.shape[1] >= 2:
        return coordinates[:, :2]
    along = coordinates[:, 0]
    return np.column_stack([along, _piled(along, meaning)])


def _piled(along: np.ndarray, meaning: Categories | Numbers | None) -> np.ndarray:
    """Height of each point on the pile at its place; like labels lie together in a pile."""
    n_piles = int(np.clip(2 * math.sqrt(len(along)), 10, 300))
    edges = np.linspace(along.min(), along.max(), n_piles + 1)[1:-1]
    pile = np.searchsorted(edges, along, side="right")
    layer = np.zeros(len(along)) if meaning is None else _layers(meaning)
    order = np.lexsort((layer, pile))
    starts = np.searchsorted(pile[order], pile[order], side="left")
    heights = np.empty(len(along))
    heights[order] = np.arange(len(along)) - starts
    return heights


def _layers(meaning: Categories | Numbers) -> np.ndarray:
    return meaning.values if isinstance(meaning, Numbers) else meaning.codes


def _draw_numbers(cloud: _Cloud, numbers: Numbers) -> None:
    known = np.isfinite(numbers.values)
    cloud.draw(~known, c=NEUTRAL)
    points = cloud.draw(known, c=numbers.values, cmap="viridis")
    bar = cloud.ax.figure.colorbar(points, ax=cloud.ax)
    bar.outline.set_visible(False)
    remark = "" if known.all() else "grey: missing"
    bar.set_label(" · ".join(filter(None, [numbers.title, remark])), **PLAIN_TEXT)


def _draw_categories(cloud: _Cloud, categories: Categories) -> None:
    rest = categories.codes < 0
    if rest.any():
        cloud.draw(rest, c=NEUTRAL)
    styles = [style(code) for code in range(len(categories.names))]
    colours = np.array([colour for colour, _ in styles] + [NEUTRAL])[categories.codes]
    markers = np.array([marker for _, marker in styles] + [""])[categories.codes]
    for marker in dict.fromkeys(marker for _, marker in styles):
        cloud.draw(markers == marker, c=colours, marker=marker)
    names = categories.names + [categories.rest] * bool(rest.any())
    _legend(cloud.ax, styles + [style(-1)] * bool(rest.any()), names, categories.title)


def _legend(ax: Axes, styles: list[tuple[str, str]], names: list[str], title: str | None) -> None:
    handles = [Line2D([], [], linestyle="", marker=marker, color=colour, markersize=6) for colour, marker in styles]
    legend = ax.legend(
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
    # Set one by one, because a legend leaves out names that begin with an underscore.
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=shortened(name, LONGEST_NAME), **PLAIN_TEXT)
    legend.get_title().set(**PLAIN_TEXT)


def _widen_by_legend(ax: Axes) -> None:
    """Let a legend of many categories add to the figure instead of taking from the map."""
    legend, figure = ax.get_legend(), ax.figure
    if legend is not None and isinstance(figure, Figure):
        figure.set_figwidth(figure.get_figwidth() + legend.get_window_extent().width / figure.dpi)


def _furnish(ax: Axes, n_dimensions: int) -> None:
    without_ticks(ax)
    name_dimensions(ax, n_dimensions)
    if n_dimensions == 1:
        ax.set_xlabel("the map's only dimension")
        ax.set_ylabel("points piled up")
    else:
        ax.set_aspect("equal", adjustable="datalim")
