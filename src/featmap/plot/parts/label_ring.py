"""Labels around a circle that do not overlap, as near as possible to the directions they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from sklearn.isotonic import isotonic_regression

from .names import shortened

LINE = 1.5  # distance of two lines of text, in font sizes; more than 1, because a layout may make the Axes smaller
WIDEST = 0.25  # part of the width that a label may take
MARGIN = 6.0  # free space between circle and label, in points


@dataclass(frozen=True)
class LabelRing:
    """Texts and their positions, in points from the centre. Texts on the left end there, the others begin there."""

    texts: list[str]
    positions: np.ndarray
    on_the_right: np.ndarray
    radius: float
    font_size: float


def ring_of_labels(
    texts: Sequence[str], directions: np.ndarray, width: float, height: float, font_size: float
) -> LabelRing:
    """Put each text outside a circle, on the side its direction points to. The circle is as large as possible."""
    on_the_right = directions[:, 0] >= 0
    busiest = max(np.count_nonzero(on_the_right), np.count_nonzero(~on_the_right))
    font_size = min(font_size, height / (busiest * LINE))
    pitch = LINE * font_size
    fitted = [fitted_text(text, WIDEST * width, font_size) for text in texts]
    widest = max(text_width(text, font_size) for text in fitted)
    radius = min(height / 2 - pitch / 2, width / 2 - widest - MARGIN)

    wanted = radius * directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), np.finfo(float).tiny)
    height_of = np.empty(len(texts))
    for side in (on_the_right, ~on_the_right):
        height_of[side] = spread(wanted[side, 1], pitch, (height - pitch) / 2)
    on_the_circle = np.sqrt(np.maximum(radius**2 - height_of**2, MARGIN**2))
    # No text is nearer to the centre than wanted, or the line from its arrow would run through it.
    across = np.maximum(on_the_circle, np.abs(wanted[:, 0]))
    positions = np.column_stack([np.where(on_the_right, across, -across), height_of])
    return LabelRing(fitted, positions, on_the_right, radius, font_size)


def spread(wanted: np.ndarray, gap: float, limit: float) -> np.ndarray:
    """Return the values nearest to the wanted ones (least squares) that are ``gap`` apart and within ± ``limit``."""
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    if not len(steps):
        return wanted
    # v_i ≥ v_{i−1} + gap means that v_i − i·gap does not decrease.
    highest = max(limit - steps[-1], -limit)
    values = np.empty(len(wanted))
    values[order] = steps + isotonic_regression(wanted[order] - steps, y_min=-limit, y_max=highest)
    return values


def fitted_text(text: str, width: float, font_size: float) -> str:
    """Return the text, shortened until it is at most ``width`` points wide."""
    short = shortened(text, 80)
    while len(short) > 3 and (excess := text_width(short, font_size) / width) > 1:
        short = shortened(text, max(3, min(int(len(short) / excess), len(short) - 1)))
    return short


def text_width(text: str, font_size: float) -> float:
    """Return the width in points."""
    return text_to_path.get_text_width_height_descent(text, FontProperties(size=font_size), ismath=False)[0]
