"""X → Neighbors: exact for small data, by coarse lists and exact re-ranking for large.

Whatever proposes candidates (BLAS, faiss) only proposes. Which of them are nearest is decided by distances summed
in float64 by our own kernel, ties by index; so the answer does not depend on a library's threads, and a row's
neighbours do not depend on the rows it is asked with.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .errors import InvalidDataError, InvalidDataTypeError
from .features import Features
from .kernels.search import (
    BLOCK_COLUMNS,
    COORDINATES_AT_ONCE,
    rank_candidates,
    scan_lists,
    smallest_of_each_row,
)
from .parallel import Workers, one_library_thread
from .projection import principal_directions, project
from .rows import FloatArray, IntArray, Matrix, SparseRows, dense_rows
from .values import Neighbors

EXACT_BELOW = 10_000  # rows; above, all pairs cost more than building lists
LIST_DIRECTIONS = 64
PROBED_LISTS = 20
QUERIES_PER_BLOCK = 256
ROWS_PER_BLOCK = 1024  # that queries are compared with
BYTES_OF_CANDIDATES = 2**26  # where they have to be made dense
LONGEST = 1e30  # distance of the user's making; sums and squares of more would leave float32
SPARE_CANDIDATES = 8  # beyond k, where only the rounding of float32 can bring candidates out of order

Found = tuple[IntArray, np.ndarray]


class Search(Protocol):
    """Finds the k nearest training rows of queries: indices and distances, sorted, ties by index."""

    def nearest(self, queries: Matrix, k: int, workers: Workers) -> Found: ...


def check_metric(X: Matrix, metric: Any) -> None:
    """Ask for one distance before any work: a metric may want parameters, other data, or fewer features."""
    if metric in ("euclidean", "cosine"):
        return
    from sklearn.metrics import pairwise_distances

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to warn of will be said by the search
            float(pairwise_distances(X[:1], X[1:2], metric=metric)[0, 0])
    except Exception as error:  # of the user's own function, it may be any
        raise InvalidDataError(
            f"FeatMAP(metric={metric!r}): gives no distance between the first two rows of X ({error}); choose a "
            "metric that fits the data, or give neighbours by precomputed_knn"
        ) from error


def make_search(features: Features, raw: Matrix, metric: Any, workers: Workers) -> Search:
    """Choose how to search by metric and size. ``raw`` is the data as given, for metrics that need its units."""
    if metric == "euclidean":
        return _euclidean_search(features.matrix, workers)
    if metric == "cosine":
        return CosineSearch(_euclidean_search(features.matrix, workers))
    return MetricSearch(raw.copy(), metric)


def find_neighbors(search: Search, rows: Matrix, k: int, workers: Workers) -> Neighbors:
    """The k nearest others of every training row."""
    indices, distances = search.nearest(rows, k + 1, workers)
    return without_self(indices, distances, k)


def without_self(indices: IntArray, distances: np.ndarray, k: int) -> Neighbors:
    """Drop each row's own index, or its last entry where duplicates have crowded it out."""
    is_self = indices == np.arange(len(indices), dtype=indices.dtype)[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(indices), indices.shape[1] - 1)
    others, lengths = indices[~is_self].reshape(shape), distances[~is_self].reshape(shape)
    return Neighbors(others[:, :k].astype(np.int32), lengths[:, :k].astype(np.float32))


