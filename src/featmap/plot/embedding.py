"""The map, one point per row."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .parts.canvas import axes_or_new
from .parts.cloud import Cloud, draw_rings
from .parts.colours import Categories, Numbers, read_labels
from .parts.keys import are_named_on_the_map, explain_colours, name_groups, widen_by_legend
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    checked_feature,
    checked_map,
    checked_rows,
    documented,
    map_behind,
    name_of_row,
    names_of_features,
    row_names_of,
    values_of_feature,
    write_title,
)
from .parts.placed_labels import Label, PlacedLabels

BESIDE_RING: dict[str, Any] = {"weight": "bold", "clear": 7.0, "away": (1.0, 0.3), "gid": "row"}


@documented
def embedding(
    model: ModelOrPipeline,
    labels: ArrayLike | str | None = None,
    *,
    color: ArrayLike | str | None = None,
    rows: int | slice | ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the map, one point per row.

    Points that are near on the map are similar rows. Distances between separate groups and the shape of a group are
    not to be trusted: the map keeps neighbourhoods, not large distances.

    Parameters
    ----------
    {model}
    labels : array-like of shape (n_samples,) or str, default=None
        Colours of the points, or the name of a feature whose values are the colours. Text, booleans and up to 30
        different integers are categories. Up to ten have a legend beside the map, more are named on the map, each
        where its points are densest. Floats and more different integers are numbers, with a colour bar. Points with a
        missing label are grey.
    color : array-like of shape (n_samples,) or str, default=None
        The same as `labels`, by the name that scanpy has for it. Give one of them.
    rows : int, slice or array-like, default=None
        Rows to mark, by their numbers, names or a mask. Each gets a ring above all points and, if there are at most
        40, its name.
    {ax}

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
    model = checked_map("embedding", model)
    colours = _colours(model, labels, color)
    marked = np.empty(0, int) if rows is None else checked_rows("embedding", model, rows)
    is_new = ax is None
    ax = axes_or_new(ax)
    cloud = Cloud(ax, model.embedding_, colours, map_behind(model))
    rings = cloud.positions[marked]
    named = zip(marked, rings, strict=True) if len(marked) <= MOST_NAMES else ()
    draw_labelled_map(cloud, colours, rings, [Label(name_of_row(model, row), at, **BESIDE_RING) for row, at in named])
    write_title(ax, model)
    if is_new:
        widen_by_legend(ax)
    return ax


def draw_labelled_map(
    cloud: Cloud, colours: Categories | Numbers | None, rings: np.ndarray, names: list[Label]
) -> None:
    """Draw the points, the rings and their names. Many categories are named on the map, others in a legend."""
    shown = cloud.draw_labelled(colours)
    draw_rings(cloud.ax, rings)
    cloud.finish_axes()
    if are_named_on_the_map(colours):
        name_groups(cloud.ax, cloud.positions, colours, names, rings)
    else:
        PlacedLabels(cloud.ax, names, rings)
        explain_colours(cloud.ax, colours, shown)


def _colours(
    model: Model, labels: ArrayLike | str | None, color: ArrayLike | str | None
) -> Categories | Numbers | None:
    """Return what the points are coloured by, if anything: labels by either name, or the values of a feature."""
    if labels is not None and color is not None:
        raise InvalidParameterError(
            "embedding(labels=…, color=…): both are the colours of the points; give one of them"
        )
    given = labels if color is None else color
    if not isinstance(given, str):
        return None if given is None else read_labels("embedding", given, len(model.embedding_), row_names_of(model))
    model._check_features()
    names = names_of_features("embedding", model, None)
    if given not in names:
        raise InvalidParameterError(
            f"embedding(labels={given!r}): a text must be the name of a feature, such as {names[0]!r}; labels of "
            "the rows are an array with one value per row, for example frame['label'] or adata.obs['label']"
        )
    return Numbers(values_of_feature(model, checked_feature("embedding", names, given)), given)
