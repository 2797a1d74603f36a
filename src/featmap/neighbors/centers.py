"""Centres of lists in two levels: cells, and the centres within each cell. A function of a sample of points."""

from __future__ import annotations

import warnings

import numpy as np

from ..run.threads import one_library_thread
from ..values import FloatArray, IntArray

ROUNDS = 8  # of k-means
LARGEST_SHARE = 3  # a list with more than so many times its share of the sample is split again


def centers_in_cells(sample: FloatArray, n_lists: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """The centres of cells, those of lists, and the cell of each list. Fewer if the points are few or equal.

    There are as many cells as lists in a cell, so that looking for the nearest centre costs a square root.
    """
    points = _distinct(sample)
    n_lists = min(n_lists, len(points))
    with one_library_thread():
        cells, cell_of_point = _k_means(points, int(np.ceil(np.sqrt(n_lists))))
        share = len(points) / n_lists
        parts = [_centers_of_lists(points[cell_of_point == cell], share) for cell in range(len(cells))]
    cell_of_list = np.repeat(np.arange(len(cells), dtype=np.int32), [len(part) for part in parts])
    return cells, np.concatenate(parts), cell_of_list


def _centers_of_lists(points: FloatArray, share: float) -> FloatArray:
    """Centres of the points of a cell. A list that is much too large becomes several, until it cannot be divided."""
    if len(points) == 0:
        return points
    centers, nearest = _k_means(points, _n_shares(points, share))
    lists = [points[nearest == number] for number in range(len(centers))]
    is_large = [LARGEST_SHARE * share < len(near) < len(points) for near in lists]
    return np.concatenate(
        [
            _centers_of_lists(near, share) if large else center[None]
            for center, near, large in zip(centers, lists, is_large, strict=True)
        ]
    )


def _n_shares(points: FloatArray, share: float) -> int:
    return min(max(round(len(points) / share), 1), len(points))


def _k_means(points: FloatArray, n_centers: int) -> tuple[FloatArray, IntArray]:
    """Centres of distinct points, and the nearest centre of each point."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    kmeans = KMeans(n_centers, init="random", n_init=1, max_iter=ROUNDS, tol=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of points that are distinct but not for its distances
        kmeans.fit(points)
    return kmeans.cluster_centers_, kmeans.labels_


def _distinct(points: FloatArray) -> FloatArray:
    """Each point once. Two coordinates tell most points apart."""
    first_two = np.ascontiguousarray(points[:, :2] + 0).view(np.uint64)  # two of float32 as one number
    return points if len(np.unique(first_two)) == len(points) else np.unique(points, axis=0)
