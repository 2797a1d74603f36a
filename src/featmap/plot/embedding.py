"""The map, one point per row."""

from __future__ import annotations

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .parts.canvas import axes_or_new
from .parts.cloud import Cloud, explain_colours
from .parts.labels import read_labels
from .parts.legends import widen_by_legend
from .parts.model import ModelOrPipeline, checked_model, row_names_of


def embedding(model: ModelOrPipeline, labels: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the map, one point per row.

    Points that are near on the map are similar rows. Distances between separate groups and the shape of a group are
    not to be trusted: the map keeps neighbourhoods, not large distances.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points. Text, booleans and up to 30 different integers are categories, with a legend beside the
        map. Floats and more different integers are numbers, with a colour bar. Points with a missing label are grey.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map. A map of one dimension is drawn as a histogram of points, a map of more than two
        dimensions by its first two.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(X[:100])
    >>> ax = plot.embedding(model, y[:100])
    >>> len(ax.get_legend().get_texts())
    10
    """
    model = checked_model("embedding", model)
    colours = None if labels is None else read_labels("embedding", labels, len(model.embedding_), row_names_of(model))
    is_new = ax is None
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, colours)
    explain_colours(ax, colours, cloud.draw_labelled(colours))
    cloud.finish_axes()
    if is_new:
        widen_by_legend(ax)
    return ax
