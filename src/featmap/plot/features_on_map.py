"""The names of the features that set regions of the map apart, at their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from .parts.canvas import axes_or_new, shortened, write_caption
from .parts.cloud import Cloud
from .parts.colours import NEUTRAL, colours_for, darkened
from .parts.model import (
    MOST_NAMES,
    ModelOrPipeline,
    check_two_dimensions,
    checked_model,
    documented,
    names_of_features,
    some_of,
    write_title,
)
from .parts.placed_labels import Label, PlacedLabels, densest_place
from .parts.regions import Cells, Region, cells_of, checked_scores, mean_scores, regions_of

N_CELLS = 20  # along the wider side of the map
SMALLEST, LARGEST = 0.85, 1.3  # sizes of names, relative to a usual one
UNCOVERED = 300  # points that names try not to cover


@documented
def features_on_map(
    model: ModelOrPipeline,
    *,
    scores: ArrayLike | Callable[[np.ndarray], np.ndarray] | None = None,
    scale: str = "spread",
    k: int = 12,
    n_names: int = 3,
    image_shape: tuple[int, ...] | None = None,
    feature_names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the names of the features that set regions of the map apart, at their places.

    ↑ before a name means that the feature is higher in this region than on the whole map, ↓ that it is lower. Larger
    names are further from the mean of all rows. The names say how regions differ, not why: the map was made from the
    same features, so some of them always differ.

    A region is named if it has at least as many rows as the model has ``n_neighbors``: what is around fewer rows is
    mostly other rows. Its features are those by which both its own rows and the rows around them differ from all, and
    the smaller of the two differences counts.

    Parameters
    ----------
    {model}
    scores : array-like of shape (n_rows, n_features) or callable, default=None
        How far each feature sets the surroundings of each row apart: above 0 where it is high, below 0 where it is
        low. A function is called with an array of row numbers. None takes what ``model.top_features`` orders by: how
        far the mean around a row is from that of all rows, without features that no other feature goes with.
    scale : {"spread", "units"}, default="spread"
        What differences are measured in if no ``scores`` are given: standard deviations z of each feature, or z·√sd,
        which is better if all features have one unit and those that vary more are worth more, as with genes.
    k : int, default=12
        How many regions are named at most, from 1 to 40.
    n_names : int, default=3
        How many features are named in each region at most, from 1 to 5.
    {image_shape, feature_names, ax}

    Returns
    -------
    matplotlib.axes.Axes
        The Axes of the map. Each region has a colour; points that no feature sets apart are grey. If there are
        more than 5,000 rows, regions are found from a random sample of 5,000.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, plot
    >>> model = FeatMAP(n_epochs=10, random_state=0).fit(load_digits().data[:100])
    >>> plot.features_on_map(model, image_shape=(8, 8)).get_title().split("\\n")[0]
    'Features that set regions apart'
    """
    model = checked_model("features_on_map", model)
    check_two_dimensions("features_on_map", model)
    k = checked_count("features_on_map", "k", k, 1, MOST_NAMES)
    n_names = checked_count("features_on_map", "n_names", n_names, 1, 5)
    names = names_of_features("features_on_map", model, feature_names, image_shape)
    score = checked_scores("features_on_map", model, scores, scale)
    ax = axes_or_new(ax, (8.0, 7.0))
    cloud = Cloud.of(ax, model)
    cells = cells_of(cloud.positions, N_CELLS)
    found = regions_of(cells, mean_scores(cells, score), k, n_names, model._points.mapped.manifold.n_neighbors)
    colours = np.full(len(cells.islands), NEUTRAL, dtype=object)
    for colour, region in zip(colours_for(len(found)), found, strict=True):
        colours[region.cells] = colour
    cloud.draw(c=colours[cells.of_points], alpha=0.6)
    cloud.finish_axes()
    labels = _labels(found, cells, cloud.positions, names)
    PlacedLabels(ax, labels, visible=cloud.positions[some_of(np.arange(len(cloud.positions)), UNCOVERED)])
    write_title(ax, model, "Features that set regions apart")
    key = "↑ higher there than on the whole map, ↓ lower. The larger the names, the larger the difference."
    write_caption(ax, [key if found else "No feature sets a region of this map apart."])
    return ax


def _labels(found: list[Region], cells: Cells, positions: np.ndarray, names: list[str]) -> list[Label]:
    """Return a text for each region: its features one below the other, at its densest place."""
    centre = (positions.min(axis=0) + positions.max(axis=0)) / 2
    strongest = max((abs(region.scores[0]) for region in found), default=1.0)
    labels = []
    for region, colour in zip(found, colours_for(len(found)), strict=True):
        lines = [
            f"{'↑' if score > 0 else '↓'} {shortened(names[column])}"
            for column, score in zip(region.columns, region.scores, strict=True)
        ]
        place = densest_place(positions[np.isin(cells.of_points, region.cells)])
        outwards = (place - centre) / (np.linalg.norm(place - centre) or 1)
        size = SMALLEST + (LARGEST - SMALLEST) * abs(region.scores[0]) / strongest
        style: dict[str, Any] = {"clear": 6.0, "away": outwards, "gid": "region"}
        labels.append(Label("\n".join(lines), place, darkened(colour), size, **style))
    return labels
