"""The rows around points of a map that tell what sets the points apart: many, none of them with much weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..data.sparse import Matrix, SparseRows
from ..kernels.neighborhoods import weighted_moments
from ..values import DoubleArray, IntArray
from .points import Points
from .walk import walk_weights
from .winsor import Winsorised

FEWEST_ROWS = 30  # no row has more than one part in so many of all weight


@dataclass(frozen=True)
class LocalMoments:
    """Weighted means and variances of each feature over the rows around each point, scaled as the data are."""

    mean_as_given: DoubleArray  # (points, n)
    mean: DoubleArray  # (points, n) of winsorised values
    variance: DoubleArray  # (points, n) of winsorised values


@dataclass(frozen=True)
class Around:
    """Rows around some points, with weights that sum to 1 for each point. A point without links has no weights."""

    near: IntArray  # (points, k)
    weights: DoubleArray  # (points, k)

    @classmethod
    def points(cls, points: Points, chosen: IntArray, k: int) -> Around:
        """The k nearest of each point on the map, weighted by a walk on the graph, no weight above 1/30."""
        near = points.nearest_on_map(chosen, k)
        weights = capped_weights(walk_weights(points, chosen, near))
        return cls(near, weights * points.is_connected[chosen, None])

    def together(self) -> Around:
        """The rows around all points as one group, each with its mean weight over the points."""
        rows, positions = np.unique(self.near, return_inverse=True)
        sums = np.bincount(positions.ravel(), self.weights.ravel(), len(rows))
        return Around(rows[None].astype(np.int32), (sums / max(sums.sum(), np.finfo(float).tiny))[None])

    def n_effective(self, copies: IntArray) -> DoubleArray:
        """K_eff = 1/Σ w² of each point, 0 without weights. Rows with the same number in ``copies`` count once."""
        by_set = _csr(self.weights, copies[self.near], int(copies.max()) + 1)
        by_set.sum_duplicates()
        squares = np.asarray(by_set.power(2).sum(axis=1)).ravel()
        return np.divide(1.0, squares, out=np.zeros(len(squares)), where=squares > 0)

    def moments(self, matrix: Matrix, features: Winsorised) -> LocalMoments:
        """Over rows of the data."""
        return (_moments_of_sparse if isinstance(matrix, SparseRows) else _moments_of_dense)(matrix, self, features)


def capped_weights(weights: DoubleArray) -> DoubleArray:
    """Weights that sum to 1, none above 1/30: what is cut off goes to the others in proportion, (points, k).

    Where fewer than 30 rows have weight, the first of the others get some too, and all 30 are equal. If there are
    fewer than 30 rows, all of them are equal.
    """
    fewest = min(FEWEST_ROWS, weights.shape[1])
    weights = _at_least(weights, fewest)
    # With the s largest cut off, all others are multiplied by one factor. The first s is right for which the largest
    # of them stays below the limit; it is less than 30.
    falling = -np.sort(-weights, axis=1)
    rest = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1][:, :fewest]
    factors = (1 - np.arange(fewest) / fewest) / rest
    fits = factors * falling[:, :fewest] <= (1 + 1e-9) / fewest
    factor = np.take_along_axis(factors, fits.argmax(axis=1)[:, None], axis=1)
    return np.minimum(weights * factor, 1 / fewest)


def _at_least(weights: DoubleArray, fewest: int) -> DoubleArray:
    """The weights, or equal ones for the rows with weight and the first others where there are too few of them."""
    has_few = np.count_nonzero(weights, axis=1) < fewest
    first = np.argsort(weights[has_few] == 0, axis=1, kind="stable")[:, :fewest]
    equal = np.zeros((len(first), weights.shape[1]))
    np.put_along_axis(equal, first, 1.0, axis=1)
    weights = weights.copy()
    weights[has_few] = equal
    return weights


def _moments_of_dense(matrix: np.ndarray, around: Around, features: Winsorised) -> LocalMoments:
    shape = len(around.near), matrix.shape[1]
    moments = LocalMoments(np.empty(shape), np.empty(shape), np.empty(shape))
    weighted_moments(
        *(matrix, around.near, around.weights, features.lowest, features.highest),
        *(moments.mean_as_given, moments.mean, moments.variance),
    )
    return moments


def _moments_of_sparse(matrix: SparseRows, around: Around, features: Winsorised) -> LocalMoments:
    """By products of sparse matrices, in which values are measured from those of zeros."""
    rows, positions = np.unique(around.near, return_inverse=True)
    weights = _csr(around.weights, positions, len(rows))
    weights.eliminate_zeros()
    as_given, inside = matrix[rows], features.clipped(matrix[rows])
    changes = _from_zeros(inside)
    means = (weights @ changes).toarray()
    squares = (weights @ changes.power(2)).toarray()
    return LocalMoments(
        (weights @ _from_zeros(as_given)).toarray() + as_given.zeros,
        means + inside.zeros,
        np.maximum(squares - means**2, 0.0),
    )


def _csr(weights: DoubleArray, columns: np.ndarray, n_columns: int) -> sp.csr_matrix:
    """Weights of points, (points, k), as a sparse matrix (points, n_columns). Columns may repeat."""
    n_points, k = weights.shape
    starts = np.arange(0, n_points * k + 1, k)
    return sp.csr_matrix((weights.ravel(), columns.ravel(), starts), (n_points, n_columns), copy=True)


def _from_zeros(rows: SparseRows) -> sp.csr_matrix:
    entries = rows.entries
    changes = entries.data.astype(np.float64) - rows.zeros[entries.indices]
    return sp.csr_matrix((changes, entries.indices, entries.indptr), entries.shape)
