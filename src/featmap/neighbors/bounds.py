"""Lower bounds of distances, from a few coordinates of every row: most rows are ruled out without a look at them.

Along orthonormal directions two rows are never further apart than in all features. The remainders, which the
directions leave over, differ at least as much as their lengths do: so this length is one more coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data.pca import fixed_sample, principal_directions
from ..kernels.bounds import bounding_coordinates, nearest_within_bounds
from ..values import DoubleArray, FloatArray, IntArray
from .search import ROWS_FOR_DIRECTIONS, Found, squared_sizes

N_COORDINATES = 64
MOST_ROWS = 10_000  # more are searched by lists; where these find too few, bounds rule out too few
FEWEST_VALUES = 2**21  # of all rows; fewer are compared in less time than directions take
# Bounds are worth their time if they leave no more than this part of the rows to compare, on average of some queries.
MOST_LEFT = 0.05
QUERIES_TRIED = 32
K_TRIED = 15


def worth_trying(n_rows: int, n_features: int) -> bool:
    """Whether directions are found in less time than they can save."""
    is_large = n_rows * n_features >= FEWEST_VALUES and n_rows <= MOST_ROWS
    return is_large and n_features > 2 * N_COORDINATES


@dataclass(frozen=True)
class Bounds:
    """Some rows of a matrix, and coordinates in which two rows are never further apart than in all features."""

    matrix: FloatArray  # (m, n)
    directions: DoubleArray  # (n, N_COORDINATES − 1) orthonormal
    rows: IntArray  # those that are searched, rising
    coordinates: FloatArray  # (rows, N_COORDINATES) along the directions, and the length of the remainder
    sizes: FloatArray  # (rows,) squared sizes of the coordinates

    @classmethod
    def of(cls, matrix: FloatArray) -> Bounds:
        """The bounds of all rows."""
        n_rows = len(matrix)
        sample = matrix[fixed_sample(n_rows, ROWS_FOR_DIRECTIONS)]
        # Orthonormal in float64: a remainder may be short, and is the difference of two numbers.
        directions = np.linalg.qr(principal_directions(sample, N_COORDINATES - 1).astype(np.float64))[0]
        coordinates = _coordinates(matrix, directions)
        return cls(matrix, directions, np.arange(n_rows, dtype=np.int32), coordinates, squared_sizes(coordinates))

    def among(self, rows: IntArray) -> Bounds:
        """The bounds of some of the rows, given in rising order."""
        if len(rows) == len(self.rows):
            return self
        return replace(self, rows=rows, coordinates=self.coordinates[rows], sizes=self.sizes[rows])

    def rule_out_most(self) -> bool:
        """Whether few rows are left to compare, tried with some of the rows as queries."""
        n_rows = len(self.rows)
        tried = self.matrix[fixed_sample(n_rows, QUERIES_TRIED)]
        return self.search(tried, K_TRIED)[1] <= MOST_LEFT * len(tried) * n_rows

    def search(self, queries: FloatArray, k: int) -> tuple[Found, int]:
        """The k nearest rows with their squared distances, ties by index, and how many rows were compared."""
        indices, squared = np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), np.inf)
        points = _coordinates(queries, self.directions)
        n_compared = nearest_within_bounds(
            points @ self.coordinates.T,
            squared_sizes(points),
            self.sizes,
            self._error,
            queries,
            self.matrix,
            self.rows,
            np.empty(k, np.int64),
            np.empty(len(points), np.float32),
            indices,
            squared,
        )
        return (indices, squared), n_compared

    @property
    def _error(self) -> np.float32:
        """By how much rounding can raise a squared bound, relative to the sum of both squared sizes.

        A coordinate is off by its rounding to float32. The length of a remainder is off by the root of the error of
        squares in float64, which is at most 17 n u of the squared size, with u = eps/2. This bound is larger than
        twice the distance times both errors plus the error of products in float32.
        """
        n_features, n_directions = self.directions.shape
        single, double = np.finfo(np.float32).eps, np.finfo(np.float64).eps
        return np.float32((n_directions + 9) * single + 5 * (single + np.sqrt(4 * n_features * double)))


def _coordinates(rows: FloatArray, directions: DoubleArray) -> FloatArray:
    n_directions = directions.shape[1]
    coordinates = np.empty((len(rows), n_directions + 1), np.float32)
    bounding_coordinates(rows, directions, np.empty(n_directions), coordinates)
    return coordinates
