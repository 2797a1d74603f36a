"""The arrows of one feature all over the map."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..explanation.chance import feature_beats_chance
from ..explanation.neighborhoods import Neighborhoods
from ..explanation.regression import default_neighbors
from .local_frame import draw_arrows, longest_in_words
from .parts.canvas import axes_or_new, write_caption
from .parts.cloud import Cloud, cells_of, nearest_to_means
from .parts.colours import colour_bar
from .parts.model import (
    Model,
    ModelOrPipeline,
    check_kind,
    check_two_dimensions,
    checked_feature,
    checked_model,
    documented,
    in_blocks,
    values_of_feature,
    write_title,
)
from .parts.placed_labels import Label, PlacedLabels, densest_place

FEWEST_POINTS = 0.25  # cells with less than this part of the median number of points get no arrow
MOST_ARROWS = 0.9  # part of the arrows that are at most one cell long
LONGEST_ARROW = 1.6  # no arrow is longer than so many cells
# Pale to middling orange: arrows are seen on all of it, and its palest colour on white paper.
PALE_TO_MIDDLING = ListedColormap(colormaps["YlOrBr"](np.linspace(0.18, 0.7, 256)))
SHARE_BY_CHANCE = 0.05  # false discovery rate of the arrows that are drawn

GRID_OF_ISLANDS = 25  # an island is a set of connected cells of a grid of this size
SMALLEST_ISLAND = 0.01  # an island has at least this part of the points
HIGH_LEVEL = (
    0.75  # a feature is high or low on an island whose mean is so many standard deviations from that of all rows
)
LEAST_SHOWN = 0.1  # it has no slope there if the map shows less than this part of its variance


@documented
def arrow_field(
    model: ModelOrPipeline,
    feature: int | str,
    *,
    kind: str = "blend",
    grid: int = 25,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw where on the map one feature is high, and in which directions it increases.

    Colours are the values of the feature. An arrow points to where it increases, and is longer where it increases
    more with a step on the map. Faint arrows show little of the feature, and there is none where its change is no
    more than chance. Where a feature is high on a whole island but the same all over it, the island has no arrows but
    a text that says so.

    Parameters
    ----------
    {model}
    feature : int or str
        A column number or a name.
    {kind}
    grid : int, default=25
        Cells of a grid along the wider side of the map, from 2 to 60. In each cell with enough points, the row
        nearest to their mean gets an arrow.
    {image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map, with a colour bar. What the longest arrow stands for, and how far to trust the arrows of
        this map, is written below.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> plot.arrow_field(model, 28, grid=10, image_shape=(8, 8)).get_title().split("\\n")[0]
    'Where row 3, column 4 increases'
    """
    model = checked_model("arrow_field", model)
    check_two_dimensions("arrow_field", model)
    check_kind("arrow_field", kind)
    n_cells = checked_count("arrow_field", "grid", grid, 2, 60)
    column, name = checked_feature("arrow_field", model, feature, feature_names, image_shape)
    ax = axes_or_new(ax, (8.0, 7.5))
    values = values_of_feature(model, column)
    cloud = Cloud.of(ax, model)
    shown = cloud.draw(c=values, cmap=PALE_TO_MIDDLING)
    rows, width = rows_of_field(cloud.positions, n_cells)
    explained, drawn = explained_of_feature(model, rows, column)
    arrows = model.arrows(rows[drawn], kind)[:, column, :2].astype(float)
    positions, steps = cloud.positions[rows[drawn]], np.linalg.norm(arrows, axis=1)
    # Arrows seldom overlap, and one long arrow shrinks no others.
    scale = float(width / max(np.quantile(steps, MOST_ARROWS), steps.max() / LONGEST_ARROW)) if steps.any() else 0.0
    # Their middles are at the rows, so that arrows stay where the points are.
    draw_arrows(ax, positions, scale * arrows, explained[drawn], pivot="mid", width=0.018, minlength=0.5)
    PlacedLabels(ax, islands_without_slope(cloud.positions, values, rows, explained), visible=positions)
    cloud.finish_axes()
    colour_bar(ax, shown, name)
    write_title(ax, model, f"Where {name} increases")
    if not len(arrows):
        lengths = [f"Nowhere does {name} change across the map more than by chance."]
    elif not scale:
        lengths = ["The arrows have no length: the map tells too little of the features."]
    else:
        lengths = longest_in_words(kind, [name] * len(arrows), arrows, scale)
    write_caption(ax, [*lengths, model.trust().sentence])
    return ax


def rows_of_field(positions: np.ndarray, n_cells: int) -> tuple[np.ndarray, float]:
    """Return a row in the middle of each cell with enough points, and the width of a cell."""
    cells = cells_of(positions, n_cells)
    enough = cells.counts >= max(FEWEST_POINTS * np.median(cells.counts[cells.of_points]), 1)
    return np.sort(nearest_to_means(cells, positions)[enough]), cells.width


def explained_of_feature(model: Model, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which part of one feature's variance the map shows around each row, and where that beats chance."""
    explained = np.concatenate([model.explained_variance(block)[:, column] for block in in_blocks(rows)])
    points, chosen = model._points, np.asarray(rows, np.int32)
    k = default_neighbors(len(points.mapped.embedding))
    around = Neighborhoods.around(points, chosen, k, points.mapped.copies)
    return explained, feature_beats_chance(points, chosen, around, column, SHARE_BY_CHANCE) & (explained > 0)


def islands_without_slope(
    positions: np.ndarray, values: np.ndarray, rows: np.ndarray, explained: np.ndarray
) -> list[Label]:
    """Return a text for each island on which the feature is high or low as a whole, but the same all over it.

    ``explained`` is the part of the feature's variance that the map shows around each of ``rows``.
    """
    cells = cells_of(positions, GRID_OF_ISLANDS)
    of_points = cells.islands[cells.of_points]
    spread = values.std()
    labels = []
    for island in np.flatnonzero(np.bincount(of_points) >= max(SMALLEST_ISLAND * len(positions), 3)):
        members = of_points == island
        here = members[rows]
        level = (values[members].mean() - values.mean()) / spread if spread > 0 else 0.0
        if abs(level) >= HIGH_LEVEL and here.any() and explained[here].mean() < LEAST_SHOWN and not members.all():
            text = f"{'high' if level > 0 else 'low'} here,\nno slope"
            labels.append(Label(text, densest_place(positions[members]), clear=14.0, gid="no slope"))
    return labels
