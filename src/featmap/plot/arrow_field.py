"""The arrows of one feature all over the map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from numpy.typing import ArrayLike

from ..checks.counts import checked_count
from .parts.arrows import ARROW, ARROW_STYLE, length_with_unit
from .parts.canvas import FAINT_INK, PLAIN_TEXT, add_to_label, axes_or_new
from .parts.checks import check_kind
from .parts.cloud import Cloud
from .parts.model import ModelOrPipeline, check_two_dimensions, checked_model
from .parts.names import checked_feature, names_of_features, shortened

FAINTEST = 0.08
SOLID = 0.5  # arrows of at least this fidelity are solid
LONG, REACH_OF_LONG = 0.9, 0.8  # this part of the arrows is at most so many cells long
REACH = 2.5  # all arrows are at most so many cells long
SIZE = (8.0, 7.5)
FEWEST_CELLS, MOST_CELLS = 2, 60


def arrow_field(
    model: ModelOrPipeline,
    feature: int | str,
    *,
    kind: str = "tangent",
    grid: int = 25,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where on the map one feature increases.

    An arrow points to where the feature increases, and is longer where it increases more with a step on the map. Do
    not trust faint arrows: their fidelity is low, so the map there does not show how the features change.

    Parameters
    ----------
    model : FeatMAP, Explanation or Pipeline
        A fitted model, the explanation of any map, or a scikit-learn pipeline that ends in a fitted `FeatMAP`.
    feature : int or str
        A column number or a name.
    kind : {"tangent", "frame", "map"}, default="tangent"
        The kind of arrows, as in ``model.arrows``.
    grid : int, default=25
        Cells of a grid along the wider side of the map, from 2 to 60. In each cell the row nearest to its centre gets
        an arrow.
    feature_names : array-like of shape (n_features,), default=None
        Names of all features; None takes those of the data.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map. Arrows with a fidelity of 0.5 or more are solid, others are faint. The length of the
        longest arrow and the median fidelity are written below.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> plot.arrow_field(model, 28, grid=10).get_title()
    'Where feature 28 increases'
    """
    model = checked_model("arrow_field", model)
    check_two_dimensions("arrow_field", model)
    check_kind("arrow_field", kind)
    n_cells = checked_count("arrow_field", "grid", grid, FEWEST_CELLS, MOST_CELLS)
    names = names_of_features("arrow_field", model, feature_names)
    column = checked_feature("arrow_field", names, feature)
    ax = axes_or_new(ax, SIZE)
    cloud = Cloud(ax, model.embedding_, behind=map_behind(model))
    cloud.draw(c=FAINT_INK, s=cloud.area / 2)
    cloud.finish_axes()
    rows, cell = rows_of_cells(cloud.positions, n_cells)
    arrows = model.arrows(rows, kind)[:, column, :2].astype(float)
    fidelity = model.fidelity(rows, kind)
    lengths = np.linalg.norm(arrows, axis=1)
    _draw_arrows(ax, cloud.positions[rows], arrows, _length_of_a_cell(lengths) / cell, fidelity)
    ax.set_title(f"Where {shortened(names[column])} increases", **PLAIN_TEXT)
    add_to_label(ax, f"longest arrow: {length_with_unit(kind, float(f'{lengths.max():.2g}'))}")
    add_to_label(ax, f"median fidelity {np.median(fidelity):.2f}; arrows of low fidelity are faint")
    return ax


def rows_of_cells(positions: np.ndarray, n_cells: int) -> tuple[np.ndarray, float]:
    """Return the row nearest to the centre of each cell of a grid that has points, and the width of a cell."""
    low = positions.min(axis=0)
    cell = float((positions.max(axis=0) - low).max()) / n_cells or 1.0
    in_cells = (positions - low) / cell
    cells = np.minimum(in_cells.astype(int), n_cells - 1)
    from_centre = np.square(in_cells - cells - 0.5).sum(axis=1)
    key = cells[:, 0] * n_cells + cells[:, 1]
    order = np.lexsort((from_centre, key))
    _, first = np.unique(key[order], return_index=True)
    return np.sort(order[first]), cell


def _length_of_a_cell(lengths: np.ndarray) -> float:
    """Return the arrow length that is drawn as long as a cell.

    Arrows then seldom overlap, and a single long arrow does not make all others tiny.
    """
    return float(max(np.quantile(lengths, LONG) / REACH_OF_LONG, lengths.max() / REACH)) or 1.0


def _draw_arrows(ax: Axes, positions: np.ndarray, arrows: np.ndarray, scale: float, fidelity: np.ndarray) -> None:
    colours = np.tile(to_rgba(ARROW), (len(arrows), 1))
    colours[:, 3] = np.clip(fidelity / SOLID, FAINTEST, 1)
    ax.quiver(*positions.T, *arrows.T, color=colours, scale=scale, width=0.016, minlength=0.5, **ARROW_STYLE)
