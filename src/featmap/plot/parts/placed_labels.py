"""Names on a map that do not overlap, in figures of any size.

The size of a text relative to the map is known only when the figure is drawn, after its layout. So the names find
their places then, and anew for every size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from .canvas import HALO, INK, PALE_INK, PLAIN_TEXT, shortened
from .model import some_of

SHRUNK = (1.0, 0.85, 0.7, 0.6)  # sizes of the font that are tried until all names have a free place
WIDEST_NAME = 0.45  # part of the width of the Axes that a name may take
SPACE_AROUND = 2.0  # free space around a name, in points
FAR_FROM_ANCHOR = 6.0  # a line leads from the anchor to a name that is further away, in points

N_ANGLES = 24
N_DISTANCES = 40
N_COMPARED = 150  # free places, the cheapest ones, that are compared by what they would cover
STEP_OF_A_BOX = 0.5  # distances are tried in steps of so many heights of the box
TURN = 2.0  # price of the direction opposite to the wanted one, in heights of the box
OUTSIDE = 1e3  # a box that finds no free place overlaps others rather than leaving the room
COVER = 3.0  # price of covering something that should stay visible, in heights of the box

MOST_UNCOVERED = 300  # points that names try not to cover
MOST_POINTS = 2_000  # a group's densest place is looked for among so many of its points
SHARE = 0.25  # a place is dense if this part of the group is near


@dataclass(frozen=True)
class Label:
    """A name and the place on the map that it belongs to: see `Wish`. ``clear`` is in points."""

    text: str
    anchor: ArrayLike
    colour: str = INK
    size: float = 1.0
    weight: str = "normal"
    clear: float | None = None
    away: ArrayLike = (0.0, 0.0)
    gid: str = "name"


class PlacedLabels(Artist):
    """Labels in the coordinates of a map. ``visible`` are places on the map that they should not cover."""

    def __init__(self, ax: Axes, labels: Sequence[Label], visible: np.ndarray) -> None:
        super().__init__()
        self.ax = ax
        self.labels = list(labels)
        self.visible = visible
        self.texts = [
            Text(text=label.text, color=label.colour, fontweight=label.weight, gid=label.gid, **PLAIN_TEXT)
            for label in self.labels
        ]
        for text in self.texts:
            text.set(ha="center", va="center", multialignment="center")
            text.set(path_effects=[HALO], transform=IdentityTransform())
        self.leaders = LineCollection([], colors=PALE_INK, linewidths=0.6, transform=IdentityTransform())
        self.font_size = FontProperties(size="small").get_size_in_points()
        self.set_zorder(6)
        self.set_in_layout(False)  # names are within the Axes, so a layout need not make room for them
        ax.add_artist(self)
        for child in self.get_children():
            child.set_figure(ax.figure)

    def get_children(self) -> list[Artist]:
        """Return the lines that lead to names, and the names."""
        return [self.leaders, *self.texts]

    def draw(self, renderer: Any) -> None:
        """Place the names for the present size of the Axes, and draw them."""
        if not self.get_visible() or not self.texts:
            return
        for shrunk in SHRUNK:
            wishes = self._wishes(renderer, shrunk)
            centres, all_free = place_boxes(wishes, self.ax.bbox.get_points(), self._pixels(self.visible))
            if all_free:
                break
        for text, centre in zip(self.texts, centres, strict=True):
            text.set_position(tuple(centre))
        self.leaders.set_segments(self._lines(wishes, centres))
        for child in self.get_children():
            child.draw(renderer)

    def _wishes(self, renderer: Any, shrunk: float) -> list[Wish]:
        point = self.ax.figure.dpi / 72
        anchors = self._pixels(np.array([label.anchor for label in self.labels], float))
        wishes = []
        for label, text, anchor in zip(self.labels, self.texts, anchors, strict=True):
            text.set_fontsize(self.font_size * label.size * shrunk)
            size = _fit(text, label.text, WIDEST_NAME * self.ax.bbox.width, renderer) + 2 * SPACE_AROUND * point
            clear = None if label.clear is None else label.clear * point
            wishes.append(Wish(anchor, size, clear, np.asarray(label.away, float)))
        return wishes

    def _pixels(self, places: np.ndarray) -> np.ndarray:
        return self.ax.transData.transform(places) if len(places) else places

    def _lines(self, wishes: list[Wish], centres: np.ndarray) -> list[np.ndarray]:
        """Return a line from each anchor to the border of its name, where the two are far from each other."""
        point = self.ax.figure.dpi / 72
        lines = []
        for wish, centre in zip(wishes, centres, strict=True):
            border = np.clip(wish.anchor, centre - wish.size / 2, centre + wish.size / 2)
            if np.linalg.norm(border - wish.anchor) > (wish.clear or 0) + FAR_FROM_ANCHOR * point:
                lines.append(np.array([wish.anchor, border]))
        return lines


def _fit(text: Text, full: str, width: float, renderer: Any) -> np.ndarray:
    """Shorten the lines of a text that is too wide, and return its size in pixels."""
    text.set_text(full)
    box = text.get_window_extent(renderer)
    longest = max(len(line) for line in full.split("\n"))
    while box.width > width and longest > 3:
        longest = max(3, min(int(longest * width / box.width), longest - 1))
        text.set_text("\n".join(shortened(line, longest) for line in full.split("\n")))
        box = text.get_window_extent(renderer)
    return np.array([box.width, box.height])


def densest_place(positions: np.ndarray) -> np.ndarray:
    """Return the point of a group around which the nearest quarter of the group is nearest."""
    positions = positions[some_of(np.arange(len(positions)), MOST_POINTS)]
    k = min(max(round(SHARE * len(positions)), 3), len(positions))
    distances = cKDTree(positions).query(positions, [k])[0][:, 0]
    return positions[distances.argmin()]


@dataclass(frozen=True)
class Wish:
    """Where a box would like to be: at its anchor, or beside it if there is something to keep clear of.

    ``clear`` is the distance of the box from the anchor. ``away`` is the direction in which the box should lie from
    there; (0, 0) if any will do. With ``clear=None`` the anchor is in the middle of the box.
    """

    anchor: np.ndarray
    size: np.ndarray
    clear: float | None = None
    away: np.ndarray = field(default_factory=lambda: np.zeros(2))


def place_boxes(wishes: list[Wish], room: np.ndarray, visible: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the centres of the boxes, and whether all of them are within the room and overlap nowhere.

    ``room`` has the lower left and the upper right corner, shape (2, 2). ``visible`` are places that boxes should
    not cover, shape (n_places, 2). Boxes are placed one after the other, so the first ones get the best places. A box
    for which there is no free place is put where it overlaps others least.
    """
    centres = np.empty((len(wishes), 2))
    sizes = np.array([wish.size for wish in wishes]).reshape(-1, 2)
    all_free = True
    for number, wish in enumerate(wishes):
        candidates, prices = _candidates(wish)
        outside = _outside(candidates, wish.size, room)
        overlap = _overlap(candidates, wish.size, centres[:number], sizes[:number])
        forbidden = OUTSIDE * outside + overlap
        cheapest = np.lexsort((prices, forbidden))[:N_COMPARED]
        cheapest = cheapest[forbidden[cheapest] <= forbidden[cheapest[0]]]
        covers = (np.abs(candidates[cheapest, None] - visible) < wish.size / 2).all(axis=2)
        best = cheapest[(prices[cheapest] + COVER * wish.size[1] * covers.sum(axis=1)).argmin()]
        all_free &= bool(forbidden[best] <= 0)
        centres[number] = candidates[best]
    return centres, all_free


