"""Regions of a map that one feature leads in, found from the scores of features in cells of the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label

from .cells import Cells

NEARLY = 0.75  # a feature leads in a cell if its score is at least this part of the best one there
LEAST = 0.5  # the smallest score that sets a cell apart


@dataclass(frozen=True)
class Region:
    """Cells that hang together, and the features that set their rows apart, the strongest first."""

    cells: np.ndarray  # (n_cells,) cell numbers
    columns: np.ndarray  # (n_names,) column numbers
    scores: np.ndarray  # (n_names,) their scores, below 0 where a feature is low


@dataclass(frozen=True)
class CellScores:
    """Mean scores of each feature in each cell, of what is around the rows and of the rows themselves.

    The rows may be a sample of those on the map.
    """

    around: np.ndarray  # (n_cells, n_features)
    own: np.ndarray  # (n_cells, n_features)
    counts: np.ndarray  # (n_cells,) rows that the means are of


def regions_of(cells: Cells, scores: CellScores, n_regions: int, n_names: int, fewest: int = 1) -> list[Region]:
    """Return the regions in which one feature leads, at most ``n_regions``, those that weigh most first.

    A region is taken as large as its feature nearly leads, by the scores around, which change little from cell to
    cell. Its cells are then left out, and the next region is looked for in the others. Regions of fewer than
    ``fewest`` rows, and those whose own rows no feature sets apart, are none.
    """
    best = np.abs(scores.around).max(axis=1, initial=0)
    is_open = best >= LEAST
    leaders = _leaders(scores.around, is_open)
    found: list[Region] = []
    while is_open.any() and len(found) < n_regions:
        parts = [_heaviest_part(cells, scores, column, sign, best, is_open, fewest) for column, sign in leaders]
        weight, region = max(parts, key=lambda part: part[0])
        if weight == 0:
            break
        described = _described(region, scores, n_names)
        if len(described.columns):
            found.append(described)
        is_open[region] = False
    return found


def _leaders(scores: np.ndarray, is_open: np.ndarray) -> list[tuple[int, float]]:
    """Return the feature that leads in each open cell, and whether it is high or low there, each pair once."""
    columns = np.abs(scores[is_open]).argmax(axis=1)
    signs = np.sign(scores[is_open][np.arange(len(columns)), columns])
    return sorted(set(zip(columns.tolist(), signs.tolist(), strict=True)))


def _heaviest_part(
    cells: Cells, scores: CellScores, column: int, sign: float, best: np.ndarray, is_open: np.ndarray, fewest: int
) -> tuple[float, np.ndarray]:
    """Return the weight and the cells of the heaviest connected part in which a feature nearly leads.

    Parts of fewer than ``fewest`` rows have no weight.
    """
    of_feature = scores.around[:, column] * sign
    leads = np.flatnonzero(is_open & (of_feature >= NEARLY * best))
    if not len(leads):
        return 0.0, leads
    occupied = np.zeros(cells.grid.max(axis=0) + 1, bool)
    occupied[tuple(cells.grid[leads].T)] = True
    part = label(occupied, structure=np.ones((3, 3)))[0][tuple(cells.grid[leads].T)]
    n_rows = np.bincount(part, weights=cells.counts[leads])
    weights = np.bincount(part, weights=of_feature[leads] * scores.counts[leads]) * (n_rows >= fewest)
    heaviest = int(weights.argmax())
    return float(weights[heaviest]), leads[part == heaviest]


def _described(region: np.ndarray, scores: CellScores, n_names: int) -> Region:
    """Return a region with its features. A score is the smaller of that around its rows and that of the rows.

    What is around a small region is mostly other rows, and few rows may be far from all by chance.
    """
    weights = scores.counts[region]
    around, own = (np.average(part[region], axis=0, weights=weights) for part in (scores.around, scores.own))
    means = np.where(around * own > 0, np.sign(own) * np.minimum(np.abs(around), np.abs(own)), 0.0)
    columns = np.argsort(-np.abs(means), kind="stable")[:n_names]
    columns = columns[np.abs(means[columns]) >= LEAST * NEARLY]
    return Region(region, columns, means[columns])
