"""The map, one point per row, coloured by labels, by one feature, or by the consistency of tangent spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from .importance import VARIATION
from .parts.canvas import axes_or_new, write_caption
from .parts.cloud import Cloud, draw_rings
from .parts.colours import (
    Numbers,
    RowLabels,
    are_named_on_the_map,
    explain_colours,
    labels_of,
    name_groups,
    widen_by_legend,
)
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    checked_feature,
    checked_map,
    checked_model,
    checked_rows,
    documented,
    in_blocks,
    name_of_row,
    names_of_features,
    some_of,
    values_of_feature,
    write_title,
)
from .parts.placed_labels import Label, PlacedLabels
from .parts.scale_bar import draw_scale_bar

NOWHERE = np.empty((0, 2))
AGREEMENT = "agreement with neighbors (1: full, 0: none)"
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

    A scale bar below the map says by how much rows differ that are within its length of each other, as measured on
    pairs of rows: the median, and the range of two in three pairs. It is drawn only where the map carries a scale:
    where ``density_correlation_`` is at least 0.5 and ``density_slope_`` at least 0.6, of at least 100 rows, and
    where distances in the data are Euclidean or cosine distances. Differences are Euclidean distances over all
    features, in standard deviations if the features are scaled to a standard deviation of 1. Twice the bar is not
    twice the difference.

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
    cloud = Cloud.of(ax, model, colours)
    rings = cloud.positions[marked]
    named = zip(marked, rings, strict=True) if len(marked) <= MOST_NAMES else ()
    draw_labelled_map(cloud, colours, rings, [Label(name_of_row(model, row), at, **BESIDE_RING) for row, at in named])
    draw_scale_bar(ax, model)
    write_title(ax, model)
    if is_new:
        widen_by_legend(ax)
    return ax


def draw_labelled_map(
    cloud: Cloud, colours: RowLabels | None, rings: np.ndarray = NOWHERE, names: Sequence[Label] = ()
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


def _colours(model: Model, labels: ArrayLike | str | None, color: ArrayLike | str | None) -> RowLabels | None:
    """Return what the points are coloured by, if anything: labels by either name, or the values of a feature."""
    if labels is not None and color is not None:
        raise InvalidParameterError(
            "embedding(labels=…, color=…): both are the colours of the points; give one of them"
        )
    given = labels if color is None else color
    if not isinstance(given, str):
        return labels_of("embedding", model, given)
    model._check_features()
    names = names_of_features("embedding", model, None, None)
    if given not in names:
        raise InvalidParameterError(
            f"embedding(labels={given!r}): a text must be the name of a feature, such as {names[0]!r}; labels of "
            "the rows are an array with one value per row, for example frame['label'] or adata.obs['label']"
        )
    column, _ = checked_feature("embedding", model, given, None, None)
    return Numbers(values_of_feature(model, column), given)


# One number per row


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
    column, name = checked_feature("feature", model, feature, feature_names, image_shape)
    rows = np.arange(len(model.embedding_))
    if values is not None:
        return _draw_coloured(model, rows, _checked_values(values, len(rows)), "value", f"Values of {name}", ax)
    rows = some_of(rows)
    importance = np.concatenate([model.feature_importance(block)[:, column] for block in in_blocks(rows)])
    return _draw_coloured(model, rows, importance, VARIATION, f"Where {name} varies", ax)


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
    return _draw_coloured(model, rows, model.consistency(rows), AGREEMENT, title, ax)


def _draw_coloured(
    model: Model, rows: np.ndarray, values: np.ndarray, meaning: str, title: str, ax: Axes | None
) -> Axes:
    """Draw all points, some of them in colour. ``meaning`` is written at the colour bar."""
    ax = axes_or_new(ax)
    cloud = Cloud.of(ax, model)
    everywhere, sample = np.full(len(model.embedding_), np.nan), np.zeros(len(model.embedding_), bool)
    everywhere[rows], sample[rows] = values, True
    shown = cloud.draw_labelled(Numbers(everywhere, None), sample)
    explain_colours(ax, Numbers(values, meaning), shown)
    cloud.finish_axes()
    if not sample.all():
        write_caption(ax, [f"{len(rows):,} of {len(sample):,} points are coloured"])
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
