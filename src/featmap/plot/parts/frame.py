"""Draw a local frame: its axes, the arrows of features, and labels around them."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle

from .arrows import ARROW, ARROW_STYLE
from .canvas import FAINT_INK, INK, PALE_INK, PLAIN_TEXT, size_in_points
from .label_ring import LabelRing, ring_of_labels
from .names import name_of_direction

ARROW_REACH = 0.78  # length of the longest arrow, in radii of the ring of labels
AXIS_REACH = 0.93  # length of the axes, in the same unit
VISIBLE = 0.01  # other features are drawn if they are longer than this part of the longest arrow
MANY_OTHERS = 200  # more other features than this become transparent


class Frame:
    """The drawing of a frame, with the point at the origin.

    ``axes`` has shape (2, n_axes), ``arrows`` (n_features, 2). The features ``top`` get arrows and labels.
    """

    def __init__(self, ax: Axes, axes: np.ndarray, arrows: np.ndarray, top: np.ndarray) -> None:
        self.ax = ax
        self.top = arrows[top]
        self.others = np.delete(arrows, top, axis=0)
        self.longest = float(np.linalg.norm(arrows, axis=1).max())
        self.scale = _round_number_below(self.longest)
        self.axes = np.array([_freer_end(axis, self.top) for axis in axes.T if axis.any()])

    def draw(self, names: list[str]) -> None:
        """Draw everything. ``names`` are those of the top features."""
        width, height = size_in_points(self.ax)
        axis_names = [name_of_direction(number) for number in range(len(self.axes))]
        directions = np.vstack([self.top, self.axes])
        font_size = FontProperties(size="small").get_size_in_points()
        ring = ring_of_labels(names + axis_names, directions, width, height, font_size)
        unit = ARROW_REACH * ring.radius / self.longest  # points per unit of the arrows
        self._fix_view(width / unit, height / unit)
        self._draw_others()
        self._draw_scale()
        axis_ends = self._draw_axes(AXIS_REACH * ring.radius / unit)
        self._draw_arrows()
        self._draw_labels(ring, ring.positions / unit, np.vstack([self.top, axis_ends]))

    def _fix_view(self, width: float, height: float) -> None:
        self.ax.set(xlim=(-width / 2, width / 2), ylim=(-height / 2, height / 2))
        self.ax.set_aspect("equal", adjustable="box")

    def _draw_others(self) -> None:
        visible = self.others[np.linalg.norm(self.others, axis=1) > VISIBLE * self.longest]
        lines = _lines(np.zeros_like(visible), visible, "other features", FAINT_INK, 0.7)
        # Thousands of opaque lines would fill the picture with grey.
        lines.set_alpha(float(np.clip(MANY_OTHERS / max(len(visible), 1), 0.05, 1)))
        self.ax.add_collection(lines, autolim=False)

    def _draw_scale(self) -> None:
        circle = Circle((0, 0), self.scale, fill=False, edgecolor=PALE_INK, linestyle=(0, (1, 4)), linewidth=1)
        self.ax.add_patch(circle)

    def _draw_axes(self, reach: float) -> np.ndarray:
        ends = reach * self.axes
        self.ax.add_collection(_lines(-ends, ends, "axes", INK, 1.2), autolim=False)
        return ends

    def _draw_arrows(self) -> None:
        origin = np.zeros(len(self.top))
        self.ax.quiver(origin, origin, *self.top.T, color=ARROW, scale=1, width=0.022, minlength=0.1, **ARROW_STYLE)

    def _draw_labels(self, ring: LabelRing, positions: np.ndarray, tips: np.ndarray) -> None:
        self.ax.add_collection(_lines(tips, positions, "leaders", PALE_INK, 0.5), autolim=False)
        for number, (text, position) in enumerate(zip(ring.texts, positions, strict=True)):
            is_feature = number < len(self.top)
            self.ax.annotate(
                text,
                position,
                xytext=(2 if ring.on_the_right[number] else -2, 0),
                textcoords="offset points",
                ha="left" if ring.on_the_right[number] else "right",
                va="center",
                fontsize=ring.font_size,
                fontweight="normal" if is_feature else "bold",
                color=ARROW if is_feature else INK,
                gid="feature" if is_feature else "axis",
                **PLAIN_TEXT,
            )


def _lines(starts: np.ndarray, ends: np.ndarray, gid: str, color: str, width: float) -> LineCollection:
    return LineCollection(list(np.stack([starts, ends], axis=1)), colors=color, linewidths=width, gid=gid)


def _freer_end(axis: np.ndarray, arrows: np.ndarray) -> np.ndarray:
    """Return the end of an axis that is further from all arrows. The label of the axis is put there."""
    along = arrows @ axis / np.maximum(np.linalg.norm(arrows, axis=1), np.finfo(float).tiny)
    return axis if along.max() < -along.min() else -axis


def _round_number_below(value: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))
