"""The points of a map, rings around some of them, the part of the map that is seen, and cells that divide it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform
from scipy.ndimage import label

from .canvas import FAINT_INK, HALO, INK, PLAIN_TEXT, size_in_points, without_ticks
from .colours import COLOURS, NEUTRAL, Numbers, RowLabels
from .model import Model, map_behind

COVERED = 0.2  # part of the Axes that the points would cover if none overlapped
SMALLEST_POINT, LARGEST_POINT = 0.05, 36.0  # area of a point, in square points
MANY = 20_000  # vector files hold the points as pixels if there are at least so many
RING = 110.0  # area of a ring, in square points

CENTRAL = (0.05, 0.95)  # quantiles between which the centre of the map lies, in each dimension
FAR = 2.0  # points further from the centre than so many times its larger side are far
WORTHWHILE = 0.7  # all points are shown if the view without the far ones is not smaller than this part of the whole
APART = 0.35  # far points are counted together if their directions differ by less, in radians
INSET = 7.0  # distance of an arrowhead from the edge, in points
HEAD = 9.0  # size of an arrowhead, in points
ARROWHEAD = np.array([(1.0, 0.0), (-0.7, 0.6), (-0.7, -0.6)])

TOUCHING = np.ones((3, 3))  # a cell touches the eight around it


class Cloud:
    """The points of a map, drawn in random order so that no label hides the others.

    ``behind`` is the map that the points lie on, if they are new rows. It is drawn in pale grey at once.
    """

    def __init__(
        self,
        ax: Axes,
        embedding: np.ndarray,
        labels: RowLabels | None = None,
        behind: np.ndarray | None = None,
    ) -> None:
        self.ax = ax
        self.positions = _positions(embedding, labels)
        self.behind = np.empty((0, 2)) if behind is None else _positions(behind, None)
        self.order = np.random.default_rng(0).permutation(len(embedding))
        self.n_dimensions = embedding.shape[1]
        if len(self.behind):
            x, y = self.behind.T
            ax.scatter(x, y, c=FAINT_INK, **self._dots(len(self.behind)), zorder=0.8, gid="behind")

    @classmethod
    def of(cls, ax: Axes, model: Model, labels: RowLabels | None = None) -> Cloud:
        """Return the points of a model, with the whole map behind new rows or some of the rows."""
        return cls(ax, model.embedding_, labels, map_behind(model))

    def draw(self, chosen: np.ndarray | None = None, c: Any = None, **options: Any) -> Any:
        """Draw the chosen points. ``c`` is one colour, or an array with a colour or number for every point."""
        order = self.order if chosen is None else self.order[chosen[self.order]]
        x, y = self.positions[order].T
        colours = c[order] if isinstance(c, np.ndarray) else c
        return self.ax.scatter(x, y, c=colours, **(self._dots(len(self.positions)) | options))

    def draw_labelled(self, labels: RowLabels | None, sample: np.ndarray | None = None) -> Any:
        """Draw all points in one colour, or in the colours of their labels; those without a label are grey.

        If only a sample of the points is to be coloured, these are large enough to be seen, above all points in pale
        grey. Return the artist from which a colour bar is made.
        """
        if labels is None:
            return self.draw(c=COLOURS[0])
        coloured = np.ones(len(self.positions), bool) if sample is None else sample
        if not coloured.all():
            self.draw(c=FAINT_INK, zorder=0.9)
        area = self._dots(int(coloured.sum()))["s"]
        self.draw(coloured & ~labels.known, c=NEUTRAL, s=area)
        return self.draw(coloured & labels.known, s=area, **labels.style)

    def finish_axes(self) -> None:
        """Remove ticks and box, keep the proportions, let the bulk of the points fill the Axes."""
        without_ticks(self.ax)
        name_dimensions(self.ax, self.n_dimensions)
        if self.n_dimensions == 1:
            self.ax.set_xlabel("the map's only dimension")
            self.ax.set_ylabel("number of points")
            return
        self.ax.set_aspect("equal", adjustable="datalim")
        positions = np.concatenate([self.behind, self.positions])
        bulk = bulk_of(positions)
        if not bulk.all():
            show_part(self.ax, np.array([positions[bulk].min(axis=0), positions[bulk].max(axis=0)]))
            FarPoints(self.ax, positions[~bulk])

    def _dots(self, n_points: int) -> dict[str, Any]:
        """Return options of ``scatter`` if so many points are drawn."""
        width, height = size_in_points(self.ax)
        area = float(np.clip(COVERED * width * height / n_points, SMALLEST_POINT, LARGEST_POINT))
        return {"s": area, "linewidths": 0, "rasterized": n_points >= MANY}


def _positions(embedding: np.ndarray, labels: RowLabels | None) -> np.ndarray:
    if embedding.shape[1] >= 2:
        return embedding[:, :2]
    along = embedding[:, 0]
    return np.column_stack([along, _stacked(along, labels)])


def _stacked(along: np.ndarray, labels: RowLabels | None) -> np.ndarray:
    """Return the height of each point in a histogram of points; equal labels are together within a column."""
    n_columns = int(np.clip(2 * math.sqrt(len(along)), 10, 300))
    edges = np.linspace(along.min(), along.max(), n_columns + 1)[1:-1]
    column = np.searchsorted(edges, along, side="right")
    layer = labels.values if isinstance(labels, Numbers) else np.zeros(len(along)) if labels is None else labels.codes
    order = np.lexsort((layer, column))
    starts = np.searchsorted(column[order], column[order], side="left")
    heights = np.empty(len(along))
    heights[order] = np.arange(len(along)) - starts
    return heights


def draw_rings(ax: Axes, positions: np.ndarray) -> None:
    """Draw a ring around each position above everything else, with a white rim so that it is seen on any colour."""
    if not len(positions):
        return
    x, y = positions.T
    for colour, width in (("white", 4.0), (INK, 1.8)):
        ax.scatter(x, y, s=RING, facecolors="none", edgecolors=colour, linewidths=width, zorder=5, gid="mark")


def name_dimensions(ax: Axes, n_dimensions: int) -> None:
    """Write which two dimensions are drawn if the map has more than two."""
    if n_dimensions > 2:
        ax.set_xlabel(f"map dimension 1 of {n_dimensions}")
        ax.set_ylabel(f"map dimension 2 of {n_dimensions}")


# The part of the map that is seen


def show_part(ax: Axes, corners: np.ndarray) -> None:
    """Let the part of a map between two corners fill the Axes, whatever else is drawn.

    Fixed limits would not do: matplotlib could not make the scales of the two axes equal without a warning.
    """
    ax.dataLim.set_points(corners)
    ax.autoscale_view()


def bulk_of(positions: np.ndarray) -> np.ndarray:
    """Return which points are shown: all of them, or all but a few that are far from the others.

    The centre of the map is the box of the middle 90 % of the points in each dimension. Points further from it than
    twice its larger side are far. Groups of 5 % of the points and more are never far.
    """
    low, high = np.quantile(positions, CENTRAL, axis=0)
    reach = FAR * (high - low).max()
    near = ((positions >= low - reach) & (positions <= high + reach)).all(axis=1)
    if near.all() or not reach > 0:
        return np.ones(len(positions), bool)
    size, size_of_near = np.ptp(positions, axis=0).max(), np.ptp(positions[near], axis=0).max()
    return near if size_of_near <= WORTHWHILE * size else np.ones(len(positions), bool)


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
        self.marks: list[Artist] = []

    def get_children(self) -> list[Artist]:
        """Return the arrowheads and their counts."""
        return self.marks

    def draw(self, renderer: Any) -> None:
        """Count the points beyond the present view in each direction, and draw one arrowhead for each."""
        low, high = self.ax.bbox.get_points()
        from_centre = (self.ax.transData.transform(self.positions) - (low + high) / 2) / ((high - low) / 2)
        beyond = from_centre[np.abs(from_centre).max(axis=1) > 1]
        groups = _by_direction(beyond)
        self.marks = [mark for members in groups for mark in self._marks(members.mean(axis=0), len(members))]
        for mark in self.marks:
            mark.set_figure(self.ax.figure)
            mark.draw(renderer)

    def _marks(self, towards: np.ndarray, count: int) -> tuple[Line2D, Text]:
        """Return an arrowhead where the line from the centre to the far points leaves the view, and the count."""
        point, (low, high) = self.ax.figure.dpi / 72, self.ax.bbox.get_points()
        centre, half = (low + high) / 2, (high - low) / 2
        place = centre + towards / np.abs(towards).max() * (half - INSET * point)
        direction = towards * half / np.linalg.norm(towards * half)
        turned = ARROWHEAD @ np.array([direction, [-direction[1], direction[0]]])
        in_pixels: dict[str, Any] = {"color": INK, "transform": IdentityTransform()}
        head = Line2D(*place[:, None], marker=turned, markersize=HEAD, **in_pixels)
        if abs(direction[0]) >= abs(direction[1]):
            ha, va = ("right" if direction[0] > 0 else "left"), "center"
        else:
            ha, va = "center", ("top" if direction[1] > 0 else "bottom")
        text = Text(text=f"{count:,} far", fontsize="x-small", ha=ha, va=va, path_effects=[HALO], gid="far")
        text.set(position=place - direction * HEAD * point, **in_pixels, **PLAIN_TEXT)
        return head, text


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


# Cells of the map


@dataclass(frozen=True)
class Cells:
    """The cells of a square grid that have points."""

    of_points: np.ndarray  # (n_points,) the cell of each point
    islands: np.ndarray  # (n_cells,) connected cells have the same number, from 0
    grid: np.ndarray  # (n_cells, 2) column and row of each cell in the grid
    width: float

    @property
    def counts(self) -> np.ndarray:
        """The number of points in each cell."""
        return np.bincount(self.of_points, minlength=len(self.islands))


def cells_of(positions: np.ndarray, n_cells: int) -> Cells:
    """Divide a map into cells, ``n_cells`` along its wider side. Far points belong to cells at its border."""
    bulk = positions[bulk_of(positions)]
    low, high = bulk.min(axis=0), bulk.max(axis=0)
    width = float((high - low).max()) / n_cells or 1.0
    shape = np.maximum(np.ceil((high - low) / width - 1e-9).astype(int), 1)
    grid = np.clip(((positions - low) / width).astype(int), 0, shape - 1)
    occupied = np.zeros(shape, bool)
    occupied[tuple(grid.T)] = True
    numbers = np.cumsum(occupied).reshape(shape) - 1
    islands = label(occupied, structure=TOUCHING)[0][occupied] - 1
    return Cells(numbers[tuple(grid.T)], islands, np.argwhere(occupied), width)


def nearest_to_means(cells: Cells, positions: np.ndarray) -> np.ndarray:
    """Return for each cell the point that is nearest to the mean of its points: shape (n_cells,)."""
    sums = np.zeros((len(cells.islands), positions.shape[1]))
    np.add.at(sums, cells.of_points, positions)
    means = sums / cells.counts[:, None]
    from_mean = np.square(positions - means[cells.of_points]).sum(axis=1)
    order = np.lexsort((from_mean, cells.of_points))
    return order[np.unique(cells.of_points[order], return_index=True)[1]]
