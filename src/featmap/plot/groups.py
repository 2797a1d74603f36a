"""Two groups against each other, feature by feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..errors import InvalidParameterError
from ..explanation.contrast import Contrast
from .canvas import INK, PALE_INK, PLAIN_TEXT
from .checks import checked_count
from .importance import name_lines
from .legends import legend
from .names import check_names, shortened
from .palette import COLOURS
from .panels import empty_stage

LINE_INCHES = 0.32
# Parts of the stage: bars of the difference, a column of q-values, the two importances.
BARS, DUMBBELLS = (0, 0, 0.46, 1), (0.62, 0, 0.38, 1)
NUMBERS_AT = 1.02
# Colour, marker and size of either group: where both are alike the first is seen around the second.
DOTS = ((COLOURS[0], "o", 90), (COLOURS[1], "D", 26))


def contrast(
    result: Contrast,
    *,
    k: int = 10,
    groups: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the ``k`` features that most surely tell two groups apart, the surest first.

    Bars are the difference of the means, in the units of the data: to the right where the first of the ``groups`` (by
    default as the result names them) has more, with the colours of the groups. Beside them are the q-values, the
    share of false discoveries to expect among all features that are as sure, and the importance of the feature in
    either group. The panels are ``child_axes`` of the Axes returned.
    """
    if not isinstance(result, Contrast):
        raise InvalidParameterError(f"contrast(result=…): must be a Contrast; got {type(result).__name__}")
    k = checked_count("contrast", k)
    names_of_groups = _checked_groups(result.groups if groups is None else groups)
    top = result.top(k)
    known = result.features if feature_names is None else feature_names
    check_names("contrast", known, len(result.features))
    names = [str(known[feature]) for feature in top]
    ax = empty_stage(ax, (9.0, 1.4 + LINE_INCHES * len(top)))
    bars, dumbbells = ax.inset_axes(BARS), ax.inset_axes(DUMBBELLS)
    _draw_bars(bars, names, result.difference[top], result.q_values[top])
    bars.set_xlabel(f"mean of {names_of_groups[0]} − mean of {names_of_groups[1]}", **PLAIN_TEXT)
    _draw_dumbbells(dumbbells, result.importance_a[top], result.importance_b[top])
    legend(dumbbells, [(colour, marker) for colour, marker, _ in DOTS], names_of_groups, None)
    return ax


def _draw_bars(ax: Axes, names: list[str], difference: np.ndarray, q_values: np.ndarray) -> None:
    ax.barh(range(len(names)), difference, height=0.7, color=np.where(difference > 0, COLOURS[0], COLOURS[1]))
    name_lines(ax, names)
    ax.axvline(0, color=INK, linewidth=0.8)
    beside: dict[str, Any] = {
        "transform": ax.get_yaxis_transform(),
        "va": "center",
        "fontsize": "small",
        "color": INK,
    }
    ax.text(NUMBERS_AT, -0.65, "q-value", **{**beside, "va": "bottom", "color": PALE_INK})
    for line, q_value in enumerate(q_values):
        ax.text(NUMBERS_AT, line, _rounded(q_value), gid="q-value", **beside)


def _draw_dumbbells(ax: Axes, first: np.ndarray, second: np.ndarray) -> None:
    lines = np.arange(len(first))
    ax.hlines(lines, np.minimum(first, second), np.maximum(first, second), color=PALE_INK, linewidth=2, zorder=1)
    for (colour, marker, size), importance in zip(DOTS, [first, second], strict=True):
        ax.scatter(
            importance, lines, s=size, color=colour, marker=marker, linewidths=0.8, edgecolors="white", zorder=2
        )
    name_lines(ax, [""] * len(first))
    ax.set_xlim(left=0)
    ax.set_xlabel("mean feature importance")


def _rounded(q_value: float) -> str:
    return "< 0.0001" if q_value < 1e-4 else f"{q_value:.2g}"


def _checked_groups(groups: Any) -> list[str]:
    if isinstance(groups, str) or len(groups) != 2:
        raise InvalidParameterError(f"contrast(groups={groups!r}): must be the names of the two groups")
    return [shortened(str(name)) for name in groups]
