"""Whether neighbourhoods that are wide in the data are wide on the map: of one model, or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from ..metrics.density import OwnDistances
from .compare import MOST_MAPS
from .parts.canvas import INK, PALE_INK, PLAIN_TEXT, axes_or_new, panels_in_a_grid, write_caption
from .parts.cloud import Cloud
from .parts.colours import COLOURS, Categories, RowLabels, explain_colours, labels_of, widen_by_legend
from .parts.model import Model, ModelOrPipeline, checked_map, documented, name_of_map, settings_of, write_title

MOST_DOTS = 2_000  # more points than this are counted in hexagons if they have no labels
IN_DATA, ON_MAP = "distance in the data (log)", "distance on the map (log)"
LINES = "line: least squares; dashed: slope 1, a map that keeps local scale"


@documented
def density(
    model: ModelOrPipeline | Sequence[ModelOrPipeline],
    labels: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw whether neighbourhoods that are wide in the data are wide on the map, for one model or several.

    Each row is a point: the logarithm of its distance to its last neighbour in the data, and of the distance of its
    place on the map to the neighbour of the same rank there. If the points follow a rising line, the density of
    points on the map shows the density of the data. If the correlation is low, it says nothing of it. The slope is 1
    where rows that are twice as far from their neighbours are drawn twice as far, and 0 where all neighbourhoods are
    drawn alike.

    Parameters
    ----------
    model : FeatMAP, Explanation, Pipeline or list of them
        A fitted model, the explanation of all rows of any map, or a scikit-learn pipeline that ends in a fitted
        `FeatMAP`; or up to 36 of them that have the same rows.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points, as in `embedding`.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes; those of several models have one panel for each as ``child_axes``. Correlation and slope are
        ``density_correlation_`` and ``density_slope_``. Of more than 10,000 rows a random sample is drawn, and more
        than 2,000 points without labels are counted in hexagons.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> models = [FeatMAP(n_epochs=50, density=p, random_state=0).fit(X[:200]) for p in (0, 2)]
    >>> ax = plot.density(models[1])
    >>> ax.get_xlabel().splitlines()[0]
    'distance in the data (log)'
    >>> ax = plot.density(models, y[:200])
    >>> [panel.get_title().splitlines()[0] for panel in ax.child_axes]
    ['15 neighbors, density 0', '15 neighbors, density 2']
    """
    if not isinstance(model, Sequence) or isinstance(model, str):
        return _draw_one(_checked(model), labels, ax)
    if not 1 <= len(model) <= MOST_MAPS:
        raise InvalidParameterError(
            f"density(model=…): model must be a fitted FeatMAP or an Explanation, or a list of 1 to {MOST_MAPS} of "
            f"them; got a list of {len(model)}"
        )
    return _draw_several([_checked(one) for one in model], labels, ax)


def _checked(model: Any) -> Model:
    """Return a model whose points are all rows of its map, in their order."""
    checked = checked_map("density", model)
    points = checked._points
    if not np.array_equal(points.rows, np.arange(len(points.mapped.embedding))):
        raise InvalidParameterError(
            "density(model=…): model must explain all rows of its map, in their order, since density is that of the "
            "whole map; give the model itself"
        )
    return checked


def _draw_one(model: Model, labels: ArrayLike | None, ax: Axes | None) -> Axes:
    colours = labels_of("density", model, labels)
    is_new = ax is None
    ax = axes_or_new(ax)
    shown = _draw_distances(ax, model._own_distances, colours)
    explain_colours(ax, colours, shown)
    ax.set(xlabel=IN_DATA, ylabel=ON_MAP)
    write_caption(ax, [LINES])
    write_title(ax, model, f"Is the map wide where the data are wide? {_in_words(model)}")
    if is_new:
        widen_by_legend(ax)
    return ax


def _draw_several(models: list[Model], labels: ArrayLike | None, ax: Axes | None) -> Axes:
    """Draw one panel for each model, with the colours of the points explained beside them."""
    colours = [labels_of("density", model, labels) for model in models]
    is_new = ax is None
    ax, panels = panels_in_a_grid(ax, len(models), title_lines=2)
    for panel, model, colour in zip(panels, models, colours, strict=True):
        shown = _draw_distances(panel, model._own_distances, colour)
        panel.set(xticks=[], yticks=[])  # there is no room for numbers between the panels
        name = settings_of(model) if isinstance(model, FeatMAP) else name_of_map(model)
        panel.set_title(f"{name}\n{_in_words(model)}", fontsize="medium", **PLAIN_TEXT)
    panels[0].set_ylabel(ON_MAP)
    panels[-1].set_xlabel(IN_DATA)
    explain_colours(ax, colours[0], shown)
    if is_new:
        widen_by_legend(ax)
    return ax


def _in_words(model: Model) -> str:
    return f"correlation {model.density_correlation_:.2f}, slope {model.density_slope_:.2f}"


def _draw_distances(ax: Axes, own: OwnDistances, colours: RowLabels | None) -> Any:
    """Draw one distance against the other, the least-squares line, and a line of slope 1 through its middle.

    Return what a colour bar is made from.
    """
    in_data, on_map, shown = own.in_data, own.on_map, None
    ax.spines[["top", "right"]].set_visible(False)
    if not len(own.rows):
        return None
    if colours is not None:
        shown = Cloud(ax, np.column_stack([in_data, on_map])).draw_labelled(_of_rows(colours, own.rows))
    elif len(in_data) <= MOST_DOTS:
        ax.scatter(in_data, on_map, s=6, color=COLOURS[0], alpha=0.4, linewidths=0)
    else:
        ax.hexbin(in_data, on_map, gridsize=50, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    if np.ptp(in_data) > 0:
        ends, middle = np.array([in_data.min(), in_data.max()]), (in_data.mean(), on_map.mean())
        ax.axline(middle, slope=1, color=PALE_INK, linewidth=1, linestyle="--", gid="local scale")
        ax.plot(ends, middle[1] + own.slope * (ends - middle[0]), color=INK, linewidth=1.5, gid="regression")
    return shown


def _of_rows(colours: RowLabels, rows: np.ndarray) -> RowLabels:
    if isinstance(colours, Categories):
        return replace(colours, codes=colours.codes[rows])
    return replace(colours, values=colours.values[rows])
