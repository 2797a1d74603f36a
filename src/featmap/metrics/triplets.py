"""Which of two is nearer to a third: does the map say the same as the data? After Wang et al. (2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..checks.counts import checked_count
from ..data.scaling import ScaledData, scale_data
from ..data.sparse import Matrix, up_to_translation
from ..errors import InvalidDataError
from ..run import Run
from ..values import DoubleArray, IntArray
from .checks import check_jobs, checked_labels, checked_pair

TRIPLETS_PER_POINT = 5


@dataclass(frozen=True, repr=False)
class CentroidTriplets:
    """For groups a, b < c: whether in the data the centroid of b is nearer than that of c to that of a."""

    groups: IntArray
    first_nearer: np.ndarray

    @classmethod
    def of(cls, caller: str, data: ScaledData, groups: IntArray) -> CentroidTriplets:
        if groups.max(initial=0) < 2:
            raise InvalidDataError(f"{caller}: labels must name at least 3 groups, to compare their distances")
        return cls(groups, _first_centroid_nearer(up_to_translation(data.matrix), groups))

    def agreement(self, Y: DoubleArray) -> float:
        return float((_first_centroid_nearer(Y, self.groups) == self.first_nearer).mean())


def centroid_triplet_accuracy(X: Any, Y: Any, labels: Any) -> float:
    """The share of triplets of class centroids in which the map keeps which of two is nearer to the third.

    A centroid is the mean of a class, in the data and on the map. Each triplet counts three times, once from each of
    its centroids. (The authors' own code also compares distances that have no centroid in common.)
    """
    caller = "centroid_triplet_accuracy"
    X, Y = checked_pair(caller, X, Y)
    return CentroidTriplets.of(caller, scale_data(X), checked_labels(caller, labels, len(Y))).agreement(Y)


@dataclass(frozen=True, repr=False)
class RandomTriplets:
    """For every point a few random pairs of others, and whether in the data the first is the nearer one."""

    others: IntArray  # (points, triplets, 2)
    first_nearer: np.ndarray  # (points, triplets)

    @classmethod
    def of(cls, data: ScaledData, n_triplets: int, seed: int, run: Run) -> RandomTriplets:
        others = _draw_pairs(data.shape[0], n_triplets, seed)
        first_nearer = np.empty(others.shape[:2], bool)

        def task(start: int, stop: int) -> None:
            anchors = data.rows(np.arange(start, stop, dtype=np.int32))
            rows = data.rows(others[start:stop].ravel()).reshape(*others[start:stop].shape, -1)
            first_nearer[start:stop] = _first_nearer(anchors, rows)

        run.over_rows(len(others), task, data.rows_per_block(2 * n_triplets + 1))
        return cls(others, first_nearer)

    def agreement(self, Y: DoubleArray) -> float:
        return float((_first_nearer(Y, Y[self.others]) == self.first_nearer).mean())


def random_triplet_accuracy(
    X: Any, Y: Any, *, n_triplets: int = TRIPLETS_PER_POINT, random_state: int = 0, n_jobs: int | None = -1
) -> float:
    """The share of random triplets in which the map keeps which of two points is nearer to the third.

    From every point to ``n_triplets`` random pairs of others; chance is 1/2.
    """
    check_jobs("random_triplet_accuracy", n_jobs)
    X, Y = checked_pair("random_triplet_accuracy", X, Y)
    if len(Y) < 3:
        raise InvalidDataError(f"random_triplet_accuracy: X must have at least 3 rows; got {len(Y)}")
    n_triplets = checked_count("random_triplet_accuracy", "n_triplets", n_triplets, 1, 2**20)
    with Run(n_jobs) as run:
        return RandomTriplets.of(scale_data(X), n_triplets, random_state, run).agreement(Y)


def _draw_pairs(n_points: int, n_triplets: int, seed: int) -> IntArray:
    """Two different others for each point and triplet, as steps around the circle of all points."""
    rng = np.random.default_rng(seed)
    first = rng.integers(1, n_points, (n_points, n_triplets))
    second = rng.integers(1, n_points - 1, (n_points, n_triplets))
    second += second >= first
    steps = np.stack([first, second], axis=2)
    return ((steps + np.arange(n_points)[:, None, None]) % n_points).astype(np.int32)


def _first_nearer(anchors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(points, n) and (points, triplets, 2, n) → (points, triplets)."""
    steps = others.astype(np.float64) - anchors[:, None, None]
    squared = np.einsum("ptsn,ptsn->pts", steps, steps)
    return squared[..., 0] < squared[..., 1]


def _first_centroid_nearer(matrix: Matrix, groups: IntArray) -> np.ndarray:
    centroids = np.array(
        [
            np.asarray(matrix[groups == group].mean(axis=0, dtype=np.float64)).ravel()
            for group in range(groups.max() + 1)
        ]
    )
    distances = cdist(centroids, centroids)
    first, second = np.triu_indices(len(centroids), 1)
    anchors = np.arange(len(centroids))[:, None]
    apart = (first != anchors) & (second != anchors)
    return (distances[:, first] < distances[:, second])[apart]
