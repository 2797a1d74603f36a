"""Regions of a map and the features that set them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.ndimage import label

from ...errors import InvalidParameterError
from ...explanation.apart import Comparison, checked_scale
from ...explanation.regression import default_neighbors
from ...run import Run
from .cloud import bulk_of
from .model import Model, in_blocks, some_of

NEARLY = 0.75  # a feature leads in a cell if its score is at least this part of the best one there
SETS_APART = 0.5  # the smallest score that sets a cell apart
TOUCHING = np.ones((3, 3))  # a cell touches the eight around it

Scores: TypeAlias = Callable[[np.ndarray], np.ndarray]


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

    What is around a small region is mostly other rows, and few rows may be far from all by chance.
    """
    weights = scores.counts[region]
    around, own = (np.average(part[region], axis=0, weights=weights) for part in (scores.around, scores.own))
    means = np.where(around * own > 0, np.sign(own) * np.minimum(np.abs(around), np.abs(own)), 0.0)
    columns = np.argsort(-np.abs(means), kind="stable")[:n_names]
    columns = columns[np.abs(means[columns]) >= SETS_APART * NEARLY]
    return Region(region, columns, means[columns])


# Cells of the map


@dataclass(frozen=True)
class Cells:
    """The cells of a square grid that have points."""

    of_points: np.ndarray  # (n_points,) the cell of each point
    islands: np.ndarray  # (n_cells,) connected cells have the same number, from 0
    grid: np.ndarray  # (n_cells, 2) column and row of each cell in the grid
    width: float

    @property
    def counts(self) -> np.ndarray:
        """The number of points in each cell."""
        return np.bincount(self.of_points, minlength=len(self.islands))


def cells_of(positions: np.ndarray, n_cells: int) -> Cells:
    """Divide a map into cells, ``n_cells`` along its wider side. Far points belong to cells at its border."""
    bulk = positions[bulk_of(positions)]
    low, high = bulk.min(axis=0), bulk.max(axis=0)
    width = float((high - low).max()) / n_cells or 1.0
    shape = np.maximum(np.ceil((high - low) / width - 1e-9).astype(int), 1)
    grid = np.clip(((positions - low) / width).astype(int), 0, shape - 1)
    occupied = np.zeros(shape, bool)
    occupied[tuple(grid.T)] = True
    islands = label(occupied, structure=TOUCHING)[0] - 1
    keys, of_points = np.unique(np.ravel_multi_index(tuple(grid.T), tuple(shape)), return_inverse=True)
    found = np.column_stack(np.unravel_index(keys, tuple(shape)))
    return Cells(of_points, islands[tuple(found.T)], found, width)


def nearest_to_means(cells: Cells, positions: np.ndarray) -> np.ndarray:
    """Return for each cell the point that is nearest to the mean of its points: shape (n_cells,)."""
    sums = np.zeros((len(cells.islands), positions.shape[1]))
    np.add.at(sums, cells.of_points, positions)
    means = sums / cells.counts[:, None]
    from_mean = np.square(positions - means[cells.of_points]).sum(axis=1)
    order = np.lexsort((from_mean, cells.of_points))
    return order[np.unique(cells.of_points[order], return_index=True)[1]]


# Scores of rows


@dataclass(frozen=True)
class RowScores:
    """Functions that return the scores of all features for rows: of their surroundings, and of the rows themselves.

    The second is None if the user gave the scores.
    """

    around: Scores
    own: Scores | None = None


def checked_scores(caller: str, model: Model, scores: Any, scale: str) -> RowScores:
    """Return the scores of rows, those given as a function or an array or, for None, those of `top_features`."""
    if scores is None:
        return apart_scores(model, checked_scale(caller, scale))
    if callable(scores):
        return RowScores(scores)
    table = np.asarray(scores, dtype=float)
    if table.shape != (len(model.embedding_), model.n_features_in_):
        raise InvalidParameterError(
            f"{caller}(scores=…): scores must be a function of row numbers, or one number for each row and feature, "
            f"shape ({len(model.embedding_)}, {model.n_features_in_}); got shape {table.shape}"
        )
    return RowScores(lambda rows: table[rows])


def apart_scores(model: Model, scale: str) -> RowScores:
    """Return how far rows and their surroundings are from the mean of all rows, times the factor of backing."""
    points = model._points
    k = default_neighbors(len(points.mapped.embedding))
    with Run(model.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run, scale)
    return RowScores(
        lambda rows: comparison.apart(points, np.asarray(rows, np.int32), k).score,
        lambda rows: comparison.own_scores(points, np.asarray(rows, np.int32)),
    )


def mean_scores(cells: Cells, scores: RowScores) -> CellScores:
    """Return the mean scores of each feature in each cell, over a sample of the rows."""
    rows = some_of(np.arange(len(cells.of_points)))
    counts = np.bincount(cells.of_points[rows], minlength=len(cells.islands))

    def means(score: Scores) -> np.ndarray:
        sums: np.ndarray | float = 0.0
        for block in in_blocks(rows):
            members = np.equal.outer(np.arange(len(cells.islands)), cells.of_points[block])
            sums = sums + members.astype(float) @ np.asarray(score(block), float)
        return sums / np.maximum(counts, 1)[:, None]

    around = means(scores.around)
    return CellScores(around, around if scores.own is None else means(scores.own), counts)
