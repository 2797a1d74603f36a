"""Whether neighbours on the map are neighbours in the data (trustworthiness), and the converse (continuity).

Both are defined by Venna and Kaski, and used so by Espadoto et al. (2021):
1 − 2/(m k (2m − 3k − 1)) Σ_i Σ_j (rank_i(j) − k). The sum is over the k neighbours j of i on one side whose rank by
distance from i on the other side is beyond k.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.scaling import scale_data
from ..kernels.ranks import count_before
from ..kernels.search import smallest_of_each_row
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import N_SAMPLE, check_jobs, checked_pair, documented, rank_neighbors, sample_rows
from .distances import DataDistances, Distances, map_distances

BYTES_OF_DISTANCES = 2**27  # for the distances from a block of queries to all points
MOST_QUERIES = 256  # in a block


@documented
def trustworthiness(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_sample: int | None = N_SAMPLE,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """
    Measure whether the neighbours of rows on the map are neighbours in the data.

    It is 1 if all neighbours on the map are neighbours in the data, about 0.5 for a random map, and at least 0; the
    loss grows with the ranks of the others by distance in the data [1]_, [2]_. It does not tell whether the map tears
    neighbours apart, which `continuity` measures, and it says nothing of distances beyond the neighbourhood.

    Parameters
    ----------
    {X, Y}
    n_neighbors : int, default=15
        The number of nearest other rows that count. It must be below half the number of rows.
    n_sample : int or None, default=2000
        The number of random rows whose neighbours are ranked; None for all rows.
    {random_state, n_jobs}

    Returns
    -------
    float
        The trustworthiness, from 0 to 1; 1 is best. Ranks are among all rows, not only among the random ones. With
        ``n_sample=None`` it equals `sklearn.manifold.trustworthiness`.

    References
    ----------
    .. [1] J. Venna and S. Kaski, "Local multidimensional scaling", Neural Networks 19, 889-899 (2006).
    .. [2] M. Espadoto, R. M. Martins, A. Kerren, N. S. T. Hirata and A. C. Telea, "Toward a quantitative survey of
       dimension reduction techniques", IEEE Transactions on Visualization and Computer Graphics 27, 2153-2173
       (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> round(metrics.trustworthiness(X, Y), 2)
    0.99
    """
    return _ranked("trustworthiness", X, Y, n_neighbors, n_sample, random_state, n_jobs, near_on_map=True)


@documented
def continuity(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    n_neighbors: int = 15,
    n_sample: int | None = N_SAMPLE,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """
    Measure whether the neighbours of rows in the data are neighbours on the map.

    It is `trustworthiness` with data and map exchanged: 1 if all neighbours in the data are neighbours on the map,
    about 0.5 for a random map [1]_, [2]_. It does not tell whether the map lays distant parts of the data over
    each other, which `trustworthiness` measures: read both.

    Parameters
    ----------
    {X, Y}
    n_neighbors : int, default=15
        The number of nearest other rows that count. It must be below half the number of rows.
    n_sample : int or None, default=2000
        The number of random rows whose neighbours are ranked; None for all rows.
    {random_state, n_jobs}

    Returns
    -------
    float
        The continuity, from 0 to 1; 1 is best. Ranks are among all rows, not only among the random ones.

    References
    ----------
    .. [1] J. Venna and S. Kaski, "Local multidimensional scaling", Neural Networks 19, 889-899 (2006).
    .. [2] M. Espadoto, R. M. Martins, A. Kerren, N. S. T. Hirata and A. C. Telea, "Toward a quantitative survey of
       dimension reduction techniques", IEEE Transactions on Visualization and Computer Graphics 27, 2153-2173
       (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from featmap import metrics
    >>> X = load_iris().data
    >>> Y = PCA(2).fit_transform(X)
    >>> round(metrics.continuity(X, Y), 2)
    0.99
    """
    return _ranked("continuity", X, Y, n_neighbors, n_sample, random_state, n_jobs, near_on_map=False)


def _ranked(
    caller: str, X: Any, Y: Any, n_neighbors: Any, n_sample: Any, seed: int, n_jobs: Any, *, near_on_map: bool
) -> float:
    """How well neighbours on the map keep their ranks in the data, or the other way round."""
    check_jobs(caller, n_jobs)
    table, embedding = checked_pair(caller, X, Y)
    n_points = len(embedding)
    k = rank_neighbors(caller, n_neighbors, n_points)
    rows = sample_rows(caller, n_sample, n_points, seed)
    on_map, in_data = map_distances(embedding), DataDistances.within(scale_data(table))
    near_by, ranked_by = (on_map, in_data) if near_on_map else (in_data, on_map)
    with Run(n_jobs) as run:
        return ranks_kept(ranked_by, rows, nearest(near_by, rows, k, n_points, run), n_points, run)


def nearest(distances: Distances, rows: IntArray, k: int, n_points: int, run: Run) -> IntArray:
    """The k nearest other points of each row. Points at equal distances come in the order of their index."""
    found = np.empty((len(rows), k), np.int32)

    def task(start: int, stop: int) -> None:
        lengths = np.empty((stop - start, k))
        smallest_of_each_row(_to_others(distances, rows[start:stop]), found[start:stop], lengths)

    run.over_rows(len(rows), task, _queries_per_block(n_points))
    return found


def ranks_kept(distances: Distances, rows: IntArray, near: IntArray, n_points: int, run: Run) -> float:
    """1 − Σ max(0, rank − k)/(its largest value), for the points that are nearest to each row on the other side."""
    k, before = near.shape[1], np.empty(near.shape, np.int64)

    def task(start: int, stop: int) -> None:
        count_before(_to_others(distances, rows[start:stop]), near[start:stop], before[start:stop])

    run.over_rows(len(rows), task, _queries_per_block(n_points))
    excess = np.maximum(before + 1 - k, 0).sum()
    return float(1 - excess * 2 / (len(rows) * k * (2 * n_points - 3 * k - 1)))


def _to_others(distances: Distances, rows: IntArray) -> DoubleArray:
    """Squared distances to all points, infinite to the row itself."""
    squared = distances(rows)
    squared[np.arange(len(rows)), rows] = np.inf
    return squared


def _queries_per_block(n_points: int) -> int:
    return int(np.clip(BYTES_OF_DISTANCES // (8 * n_points), 1, MOST_QUERIES))
