"""The map, one point per row."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .parts.canvas import axes_or_new
from .parts.checks import checked_rows
from .parts.cloud import Cloud
from .parts.keys import are_named_on_the_map, explain_colours, names_of_groups, small_groups, write_rest
from .parts.labels import Categories, read_labels
from .parts.legends import widen_by_legend
from .parts.marks import draw_rings, names_of_rings
from .parts.model import ModelOrPipeline, checked_model, map_behind, row_names_of
from .parts.placed_labels import PlacedLabels
from .parts.titles import write_title


def embedding(
    model: ModelOrPipeline,
    labels: ArrayLike | None = None,
    *,
    rows: int | slice | ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the map, one point per row.

    Points that are near on the map are similar rows. Distances between separate groups and the shape of a group are
    not to be trusted: the map keeps neighbourhoods, not large distances.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points. Text, booleans and up to 30 different integers are categories. Up to ten have a legend
        beside the map, more are named on the map, each where its points are densest. Floats and more different
        integers are numbers, with a colour bar. Points with a missing label are grey.
    rows : int, slice or array-like, default=None
        Rows to mark, by their numbers, names or a mask. Each gets a ring above all points and, if there are at most
        40, its name.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map. A map of one dimension is drawn as a histogram of points, a map of more than two
        dimensions by its first two. New rows (``model.explain(X_new)``) are drawn over the map in grey. If a few
        points lie far from all others, the others fill the picture, and arrowheads at its edge count the far ones.

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
    marked = np.empty(0, int) if rows is None else checked_rows("embedding", model, rows)
    is_new = ax is None
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, colours, map_behind(model))
    shown = cloud.draw_labelled(colours)
    rings = cloud.positions[marked]
    draw_rings(ax, rings)
    cloud.finish_axes()
    names = names_of_rings(model, marked, rings)
    if isinstance(colours, Categories) and are_named_on_the_map(colours):
        names += names_of_groups(colours, cloud.positions)
        PlacedLabels(ax, names, np.concatenate([rings, small_groups(colours, cloud.positions)]))
        write_rest(ax, colours)
    else:
        PlacedLabels(ax, names, rings)
        explain_colours(ax, colours, shown)
    write_title(ax, model)
    if is_new:
        widen_by_legend(ax)
    return ax
