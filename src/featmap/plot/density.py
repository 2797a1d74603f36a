"""Local radii in the data against local radii on the map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from ..errors import InvalidParameterError
from ..estimator import FeatMAP
from .compare import MOST_MAPS, draw_maps
from .parts.canvas import INK, axes_for_panels, size_in_points
from .parts.colours import COLOURS
from .parts.model import checked_density_model, write_title

PANEL_HEIGHT = 0.86  # above it is room for the titles of the panels
MOST_DOTS = 2_000  # more points than this are counted in hexagons
# Directions in which neighbours vary, the one in which they vary most first.
DIRECTIONS = ("widest direction", "second widest", "third widest", "fourth widest")
MOST_PANELS = len(DIRECTIONS)


def density(model: FeatMAP | Pipeline, *, ax: Axes | None = None) -> Axes:
    """Draw the sizes of neighbourhoods on the map against those in the data, for each local direction.

    If the points follow a rising line, neighbourhoods that are wide in the data are wide on the map. If the
    correlation in the title is low, the density of points on the map says nothing about the density of the data.

    Parameters
    ----------
    model : FeatMAP or Pipeline
        A fitted model, or a scikit-learn pipeline that ends in one. An `Explanation` has no radii.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels, one for each of the first four directions. The correlation in
        the title is that of ``density_correlation_``. More than 2,000 points are counted in hexagons.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> ax = plot.density(model)
    >>> [panel.get_xlabel() for panel in ax.child_axes]
    ['size in the data (log)', 'size in the data (log)']
    """
    model = checked_density_model("density", model, "model")
    n_panels = min(model.radii_.shape[1], MOST_PANELS)
    ax = axes_for_panels(ax, (max(5.5, 3.6 * n_panels), 4.0))
    gap = min(36 / size_in_points(ax)[0], 0.3 / n_panels)
    step = (1 + gap) / n_panels
    for direction in range(n_panels):
        panel = ax.inset_axes((direction * step, 0, step - gap, PANEL_HEIGHT))
        _draw_radii(panel, model.radii_[:, direction], model.embedding_radii_[:, direction])
        correlation = model.density_correlation_[direction]
        panel.set_title(f"{DIRECTIONS[direction]}: correlation {correlation:.2f}", fontsize="small")
        panel.set_ylabel("" if direction else "size on the map (log)")
    write_title(ax, model, "Are neighborhoods that are large in the data large on the map?")
    return ax


def _draw_radii(ax: Axes, in_data: np.ndarray, on_map: np.ndarray) -> None:
    if len(in_data) <= MOST_DOTS:
        ax.scatter(in_data, on_map, s=6, color=COLOURS[0], alpha=0.4, linewidths=0)
    else:
        ax.hexbin(in_data, on_map, gridsize=50, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    _draw_line(ax, in_data, on_map)
    ax.set_xlabel("size in the data (log)")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_line(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Draw the least-squares line over the range of the points."""
    if not np.ptp(x) > 0:
        return
    ends = np.array([x.min(), x.max()])
    slope = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    ax.plot(ends, y.mean() + slope * (ends - x.mean()), color=INK, linewidth=1.5, gid="regression")


def density_strip(
    models: Sequence[FeatMAP | Pipeline], labels: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw maps with several density weights, each with the agreement of sizes.

    The numbers are correlations, one for each local direction: how well the sizes of neighbourhoods on the map agree
    with those in the data. A larger weight raises them at the cost of the neighbourhoods, which this picture does not
    measure.

    Parameters
    ----------
    models : list of FeatMAP or Pipeline
        Up to 36 models fitted to the same rows, or scikit-learn pipelines that end in such models.
    labels : array-like of shape (n_samples,), default=None
        Colours of the points, as in `embedding`.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes, whose ``child_axes`` are the panels, one for each model.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> models = [FeatMAP(n_epochs=10, density_weight=w, random_state=0).fit(X[:100]) for w in (0, 2)]
    >>> ax = plot.density_strip(models, y[:100])
    >>> [panel.get_title().split()[:3] for panel in ax.child_axes]
    [['density', 'weight', '0'], ['density', 'weight', '2']]
    """
    if not isinstance(models, Sequence) or not 1 <= len(models) <= MOST_MAPS:
        raise InvalidParameterError(
            f"density_strip(models=…): models must be a list of 1 to {MOST_MAPS} fitted FeatMAP"
        )
    fitted = [checked_density_model("density_strip", model, "models") for model in models]
    return draw_maps("density_strip", [_title(model) for model in fitted], [m.embedding_ for m in fitted], labels, ax)


def _title(model: FeatMAP) -> str:
    correlations = ", ".join(f"{value:.2f}" for value in model.density_correlation_)
    return f"density weight {model.density_weight:g}\nsizes agree by {correlations}"
