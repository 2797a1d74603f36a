"""Lower bounds of distances, from a few coordinates of every row: most rows are ruled out without a look at them.

Along orthonormal directions two rows are never further apart than they are. What the directions leave over of them
differs at least as much as its lengths do, so its length is one more coordinate. On MNIST 64 coordinates leave about
130 of 10,000 rows to compare with a query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.components import fixed_sample, principal_directions
from ..kernels.bounds import bounding_coordinates, nearest_within_bounds
from ..values import DoubleArray, FloatArray, IntArray
from .search import Found

N_COORDINATES = 64
ROWS_FOR_DIRECTIONS = 4000
PRODUCTS_AT_ONCE = 2**22  # of queries and all rows: 16 MB
# Bounds are worth their time if they leave no more than this part of the rows to compare, on average of some queries.
MOST_LEFT = 0.05
QUERIES_TRIED = 32
K_TRIED = 15


def worth_trying(n_rows: int, n_features: int) -> bool:
    """Whether directions are found in less time than they can save."""
    return n_features > 2 * N_COORDINATES and n_rows * n_features > 2**21


@dataclass(frozen=True)
class Bounds:
    """Rows, and coordinates of them in which no two are further apart than they are."""

    matrix: FloatArray  # (m, n)
    directions: DoubleArray  # (n, N_COORDINATES − 1) orthonormal
    coordinates: FloatArray  # (m, N_COORDINATES) along the directions, and the length of what they leave over
    sizes: FloatArray  # (m,) squared sizes of the coordinates

    @classmethod
    def of(cls, matrix: FloatArray) -> Bounds:
        n_rows = len(matrix)
        sample = matrix[fixed_sample(n_rows, min(n_rows, ROWS_FOR_DIRECTIONS))]
        # Orthonormal in float64: what is left over may be short, and is the difference of two numbers.
        directions = np.linalg.qr(principal_directions(sample, N_COORDINATES - 1).astype(np.float64))[0]
        coordinates = _coordinates(matrix, directions)
        return cls(matrix, directions, coordinates, _squared_sizes(coordinates))

    def rule_out_most(self) -> bool:
        """Whether few rows are left to compare, as some of the rows tell."""
        n_rows = len(self.matrix)
        tried = self.matrix[fixed_sample(n_rows, min(n_rows, QUERIES_TRIED))]
        n_compared = self._search(tried, np.arange(n_rows, dtype=np.int32), K_TRIED)[1]
        return n_compared <= MOST_LEFT * len(tried) * n_rows

    def nearest(self, queries: FloatArray, rows: IntArray, k: int) -> Found:
        """The k nearest among some of the rows, by index: indices and squared distances."""
        return self._search(queries, rows, k)[0]

    def _search(self, queries: FloatArray, rows: IntArray, k: int) -> tuple[Found, int]:
        """The k nearest, and how many rows were compared."""
        # Usually all rows count, and a slice makes no copy of them.
        chosen = slice(None) if len(rows) == len(self.matrix) else rows
        coordinates, sizes, n_compared = self.coordinates[chosen], self.sizes[chosen], 0
        indices, squared = np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), np.inf)
        at_once = max(1, PRODUCTS_AT_ONCE // max(1, len(rows)))
        for start in range(0, len(queries), at_once):
            here = slice(start, start + at_once)
            points = _coordinates(queries[here], self.directions)
            n_compared += nearest_within_bounds(
                points @ coordinates.T,
                _squared_sizes(points),
                sizes,
                self._error,
                queries[here],
                self.matrix,
                rows,
                np.empty(k, np.int64),
                np.empty(len(points), np.float32),
                indices[here],
                squared[here],
            )
        return (indices, squared), n_compared

    @property
    def _error(self) -> np.float32:
        """How far the square of a bound may be above the true one, over the sum of both sizes: rounding alone.

        A coordinate is off by its rounding to float32, and what is left over by the root of the rounding of squares
        in float64, times the size of the row. Products in float32 come on top of it.
        """
        n_features, n_directions = self.directions.shape
        single, double = np.finfo(np.float32).eps, np.finfo(np.float64).eps
        of_coordinates = single + np.sqrt(4 * n_features * double)
        return np.float32((n_directions + 9) * single + 5 * of_coordinates)


def _coordinates(rows: FloatArray, directions: DoubleArray) -> FloatArray:
    n_directions = directions.shape[1]
    coordinates = np.empty((len(rows), n_directions + 1), np.float32)
    bounding_coordinates(rows, directions, np.empty(n_directions), coordinates)
    return coordinates


def _squared_sizes(coordinates: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->i", coordinates, coordinates)
