"""The islands of the map, and the parts of a map that has no islands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from sklearn.cluster import HDBSCAN, KMeans

from ..data.pca import fixed_sample
from ..run.threads import one_library_thread
from ..values import DoubleArray, FloatArray, WholeArray

MOST_ROWS = 6000  # HDBSCAN compares all pairs
SMALLEST_PART = 0.01  # of the rows that HDBSCAN sees
MIN_SAMPLES = 5
GAP = 0.03  # of the size of the map: an empty ring of this width makes a few rows an island
MOST_PARTS, ROWS_OF_PART = 8, 100
ROWS_FOR_CENTER = 300
NONE = -1


@dataclass(frozen=True, eq=False)
class Regions:
    """The region of every row, numbered from the largest to the smallest."""

    region: Annotated[WholeArray, "(m,)"]
    are_islands: bool
    centers: Annotated[DoubleArray, "(regions, d')"]  # where most of its rows are

    def __len__(self) -> int:
        return len(self.centers)

    @cached_property
    def sizes(self) -> WholeArray:
        return np.bincount(self.region, minlength=len(self)).astype(np.int32)


def find_regions(embedding: FloatArray, n_neighbors: int) -> Regions:
    """Islands if there are two or more, else parts by k-means."""
    island = _islands(embedding.astype(np.float64), n_neighbors)
    are_islands = island.max() > 0
    found = island if are_islands else _parts(embedding)
    order = np.argsort(-np.bincount(found), kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    region = number[found]
    centers = np.array([_densest(embedding[region == one]) for one in range(len(order))])
    return Regions(region, bool(are_islands), centers)


def _islands(places: DoubleArray, n_neighbors: int) -> WholeArray:
    """HDBSCAN's clusters, and small groups of rows that are far from all others; other rows go to the nearest."""
    chosen = np.arange(len(places))[fixed_sample(len(places), MOST_ROWS)]
    smallest = max(n_neighbors, int(SMALLEST_PART * len(chosen)))
    if len(chosen) < 2 * smallest:
        return np.zeros(len(places), np.int32)
    with one_library_thread():
        of_chosen = HDBSCAN(min_cluster_size=smallest, min_samples=MIN_SAMPLES, copy=True).fit(places[chosen]).labels_
    nearest = cKDTree(places[chosen]).query(places)[1]
    island = of_chosen[nearest].astype(np.int32)
    _add_small_islands(island, places, n_neighbors)
    is_free = island == NONE
    if is_free.all():
        return np.zeros(len(places), np.int32)
    if is_free.any():
        island[is_free] = island[~is_free][cKDTree(places[~is_free]).query(places[is_free])[1]]
    return np.unique(island, return_inverse=True)[1].astype(np.int32)


def _add_small_islands(island: WholeArray, places: DoubleArray, smallest: int) -> None:
    """Rows that are in no cluster, joined where they are near each other, if they are many and far from clusters."""
    free = np.flatnonzero(island == NONE)
    if len(free) < smallest:
        return
    gap = GAP * np.linalg.norm(places.std(axis=0))
    pairs = cKDTree(places[free]).query_pairs(gap, output_type="ndarray")
    links = sp.coo_matrix((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), (len(free), len(free)))
    of_free = connected_components(links, directed=False)[1]
    is_near = np.zeros(len(free), bool)
    in_cluster = island != NONE
    if in_cluster.any():
        is_near = cKDTree(places[in_cluster]).query(places[free], distance_upper_bound=gap)[0] <= gap
    for number, size in enumerate(np.bincount(of_free)):
        is_member = of_free == number
        if size >= smallest and not is_near[is_member].any():
            island[free[is_member]] = island.max() + 1


def _parts(embedding: FloatArray) -> WholeArray:
    n = min(MOST_PARTS, max(2, len(embedding) // ROWS_OF_PART), len(np.unique(embedding, axis=0)))
    with one_library_thread():
        return np.asarray(KMeans(n, n_init=3, random_state=0).fit(embedding).labels_, np.int32)


def _densest(places: FloatArray) -> DoubleArray:
    """The row whose nearest tenth of the others is nearest, of some of them."""
    sample = places[fixed_sample(len(places), ROWS_FOR_CENTER)].astype(np.float64)
    distances, _ = cKDTree(sample).query(sample, max(len(sample) // 10, 2) if len(sample) > 1 else 1)
    return sample[distances.reshape(len(sample), -1)[:, -1].argmin()]
