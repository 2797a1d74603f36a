"""Are neighbours on the map neighbours in the data (trustworthiness), and the other way round (continuity)?

Both are Venna and Kaski's, as in Espadoto et al. (2019): 1 − 2/(m k (2m − 3k − 1)) Σ_i Σ_j (rank_i(j) − k), over the
neighbours j of i on one side whose rank by distance from i on the other is beyond k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.scaling import scale_data
from ..kernels.ranks import count_before
from ..kernels.search import smallest_of_each_row
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import check_jobs, checked_pair, rank_neighbors, sample_rows
from .distances import DataDistances, Distances, MapDistances

N_QUERIES = 2000
BYTES_PER_BLOCK = 2**27  # of distances from queries to all points
QUERIES_PER_BLOCK = 256


def trustworthiness(
    X: Any,
    Y: Any,
    *,
    n_neighbors: int = 15,
    n_sample: int | None = N_QUERIES,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """How near in the data the ``n_neighbors`` nearest on the map are: 1 if they are the nearest there too.

    The mean over ``n_sample`` random points (2,000; None for all) of their ranks among all points, not only among
    the sampled ones; with all points it is scikit-learn's.
    """
    check_jobs("trustworthiness", n_jobs)
    X, Y = checked_pair("trustworthiness", X, Y)
    k = rank_neighbors("trustworthiness", n_neighbors, len(Y))
    rows = sample_rows("trustworthiness", n_sample, len(Y), random_state)
    with Run(n_jobs) as run:
        near = nearest(MapDistances(Y), rows, k, len(Y), run)
        return ranks_kept(DataDistances.within(scale_data(X)), rows, near, len(Y), run)


def continuity(
    X: Any,
    Y: Any,
    *,
    n_neighbors: int = 15,
    n_sample: int | None = N_QUERIES,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> float:
    """How near on the map the ``n_neighbors`` nearest in the data are: `trustworthiness` with the sides exchanged."""
    check_jobs("continuity", n_jobs)
    X, Y = checked_pair("continuity", X, Y)
    k = rank_neighbors("continuity", n_neighbors, len(Y))
    rows = sample_rows("continuity", n_sample, len(Y), random_state)
    with Run(n_jobs) as run:
        near = nearest(DataDistances.within(scale_data(X)), rows, k, len(Y), run)
        return ranks_kept(MapDistances(Y), rows, near, len(Y), run)


def nearest(distances: Distances, rows: IntArray, k: int, n_points: int, run: Run) -> IntArray:
    """The k nearest others of some rows, ties by index."""
    found = np.empty((len(rows), k), np.int32)

    def task(start: int, stop: int) -> None:
        lengths = np.empty((stop - start, k))
        smallest_of_each_row(_to_others(distances, rows[start:stop]), found[start:stop], lengths)

    run.over_rows(len(rows), task, _queries_per_block(n_points))
    return found


def ranks_kept(distances: Distances, rows: IntArray, near: IntArray, n_points: int, run: Run) -> float:
    """1 − Σ max(0, rank − k)/(the most it could be), for those that are nearest to the rows on the other side."""
    k = near.shape[1]
    before = np.empty(near.shape, np.int64)

    def task(start: int, stop: int) -> None:
        count_before(_to_others(distances, rows[start:stop]), near[start:stop], before[start:stop])

    run.over_rows(len(rows), task, _queries_per_block(n_points))
    excess = np.maximum(before + 1 - k, 0).sum()
    return float(1 - excess * 2 / (len(rows) * k * (2 * n_points - 3 * k - 1)))


def _to_others(distances: Distances, rows: IntArray) -> DoubleArray:
    squared = distances(rows)
    squared[np.arange(len(rows)), rows] = np.inf
    return squared


def _queries_per_block(n_points: int) -> int:
    return int(np.clip(BYTES_PER_BLOCK // (8 * n_points), 1, QUERIES_PER_BLOCK))
