"""The map coloured by one feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .parts.coloured import draw_coloured
from .parts.importance import VARIATION, importance_of_feature
from .parts.model import ModelOrPipeline, checked_model
from .parts.names import checked_feature, names_of_features, shortened
from .parts.sample import some_of


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
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    feature : int or str
        A column number or a name.
    values : array-like of shape (n_samples,), default=None
        The values of the feature. If they are given, they are the colours, for all rows. None colours by importance,
        for a random sample of 5,000 rows if there are more.
    image_shape : tuple of int, default=None
        If the features are pixels: (height, width) or (height, width, channels). Pixels are named by row and column.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

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
        return draw_coloured(model, rows, _checked_values(values, len(rows)), f"Values of {name}", "value", ax)
    rows = some_of(rows)
    importance = importance_of_feature(model, rows, column)
    return draw_coloured(model, rows, importance, f"Where {name} varies", VARIATION, ax)


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
