"""Distances that users have already: between all rows, as the data, or to the nearest neighbours of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InvalidDataError, warn
from ..values import Neighbors

DISTANCES_AT_ONCE = 512  # of distances to all rows, since copies of all of them would take much memory
LONGEST_DISTANCE = 1e30  # sums and squares of longer ones would leave float32
FROM_ITSELF = 1e-3  # of the largest distance: a row is no further from itself than rounding


def check_distances(X: Any) -> None:
    """Check distances from some rows to those of the fit."""
    values = X.data if sp.issparse(X) else X
    largest = values.max(initial=0)
    if values.min(initial=0) < 0:
        raise InvalidDataError(
            "metric='precomputed': X has negative values, which are no distances; of similarities S give S.max() - "
            "S, and for a table of features choose another metric"
        )
    if largest > LONGEST_DISTANCE or 0 < largest < 1 / LONGEST_DISTANCE:
        raise InvalidDataError(
            f"metric='precomputed': the largest distance is {largest:.0e}, beyond what float32 can hold; "
            "multiply X by a number that brings distances nearer to 1"
        )


def check_distances_of_fit(X: Any) -> None:
    """Check distances between all rows."""
    if X.shape[0] != X.shape[1]:
        raise InvalidDataError(
            f"metric='precomputed': X must be a square matrix, the distances between all rows; got shape {X.shape}; "
            "for a table of features choose another metric"
        )
    check_distances(X)
    if X.diagonal().max() > FROM_ITSELF * X.max():
        raise InvalidDataError(
            "metric='precomputed': the diagonal of X must be 0, the distance of a row from itself; of similarities S "
            "give S.max() - S, and set the diagonal of distances to 0"
        )


def given_neighbors(given: Any, n_rows: int, k: int) -> Neighbors:
    """The k nearest others of every row, from what the user gave: with or without the row itself, in any order.

    Index −1 and infinite distances are read as missing neighbours. A missing neighbour becomes the row itself at an
    infinite distance, so that it gets no edge.
    """
    if sp.issparse(given):
        indices, distances = _from_sparse(given, n_rows, k)
    elif isinstance(given, tuple | list):
        indices, distances = _from_arrays(given, n_rows)
    else:
        indices, distances = _from_square(given, n_rows, k)
    own = np.arange(n_rows)[:, None]
    missing = (indices < 0) | np.isposinf(distances)
    others = ~missing & (indices != own)
    n_given = int((others | missing).sum(axis=1).min())
    if n_given < k:
        raise InvalidDataError(_too_few(k, n_given))
    lengths = np.where(others, distances, np.inf)
    indices = np.where(others, indices, own)
    order = np.lexsort((indices, lengths), axis=1)[:, :k]
    chosen, lengths = np.take_along_axis(indices, order, axis=1), np.take_along_axis(lengths, order, axis=1)
    # Missing neighbours get numbers of their own, so that only known ones can be equal.
    numbers = np.where(np.isfinite(lengths), chosen, -1 - np.arange(k))
    if (np.diff(np.sort(numbers, axis=1), axis=1) == 0).any():
        raise InvalidDataError("precomputed_knn: a row names the same neighbour twice; name each neighbour once")
    return Neighbors(chosen.astype(np.int32), lengths.astype(np.float32))


def _from_square(given: Any, n_rows: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest others of each row, from the distances between all rows. Infinite ones are missing."""
    matrix = np.asarray(given)
    if matrix.shape != (n_rows, n_rows):
        raise InvalidDataError(
            f"precomputed_knn: distances between all rows must have shape ({n_rows}, {n_rows}); got {matrix.shape}"
        )
    _check_lengths(matrix)
    blocks = [_nearest_of_block(matrix, start, k) for start in range(0, n_rows, DISTANCES_AT_ONCE)]
    indices, distances = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return indices, distances


def _nearest_of_block(matrix: np.ndarray, start: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    block = matrix[start : start + DISTANCES_AT_ONCE].astype(np.float64)
    own = np.arange(len(block))
    block[own, start + own] = np.inf
    nearest = np.argsort(block, axis=1, kind="stable")[:, :k]
    return nearest, np.take_along_axis(block, nearest, axis=1)


def _from_arrays(given: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and distances as arrays of one shape; the third part of umap-learn's triple is its search index."""
    try:
        indices, distances = np.asarray(given[0]), np.asarray(given[1])
    except ValueError as error:
        raise InvalidDataError(f"precomputed_knn: indices and distances must be two arrays; {error}") from error
    if indices.ndim != 2 or indices.shape != distances.shape or len(indices) != n_rows:
        raise InvalidDataError(
            f"precomputed_knn: indices and distances must both have shape ({n_rows}, number of neighbours); "
            f"got {indices.shape} and {distances.shape}"
        )
    if not np.issubdtype(indices.dtype, np.integer) or not (
        indices.min(initial=0) >= -1 and indices.max(initial=0) < n_rows
    ):
        raise InvalidDataError(
            f"precomputed_knn: indices must be integers from 0 to {n_rows - 1}, or -1 for a missing neighbour"
        )
    _check_lengths(distances[indices >= 0])
    return indices.astype(np.int64), distances.astype(np.float64)


def _from_sparse(given: Any, n_rows: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of the stored entries of each row, without the row itself."""
    matrix = sp.csr_matrix(given)
    if matrix.shape != (n_rows, n_rows):
        raise InvalidDataError(
            f"precomputed_knn: a sparse matrix of distances must have shape ({n_rows}, {n_rows}); got {matrix.shape}"
        )
    _check_lengths(matrix.data)
    row = np.repeat(np.arange(n_rows), np.diff(matrix.indptr))
    is_other = matrix.indices != row
    row, others, lengths = row[is_other], matrix.indices[is_other], matrix.data[is_other].astype(np.float64)
    if (lengths == 1).all():
        warn(
            "precomputed_knn: all distances are 1, as in a matrix that only tells which rows are connected; give "
            "distances, for example kneighbors_graph(mode='distance') or obsp['distances']"
        )
    counts = np.bincount(row, minlength=n_rows)
    if counts.min() < k:
        raise InvalidDataError(_too_few(k, int(counts.min())))
    order = np.lexsort((others, lengths, row))
    nearest = (np.cumsum(counts) - counts)[:, None] + np.arange(k)
    return others[order][nearest].astype(np.int64), lengths[order][nearest]


def _too_few(k: int, found: int) -> str:
    return (
        f"precomputed_knn: {k} neighbours are needed for every row (n_neighbors or n_tangent_neighbors, minus one), "
        f"but a row has only {found}; give more neighbours, ask for fewer, or fill up with infinite distances"
    )


def _check_lengths(distances: np.ndarray) -> None:
    """Check distances to neighbours. Missing neighbours are at infinity."""
    is_missing = np.isposinf(distances) if distances.dtype.kind == "f" else np.False_
    known = distances[~is_missing] if is_missing.any() else distances
    if distances.dtype.kind not in "biuf" or not ((known >= 0).all() and known.max(initial=0) <= LONGEST_DISTANCE):
        raise InvalidDataError(
            f"precomputed_knn: distances must not be negative or NaN, and at most {LONGEST_DISTANCE:g}, or "
            "infinite for a missing neighbour"
        )
