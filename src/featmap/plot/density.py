"""Local radii in the data against local radii on the map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from sklearn.pipeline import Pipeline

from ..estimator import FeatMAP
from .parts.canvas import INK, size_in_points
from .parts.model import checked_density_model
from .parts.palette import COLOURS
from .parts.panels import axes_for_panels
from .parts.titles import write_title

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
