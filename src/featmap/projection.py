"""Principal directions of the data, from a sample of rows, and every row's coordinates along them."""

from __future__ import annotations

import numpy as np
from sklearn.utils.extmath import randomized_svd

from .kernels.search import project_rows
from .parallel import Workers
from .rows import FloatArray, Matrix, dense_rows, dense_table

SAMPLE_ROWS = 10_000
ROWS_AT_ONCE = 512
SAMPLE_BYTES = 2**28  # fewer rows, if they have very many features


def principal_directions(matrix: Matrix, n_directions: int) -> FloatArray:
    """The leading right singular vectors of a fixed sample of rows, as columns (n, n_directions)."""
    n_rows, n_features = matrix.shape
    n_sampled = sample_size(n_rows, n_features)
    sampled = np.sort(np.random.default_rng(0).choice(n_rows, n_sampled, replace=False))
    sample = dense_rows(matrix, sampled if n_sampled < n_rows else slice(None))
    n_directions = min(n_directions, n_features, n_sampled)
    _, _, directions = randomized_svd(sample, n_directions, n_iter=4, random_state=0)
    return np.ascontiguousarray(directions.T, dtype=np.float32)


def sample_size(n_rows: int, n_features: int) -> int:
    """How many rows principal directions are taken from."""
    return min(n_rows, SAMPLE_ROWS, max(SAMPLE_BYTES // (4 * n_features), 100))


def project(matrix: Matrix, directions: FloatArray, workers: Workers) -> FloatArray:
    """Coordinates of all rows along the directions."""
    coordinates = np.empty((matrix.shape[0], directions.shape[1]), np.float32)

    def task(start: int, stop: int) -> None:
        rows, positions = dense_table(matrix, np.arange(start, stop, dtype=np.int32))
        # Rows of a dense matrix stand at their own places, densified ones at the top of the table.
        project_rows(rows[positions[0] : positions[-1] + 1], directions, 0, stop - start, coordinates[start:stop])

    workers.over_rows(matrix.shape[0], task, block=ROWS_AT_ONCE)
    return coordinates
