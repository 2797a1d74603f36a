"""The points of a map, the part of it that is seen, and rings around chosen points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from .canvas import FAINT_INK, HALO, INK, PLAIN_TEXT, name_dimensions, show_part, size_in_points, without_ticks
from .colours import COLOURS, NEUTRAL, Categories, Numbers
from .model import MOST_NAMES, Model, name_of_row
from .placed_labels import Label

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


CENTRAL = (0.05, 0.95)  # quantiles between which the centre of the map lies, in each dimension
FAR = 2.0  # points further from the centre than so many times its larger side are far
WORTHWHILE = 0.7  # all points are shown if the view without the far ones is not smaller than this part of the whole
APART = 0.35  # far points are counted together if their directions differ by less, in radians
INSET = 7.0  # distance of an arrowhead from the edge, in points
HEAD = 9.0  # size of an arrowhead, in points
ARROWHEAD = np.array([(1.0, 0.0), (-0.7, 0.6), (-0.7, -0.6)])


def bulk_of(positions: np.ndarray) -> np.ndarray:
    """Return which points are shown: all of them, or all but a few that are far from the others.

    The centre of the map is the box of the middle 90 % of the points in each dimension. Points further from it than
    twice its larger side are far. Groups of 5 % of the points and more are never far.
    """
    everything = np.ones(len(positions), bool)
    low, high = np.quantile(positions, CENTRAL, axis=0)
    reach = FAR * (high - low).max()
    near = ((positions >= low - reach) & (positions <= high + reach)).all(axis=1)
    if near.all() or not reach > 0 or _size(positions[near]) > WORTHWHILE * _size(positions):
        return everything
    return near


def fill_with_bulk(ax: Axes, positions: np.ndarray) -> None:
    """Let the bulk of the points fill the Axes. Points that are not seen then are counted at the edge."""
    bulk = bulk_of(positions)
    if bulk.all():
        return
    show_part(ax, np.array([positions[bulk].min(axis=0), positions[bulk].max(axis=0)]))
    FarPoints(ax, positions[~bulk])


def _size(positions: np.ndarray) -> float:
    return float(np.ptp(positions, axis=0).max())


class FarPoints(Artist):
    """Arrowheads at the edge of the Axes that count the points beyond it.

    They are counted when the figure is drawn, because a layout or a user may change the part of the map that is seen.
    """

    def __init__(self, ax: Axes, positions: np.ndarray) -> None:
        super().__init__()
        self.ax = ax
        self.positions = positions
        self.set_zorder(5)
        self.set_in_layout(False)
        ax.add_artist(self)
        self.heads: list[Line2D] = []
        self.counts: list[Text] = []

    def get_children(self) -> list[Artist]:
        """Return the arrowheads and their counts."""
        return [*self.heads, *self.counts]

    def draw(self, renderer: Any) -> None:
        """Count the points beyond the present view in each direction, and draw one arrowhead for each."""
        self.heads, self.counts = [], []
        point, (low, high) = self.ax.figure.dpi / 72, self.ax.bbox.get_points()
        pixels = self.ax.transData.transform(self.positions)
        centre, half = (low + high) / 2, (high - low) / 2
        from_centre = (pixels - centre) / half
        beyond = from_centre[np.abs(from_centre).max(axis=1) > 1]
        for members in _by_direction(beyond):
            self._mark(members.mean(axis=0), len(members), centre, half, point)
        for child in self.get_children():
            child.set_figure(self.ax.figure)
            child.draw(renderer)

    def _mark(self, towards: np.ndarray, count: int, centre: np.ndarray, half: np.ndarray, point: float) -> None:
        """Put an arrowhead where the line from the centre to the far points leaves the view, and the count inside."""
        on_edge = towards / np.abs(towards).max()
        place = centre + on_edge * (half - INSET * point)
        direction = towards * half / np.linalg.norm(towards * half)
        turned = ARROWHEAD @ np.array([direction, [-direction[1], direction[0]]])
        head = {"marker": turned, "markersize": HEAD, "color": INK, "transform": IdentityTransform()}
        self.heads.append(Line2D(*place[:, None], **head))
        is_sideways = abs(direction[0]) >= abs(direction[1])
        x, y = place - direction * HEAD * point
        text = Text(
            x,
            y,
            f"{count:,} far",
            fontsize="x-small",
            color=INK,
            ha=("right" if direction[0] > 0 else "left") if is_sideways else "center",
            va="center" if is_sideways else ("top" if direction[1] > 0 else "bottom"),
            path_effects=[HALO],
            transform=IdentityTransform(),
            **PLAIN_TEXT,
        )
        text.set_gid("far")
        self.counts.append(text)


def _by_direction(offsets: np.ndarray) -> list[np.ndarray]:
    """Return groups of offsets that lie in about the same direction."""
    if not len(offsets):
        return []
    angles = np.arctan2(offsets[:, 1], offsets[:, 0])
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(angles[order], prepend=angles[order[-1]] - 2 * np.pi)
    # The circle is cut at its widest gap, so that no group is divided by the ends of the scale of angles.
    start = int(gaps.argmax())
    order, gaps = np.roll(order, -start), np.roll(gaps, -start)
    return [offsets[group] for group in np.split(order, np.flatnonzero(gaps[1:] >= APART) + 1)]


RING = 110.0  # area of a ring, in square points
CLEAR = 7.0  # distance of a name from the middle of its ring, in points


def draw_rings(ax: Axes, positions: np.ndarray) -> None:
    """Draw a ring around each position above everything else, with a white rim so that it is seen on any colour."""
    if not len(positions):
        return
    x, y = positions.T
    for colour, width in (("white", 4.0), (INK, 1.8)):
        ax.scatter(x, y, s=RING, facecolors="none", edgecolors=colour, linewidths=width, zorder=5, gid="mark")


def names_of_rings(model: Model, rows: np.ndarray, positions: np.ndarray) -> list[Label]:
    """Return the name of each row beside its ring, or nothing if there are too many to read."""
    if len(rows) > MOST_NAMES:
        return []
    return [
        Label(name_of_row(model, row), tuple(position), weight="bold", clear=CLEAR, away=(1.0, 0.3), gid="row")
        for row, position in zip(rows, positions, strict=True)
    ]
