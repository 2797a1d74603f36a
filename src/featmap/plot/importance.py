"""The features that vary most: around rows, as bars; within groups of rows, as a table; pixels, as images."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from .parts.canvas import PLAIN_TEXT, axes_or_new, name_bars, panels_in_a_grid, shortened
from .parts.colours import COLOURS, Categories, colour_bar, labels_of
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    checked_model,
    checked_rows,
    checked_shape,
    documented,
    in_blocks,
    name_of_row,
    names_of_features,
    some_of,
    write_title,
)
from .parts.pixels import checked_images, draw_image, number_pixels

VARIATION = "local variation (importance)"  # what pictures call it: noise varies locally too
N_BARS, N_COLUMNS = 10, 30  # features that are drawn unless the user asks for another number
ROWS_OF_A_GROUP = 500  # the mean of a random sample of so many rows is drawn, one for each of many groups
BAR_INCHES = 0.27
CELL_INCHES = 0.3
LETTER_INCHES = 0.085  # of a small letter, at most
IMAGE_INCHES = 1.7
MOST_IMAGES = 100


@documented
def importance(
    model: ModelOrPipeline,
    rows: int | slice | ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    k: int | None = None,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the features that vary most around rows as bars, or within groups of rows as a table of colours.

    Importance is the part that a feature has in the directions in which the neighbours of a row vary, from 0 to 1. If
    the data have few features, they may vary in all of them, and then all importances are 1 and rank nothing. That a
    feature varies within a group does not mean that it tells the group from others; `contrast` draws that.

    Parameters
    ----------
    {model}
    rows : int, slice or array-like, default=None
        The rows whose mean is drawn, by their numbers or names or by a mask of shape (n_samples,); None takes all. Of
        more than 5,000 rows a random sample of 5,000 is averaged.
    labels : array-like of shape (n_samples,), default=None
        The group of each row, for a table of groups and features: text, booleans or up to 30 different integers. Rows
        with a missing label are left out. Of a group of more than 500 rows a random sample of 500 is averaged.
    k : int, default=None
        How many features to draw: up to 40 bars, 10 by default, or up to 100 columns of a table, 30 by default.
    {image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the bars, with the most important feature at the top. With ``labels``, the Axes of the table, with
        a colour bar: its rows are groups, and its columns are the first feature of every group, then the second of
        every group and so on, sorted by the group in which they are most important.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.importance(model, y[:100] == 4, k=5)
    >>> len(ax.patches)
    5
    >>> ax = plot.importance(model, labels=y[:100], k=12)
    >>> ax.get_images()[0].get_array().shape
    (10, 12)
    """
    model = checked_model("importance", model)
    chosen = np.arange(len(model.embedding_)) if rows is None else checked_rows("importance", model, rows)
    names = names_of_features("importance", model, feature_names, image_shape)
    if labels is None:
        k = checked_count("importance", "k", N_BARS if k is None else k, 1, MOST_NAMES)
        return _draw_bars(model, chosen, k, names, ax)
    k = checked_count("importance", "k", N_COLUMNS if k is None else k, 1, 100)
    groups = labels_of("importance", model, labels)
    if not isinstance(groups, Categories) or not groups.names:
        raise InvalidParameterError(
            "importance(labels=…): labels must name the group of each row by text, booleans or a few integers"
        )
    return _draw_groups(model, chosen, groups, k, names, ax)


def _draw_bars(model: Model, rows: np.ndarray, k: int, names: list[str], ax: Axes | None) -> Axes:
    mean = mean_importance(model, some_of(rows))
    top = np.argsort(-mean, kind="stable")[:k]
    ax = axes_or_new(ax, (6.4, max(3.0, 1.2 + BAR_INCHES * len(top))))
    ax.barh(range(len(top)), mean[top], height=0.7, color=COLOURS[0])
    name_bars(ax, [names[column] for column in top])
    ax.set_xlim(0, float(mean[top].max()) * 1.05 or 1)
    ax.set_xlabel(VARIATION if len(rows) == 1 else f"mean {VARIATION}")
    whose = name_of_row(model, rows[0]) if len(rows) == 1 else f"{len(rows):,} rows"
    write_title(ax, model, f"Features that vary most around {whose}")
    return ax


