"""The most important features of some rows, as bars."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from .parts.bars import name_bars
from .parts.canvas import axes_or_new
from .parts.checks import MOST_NAMES, checked_rows
from .parts.importance import VARIATION, by_importance, mean_importance
from .parts.model import ModelOrPipeline, checked_model
from .parts.names import name_of_row, names_of_features
from .parts.palette import COLOURS
from .parts.sample import some_of
from .parts.titles import write_title

BAR_INCHES = 0.27


def importance_bar(
    model: ModelOrPipeline,
    rows: int | slice | ArrayLike,
    *,
    k: int = 10,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that vary most around a row, or around several rows on average, as bars.

    Importance is the part that a feature has in the directions in which the neighbours of a row vary, from 0 to 1. If
    the data have few features, they may vary in all of them, and then all importances are 1 and rank nothing.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    rows : int, slice or array-like
        One row or several, by their numbers or by a mask of shape (n_samples,). Of more than 5,000 rows a random
        sample of 5,000 is averaged.
    k : int, default=10
        How many features to draw, from 1 to 40.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the bars, with the most important feature at the top.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.importance_bar(model, y[:100] == 4, k=5)
    >>> len(ax.patches)
    5
    """
    model = checked_model("importance_bar", model)
    chosen = checked_rows("importance_bar", model, rows)
    k = checked_count("importance_bar", "k", k, 1, MOST_NAMES)
    names = names_of_features("importance_bar", model, feature_names, image_shape)
    mean = mean_importance(model, some_of(chosen))
    top = by_importance(mean)[:k]
    ax = axes_or_new(ax, (6.4, max(3.0, 1.2 + BAR_INCHES * len(top))))
    ax.barh(range(len(top)), mean[top], height=0.7, color=COLOURS[0])
    name_bars(ax, [names[column] for column in top])
    ax.set_xlim(0, float(mean[top].max()) * 1.05 or 1)
    ax.set_xlabel(VARIATION if len(chosen) == 1 else f"mean {VARIATION}")
    whose = name_of_row(model, chosen[0]) if len(chosen) == 1 else f"{len(chosen):,} rows"
    write_title(ax, model, f"Features that vary most around {whose}")
    return ax
