"""The mean importance of features in groups of rows, as a table of colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from ..errors import InvalidParameterError
from .parts.canvas import PLAIN_TEXT, axes_or_new
from .parts.importance import VARIATION, by_importance, mean_importance
from .parts.labels import Categories, read_labels
from .parts.legends import attached_bar
from .parts.model import Model, ModelOrPipeline, checked_model, row_names_of
from .parts.names import names_of_features, shortened
from .parts.sample import some_of
from .parts.titles import write_title

ROWS_OF_A_GROUP = 500
MOST_COLUMNS = 100
CELL_INCHES = 0.3
LETTER_INCHES = 0.085  # of a small letter, at most


def importance_heatmap(
    model: ModelOrPipeline,
    labels: ArrayLike,
    *,
    k: int = 30,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean importance of features in groups of rows, as a table of colours.

    A bright cell means that the feature varies within the group, between its rows and their neighbours. It does not
    mean that the feature tells the group from others; `contrast` draws that.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    labels : array-like of shape (n_samples,)
        The group of each row: text, booleans or up to 30 different integers. Rows with a missing label are left out.
        Of a group of more than 500 rows a random sample of 500 is averaged.
    k : int, default=30
        How many features to draw, from 1 to 100. They are the first of every group, then the second of every group,
        and so on.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the table, with a colour bar. Rows are groups. Columns are features, sorted by the group in which
        they are most important.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.importance_heatmap(model, y[:100], k=12)
    >>> ax.get_images()[0].get_array().shape
    (10, 12)
    """
    model = checked_model("importance_heatmap", model)
    k = checked_count("importance_heatmap", "k", k, 1, MOST_COLUMNS)
    groups = _checked_groups(labels, model)
    names = names_of_features("importance_heatmap", model, feature_names, image_shape)
    means = _means_of_groups(model, groups)
    columns = leading_features(means, k)
    shown_names = [names[column] for column in columns]
    ax = axes_or_new(ax, _size(shown_names, groups.names))
    shown = _draw_table(ax, means[:, columns], shown_names, groups.names)
    ax.set_ylabel(groups.title or "", **PLAIN_TEXT)
    write_title(ax, model, "Features that vary within each group")
    attached_bar(ax, shown, f"mean {VARIATION}")
    return ax


def _size(columns: list[str], rows: list[str]) -> tuple[float, float]:
    """Inches of a figure with room for all cells, and for the names of columns, which stand upright."""
    names = LETTER_INCHES * max(len(shortened(name)) for name in columns)
    return max(5.0, CELL_INCHES * len(columns) + 2.5), max(3.5, CELL_INCHES * len(rows) + names + 1.2)


def leading_features(means: np.ndarray, k: int) -> np.ndarray:
    """Return the first feature of every group, then the second of every group, and so on, until there are ``k``.

    They are sorted by the group in which they are most important.
    """
    in_turns = by_importance(means).T.ravel()
    chosen = np.array(list(dict.fromkeys(in_turns.tolist()))[:k])
    best = means[:, chosen].argmax(axis=0)
    return chosen[np.lexsort((-means[best, chosen], best))]


def _means_of_groups(model: Model, groups: Categories) -> np.ndarray:
    members = [np.flatnonzero(groups.codes == code) for code in range(len(groups.names))]
    return np.array([mean_importance(model, some_of(rows, ROWS_OF_A_GROUP)) for rows in members])


def _draw_table(ax: Axes, table: np.ndarray, columns: list[str], rows: list[str]) -> Any:
    shown = ax.imshow(table, cmap="viridis", vmin=0, vmax=table.max() or 1, aspect="auto", interpolation="nearest")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    small: dict[str, Any] = {"fontsize": "small", **PLAIN_TEXT}
    ax.set_xticks(range(len(columns)), [shortened(name) for name in columns], rotation=90, **small)
    ax.set_yticks(range(len(rows)), [shortened(name) for name in rows], **small)
    return shown


def _checked_groups(labels: ArrayLike, model: Model) -> Categories:
    groups = read_labels("importance_heatmap", labels, len(model.embedding_), row_names_of(model))
    if not isinstance(groups, Categories) or not groups.names:
        raise InvalidParameterError(
            "importance_heatmap(labels=…): labels must name the group of each row by text, booleans or a few integers"
        )
    return groups
