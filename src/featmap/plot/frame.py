"""The local frame of one point: its axes, and the arrows of its most important features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle

from .canvas import (
    ARROW_STYLE,
    FAINT_INK,
    INK,
    PALE_INK,
    PLAIN_TEXT,
    axes_or_new,
    name_dimensions,
    size_in_points,
    without_ticks,
)
from .checks import check_kind, check_two_dimensions, checked_count, checked_row
from .label_ring import LabelRing, ring_of_labels
from .names import names_of_features
from .palette import COLOURS

if TYPE_CHECKING:
    from .checks import Model

ARROW_REACH = 0.78  # length of the longest arrow, and of the axes, in radii of the ring of labels
AXIS_REACH = 0.93
VISIBLE = 0.01  # other features shorter than this part of the longest arrow are not drawn
MANY_OTHERS = 200  # from here on the other features become more transparent
ARROW = COLOURS[0]
PER_STEP = "{:g} units of the data per unit of the map"
UNITS = {"tangent": PER_STEP, "map": PER_STEP, "frame": "arrow length {:g}, without unit"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def local_frame(
    model: Model,
    row: int,
    *,
    k: int = 10,
    kind: str = "tangent",
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where the features of one row point on the map around it, and say how true that is.

    Arrows show the ``k`` most important features: an arrow points to where the feature grows on the map around the
    row, and is the longer the more it grows. All other features are faint lines. For the kinds of arrows and their
    fidelity, which is written below, see `Explanation.arrows` and `Explanation.fidelity`. The lines v₁, v₂, … are the
    axes of the row's frame: the leading directions in which its neighbourhood varies, as they lie on the map. They
    have no head because they have no sign. A map of more than two dimensions is seen along its first two.
    """
    row = checked_row("local_frame", model, row)
    check_two_dimensions("local_frame", model)
    check_kind("local_frame", kind)
    k = checked_count("local_frame", k)
    importance = model.feature_importance([row])[0]
    top = model.top_features([row], k)[0]
    top = top[importance[top] > 0]
    names = names_of_features("local_frame", model, feature_names, top)
    frame = _axes_with_variance(model, row)
    arrows = model.arrows([row], kind)[0][:, :2].astype(float)
    ax = axes_or_new(ax)
    without_ticks(ax)
    name_dimensions(ax, model.frames_.shape[1])
    ax.set_title(f"Local frame of row {row}")
    if len(top) and arrows[top].any():
        drawn = _Frame(ax, frame, arrows, top)
        drawn.draw(names)
        add_to_label(ax, f"dotted circle: {UNITS[kind].format(drawn.scale)}\n{_how_true(model, row, kind)}")
    else:
        _say_nothing_varies(ax, row)
    return ax


def _how_true(model: Model, row: int, kind: str) -> str:
    said = f"fidelity {model.fidelity([row], kind)[0]:.2f}"
    return said if kind == "map" else f"{said} (arrows of the map alone: {model.fidelity([row], 'map')[0]:.2f})"


def add_to_label(ax: Axes, text: str) -> None:
    said = ax.get_xlabel()
    ax.set_xlabel(f"{said}\n{text}" if said else text, fontsize="small")


def _axes_with_variance(model: Model, row: int) -> np.ndarray:
    """The row's frame seen along two dimensions, without the axes that only complete it: (2, axes)."""
    n_axes = np.count_nonzero(model.singular_values_[row, : model.frames_.shape[1]])
    return model.frames_[row][:2, :n_axes].astype(float)


def _say_nothing_varies(ax: Axes, row: int) -> None:
    text = f"no directions here:\nall neighbours of row {row} are equal to it"
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=PALE_INK)


class _Frame:
    """What is drawn, with the point at the origin."""

    def __init__(self, ax: Axes, frame: np.ndarray, arrows: np.ndarray, top: np.ndarray) -> None:
        self.ax = ax
        self.top = arrows[top]
        self.others = np.delete(arrows, top, axis=0)
        self.longest = float(np.linalg.norm(arrows, axis=1).max())
        self.scale = _round_number_below(self.longest)
        self.axes = np.array([_freer_end(axis, self.top) for axis in frame.T if axis.any()])

    def draw(self, names: list[str]) -> None:
        width, height = size_in_points(self.ax)
        axis_names = [f"v{number + 1}".translate(SUBSCRIPTS) for number in range(len(self.axes))]
        directions = np.vstack([self.top, self.axes])
        font_size = FontProperties(size="small").get_size_in_points()
        ring = ring_of_labels(names + axis_names, directions, width, height, font_size)
        unit = ARROW_REACH * ring.radius / self.longest  # points per unit of the arrows
        self._fix_view(width / unit, height / unit)
        self._draw_others()
        self._draw_scale()
        axis_ends = self._draw_axes(AXIS_REACH * ring.radius / unit)
        self._draw_arrows()
        self._draw_labels(ring, ring.places / unit, np.vstack([self.top, axis_ends]))

    def _fix_view(self, width: float, height: float) -> None:
        self.ax.set(xlim=(-width / 2, width / 2), ylim=(-height / 2, height / 2))
        self.ax.set_aspect("equal", adjustable="box")

    def _draw_others(self) -> None:
        visible = self.others[np.linalg.norm(self.others, axis=1) > VISIBLE * self.longest]
        lines = _lines(np.zeros_like(visible), visible, "other features", FAINT_INK, 0.7)
        # Thousands of genes would fill the picture with grey.
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

    def _draw_labels(self, ring: LabelRing, places: np.ndarray, tips: np.ndarray) -> None:
        self.ax.add_collection(_lines(tips, places, "leaders", PALE_INK, 0.5), autolim=False)
        for number, (text, place) in enumerate(zip(ring.texts, places, strict=True)):
            is_feature = number < len(self.top)
            self.ax.annotate(
                text,
                place,
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
    """The end of an axis that is further from all arrows: its label goes there."""
    along = arrows @ axis / np.maximum(np.linalg.norm(arrows, axis=1), np.finfo(float).tiny)
    return axis if along.max() < -along.min() else -axis


def _round_number_below(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))
