"""The features that vary most around rows or groups of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from .parts.canvas import PLAIN_TEXT, axes_or_new, name_bars, shortened
from .parts.colours import COLOURS, Categories, read_labels
from .parts.keys import attached_bar
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    checked_model,
    checked_rows,
    documented,
    name_of_row,
    names_of_features,
    row_names_of,
    some_of,
    write_title,
)

BAR_INCHES = 0.27


@documented
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
    {model}
    rows : int, slice or array-like
        One row or several, by their numbers or by a mask of shape (n_samples,). Of more than 5,000 rows a random
        sample of 5,000 is averaged.
    k : int, default=10
        How many features to draw, from 1 to 40.
    {image_shape, feature_names, ax}

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


ROWS_OF_A_GROUP = 500
MOST_COLUMNS = 100
CELL_INCHES = 0.3
LETTER_INCHES = 0.085  # of a small letter, at most


@documented
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
    {model}
    labels : array-like of shape (n_samples,)
        The group of each row: text, booleans or up to 30 different integers. Rows with a missing label are left out.
        Of a group of more than 500 rows a random sample of 500 is averaged.
    k : int, default=30
        How many features to draw, from 1 to 100. They are the first of every group, then the second of every group,
        and so on.
    {image_shape, feature_names, ax}

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


VARIATION = "local variation (importance)"  # what pictures call it: noise varies locally too
ROWS_AT_ONCE = 500  # rows whose importance of all features is in memory at one time


def by_importance(importance: np.ndarray) -> np.ndarray:
    """Return column numbers, the most important feature first; equal features keep their order."""
    return np.argsort(-importance, axis=-1, kind="stable")


def mean_importance(model: Model, rows: np.ndarray) -> np.ndarray:
    """Return the mean over some rows for each feature: shape (n_features,)."""
    total = np.zeros(model.n_features_in_)
    for block in _blocks(model, rows):
        total += block.sum(axis=0, dtype=np.float64)
    return total / len(rows)


def importance_of_feature(model: Model, rows: np.ndarray, column: int) -> np.ndarray:
    """Return the importance of one feature for some rows: shape (n_rows,)."""
    return np.concatenate([block[:, column] for block in _blocks(model, rows)])


def _blocks(model: Model, rows: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield model.feature_importance(rows[start : start + ROWS_AT_ONCE])
