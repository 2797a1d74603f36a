"""A map in cells: where it has points, and which islands they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label


@dataclass(frozen=True)
class Cells:
    """The cells of a square grid that have points. A cell touches the eight around it."""

    of_points: np.ndarray  # (n_points,) the cell of each point
    islands: np.ndarray  # (n_cells,) cells that hang together have the same number, from 0
    grid: np.ndarray  # (n_cells, 2) column and row of each cell in the grid
    width: float

    @property
    def counts(self) -> np.ndarray:
        """The number of points in each cell."""
        return np.bincount(self.of_points, minlength=len(self.islands))

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the mean over the points of each cell, of one value per point or of several."""
        sums = np.zeros((len(self.islands), *values.shape[1:]))
        np.add.at(sums, self.of_points, values)
        return sums / self.counts.reshape(-1, *(1,) * (values.ndim - 1))


def cells_of(positions: np.ndarray, n_cells: int, low: np.ndarray, high: np.ndarray) -> Cells:
    """Divide a box into cells, ``n_cells`` along its wider side. Points beyond it count to cells at its border."""
    width = float((high - low).max()) / n_cells or 1.0
    shape = np.maximum(np.ceil((high - low) / width - 1e-9).astype(int), 1)
    grid = np.clip(((positions - low) / width).astype(int), 0, shape - 1)
    occupied = np.zeros(shape, bool)
    occupied[tuple(grid.T)] = True
    islands = label(occupied, structure=np.ones((3, 3)))[0] - 1
    keys, of_points = np.unique(np.ravel_multi_index(tuple(grid.T), tuple(shape)), return_inverse=True)
    found = np.column_stack(np.unravel_index(keys, tuple(shape)))
    return Cells(of_points, islands[tuple(found.T)], found, width)


def nearest_to_means(cells: Cells, positions: np.ndarray) -> np.ndarray:
    """Return for each cell the point that is nearest to the mean of its points: shape (n_cells,)."""
    from_mean = np.square(positions - cells.means(positions)[cells.of_points]).sum(axis=1)
    order = np.lexsort((from_mean, cells.of_points))
    return order[np.unique(cells.of_points[order], return_index=True)[1]]
