"""The map coloured by one number per row: what a feature is there, or how far tangent spaces agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .importance import VARIATION
from .parts.canvas import axes_or_new, shortened, write_caption
from .parts.cloud import Cloud
from .parts.keys import colour_bar
from .parts.model import (
    Model,
    ModelOrPipeline,
    checked_feature,
    checked_model,
    documented,
    in_blocks,
    map_behind,
    names_of_features,
    some_of,
    write_title,
)

AGREEMENT = "agreement with neighbors (1: full, 0: none)"


@documented
def feature(
    model: ModelOrPipeline,
    feature: int | str,
    *,
    values: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the map coloured by the local variation (importance) or by the values of one feature.

    A feature is important in this sense where it varies between a row and its neighbours, whether its value is high
    or low. Importance depends on the scale of the features: if they have different units, scale them before.

    Parameters
    ----------
    {model}
    feature : int or str
        A column number or a name.
    values : array-like of shape (n_samples,), default=None
        The values of the feature. If they are given, they are the colours, for all rows. None colours by importance,
        for a random sample of 5,000 rows if there are more.
    {image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, with a colour bar.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X = load_digits().data[:100]
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X)
    >>> plot.feature(model, 28).get_title().splitlines()[0]
    'Where feature 28 varies'
    >>> plot.feature(model, 28, values=X[:, 28], image_shape=(8, 8)).get_title().splitlines()[0]
    'Values of row 3, column 4'
    """
    model = checked_model("feature", model)
    names = names_of_features("feature", model, feature_names, image_shape)
    column = checked_feature("feature", names, feature)
    name = shortened(names[column])
    rows = np.arange(len(model.embedding_))
    if values is not None:
        return _draw_coloured(model, rows, _checked_values(values, len(rows)), f"Values of {name}", "value", ax)
    rows = some_of(rows)
    importance = np.concatenate([model.feature_importance(block)[:, column] for block in in_blocks(rows)])
    return _draw_coloured(model, rows, importance, f"Where {name} varies", VARIATION, ax)


@documented
def consistency(model: ModelOrPipeline, *, ax: Axes | None = None) -> Axes:
    """Draw the map coloured by the consistency of each row's tangent space with those of its neighbours.

    Where consistency is low, the data are curved or noisy: frames change from row to row, and arrows hold only very
    near their row. High consistency does not mean that the map shows the tangent spaces well; fidelity measures that.

    Parameters
    ----------
    {model, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, with a colour bar. If there are more than 5,000 rows, a random sample of 5,000 is
        coloured. Rows without directions, because all their neighbours are equal to them, are grey.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> plot.consistency(model).get_title().splitlines()[0]
    'Do neighbors vary in the same directions?'
    """
    model = checked_model("consistency", model)
    rows = some_of(np.arange(len(model.embedding_)))
    title = "Do neighbors vary in the same directions?"
    return _draw_coloured(model, rows, model.consistency(rows), title, AGREEMENT, ax)


def _draw_coloured(
    model: Model, rows: np.ndarray, values: np.ndarray, title: str, meaning: str, ax: Axes | None
) -> Axes:
    """Draw all points, some of them in colour. ``meaning`` is written at the colour bar."""
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, behind=map_behind(model))
    shown = cloud.draw_sample(rows, values)
    colour_bar(ax, shown, meaning if np.isfinite(values).all() else f"{meaning} · grey: missing")
    cloud.finish_axes()
    if len(rows) < len(model.embedding_):
        write_caption(ax, [f"{len(rows):,} of {len(model.embedding_):,} points are coloured"])
    write_title(ax, model, title)
    return ax


def _checked_values(values: Any, n_rows: int) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidParameterError("feature(values=…): values must be numbers, one for each row") from None
    if numbers.shape != (n_rows,):
        raise InvalidParameterError(
            f"feature(values=…): values must be one number per row, shape ({n_rows},); got shape {numbers.shape}"
        )
    return numbers
