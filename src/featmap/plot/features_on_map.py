"""The names of the features that set regions of the map apart, at their places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from scipy.ndimage import label

from ..checks.arguments import checked_count
from ..errors import InvalidParameterError
from ..explanation.apart import Comparison, checked_scale
from ..explanation.regression import default_neighbors
from ..run import Run
from .parts.canvas import axes_or_new, shortened, write_caption
from .parts.cloud import TOUCHING, Cells, Cloud, cells_of
from .parts.colours import NEUTRAL, colours_for, darkened
from .parts.model import (
    MOST_NAMES,
    Model,
    ModelOrPipeline,
    check_two_dimensions,
    checked_model,
    documented,
    in_blocks,
    names_of_features,
    some_of,
    write_title,
)
from .parts.placed_labels import MOST_UNCOVERED, Label, PlacedLabels, densest_place

N_CELLS = 20  # along the wider side of the map
SMALLEST, LARGEST = 0.85, 1.3  # sizes of names, relative to a usual one
NEARLY = 0.75  # a feature leads in a cell if its score is at least this part of the best one there
SETS_APART = 0.5  # the smallest score that sets a cell apart

# Returns for some rows the scores of all features: of their surroundings, and of the rows themselves.
Scores: TypeAlias = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


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

    A region is named if it has at least as many rows as the model has ``n_neighbors``: most neighbours of fewer rows
    lie outside. Its features are those by which both its own rows and the rows around them differ from all, and the
    smaller of the two differences counts.

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
    if scores is None:
        scores_of = apart_scores(model, checked_scale("features_on_map", scale))
    else:
        scores_of = _given(scores, model)
    ax = axes_or_new(ax, (8.0, 7.0))
    cloud = Cloud.of(ax, model)
    cells = cells_of(cloud.positions, N_CELLS)
    found = regions_of(cells, mean_scores(cells, scores_of), k, n_names, model._points.mapped.manifold.n_neighbors)
    colours = np.full(len(cells.islands), NEUTRAL, dtype=object)
    for colour, region in zip(colours_for(len(found)), found, strict=True):
        colours[region.cells] = colour
    cloud.draw(c=colours[cells.of_points], alpha=0.6)
    cloud.finish_axes()
    labels = _labels(found, cells, cloud.positions, names)
    PlacedLabels(ax, labels, visible=cloud.positions[some_of(np.arange(len(cloud.positions)), MOST_UNCOVERED)])
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
        labels.append(Label("\n".join(lines), place, darkened(colour), size, clear=6.0, away=outwards, gid="region"))
    return labels


# Regions


@dataclass(frozen=True)
class Region:
    """Connected cells, and the features that set their rows apart, the strongest first."""

    cells: np.ndarray  # (n_cells,) cell numbers
    columns: np.ndarray  # (n_names,) column numbers
    scores: np.ndarray  # (n_names,) their scores, below 0 where a feature is low


@dataclass(frozen=True)
class CellScores:
    """Mean scores of each feature in each cell: of the surroundings of the rows, and of the rows themselves."""

    around: np.ndarray  # (n_cells, n_features)
    own: np.ndarray  # (n_cells, n_features)
    counts: np.ndarray  # (n_cells,) rows that the means are of: they may be a sample


def regions_of(cells: Cells, scores: CellScores, n_regions: int, n_names: int, fewest: int = 1) -> list[Region]:
    """Return at most ``n_regions`` regions, each led by one feature, those with the most weight first.

    A region has all connected cells in which its feature nearly leads by the scores around, which change little from
    cell to cell. The next region is looked for in the other cells. A region has at least ``fewest`` rows, and a
    feature that sets its own rows apart.
    """
    best = np.abs(scores.around).max(axis=1, initial=0)
    is_open = best >= SETS_APART
    of_open = scores.around[is_open]
    columns = np.abs(of_open).argmax(axis=1)
    signs = np.sign(of_open[np.arange(len(columns)), columns])
    leaders = sorted(set(zip(columns.tolist(), signs.tolist(), strict=True)))
    found: list[Region] = []
    while is_open.any() and len(found) < n_regions:
        parts = []
        for column, sign in leaders:
            of_feature = sign * scores.around[:, column]
            leads = np.flatnonzero(is_open & (of_feature >= NEARLY * best))
            parts.append(_heaviest_part(cells, leads, of_feature * scores.counts, fewest))
        weight, region = max(parts, key=lambda part: part[0])
        if weight == 0:
            break
        described = _described(region, scores, n_names)
        if len(described.columns):
            found.append(described)
        is_open[region] = False
    return found


def _heaviest_part(cells: Cells, chosen: np.ndarray, weights: np.ndarray, fewest: int) -> tuple[float, np.ndarray]:
    """Return the weight and the cells of the heaviest connected part of the chosen cells.

    Parts of fewer than ``fewest`` rows have no weight.
    """
    if not len(chosen):
        return 0.0, chosen
    occupied = np.zeros(cells.grid.max(axis=0) + 1, bool)
    occupied[tuple(cells.grid[chosen].T)] = True
    part = label(occupied, structure=TOUCHING)[0][tuple(cells.grid[chosen].T)]
    n_rows = np.bincount(part, weights=cells.counts[chosen])
    of_parts = np.bincount(part, weights=weights[chosen]) * (n_rows >= fewest)
    heaviest = int(of_parts.argmax())
    return float(of_parts[heaviest]), chosen[part == heaviest]


def _described(region: np.ndarray, scores: CellScores, n_names: int) -> Region:
    """Return a region with its features. A score is the smaller of that around its rows and that of the rows.

    Most neighbours of the rows of a small region lie outside it, and few rows may be far from all by chance.
    """
    weights = scores.counts[region]
    around, own = (np.average(part[region], axis=0, weights=weights) for part in (scores.around, scores.own))
    means = np.where(around * own > 0, np.sign(own) * np.minimum(np.abs(around), np.abs(own)), 0.0)
    columns = np.argsort(-np.abs(means), kind="stable")[:n_names]
    columns = columns[np.abs(means[columns]) >= SETS_APART * NEARLY]
    return Region(region, columns, means[columns])


# Scores of rows


def apart_scores(model: Model, scale: str) -> Scores:
    """Return how far the means around rows, and the rows, are from the mean of all: the scores of `top_features`."""
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    with Run(model.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run, scale)

    def scores_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chosen = np.asarray(rows, np.int32)
        return comparison.apart(points, chosen, k).score, comparison.own_scores(points, chosen)

    return scores_of


def _given(scores: Any, model: Model) -> Scores:
    """Return the scores that the user gave, for the surroundings of rows and for the rows themselves."""
    if callable(scores):
        return lambda rows: (scores(rows),) * 2
    table, shape = np.asarray(scores, dtype=float), (len(model.embedding_), model.n_features_in_)
    if table.shape != shape:
        raise InvalidParameterError(
            "features_on_map(scores=…): scores must be a function of row numbers, or one number for each row and "
            f"feature, shape {shape}; got shape {table.shape}"
        )
    return lambda rows: (table[rows],) * 2


def mean_scores(cells: Cells, scores_of: Scores) -> CellScores:
    """Return the mean scores of each feature in each cell, over a sample of the rows."""
    rows, numbers = some_of(np.arange(len(cells.of_points))), np.arange(len(cells.islands))
    counts = np.bincount(cells.of_points[rows], minlength=len(numbers))
    sums: Any = 0.0
    for block in in_blocks(rows):
        members = np.equal.outer(numbers, cells.of_points[block]).astype(float)
        sums = sums + members @ np.asarray(scores_of(block), float)
    around, own = sums / np.maximum(counts, 1)[:, None]
    return CellScores(around, own, counts)