def _candidates(wish: Wish) -> tuple[np.ndarray, np.ndarray]:
    """Return centres around the anchor, and what each of them costs: its distance, and the turn from ``away``."""
    angles = 2 * np.pi * np.arange(N_ANGLES) / N_ANGLES
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    height = float(wish.size[1])
    steps = STEP_OF_A_BOX * height * np.arange(N_DISTANCES)
    to_border = (wish.size / 2 / np.maximum(np.abs(directions), 1e-9)).min(axis=1)
    nearest = np.zeros(N_ANGLES) if wish.clear is None else wish.clear + to_border
    distances = steps + nearest[:, None]
    turn = TURN * height * (np.linalg.norm(wish.away) - directions @ wish.away) / 2
    centres = wish.anchor + distances[:, :, None] * directions[:, None]
    return centres.reshape(-1, 2), (steps + turn[:, None]).ravel()


def _outside(centres: np.ndarray, size: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Return how far each box sticks out of the room, times its height, to be compared with areas."""
    beyond = np.maximum(room[0] - (centres - size / 2), 0) + np.maximum(centres + size / 2 - room[1], 0)
    return beyond.sum(axis=1) * size[1]


def _overlap(centres: np.ndarray, size: np.ndarray, others: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the area of other boxes that each box covers."""
    gaps = np.abs(centres[:, None] - others) - (size + sizes) / 2
    return np.prod(np.maximum(-gaps, 0), axis=2).sum(axis=1)
