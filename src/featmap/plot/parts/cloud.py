"""The points of a map and their colours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from .canvas import FAINT_INK, name_dimensions, size_in_points, without_ticks
from .far_points import fill_with_bulk
from .labels import Categories, Numbers
from .palette import COLOURS, NEUTRAL

COVERED = 0.2  # part of the Axes that the points would cover if none overlapped
SMALLEST, LARGEST = 0.05, 36.0  # area of a point, in square points
MANY = 20_000  # from this number on a vector file holds the points as pixels


class Cloud:
    """The points of a map, drawn in random order so that no label hides the others.

    ``behind`` is the map that the points lie on, if they are new rows. It is drawn in pale grey.
    """

    def __init__(
        self,
        ax: Axes,
        embedding: np.ndarray,
        labels: Categories | Numbers | None = None,
        behind: np.ndarray | None = None,
    ) -> None:
        self.ax = ax
        self.positions = _positions(embedding, labels)
        self.behind = np.empty((0, 2)) if behind is None else _positions(behind, None)
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
        self.draw_behind()
        if labels is None:
            self.draw(c=COLOURS[0])
        elif isinstance(labels, Numbers):
            known = np.isfinite(labels.values)
            self.draw(~known, c=NEUTRAL)
            return self.draw(known, c=labels.values, cmap="viridis")
        else:
            self._draw_categories(labels)
        return None

    def draw_behind(self) -> None:
        """Draw the map that the points lie on, if they are not the map themselves."""
        if len(self.behind):
            x, y = self.behind.T
            area, many = self.area_among(len(self.behind)), len(self.behind) >= MANY
            self.ax.scatter(x, y, c=FAINT_INK, s=area, linewidths=0, rasterized=many, zorder=0.8, gid="behind")

    def draw_sample(self, rows: np.ndarray, values: np.ndarray) -> Any:
        """Draw the values of some points in colour, large enough to be seen, above all points in pale grey."""
        self.draw_behind()
        if len(rows) < len(self.positions):
            self.draw(c=FAINT_INK, zorder=0.9)
        everywhere, chosen = np.full(len(self.positions), np.nan), np.zeros(len(self.positions), bool)
        everywhere[rows] = values
        chosen[rows] = True
        area = self.area_among(len(rows))
        self.draw(chosen & np.isnan(everywhere), c=NEUTRAL, s=area)
        return self.draw(chosen & np.isfinite(everywhere), c=everywhere, s=area, cmap="viridis")

    def finish_axes(self) -> None:
        """Remove ticks and box, keep the proportions, let the bulk of the points fill the Axes."""
        without_ticks(self.ax)
        name_dimensions(self.ax, self.n_dimensions)
        if self.n_dimensions == 1:
            self.ax.set_xlabel("the map's only dimension")
            self.ax.set_ylabel("number of points")
        else:
            self.ax.set_aspect("equal", adjustable="datalim")
            fill_with_bulk(self.ax, np.concatenate([self.behind, self.positions]))

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
        colours = np.array([*categories.colours, NEUTRAL])[categories.codes]
        self.draw(categories.codes >= 0, c=colours)


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
