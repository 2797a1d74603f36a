"""Which list a row belongs to, and which lists a query looks into: computed from a sample of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ..data.pca import fixed_sample, principal_directions, project, sample_size
from ..data.sparse import Matrix, dense_rows
from ..kernels.search import COORDINATES_AT_ONCE, remaining_lengths
from ..run import Run
from ..run.threads import one_library_thread
from ..values import FloatArray, IntArray
from .lists import Lists
from .search import QUERIES_PER_BLOCK, ROWS_FOR_DIRECTIONS

# Chosen, with what follows, on sheets and Gaussians of 100,000 rows and on MNIST (docs/scale.md).
ROWS_PER_LIST = 128
SAMPLED_PER_LIST = 24  # rows of the sample from which the centres of the lists are found
CELLS_BEYOND = 3  # of the centres that are looked for: a home is the nearest centre of four cells
KMEANS_ROUNDS = 8  # of k-means
LARGEST_SHARE = 3  # a list with more than so many times its share of the sample is split again
CENTERS_PER_PROBE = 8  # so many centres are compared for each list that is looked into


@dataclass(frozen=True)
class Quantizer:
    """Directions, and centres of lists in two levels.

    A row has coordinates along the directions. If there are more features than that, the last coordinate is the
    length of what the directions leave over. Of two rows that are near each other these remainders have the cosine
    ``shared`` on average: a query has that part of its own as last coordinate, so that squared distances in these
    coordinates are those between the rows, on average and up to a constant of the query.
    """

    directions: Annotated[FloatArray, "(n, coordinates)"]
    cells: Lists  # the centres of cells, in one list
    centers: Lists  # the centres of lists, listed by their cells
    shared: float = 0.0

    @classmethod
    def of_sample(cls, sample: Matrix, n_coordinates: int, n_lists: int, run: Run) -> Quantizer:
        """Find directions and the centres of about ``n_lists`` lists from a sample of the rows."""
        directions = list_directions(sample, n_coordinates)
        points = coordinates_along(directions, sample, run)
        cells, centers, cell_of_list = centers_in_cells(points, n_lists)
        return cls(directions, _numbered(cells, 1, run), _numbered(centers, len(cells), run, cell_of_list))

    @property
    def has_remainder(self) -> bool:
        n_features, n_coordinates = self.directions.shape
        return n_features > n_coordinates

    @property
    def n_lists(self) -> int:
        return self.centers.n_members

    def as_queries(self, coordinates: FloatArray) -> FloatArray:
        """The coordinates of rows as those of queries."""
        if not self.has_remainder:
            return coordinates
        scaled = coordinates.copy()
        scaled[:, -1] *= np.float32(self.shared)
        return scaled

    def lists_near(self, points: FloatArray, n_lists: int) -> IntArray:
        """The lists with the nearest centres, nearest first; −1 where the cells near a point have too few."""
        in_a_cell = self.n_lists / len(self.centers)
        n_cells = min(CELLS_BEYOND + int(np.ceil(CENTERS_PER_PROBE * n_lists / in_a_cell)), len(self.centers))
        cells, _ = self.cells.nearest(points, np.zeros((len(points), 1), np.int32), n_cells)
        return self.centers.nearest(points, cells, n_lists)[0]

    def homes(self, coordinates: FloatArray, run: Run) -> IntArray:
        """The list of each row."""

        def body(start: int, stop: int) -> tuple[IntArray]:
            return (self.lists_near(coordinates[start:stop], 1),)

        return run.by_blocks(len(coordinates), body, QUERIES_PER_BLOCK)[0].ravel()


def make_quantizer(n_rows: int, rows: Callable[[Any], Matrix], n_coordinates: int, run: Run) -> Quantizer:
    """The quantizer of all rows, by a sample that depends on their number alone. ``rows`` gives chosen rows."""
    n_lists = -(-n_rows // ROWS_PER_LIST)
    sample = rows(np.arange(n_rows)[fixed_sample(n_rows, SAMPLED_PER_LIST * n_lists)])
    return Quantizer.of_sample(sample, n_coordinates, n_lists, run)


def list_directions(sample: Matrix, n_coordinates: int) -> FloatArray:
    """Principal directions, one fewer than there are coordinates; or the features, if there are no more than that.

    The features come in the order of their variance, since distances that grow fast are soon known to be too long.
    """
    n_rows, n_features = sample.shape
    rows = sample[fixed_sample(n_rows, min(ROWS_FOR_DIRECTIONS, sample_size(n_rows, n_features)))]
    if n_features > n_coordinates:
        directions = principal_directions(rows, n_coordinates - 1)
    else:
        order = np.argsort(-dense_rows(rows).var(axis=0, dtype=np.float64), kind="stable")
        directions = np.eye(n_features, dtype=np.float32)[:, order]
        n_coordinates = -(-n_features // COORDINATES_AT_ONCE) * COORDINATES_AT_ONCE
    return np.pad(directions, ((0, 0), (0, n_coordinates - directions.shape[1])))


def coordinates_along(directions: FloatArray, matrix: Matrix, run: Run) -> FloatArray:
    """Coordinates of all rows, with the length of the remainder as the last where there is one."""
    coordinates = project(matrix, directions, run)
    if directions.shape[0] > directions.shape[1]:

        def task(start: int, stop: int) -> None:
            rows = dense_rows(matrix, slice(start, stop))
            remaining_lengths(rows, coordinates[start:stop, :-1], coordinates[start:stop, -1])

        run.over_rows(len(coordinates), task)
    return coordinates


def _numbered(centers: FloatArray, n_lists: int, run: Run, homes: IntArray | None = None) -> Lists:
    """Centres in lists, numbered in their order."""
    homes = np.zeros(len(centers), np.int32) if homes is None else homes
    return Lists.fill(centers, np.arange(len(centers), dtype=np.int32), homes, n_lists, run)


def centers_in_cells(sample: FloatArray, n_lists: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """The centres of cells, those of lists, and the cell of each list. Fewer if the points are few or equal.

    There are as many cells as lists in a cell, so that looking for the nearest centre costs a square root.
    """
    # k-means wants distinct points. Two coordinates, of float32 as one number, tell most apart.
    first_two = np.ascontiguousarray(sample[:, :2] + 0).view(np.uint64)
    points = sample if len(np.unique(first_two)) == len(sample) else np.unique(sample, axis=0)
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
    n_shares = min(max(round(len(points) / share), 1), len(points))
    centers, nearest = _k_means(points, n_shares)
    lists = [points[nearest == number] for number in range(len(centers))]
    is_large = [LARGEST_SHARE * share < len(near) < len(points) for near in lists]
    return np.concatenate(
        [
            _centers_of_lists(near, share) if large else center[None]
            for center, near, large in zip(centers, lists, is_large, strict=True)
        ]
    )


def _k_means(points: FloatArray, n_centers: int) -> tuple[FloatArray, IntArray]:
    """Centres of distinct points, and the nearest centre of each point."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    kmeans = KMeans(n_centers, init="random", n_init=1, max_iter=KMEANS_ROUNDS, tol=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of points that are distinct but not for its distances
        kmeans.fit(points)
    return kmeans.cluster_centers_, kmeans.labels_
