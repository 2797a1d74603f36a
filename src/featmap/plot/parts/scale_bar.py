"""A scale bar below a map: a length on it, and by how much rows differ that are so near to each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from ...explanation.map_scale import ScaleBar, scale_bar_of
from .canvas import INK, PLAIN_TEXT, write_caption
from .cloud import bulk_of
from .model import Model

LENGTH = 0.1  # of the bar, as a part of the wider side of the map: the shortest that is legible in small figures
DROP = 8.0  # of the bar below the Axes, in points
ROOM = 14.0  # below the Axes, in points, which labels leave to the bar
GAP = 5.0  # between the bar and its text, in points
CAP = 5.0  # height of the ends of the bar, in points


def draw_scale_bar(ax: Axes, model: Model) -> None:
    """Draw a scale bar below the map, and its meaning in the caption, if the map carries a scale.

    There is none for an ``embedding_`` that the user has changed.
    """
    points = model._points
    drawn = points.mapped.embedding[:, :2]
    length = LENGTH * float(np.ptp(drawn[bulk_of(drawn)], axis=0).max())
    scale = scale_bar_of(points.mapped, length) if np.array_equal(model.embedding_, points.embedding) else None
    if scale is None:
        return
    BarBelow(ax, scale)
    ax.xaxis.labelpad += ROOM
    write_caption(ax, [meaning_of(scale, model.embedding_.shape[1])])


def meaning_of(scale: ScaleBar, n_dimensions: int) -> str:
    """Return the caption of a scale bar."""
    parts = "principal components" if scale.of_components else "features"
    over = f" over all {scale.n_features:,} {parts}" if scale.n_features > 1 else ""
    drawn = " in the two dimensions drawn" if n_dimensions > 2 else ""
    low, typical, high = map(rough, (scale.low, scale.typical, scale.high))
    return (
        f"Bar: rows within this distance{drawn} typically differ by {typical} {scale.unit} (two in three by {low} to "
        f"{high}){over}."
    )


def rough(value: float) -> str:
    """Return a number with two digits: 0.034, 3.4 and 3,400."""
    if value == 0:
        return "0"
    rounded = float(f"{value:.1e}")
    size = math.floor(math.log10(rounded))
    return f"{rounded:,.{max(1 - size, 0)}f}" if -4 <= size < 9 else f"{rounded:.1e}"


class BarBelow(Artist):
    """A bar of a length of the map, below the left end of the Axes, with its text to the right.

    Its size is known when the figure is drawn. If the text has no room, only the number stays; in a part of the map
    that is narrower than the bar there is none.
    """

    def __init__(self, ax: Axes, scale: ScaleBar) -> None:
        super().__init__()
        self.ax = ax
        self.scale = scale
        in_pixels: dict[str, Any] = {"color": INK, "transform": IdentityTransform(), "gid": "scale"}
        self.line = Line2D([], [], linewidth=1.5, marker="|", markersize=CAP, markeredgewidth=1.5, **in_pixels)
        self.text = Text(fontsize="small", ha="left", va="center", **in_pixels, **PLAIN_TEXT)
        self.set_zorder(5)
        self.set_in_layout(False)  # labels leave room for it
        ax.add_artist(self)
        for child in self.get_children():
            child.set_figure(ax.figure)

    def get_children(self) -> list[Artist]:
        """Return the bar and its text."""
        return [self.line, self.text]

    def draw(self, renderer: Any) -> None:
        """Place the bar for the present view, and draw it."""
        point, box = self.ax.figure.dpi / 72, self.ax.bbox
        (left, _), (right, _) = self.ax.transData.transform([(0, 0), (self.scale.length, 0)])
        length, height = abs(right - left), box.y0 - DROP * point
        if not self.get_visible() or length > box.width:
            return
        self.line.set_data([box.x0, box.x0 + length], [height, height])
        self.line.draw(renderer)
        self.text.set_position((box.x0 + length + GAP * point, height))
        for words in (f"{rough(self.scale.typical)} {self.scale.unit}", rough(self.scale.typical)):
            self.text.set_text(words)
            if self.text.get_window_extent(renderer).x1 <= box.x1:
                self.text.draw(renderer)
                return
