"""The features that tell two groups of rows apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from ..explanation.contrast import DISCOVERED, Contrast
from .parts.canvas import INK, PALE_INK, PLAIN_TEXT, axes_for_panels, name_bars, shortened
from .parts.colours import COLOURS, colour_bar
from .parts.model import MOST_NAMES, Shape, checked_names, checked_shape, documented
from .parts.pixels import draw_differences, number_pixels, outline_pixels

LINE_INCHES = 0.32
# Parts of the Axes: bars of the effect size, then two columns of numbers, then dots or two images.
BARS, DOTS = (0, 0, 0.42, 1), (0.74, 0, 0.26, 1)
BARS_BESIDE_IMAGES, IMAGES = (0, 0, 0.28, 1), ((0.49, 0, 0.19, 1), (0.79, 0, 0.19, 1))
NUMBERS_AT = {"difference": 1.24, "q-value": 1.48}
NUMBERS_BESIDE_IMAGES_AT = {"difference": 1.26, "q-value": 1.52}
ABOVE_NUMBERS = 20  # points between the panels and the title, for the heads of the columns
LONGEST_BAR = 10.0  # longer bars end at the edge and have their number written on them
FIRST, SECOND = COLOURS[0], COLOURS[1]
DIVERGING = LinearSegmentedColormap.from_list("contrast", [SECOND, "white", FIRST])


@documented
def contrast(
    result: Contrast,
    *,
    k: int = 10,
    image_shape: tuple[int, ...] | None = None,
    groups: Sequence[str] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that tell two groups of rows apart, those with the largest effect first.

    Bars are the effect size: the difference of the means over the spread within the groups. They point to the right
    if the first group has more, and are pale if the q-value is above 0.05. Numbers beside them are the difference in
    units of the data and the q-value. Dots tell how often a random row of the first group exceeds one of the second.
    The q-values are too small for groups that were picked on the map, since the map was made from the same features.

    Parameters
    ----------
    result : Contrast
        What ``model.contrast(…)`` returns.
    k : int, default=10
        How many features to draw, from 1 to 40.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Then images of the difference and of
        the effect size, averaged over channels, take the place of the dots, and pixels are named by row and column.
    groups : pair of str, default=None
        Names of the two groups; None takes those of the result.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the result.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: bars with numbers, and dots or two images. A q-value is the
        share of false discoveries to expect among all features with p-values up to this one's.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> result = model.contrast(4, 9, labels=y[:100], n_permutations=20)
    >>> ax = plot.contrast(result, k=5, groups=("fours", "nines"), image_shape=(8, 8))
    >>> len(ax.child_axes)
    3
    """
    if not isinstance(result, Contrast):
        raise InvalidParameterError(
            f"contrast(result=…): result must be a Contrast, as model.contrast(…) returns; "
            f"got {type(result).__name__}"
        )
    k = checked_count("contrast", "k", k, 1, MOST_NAMES)
    shape = None if image_shape is None else checked_shape("contrast", image_shape, len(result.features))
    first, second = _checked_groups(result.groups if groups is None else groups)
    names = checked_names("contrast", result.features, feature_names, image_shape)
    top = result.order[:k]
    ax = axes_for_panels(ax, (9.0 if shape is None else 12.0, 2.0 + LINE_INCHES * max(len(top), 4)))
    bars = ax.inset_axes(BARS if shape is None else BARS_BESIDE_IMAGES)
    _draw_bars(bars, [names[column] for column in top], result.effect_size[top], result.q_values[top])
    _write_numbers(bars, result, top, NUMBERS_AT if shape is None else NUMBERS_BESIDE_IMAGES_AT)
    sides = f"← higher in {second} · higher in {first} →"
    bars.set_xlabel(f"{sides}\ndifference of the means ÷ spread within the groups", fontsize="small", **PLAIN_TEXT)
    if shape is None:
        _draw_dots(ax.inset_axes(DOTS), result.auc[top], f"{first} exceeds {second}")
    else:
        _draw_images(ax, result, shape, top)
    sizes = [f"{name} ({size:,} rows)" for name, size in zip((first, second), result.sizes, strict=True)]
    ax.set_title(" against ".join(sizes), fontsize="medium", pad=ABOVE_NUMBERS, **PLAIN_TEXT)
    return ax


def _draw_bars(ax: Axes, names: list[str], effect: np.ndarray, q_values: np.ndarray) -> None:
    colours = [
        to_rgba(FIRST if size > 0 else SECOND, 1.0 if q_value <= DISCOVERED else 0.35)
        for size, q_value in zip(effect, q_values, strict=True)
    ]
    ax.barh(range(len(names)), np.clip(effect, -LONGEST_BAR, LONGEST_BAR), height=0.7, color=colours)
    for line, size in enumerate(effect.tolist()):
        if abs(size) > LONGEST_BAR:
            middle = LONGEST_BAR / 2 * np.sign(size)
            ax.text(middle, line, f"{size:.0f}", ha="center", va="center", color="white", fontsize="small")
    name_bars(ax, names)
    ax.axvline(0, color=INK, linewidth=0.8)


def _write_numbers(ax: Axes, result: Contrast, top: np.ndarray, places: dict[str, float]) -> None:
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "fontsize": "small", "ha": "right"}
    columns = {
        "difference": [f"{value:+.3g}" for value in result.difference[top]],
        "q-value": ["< 0.0001" if value < 1e-4 else f"{value:.2g}" for value in result.q_values[top]],
    }
    for name, texts in columns.items():
        ax.text(places[name], -0.65, name, va="bottom", color=PALE_INK, **beside)
        for line, text in enumerate(texts):
            ax.text(places[name], line, text, va="center", color=INK, gid=name, **beside)


def _draw_dots(ax: Axes, auc: np.ndarray, what: str) -> None:
    lines, colours = np.arange(len(auc)), np.where(auc > 0.5, FIRST, SECOND)
    ax.hlines(lines, np.minimum(auc, 0.5), np.maximum(auc, 0.5), color=colours, linewidth=2, zorder=1)
    ax.scatter(auc, lines, s=40, color=colours, linewidths=0.8, edgecolors="white", zorder=2, clip_on=False)
    name_bars(ax, [""] * len(auc))
    ax.axvline(0.5, color=INK, linewidth=0.8)
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 0.5, 1])
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_xlabel(f"pairs of rows in which\n{what}", fontsize="small", **PLAIN_TEXT)


def _draw_images(ax: Axes, result: Contrast, shape: Shape, top: np.ndarray) -> None:
    """Draw both measures as images, with squares around the pixels that are named."""
    pictures = {"difference of the means": result.difference, "difference ÷ spread": result.effect_size}
    for place, (name, values) in zip(IMAGES, pictures.items(), strict=True):
        image = ax.inset_axes(place)
        shown = draw_differences(image, values.reshape(shape).mean(axis=2), None, DIVERGING)
        number_pixels(image)
        outline_pixels(image, top, shape)
        image.set_title(name, fontsize="small")
        colour_bar(image, shown, "")


def _checked_groups(groups: Any) -> tuple[str, str]:
    names = () if isinstance(groups, str) or not np.iterable(groups) else tuple(groups)
    if len(names) != 2:
        raise InvalidParameterError(f"contrast(groups={groups!r}): groups must be the names of the two groups")
    return shortened(str(names[0])), shortened(str(names[1]))
