"""The points of a map and their colours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .canvas import FAINT_INK, name_dimensions, size_in_points, without_ticks
from .labels import Categories, Numbers
from .legends import colour_bar, legend
from .palette import COLOURS, NEUTRAL, style

COVERED = 0.2  # part of the Axes that the points would cover if none overlapped
SMALLEST, LARGEST = 0.05, 36.0  # area of a point, in square points
MANY = 20_000  # from this number on a vector file holds the points as pixels


class Cloud:
    """The points of a map, drawn in random order so that no label hides the others."""

    def __init__(self, ax: Axes, embedding: np.ndarray, labels: Categories | Numbers | None = None) -> None:
        self.ax = ax
        self.positions = _positions(embedding, labels)
        self.order = np.random.default_rng(0).permutation(len(embedding))
        self.n_dimensions = embedding.shape[1]

    def draw(self, chosen: np.ndarray | None = None, c: Any = None, **options: Any) -> Any:
        """Draw the chosen points. ``c`` is one colour, or an array with a colour or number for every point."""
        order = self.order if chosen is None else self.order[chosen[self.order]]
        x, y = self.positions[order].T
        colours = c[order] if isinstance(c, np.ndarray) else c
        settings = {"s": self.area, "linewidths": 0, "rasterized": len(self.positions) >= MANY}
        return self.ax.scatter(x, y, c=colours, **(settings | options))

    def draw_labelled(self, labels: Categories | Numbers | None) -> Any:
        """Draw all points in one colour, or in the colours of their labels.

        For numbers, return the artist from which a colour bar is made.
        """
        if labels is None:
            self.draw(c=COLOURS[0])
        elif isinstance(labels, Numbers):
            known = np.isfinite(labels.values)
            self.draw(~known, c=NEUTRAL)
            return self.draw(known, c=labels.values, cmap="viridis")
        else:
            self._draw_categories(labels)
        return None

    def draw_sample(self, rows: np.ndarray, values: np.ndarray) -> Any:
        """Draw the values of some points in colour, large enough to be seen, above all points in pale grey."""
        if len(rows) < len(self.positions):
            self.draw(c=FAINT_INK, zorder=0.9)
        everywhere, chosen = np.full(len(self.positions), np.nan), np.zeros(len(self.positions), bool)
        everywhere[rows] = values
        chosen[rows] = True
        area = self.area_among(len(rows))
        self.draw(chosen & np.isnan(everywhere), c=NEUTRAL, s=area)
        return self.draw(chosen & np.isfinite(everywhere), c=everywhere, s=area, cmap="viridis")

    def finish_axes(self) -> None:
        """Remove ticks and box, keep the proportions, and name the dimensions unless the map has just two."""
        without_ticks(self.ax)
        name_dimensions(self.ax, self.n_dimensions)
        if self.n_dimensions == 1:
            self.ax.set_xlabel("the map's only dimension")
            self.ax.set_ylabel("number of points")
        else:
            self.ax.set_aspect("equal", adjustable="datalim")

    @property
    def area(self) -> float:
        """Area of one point in square points if all points are drawn."""
        return self.area_among(len(self.positions))

    def area_among(self, n_points: int) -> float:
        """Return the area of one point in square points if ``n_points`` are drawn."""
        width, height = size_in_points(self.ax)
        return float(np.clip(COVERED * width * height / n_points, SMALLEST, LARGEST))

    def _draw_categories(self, categories: Categories) -> None:
        self.draw(categories.codes < 0, c=NEUTRAL)
        styles = [style(code) for code in range(len(categories.names))]
        colours = np.array([colour for colour, _ in styles] + [NEUTRAL])[categories.codes]
        markers = np.array([marker for _, marker in styles] + [""])[categories.codes]
        for marker in dict.fromkeys(marker for _, marker in styles):
            self.draw(markers == marker, c=colours, marker=marker)


def explain_colours(ax: Axes, labels: Categories | Numbers | None, shown: Any) -> None:
    """Add a legend or a colour bar beside the Axes. ``shown`` is what `Cloud.draw_labelled` returned."""
    if isinstance(labels, Numbers):
        remark = "" if np.isfinite(labels.values).all() else "grey: missing"
        colour_bar(ax, shown, " · ".join(filter(None, [labels.title, remark])))
    elif labels is not None:
        rest = bool((labels.codes < 0).any())
        codes = [*range(len(labels.names))] + [-1] * rest
        legend(ax, [style(code) for code in codes], labels.names + [labels.rest] * rest, labels.title)


def _positions(embedding: np.ndarray, labels: Categories | Numbers | None) -> np.ndarray:
    if embedding.shape[1] >= 2:
        return embedding[:, :2]
    along = embedding[:, 0]
    return np.column_stack([along, _stacked(along, labels)])


def _stacked(along: np.ndarray, labels: Categories | Numbers | None) -> np.ndarray:
    """Return the height of each point in a histogram of points; equal labels are together within a column."""
    n_columns = int(np.clip(2 * math.sqrt(len(along)), 10, 300))
    edges = np.linspace(along.min(), along.max(), n_columns + 1)[1:-1]
    column = np.searchsorted(edges, along, side="right")
    layer = np.zeros(len(along)) if labels is None else _layers(labels)
    order = np.lexsort((layer, column))
    starts = np.searchsorted(column[order], column[order], side="left")
    heights = np.empty(len(along))
    heights[order] = np.arange(len(along)) - starts
    return heights


def _layers(labels: Categories | Numbers) -> np.ndarray:
    return labels.values if isinstance(labels, Numbers) else labels.codes
