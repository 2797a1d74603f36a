"""The map coloured by the consistency of tangent spaces."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from .parts.coloured import draw_coloured
from .parts.model import ModelOrPipeline, checked_model
from .parts.sample import some_of

TITLE = "Do neighbors vary in the same directions?"
MEANING = "agreement with neighbors (1: full, 0: none)"


def consistency(model: ModelOrPipeline, *, ax: Axes | None = None) -> Axes:
    """Draw the map coloured by the consistency of each row's tangent space with those of its neighbours.

    Where consistency is low, the data are curved or noisy: frames change from row to row, and arrows hold only very
    near their row. High consistency does not mean that the map shows the tangent spaces well; fidelity measures that.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

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
    return draw_coloured(model, rows, model.consistency(rows), TITLE, MEANING, ax)
