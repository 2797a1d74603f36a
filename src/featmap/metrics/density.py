"""Whether the map is wide where the data are wide: distances to the k-th nearest row, by each side's neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ..checks.arguments import checked_count
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix
from ..neighbors import find_neighbors, make_search
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import check_jobs, checked_pair, documented

# Logarithms that differ by less than this are equal: distances are kept in float32.
SAME = 1e-6


@dataclass(frozen=True)
class OwnDistances:
    """Log distances of rows to their k-th nearest others, in the data and on the map. Rows without both are left out.

    The slope is that of least squares, of the map on the data. The data's distances are what the layout was given, so
    they are no noisy measurement, and a map that does not follow them at all has the slope 0: the ratio of both
    standard deviations, which other lines have, is 0.6 to 2.4 there (12 data sets).
    """

    rows: IntArray
    in_data: DoubleArray
    on_map: DoubleArray

    @classmethod
    def of(cls, rows: IntArray, in_data: DoubleArray, on_map: DoubleArray) -> OwnDistances:
        """From distances, which are infinite where there are fewer others, and 0 where these are copies."""
        counted = np.isfinite(in_data) & np.isfinite(on_map) & (in_data > 0) & (on_map > 0)
        return cls(rows[counted], np.log(in_data[counted]), np.log(on_map[counted]))

    @property
    def correlation(self) -> float:
        """Pearson's correlation; 0 if one side has no differences."""
        product, in_data, on_map = self._moments
        is_flat = min(in_data, on_map) <= SAME**2
        return 0.0 if is_flat else float(np.clip(product / np.sqrt(in_data * on_map), -1, 1))

    @property
    def slope(self) -> float:
        """By how much the log on the map grows with that in the data; 0 if the data have no differences."""
        product, in_data, _ = self._moments
        return 0.0 if in_data <= SAME**2 else float(product / in_data)

    @property
    def _moments(self) -> tuple[float, float, float]:
        """The covariance and both variances; 0 for a single row or none."""
        if not len(self.rows):
            return 0.0, 0.0, 0.0
        x, y = self.in_data - self.in_data.mean(), self.on_map - self.on_map.mean()
        return float((x * y).mean()), float((x * x).mean()), float((y * y).mean())


@documented
def density_correlation(X: ArrayLike, Y: ArrayLike, *, n_neighbors: int = 15, n_jobs: int | None = -1) -> float:
    """
    Measure whether the map is dense where the data are dense.

    It is Pearson's correlation between the logarithms of two distances: that of a row to its 15th nearest row in the
    data, and that of its point to the 15th nearest point on the map, which may be another row. So it tells what a
    reader sees: how closely the points of the map lie together. It is 1 if one distance is proportional to a positive
    power of the other, see `density_slope`, and about 0 if the map does not show density. In data of many dimensions
    these distances differ little and say little. A map that mixes distant parts of the data can still score well, so
    read it beside `trustworthiness`.

    Parameters
    ----------
    {X, Y}
    n_neighbors : int, default=15
        Which of the nearest other rows the distances lead to.
    {n_jobs}

    Returns
    -------
    float
        The correlation, from -1 to 1; 1 is best. It is 0 if all distances are equal on one of both sides. A row with
        so many copies, in the data or on the map, that its distance is 0 does not count.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> round(metrics.density_correlation(X, PCA(2).fit_transform(X)), 2)
    0.93
    """
    return _measured("density_correlation", X, Y, n_neighbors, n_jobs).correlation


@documented
def density_slope(X: ArrayLike, Y: ArrayLike, *, n_neighbors: int = 15, n_jobs: int | None = -1) -> float:
    """
    Measure how much wider the map is where the data are wider.

    It is the slope of least squares of the two logarithms that `density_correlation` compares, of the map on the
    data. With the slope 1, rows that are twice as far from their neighbours in the data are on average twice as far
    on the map; with 2, four times; with 0 the map draws all neighbourhoods alike, as UMAP tries to. It says little if
    the correlation is low.

    Parameters
    ----------
    {X, Y}
    n_neighbors : int, default=15
        Which of the nearest other rows the distances lead to.
    {n_jobs}

    Returns
    -------
    float
        The slope; 1 is that of a map that keeps local scale. It is 0 if all distances in the data are equal.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> round(metrics.density_slope(X, 3 * X), 2)
    1.0
    """
    return _measured("density_slope", X, Y, n_neighbors, n_jobs).slope


def _measured(caller: str, X: ArrayLike, Y: ArrayLike, n_neighbors: int, n_jobs: int | None) -> OwnDistances:
    check_jobs(caller, n_jobs)
    table, embedding = checked_pair(caller, X, Y)
    k = checked_count(caller, "n_neighbors", n_neighbors, 1, len(embedding) - 1)
    with Run(n_jobs) as run:
        return own_distances(distances_in_data(scale_data(table), table, k, run), embedding, k, run)


def distances_in_data(data: ScaledData, table: Matrix, k: int, run: Run) -> DoubleArray:
    """The distance of each row to its k-th nearest other, in units of the data."""
    near = find_neighbors(make_search(data, table, "euclidean"), data.matrix, k, run)
    return data.in_units(near.distances[:, -1])


def own_distances(in_data: DoubleArray, embedding: DoubleArray, k: int, run: Run) -> OwnDistances:
    """Distances of all rows to their k-th nearest others."""
    rows = np.arange(len(embedding), dtype=np.int32)
    return OwnDistances.of(rows, in_data, distances_on_map(cKDTree(embedding), embedding, k, run))


def distances_on_map(tree: cKDTree, places: DoubleArray, k: int, run: Run) -> DoubleArray:
    """The distance of some points of a map to their k-th nearest others, which are in the tree."""

    def body(start: int, stop: int) -> tuple[DoubleArray]:
        # The nearest of all is the point itself, or a copy of it, which is as far.
        return (tree.query(places[start:stop], [k + 1])[0][:, 0],)

    (distances,) = run.by_blocks(len(places), body)
    return distances
