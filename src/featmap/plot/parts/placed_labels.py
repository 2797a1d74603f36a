"""Names on a map that do not overlap, in figures of any size.

The size of a text relative to the map is known only when the figure is drawn, after its layout. So the names find
their places then, and anew for every size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from .boxes import Wish, place_boxes
from .canvas import HALO, INK, PALE_INK, PLAIN_TEXT
from .names import shortened

SHRUNK = (1.0, 0.85, 0.7, 0.6)  # sizes of the font that are tried until all names have a free place
WIDEST = 0.45  # part of the width of the Axes that a name may take
MARGIN = 2.0  # free space around a name, in points
FAR_FROM_ANCHOR = 6.0  # a line leads from the anchor to a name that is further away, in points


@dataclass(frozen=True)
class Label:
    """A name and the place on the map that it belongs to: see `Wish`. ``clear`` is in points."""

    text: str
    anchor: tuple[float, float]
    colour: str = INK
    size: float = 1.0
    weight: str = "normal"
    clear: float | None = None
    away: tuple[float, float] = (0.0, 0.0)
    gid: str = "name"


class PlacedLabels(Artist):
    """Labels in the coordinates of a map. ``visible`` are places on the map that they should not cover."""

    def __init__(self, ax: Axes, labels: Sequence[Label], visible: np.ndarray | None = None) -> None:
        super().__init__()
        self.ax = ax
        self.labels = list(labels)
        self.visible = np.empty((0, 2)) if visible is None else np.asarray(visible, float)
        self.texts = [_text(label) for label in self.labels]
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
            size = _fit(text, label.text, WIDEST * self.ax.bbox.width, renderer) + 2 * MARGIN * point
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


def _text(label: Label) -> Text:
    text = Text(
        text=label.text,
        color=label.colour,
        fontweight=label.weight,
        ha="center",
        va="center",
        multialignment="center",
        transform=IdentityTransform(),
        **PLAIN_TEXT,
    )
    text.set_gid(label.gid)
    text.set_path_effects([HALO])
    return text


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
