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
    """Cells that hang together, and the features that set them apart, the strongest first."""

    cells: np.ndarray  # (n_cells,) cell numbers
    columns: np.ndarray  # (n_names,) column numbers
    scores: np.ndarray  # (n_names,) their mean scores, below 0 where a feature is low


def regions_of(cells: Cells, scores: np.ndarray, n_regions: int, n_names: int) -> list[Region]:
    """Return the regions in which one feature leads, at most ``n_regions``, those that weigh most first.

    ``scores`` has shape (n_cells, n_features). A region is taken as large as its feature nearly leads. Its cells are
    then left out, and the next region is looked for in the others.
    """
    best = np.abs(scores).max(axis=1, initial=0)
    is_open = best >= LEAST
    leaders = _leaders(scores, is_open)
    found: list[Region] = []
    while is_open.any() and len(found) < n_regions:
        parts = [_heaviest_part(cells, scores[:, column] * sign, best, is_open) for column, sign in leaders]
        _, region = max(parts, key=lambda part: part[0])
        found.append(_described(region, scores, cells.counts, n_names))
        is_open[region] = False
    return found


def _leaders(scores: np.ndarray, is_open: np.ndarray) -> list[tuple[int, float]]:
    """Return the feature that leads in each open cell, and whether it is high or low there, each pair once."""
    columns = np.abs(scores[is_open]).argmax(axis=1)
    signs = np.sign(scores[is_open][np.arange(len(columns)), columns])
    return sorted(set(zip(columns.tolist(), signs.tolist(), strict=True)))


def _heaviest_part(
    cells: Cells, scores: np.ndarray, best: np.ndarray, is_open: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the weight and the cells of the heaviest connected part in which a feature nearly leads."""
    leads = np.flatnonzero(is_open & (scores >= NEARLY * best))
    if not len(leads):
        return 0.0, leads
    occupied = np.zeros(cells.grid.max(axis=0) + 1, bool)
    occupied[tuple(cells.grid[leads].T)] = True
    part = label(occupied, structure=np.ones((3, 3)))[0][tuple(cells.grid[leads].T)]
    weights = np.bincount(part, weights=scores[leads] * cells.counts[leads])
    heaviest = int(weights.argmax())
    return float(weights[heaviest]), leads[part == heaviest]


def _described(region: np.ndarray, scores: np.ndarray, counts: np.ndarray, n_names: int) -> Region:
    means = np.average(scores[region], axis=0, weights=counts[region])
    columns = np.argsort(-np.abs(means), kind="stable")[:n_names]
    columns = columns[np.abs(means[columns]) >= LEAST * NEARLY]
    return Region(region, columns, means[columns])
