"""The arrows of one feature all over the map."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from ..errors import InvalidParameterError
from .canvas import ARROW_STYLE, FAINT_INK, PLAIN_TEXT, axes_or_new
from .checks import check_kind, check_model, check_two_dimensions
from .cloud import Cloud
from .frame import UNITS, add_to_label
from .names import checked_feature, names_of_features, shortened
from .palette import COLOURS

if TYPE_CHECKING:
    from .checks import Model

ARROW = COLOURS[0]
FAINTEST = 0.08
SOLID = 0.5  # the fidelity from which arrows are solid
LONG, REACH_OF_LONG = 0.9, 0.8  # this part of the arrows is no longer than so many cells of the grid
REACH = 2.5  # and no arrow is longer than so many
SIZE = (8.0, 7.5)
FEWEST_CELLS, MOST_CELLS = 2, 60


def arrow_field(
    model: Model,
    feature: int | str,
    *,
    kind: str = "tangent",
    grid: int = 25,
    feature_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where one feature grows, all over the map.

    A grid of ``grid`` cells along the wider side is laid over the map, and the row nearest to the middle of each cell
    shows its arrow: where the feature grows, and how much with a step on the map. Arrows fade where their fidelity is
    low and are solid from 0.5; the median fidelity is written below. A feature is a column number or a name.
    """
    check_model("arrow_field", model)
    check_two_dimensions("arrow_field", model)
    check_kind("arrow_field", kind)
    _check_grid(grid)
    column = checked_feature("arrow_field", model, feature_names, feature)
    (name,) = names_of_features("arrow_field", model, feature_names, [column])
    ax = axes_or_new(ax, SIZE)
    cloud = Cloud(ax, model.embedding_)
    cloud.draw(c=FAINT_INK, s=cloud.area / 2)
    cloud.furnish()
    rows, cell = rows_of_cells(cloud.places, int(grid))
    arrows = model.arrows(rows, kind)[:, column, :2].astype(float)
    fidelity = model.fidelity(rows, kind)
    lengths = np.linalg.norm(arrows, axis=1)
    _draw_arrows(ax, cloud.places[rows], arrows, _per_cell(lengths) / cell, fidelity)
    ax.set_title(f"Where {shortened(name)} grows", **PLAIN_TEXT)
    add_to_label(ax, f"longest arrow: {UNITS[kind].format(float(f'{lengths.max():.2g}'))}")
    add_to_label(ax, f"median fidelity {np.median(fidelity):.2f}; arrows of low fidelity are faint")
    return ax


def rows_of_cells(places: np.ndarray, n_cells: int) -> tuple[np.ndarray, float]:
    """For each cell of a grid that has points, the row nearest to its middle; and the width of a cell."""
    low = places.min(axis=0)
    cell = float((places.max(axis=0) - low).max()) / n_cells or 1.0
    position = (places - low) / cell
    numbers_of_cells = np.minimum(position.astype(int), n_cells - 1)
    from_middle = np.square(position - numbers_of_cells - 0.5).sum(axis=1)
    key = numbers_of_cells[:, 0] * n_cells + numbers_of_cells[:, 1]
    order = np.lexsort((from_middle, key))
    _, first = np.unique(key[order], return_index=True)
    return np.sort(order[first]), cell


def _per_cell(lengths: np.ndarray) -> float:
    """Which length is drawn as long as a cell: arrows do not run into each other, one alone does not dwarf all."""
    return float(max(np.quantile(lengths, LONG) / REACH_OF_LONG, lengths.max() / REACH)) or 1.0


def _draw_arrows(ax: Axes, places: np.ndarray, arrows: np.ndarray, scale: float, fidelity: np.ndarray) -> None:
    colours = np.tile(to_rgba(ARROW), (len(arrows), 1))
    colours[:, 3] = np.clip(fidelity / SOLID, FAINTEST, 1)
    ax.quiver(*places.T, *arrows.T, color=colours, scale=scale, width=0.016, minlength=0.5, **ARROW_STYLE)


def _check_grid(grid: Any) -> None:
    whole = isinstance(grid, numbers.Integral) and not isinstance(grid, bool)
    if not whole or not FEWEST_CELLS <= int(grid) <= MOST_CELLS:
        raise InvalidParameterError(
            f"arrow_field(grid={grid!r}): must be an integer from {FEWEST_CELLS} to {MOST_CELLS}, cells along a side"
        )