def given_neighbors(indices: Any, distances: Any, n_rows: int, k: int) -> Neighbors:
    """Neighbours that the user already has, with or without the point itself, in any order."""
    try:
        indices, distances = np.asarray(indices), np.asarray(distances)
    except ValueError as error:
        raise InvalidDataError(f"precomputed_knn: give two arrays; {error}") from error
    if indices.ndim != 2 or indices.shape != distances.shape or len(indices) != n_rows:
        raise InvalidDataError(
            f"precomputed_knn: indices and distances must both have shape ({n_rows}, number of neighbours); "
            f"got {indices.shape} and {distances.shape}"
        )
    if not np.issubdtype(indices.dtype, np.integer) or indices.min(initial=0) < 0 or indices.max(initial=0) >= n_rows:
        raise InvalidDataError(f"precomputed_knn: indices must be integers from 0 to {n_rows - 1}")
    if distances.dtype.kind not in "biuf" or not (
        distances.min(initial=0) >= 0 and distances.max(initial=0) <= LONGEST
    ):
        raise InvalidDataError(f"precomputed_knn: distances must be finite, not negative and at most {LONGEST:g}")
    is_self = indices == np.arange(n_rows)[:, None]
    n_others = (~is_self).sum(axis=1)
    if n_others.min() < k:
        raise InvalidDataError(
            f"precomputed_knn: {k} others are needed for every row (n_neighbors or n_tangent_neighbors, less one), "
            f"but a row has only {n_others.min()}; give more neighbours or ask for fewer"
        )
    order = np.lexsort((indices, np.where(is_self, np.inf, distances)), axis=1)[:, :k]
    chosen = np.take_along_axis(indices, order, axis=1)
    if (np.diff(np.sort(chosen, axis=1), axis=1) == 0).any():
        raise InvalidDataError("precomputed_knn: a row names the same neighbour twice")
    lengths = np.take_along_axis(distances, order, axis=1)
    return Neighbors(chosen.astype(np.int32), lengths.astype(np.float32))


def _euclidean_search(matrix: Matrix, workers: Workers) -> Search:
    if matrix.shape[0] <= EXACT_BELOW:
        return ExactSearch(matrix)
    return ListSearch.build(matrix, workers)


@dataclass(frozen=True)
class ExactSearch:
    """All pairs by matrix products, whose rounding error is bounded; whatever the bound cannot rule out is ranked."""

    matrix: Matrix

    def nearest(self, queries: Matrix, k: int, workers: Workers) -> Found:
        n_queries = queries.shape[0]
        indices = np.empty((n_queries, k), np.int32)
        squared = np.empty((n_queries, k))

        def task(start: int, stop: int) -> None:
            block = dense_rows(queries, slice(start, stop))
            offsets, candidates = self._candidates(block, k)
            _rank(block, self.matrix, offsets, candidates, indices[start:stop], squared[start:stop])

        workers.over_rows(n_queries, task, QUERIES_PER_BLOCK)
        return indices, np.sqrt(squared)

    @cached_property
    def _norms(self) -> FloatArray:
        return np.concatenate([_squared_norms(dense_rows(self.matrix, rows)) for rows in self._blocks()])

    def _candidates(self, queries: FloatArray, k: int) -> tuple[np.ndarray, IntArray]:
        """Every row that could be among the k nearest, given the rounding of float32 products of n terms."""
        products = np.empty((len(queries), self.matrix.shape[0]), np.float32)
        for rows in self._blocks():
            products[:, rows] = queries @ dense_rows(self.matrix, rows).T
        sizes = _squared_norms(queries)[:, None] + self._norms
        error = np.float32((queries.shape[1] + 8) * np.finfo(np.float32).eps)
        estimate = sizes - 2 * products
        highest = np.partition(estimate + error * sizes, k - 1, axis=1)[:, k - 1 : k]
        query, candidates = np.nonzero(estimate - error * sizes <= highest)
        offsets = np.searchsorted(query, np.arange(len(queries) + 1))
        return offsets, candidates.astype(np.int32)

    def _blocks(self) -> Iterator[slice]:
        n_rows = self.matrix.shape[0]
        return (slice(start, start + ROWS_PER_BLOCK) for start in range(0, n_rows, ROWS_PER_BLOCK))