def _draw_groups(
    model: Model, rows: np.ndarray, groups: Categories, k: int, names: list[str], ax: Axes | None
) -> Axes:
    """Draw the mean importance of the leading features in each group of which there are rows."""
    members = {name: rows[groups.codes[rows] == code] for code, name in enumerate(groups.names)}
    members = {name: some_of(own, ROWS_OF_A_GROUP) for name, own in members.items() if len(own)}
    if not members:
        raise InvalidParameterError(
            "importance(rows=…, labels=…): labels must name the group of at least one of these rows; all are missing"
        )
    means = np.array([mean_importance(model, own) for own in members.values()])
    columns = leading_features(means, k)
    across, down = [shortened(names[column]) for column in columns], [shortened(name) for name in members]
    room_for_names = LETTER_INCHES * max(len(name) for name in across)  # they stand upright
    height = max(3.5, CELL_INCHES * len(down) + room_for_names + 1.2)
    ax = axes_or_new(ax, (max(5.0, CELL_INCHES * len(across) + 2.5), height))
    table = means[:, columns]
    shown = ax.imshow(table, cmap="viridis", vmin=0, vmax=table.max() or 1, aspect="auto", interpolation="nearest")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    small: dict[str, Any] = {"fontsize": "small", **PLAIN_TEXT}
    ax.set_xticks(range(len(across)), across, rotation=90, **small)
    ax.set_yticks(range(len(down)), down, **small)
    ax.set_ylabel(groups.title or "", **PLAIN_TEXT)
    write_title(ax, model, "Features that vary within each group")
    colour_bar(ax, shown, f"mean {VARIATION}", attached=True)
    return ax


def mean_importance(model: Model, rows: np.ndarray) -> np.ndarray:
    """Return the mean over some rows for each feature: shape (n_features,)."""
    total = np.zeros(model.n_features_in_)
    for block in in_blocks(rows):
        total += model.feature_importance(block).sum(axis=0, dtype=np.float64)
    return total / len(rows)


def leading_features(means: np.ndarray, k: int) -> np.ndarray:
    """Return the first feature of every group, then the second of every group, and so on, until there are ``k``.

    They are sorted by the group in which they are most important.
    """
    in_turns = np.argsort(-means, axis=1, kind="stable").T.ravel()
    chosen = np.array(list(dict.fromkeys(in_turns.tolist()))[:k])
    best = means[:, chosen].argmax(axis=0)
    return chosen[np.lexsort((-means[best, chosen], best))]


# Pixels


@documented
def saliency(
    model: ModelOrPipeline,
    rows: int | slice | ArrayLike,
    image_shape: tuple[int, ...],
    *,
    images: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each pixel for one row or several, if the features are the pixels of images.

    Bright pixels vary between an image and its neighbours in the data. They do not say which class the image has or
    why, and a pixel that is the same in all neighbours is dark even if it is typical of them. Several images have one
    scale, so that images whose neighbours vary in few directions look darker than others.

    Parameters
    ----------
    {model}
    rows : int, slice or array-like
        One row or up to 100, by their numbers or names or by a mask of shape (n_samples,).
    image_shape : tuple of int
        (height, width) or (height, width, channels), with one value per feature. The importances of the channels of a
        pixel are joined by their Euclidean norm.
    images : array-like of shape (n_rows, n_features), default=None
        The pixel values of these rows, or of one row. Their outlines are drawn on top.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the image, with numbered pixels and a colour bar. Of several rows, the Axes whose ``child_axes``
        are the panels, one for each row, and the colour bar.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X = load_digits().data[:100]
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    >>> ax = plot.saliency(model, 42, (8, 8), images=X[42])
    >>> ax.get_images()[0].get_array().shape
    (8, 8)
    >>> ax = plot.saliency(model, [3, 7], (8, 8), images=X[[3, 7]])
    >>> [panel.get_title() for panel in ax.child_axes[:2]]
    ['row 3', 'row 7']
    """
    model = checked_model("saliency", model)
    chosen = checked_rows("saliency", model, rows)
    if len(chosen) > MOST_IMAGES:
        raise InvalidParameterError(
            f"saliency(rows=…): rows must be at most {MOST_IMAGES}, because more images are too small to see; "
            f"got {len(chosen)}"
        )
    shape = checked_shape("saliency", image_shape, model.n_features_in_)
    outlined = checked_images("saliency", "images", images, len(chosen), shape)
    pixels = np.linalg.norm(model.feature_importance(chosen).reshape(-1, *shape), axis=3)
    names = [name_of_row(model, row) for row in chosen]
    scale = {"cmap": "viridis", "vmin": 0, "vmax": pixels.max() or 1}
    if len(chosen) == 1:
        ax = axes_or_new(ax)
        shown = draw_image(ax, pixels[0], outlined[0], **scale)
        number_pixels(ax)
        ax.set_title(f"How much each pixel varies around {names[0]}", fontsize="medium")
    else:
        ax, panels = panels_in_a_grid(ax, len(chosen), shape[0] / shape[1], IMAGE_INCHES)
        for panel, name, image, outline in zip(panels, names, pixels, outlined, strict=True):
            shown = draw_image(panel, image, outline, **scale)
            panel.set_title(name, fontsize="small", pad=3)
    colour_bar(ax, shown, VARIATION, attached=True)
    return ax
