"""Principal directions of a sample of rows, and the coordinates of all rows along them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..kernels.search import project_rows
from ..run import Run
from ..values import FloatArray
from .sparse import Matrix, dense_rows

SAMPLE_ROWS = 10_000
ROWS_AT_ONCE = 512
SAMPLE_BYTES = 2**28  # limits the sample if rows have very many features


def principal_directions(matrix: Matrix, n_directions: int) -> FloatArray:
    """The leading right singular vectors of a fixed sample of rows, as columns (n, n_directions)."""
    n_rows, n_features = matrix.shape
    n_sampled = sample_size(n_rows, n_features)
    sample = dense_rows(matrix, fixed_sample(n_rows, n_sampled))
    n_directions = min(n_directions, n_features, n_sampled)
    _, _, directions = randomized_svd(sample, n_directions, n_iter=4, random_state=0)
    return np.ascontiguousarray(directions.T, dtype=np.float32)


def sample_size(n_rows: int, n_features: int) -> int:
    """The number of rows that principal directions are computed from."""
    return min(n_rows, SAMPLE_ROWS, max(SAMPLE_BYTES // (4 * n_features), 100))


def fixed_sample(n_rows: int, n_sampled: int) -> Any:
    """The same rows each time, in order; a slice of all of them if all are sampled."""
    if n_sampled == n_rows:
        return slice(None)
    return np.sort(np.random.default_rng(0).choice(n_rows, n_sampled, replace=False))


def with_fixed_signs(vectors: np.ndarray) -> np.ndarray:
    """The columns with their largest entry positive, since the signs of singular vectors are arbitrary."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return vectors * np.where(largest < 0, -1.0, 1.0)


def project(matrix: Matrix, directions: FloatArray, run: Run) -> FloatArray:
    """Coordinates of all rows along the directions."""
    directions = np.ascontiguousarray(directions)  # the kernel is compiled for one order

    def body(start: int, stop: int) -> tuple[FloatArray]:
        coordinates = np.empty((stop - start, directions.shape[1]), np.float32)
        project_rows(dense_rows(matrix, slice(start, stop)), directions, 0, stop - start, coordinates)
        return (coordinates,)

    return run.by_blocks(matrix.shape[0], body, ROWS_AT_ONCE)[0]