@dataclass(frozen=True)
class Lists:
    """Lists of points. Each is stored by columns, in blocks of a fixed number, the last filled up with infinity."""

    blocks: FloatArray  # (blocks, coordinates, columns)
    first_blocks: np.ndarray  # where each list begins
    members: IntArray  # (blocks, columns): which point a column is, −1 for none

    @classmethod
    def fill(cls, points: FloatArray, homes: IntArray, n_lists: int, workers: Workers) -> Lists:
        sizes = np.bincount(homes, minlength=n_lists)
        first_blocks = np.append(0, np.cumsum(-(-sizes // BLOCK_COLUMNS)))
        order = np.argsort(homes, kind="stable")
        places = np.empty(len(points), np.int64)
        places[order] = np.arange(len(points)) + np.repeat(
            first_blocks[:-1] * BLOCK_COLUMNS - (np.cumsum(sizes) - sizes), sizes
        )
        blocks = np.full((first_blocks[-1], points.shape[1], BLOCK_COLUMNS), np.inf, np.float32)
        members = np.full((first_blocks[-1], BLOCK_COLUMNS), -1, np.int32)

        def task(start: int, stop: int) -> None:
            block, column = np.divmod(places[start:stop], BLOCK_COLUMNS)
            blocks[block, :, column] = points[start:stop]
            members[block, column] = np.arange(start, stop)

        workers.over_rows(len(points), task)
        return cls(blocks, first_blocks, members)

    def nearest(self, points: FloatArray, lists: IntArray, n_wanted: int) -> IntArray:
        """The nearest members of each point's lists, nearest first, by float32; −1 where there are too few."""
        found = np.empty((len(points), n_wanted), np.int32)
        scan_lists(points, lists, self.blocks, self.first_blocks, self.members, found)
        return found


@dataclass(frozen=True)
class ListSearch:
    """Lists of rows around coarse centres along the principal directions; the nearest few lists are scanned."""

    matrix: Matrix
    directions: FloatArray
    centers: Lists  # all in one list
    lists: Lists

    @classmethod
    def build(cls, matrix: Matrix, workers: Workers) -> ListSearch:
        directions = _list_directions(matrix)
        coordinates = project(matrix, directions, workers)
        points = _coarse_centers(coordinates)
        centers = Lists.fill(points, np.zeros(len(points), np.int32), 1, workers)
        homes = _nearest_centers(coordinates, centers, 1, workers).ravel()
        return cls(matrix, directions, centers, Lists.fill(coordinates, homes, len(points), workers))

    def nearest(self, queries: Matrix, k: int, workers: Workers) -> Found:
        coordinates = project(queries, self.directions, workers)
        n_lists = len(self.lists.first_blocks) - 1
        lists = _nearest_centers(coordinates, self.centers, min(PROBED_LISTS, n_lists), workers)
        n_candidates = k + SPARE_CANDIDATES if self._has_all_features else 3 * (k + 1)
        indices = np.empty((len(lists), k), np.int32)
        squared = np.empty((len(lists), k))
        order = np.argsort(lists[:, 0], kind="stable")  # queries of one list look into much the same lists

        def task(start: int, stop: int) -> None:
            rows = order[start:stop]
            candidates = self.lists.nearest(coordinates[rows], lists[rows], n_candidates)
            block_indices, block_squared = np.empty((len(rows), k), np.int32), np.empty((len(rows), k))
            offsets = np.arange(0, candidates.size + 1, n_candidates)
            _rank(dense_rows(queries, rows), self.matrix, offsets, candidates.ravel(), block_indices, block_squared)
            indices[rows], squared[rows] = block_indices, block_squared

        workers.over_rows(len(lists), task, QUERIES_PER_BLOCK)
        lonely = np.flatnonzero((indices < 0).any(axis=1))  # the probed lists held fewer than k rows
        if len(lonely):
            found_indices, distances = ExactSearch(self.matrix).nearest(queries[lonely], k, workers)
            indices[lonely], squared[lonely] = found_indices, distances**2
        return indices, np.sqrt(squared)

    @property
    def _has_all_features(self) -> bool:
        return self.matrix.shape[1] <= LIST_DIRECTIONS


@dataclass(frozen=True)
class CosineSearch:
    """Between unit rows |x − y|²/2 is the cosine distance."""

    euclidean: Search

    def nearest(self, queries: Matrix, k: int, workers: Workers) -> Found:
        indices, distances = self.euclidean.nearest(queries, k, workers)
        return indices, distances**2 / 2


@dataclass(frozen=True)
class MetricSearch:
    """Any metric of scikit-learn, or a function of two rows, by all pairs."""

    matrix: Matrix
    metric: Any

    def nearest(self, queries: Matrix, k: int, workers: Workers) -> Found:
        from sklearn.metrics import pairwise_distances

        n_queries = queries.shape[0]
        indices = np.empty((n_queries, k), np.int32)
        distances = np.empty((n_queries, k))

        def task(start: int, stop: int) -> None:
            try:
                block = pairwise_distances(queries[start:stop], self.matrix, metric=self.metric)
            except TypeError as error:
                raise InvalidDataTypeError(
                    f"metric={self.metric!r} gives no distances from these rows to those of the fit ({error}); give "
                    "them as those were given, sparse rows as an array by toarray()"
                ) from error
            smallest_of_each_row(np.asarray(block, np.float64), indices[start:stop], distances[start:stop])

        workers.over_rows(n_queries, task, QUERIES_PER_BLOCK)
        if not np.isfinite(distances).all() or distances.min(initial=0) < 0:
            raise InvalidDataError(
                f"metric={self.metric!r} gave distances that are negative or not finite on these data; "
                "choose a metric that fits them"
            )
        largest = distances.max(initial=0)
        if largest > LONGEST or 0 < largest < 1 / LONGEST:
            raise InvalidDataError(
                f"metric={self.metric!r} gave distances of {largest:.0e}, which float32 cannot tell apart; multiply "
                "the data by a number that brings them nearer to 1"
            )
        return indices, distances


def _list_directions(matrix: Matrix) -> FloatArray:
    """Principal directions, or the features themselves if they are few; with zeros up to a whole number of steps."""
    n_features = matrix.shape[1]
    if n_features > LIST_DIRECTIONS:
        directions = principal_directions(matrix, LIST_DIRECTIONS)
    else:
        directions = np.eye(n_features, dtype=np.float32)
    return np.pad(directions, ((0, 0), (0, -directions.shape[1] % COORDINATES_AT_ONCE)))


def _coarse_centers(coordinates: FloatArray) -> FloatArray:
    """Centres of lists: k-means on a sample. So many that choosing lists costs about what scanning them does."""
    import faiss

    before = faiss.omp_get_max_threads()
    with one_library_thread():
        faiss.omp_set_num_threads(1)  # OpenMP's count belongs to the calling thread: given back as it was
        kmeans = faiss.Kmeans(
            coordinates.shape[1], int(1.5 * np.sqrt(len(coordinates))), niter=8, seed=1, max_points_per_centroid=40
        )
        kmeans.train(coordinates)
        faiss.omp_set_num_threads(before)
    return np.asarray(kmeans.centroids)


def _nearest_centers(coordinates: FloatArray, centers: Lists, n_probes: int, workers: Workers) -> IntArray:
    """The numbers of the nearest centres of each row, nearest first."""
    chosen = np.empty((len(coordinates), n_probes), np.int32)

    def task(start: int, stop: int) -> None:
        all_of_them = np.zeros((stop - start, 1), np.int32)
        chosen[start:stop] = centers.nearest(coordinates[start:stop], all_of_them, n_probes)

    workers.over_rows(len(coordinates), task, QUERIES_PER_BLOCK)
    return chosen


def _rank(
    queries: FloatArray,
    matrix: Matrix,
    offsets: np.ndarray,
    candidates: IntArray,
    indices: IntArray,
    squared: np.ndarray,
) -> None:
    indices[:] = -1
    if not isinstance(matrix, SparseRows):
        rank_candidates(queries, matrix, candidates, candidates, offsets, indices, squared)
        return
    # Only so many rows are made dense at a time as have room.
    rows = np.unique(candidates[candidates >= 0])
    at_once = max(1, BYTES_OF_CANDIDATES // (4 * matrix.shape[1]))
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        positions = np.searchsorted(part, candidates).astype(np.int32)
        positions[(positions == len(part)) | (part[np.minimum(positions, len(part) - 1)] != candidates)] = -1
        rank_candidates(queries, matrix[part].toarray(), positions, candidates, offsets, indices, squared)


def _squared_norms(rows: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->i", rows, rows)
