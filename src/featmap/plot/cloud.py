"""The points of a map, and their colours."""

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
MANY = 20_000  # from here on a vector file holds the points as pixels


class Cloud:
    """Points to be drawn in an order that favours none of their labels."""

    def __init__(self, ax: Axes, coordinates: np.ndarray, meaning: Categories | Numbers | None = None) -> None:
        self.ax = ax
        self.places = _places(coordinates, meaning)
        self.order = np.random.default_rng(0).permutation(len(coordinates))
        self.n_dimensions = coordinates.shape[1]

    def draw(self, chosen: np.ndarray | None = None, c: Any = None, **options: Any) -> Any:
        """Draw the chosen points; `c` is one colour, or an array with a colour or number for every point."""
        order = self.order if chosen is None else self.order[chosen[self.order]]
        x, y = self.places[order].T
        colours = c[order] if isinstance(c, np.ndarray) else c
        settings = {"s": self.area, "linewidths": 0, "rasterized": len(self.places) >= MANY}
        return self.ax.scatter(x, y, c=colours, **(settings | options))

    def draw_meaning(self, meaning: Categories | Numbers | None) -> Any:
        """All points in one colour, or in those of their categories or numbers; what a bar of numbers is made of."""
        if meaning is None:
            self.draw(c=COLOURS[0])
        elif isinstance(meaning, Numbers):
            known = np.isfinite(meaning.values)
            self.draw(~known, c=NEUTRAL)
            return self.draw(known, c=meaning.values, cmap="viridis")
        else:
            self._draw_categories(meaning)
        return None

    def draw_sample(self, rows: np.ndarray, values: np.ndarray) -> Any:
        """The values of some points in colour, large enough to be seen, on all points in pale grey."""
        if len(rows) < len(self.places):
            self.draw(c=FAINT_INK, zorder=0.9)
        everywhere, chosen = np.full(len(self.places), np.nan), np.zeros(len(self.places), bool)
        everywhere[rows] = values
        chosen[rows] = True
        area = self.area_among(len(rows))
        self.draw(chosen & np.isnan(everywhere), c=NEUTRAL, s=area)
        return self.draw(chosen & np.isfinite(everywhere), c=everywhere, s=area, cmap="viridis")

    def furnish(self) -> None:
        """Neither ticks nor box; undistorted; the dimensions named where they are not the map's only two."""
        without_ticks(self.ax)
        name_dimensions(self.ax, self.n_dimensions)
        if self.n_dimensions == 1:
            self.ax.set_xlabel("the map's only dimension")
            self.ax.set_ylabel("points piled up")
        else:
            self.ax.set_aspect("equal", adjustable="datalim")

    @property
    def area(self) -> float:
        """Of each point if all are drawn, in square points."""
        return self.area_among(len(self.places))

    def area_among(self, n_points: int) -> float:
        """Of each of so many points."""
        width, height = size_in_points(self.ax)
        return float(np.clip(COVERED * width * height / n_points, SMALLEST, LARGEST))

    def _draw_categories(self, categories: Categories) -> None:
        self.draw(categories.codes < 0, c=NEUTRAL)
        styles = [style(code) for code in range(len(categories.names))]
        colours = np.array([colour for colour, _ in styles] + [NEUTRAL])[categories.codes]
        markers = np.array([marker for _, marker in styles] + [""])[categories.codes]
        for marker in dict.fromkeys(marker for _, marker in styles):
            self.draw(markers == marker, c=colours, marker=marker)


def key(ax: Axes, meaning: Categories | Numbers | None, shown: Any) -> None:
    """Say beside the Axes what the colours mean."""
    if isinstance(meaning, Numbers):
        remark = "" if np.isfinite(meaning.values).all() else "grey: missing"
        colour_bar(ax, shown, " · ".join(filter(None, [meaning.title, remark])))
    elif meaning is not None:
        rest = bool((meaning.codes < 0).any())
        codes = [*range(len(meaning.names))] + [-1] * rest
        legend(ax, [style(code) for code in codes], meaning.names + [meaning.rest] * rest, meaning.title)


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
