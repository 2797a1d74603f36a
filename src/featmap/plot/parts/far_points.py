"""The view of a map: its bulk fills the page, and points beyond are counted at the edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from .canvas import HALO, INK, PLAIN_TEXT, show_part

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
