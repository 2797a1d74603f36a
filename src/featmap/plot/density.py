"""Whether neighbourhoods that are large in the data are large on the map: of one model, or of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from scipy.stats import linregress
from sklearn.pipeline import Pipeline

from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from .compare import MOST_MAPS, draw_maps
from .parts.canvas import INK, axes_for_panels, size_in_points
from .parts.cloud import Cloud
from .parts.colours import COLOURS, RowLabels, explain_colours, labels_of, widen_by_legend
from .parts.model import checked_model, documented, write_title

PANEL_HEIGHT = 0.86  # above it is room for the titles of the panels
MOST_DOTS = 2_000  # more points than this are counted in hexagons if they have no labels
# Directions in which neighbours vary, the one in which they vary most first.
DIRECTIONS = ("widest direction", "second widest", "third widest", "fourth widest")


@documented
def density(
    model: FeatMAP | Pipeline | Sequence[FeatMAP | Pipeline],
    labels: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw whether neighbourhoods that are large in the data are large on the map, for one model or several.

    For one model, each panel has the sizes on the map against those in the data along one local direction. If the
    points follow a rising line, neighbourhoods that are wide in the data are wide on the map. If the correlation is
    low, the density of points on the map says nothing about the density of the data.

    Several models are drawn as maps side by side, each with its ``density_weight`` and its correlations. A larger
    weight raises them at the cost of the neighbourhoods, which this picture does not measure.

    Parameters
    ----------
    model : FeatMAP, Pipeline or list of them
        A fitted model, or a scikit-learn pipeline that ends in one; or up to 36 of them that are fitted to the same
        rows. An `Explanation` has no radii.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points, as in `embedding`.
    {ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels: one for each of the first four directions, or one for each
        model. The correlations are those of ``density_correlation_``. More than 2,000 points without labels are
        counted in hexagons.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> models = [FeatMAP(n_epochs=10, density_weight=w, random_state=0).fit(X[:100]) for w in (0, 2)]
    >>> ax = plot.density(models[0])
    >>> [panel.get_xlabel() for panel in ax.child_axes]
    ['size in the data (log)', 'size in the data (log)']
    >>> ax = plot.density(models, y[:100])
    >>> [panel.get_title().split()[:3] for panel in ax.child_axes]
    [['density', 'weight', '0'], ['density', 'weight', '2']]
    """
    if not isinstance(model, Sequence) or isinstance(model, str):
        return _draw_sizes(_checked(model), labels, ax)
    if not 1 <= len(model) <= MOST_MAPS:
        raise InvalidParameterError(
            f"density(model=…): model must be a fitted FeatMAP, or a list of 1 to {MOST_MAPS} of them; got a list of "
            f"{len(model)}"
        )
    models = [_checked(one) for one in model]
    return draw_maps("density", [_title(one) for one in models], [one.embedding_ for one in models], labels, ax)


def _title(model: FeatMAP) -> str:
    correlations = ", ".join(f"{value:.2f}" for value in model.density_correlation_)
    return f"density weight {model.density_weight:g}\nsizes agree by {correlations}"


def _checked(model: Any) -> FeatMAP:
    """Return a model that has radii of neighbourhoods in the data and on the map."""
    checked: Any = checked_model("density", model)
    if not hasattr(checked, "density_correlation_"):
        raise InvalidParameterError(
            "density(model=…): model must be a fitted FeatMAP, which has radii on the map; "
            f"got {type(model).__name__}"
        )
    return checked


def _draw_sizes(model: FeatMAP, labels: ArrayLike | None, ax: Axes | None) -> Axes:
    """Draw one panel for each direction, with the colours of the points explained beside them."""
    colours = labels_of("density", model, labels)
    n_panels = min(model.radii_.shape[1], len(DIRECTIONS))
    is_new = ax is None
    ax = axes_for_panels(ax, (max(5.5, 3.6 * n_panels), 4.0))
    gap = min(36 / size_in_points(ax)[0], 0.3 / n_panels)
    step = (1 + gap) / n_panels
    for direction in range(n_panels):
        panel = ax.inset_axes((direction * step, 0, step - gap, PANEL_HEIGHT))
        shown = _draw_panel(panel, model.radii_[:, direction], model.embedding_radii_[:, direction], colours)
        correlation = model.density_correlation_[direction]
        panel.set_title(f"{DIRECTIONS[direction]}: correlation {correlation:.2f}", fontsize="small")
        panel.set_ylabel("" if direction else "size on the map (log)")
    explain_colours(ax, colours, shown)
    write_title(ax, model, "Are neighborhoods that are large in the data large on the map?")
    if is_new:
        widen_by_legend(ax)
    return ax


def _draw_panel(ax: Axes, in_data: np.ndarray, on_map: np.ndarray, colours: RowLabels | None) -> Any:
    """Draw one size against the other, and the least-squares line. Return what a colour bar is made from."""
    shown = None
    if colours is not None:
        shown = Cloud(ax, np.column_stack([in_data, on_map])).draw_labelled(colours)
    elif len(in_data) <= MOST_DOTS:
        ax.scatter(in_data, on_map, s=6, color=COLOURS[0], alpha=0.4, linewidths=0)
    else:
        ax.hexbin(in_data, on_map, gridsize=50, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    if np.ptp(in_data) > 0:
        ends, line = np.array([in_data.min(), in_data.max()]), linregress(in_data, on_map)
        ax.plot(ends, line.intercept + line.slope * ends, color=INK, linewidth=1.5, gid="regression")
    ax.set_xlabel("size in the data (log)")
    ax.spines[["top", "right"]].set_visible(False)
    return shown
