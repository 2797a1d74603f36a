"""The features that tell two groups of rows apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from ..errors import InvalidParameterError
from ..explanation.contrast import Contrast
from .parts.bars import name_bars
from .parts.canvas import INK, PALE_INK, PLAIN_TEXT
from .parts.checks import MOST_NAMES
from .parts.legends import legend
from .parts.names import checked_names, shortened, written
from .parts.palette import COLOURS
from .parts.panels import axes_for_panels

LINE_INCHES = 0.32
# Parts of the Axes: bars of the difference, then a column of q-values, then the two importances.
BARS, DUMBBELLS = (0, 0, 0.46, 1), (0.62, 0, 0.38, 1)
NUMBERS_AT = 1.02
# Colour, marker and size for each group. If both importances are equal, the first is seen around the second.
DOTS = ((COLOURS[0], "o", 90), (COLOURS[1], "D", 26))


def contrast(
    result: Contrast,
    *,
    k: int = 10,
    groups: Sequence[str] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that tell two groups of rows apart, those with the smallest p-values first.

    Bars are the difference of the means in the units of the data, to the right if the first group has more; dots are
    the importance in each group. The q-values are too small for groups that were picked on the map, because the map
    was made from the same features.

    Parameters
    ----------
    result : Contrast
        What ``model.contrast(…)`` returns.
    k : int, default=10
        How many features to draw, from 1 to 40.
    groups : pair of str, default=None
        Names of the two groups; None takes those of the result.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the result.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the two panels: bars of the differences with q-values, and importances.
        A q-value is the share of false discoveries to expect among all features with p-values up to this one's.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> result = model.contrast(4, 9, labels=y[:100], n_permutations=20)
    >>> ax = plot.contrast(result, k=5, groups=("fours", "nines"))
    >>> ax.child_axes[0].get_xlabel()
    'mean of fours − mean of nines'
    """
    if not isinstance(result, Contrast):
        raise InvalidParameterError(
            f"contrast(result=…): result must be a Contrast, as model.contrast(…) returns; "
            f"got {type(result).__name__}"
        )
    k = checked_count("contrast", "k", k, 1, MOST_NAMES)
    first, second = _checked_groups(result.groups if groups is None else groups)
    known = [written(name) for name in result.features] if feature_names is None else feature_names
    names = checked_names("contrast", known, len(result.features))
    top = result.order[:k]
    ax = axes_for_panels(ax, (9.0, 1.4 + LINE_INCHES * len(top)))
    bars, dumbbells = ax.inset_axes(BARS), ax.inset_axes(DUMBBELLS)
    _draw_bars(bars, [names[column] for column in top], result.difference[top], result.q_values[top])
    bars.set_xlabel(f"mean of {first} − mean of {second}", **PLAIN_TEXT)
    _draw_dumbbells(dumbbells, result.importance_a[top], result.importance_b[top])
    legend(dumbbells, [(colour, marker) for colour, marker, _ in DOTS], [first, second], None)
    return ax


def _draw_bars(ax: Axes, names: list[str], difference: np.ndarray, q_values: np.ndarray) -> None:
    ax.barh(range(len(names)), difference, height=0.7, color=np.where(difference > 0, COLOURS[0], COLOURS[1]))
    name_bars(ax, names)
    ax.axvline(0, color=INK, linewidth=0.8)
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "fontsize": "small"}
    ax.text(NUMBERS_AT, -0.65, "q-value", va="bottom", color=PALE_INK, **beside)
    for line, q_value in enumerate(q_values):
        ax.text(NUMBERS_AT, line, _rounded(q_value), va="center", color=INK, gid="q-value", **beside)


def _draw_dumbbells(ax: Axes, first: np.ndarray, second: np.ndarray) -> None:
    lines = np.arange(len(first))
    ax.hlines(lines, np.minimum(first, second), np.maximum(first, second), color=PALE_INK, linewidth=2, zorder=1)
    rim: dict[str, Any] = {"linewidths": 0.8, "edgecolors": "white", "zorder": 2}
    for (colour, marker, size), importance in zip(DOTS, [first, second], strict=True):
        ax.scatter(importance, lines, s=size, color=colour, marker=marker, **rim)
    name_bars(ax, [""] * len(first))
    ax.set_xlim(left=0)
    ax.set_xlabel("mean feature importance")


def _rounded(q_value: float) -> str:
    return "< 0.0001" if q_value < 1e-4 else f"{q_value:.2g}"


def _checked_groups(groups: Any) -> tuple[str, str]:
    if isinstance(groups, str) or len(groups) != 2:
        raise InvalidParameterError(f"contrast(groups={groups!r}): groups must be the names of the two groups")
    first, second = groups
    return shortened(str(first)), shortened(str(second))
