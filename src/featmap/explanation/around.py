"""Many rows around each point, none of them with much weight: their means tell what sets the point apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..data.sparse import SparseRows
from ..kernels.neighborhoods import weighted_moments
from ..values import DoubleArray, FloatArray, IntArray
from .neighborhoods import Neighborhoods, RowsAround
from .points import Points
from .winsor import Winsorised

FEWEST_EVEN = 30  # no row has more than one part in so many of all weight


@dataclass(frozen=True)
class LocalMoments:
    """Weighted means and variances of each feature over the rows around each point, scaled as the data are."""

    mean_as_given: DoubleArray  # (points, n)
    mean: DoubleArray  # (points, n) of winsorised values
    variance: DoubleArray  # (points, n) of winsorised values


def widely_around(points: Points, chosen: IntArray, k: int) -> Neighborhoods:
    """The k nearest of each point on the map, weighted by a walk on the graph, but no weight above 1/30.

    A point without links to the data has no weights.
    """
    around = Neighborhoods.around(points, chosen, k, points.mapped.copies)
    return replace(around, weights=capped_weights(around.weights) * points.is_connected[chosen, None])


def together(around: Neighborhoods) -> Neighborhoods:
    """The rows around several points as one neighbourhood, each with its mean weight over the points."""
    rows, first, positions = np.unique(around.near, return_index=True, return_inverse=True)
    sums = np.bincount(positions.ravel(), around.weights.ravel(), len(rows))
    weights = np.divide(sums, sums.sum(), out=np.zeros_like(sums), where=sums.sum() > 0)
    units = around.units.ravel()[first]
    return Neighborhoods(RowsAround(around.mapped, rows[None]), weights[None], units[None])


def local_moments(around: Neighborhoods, features: Winsorised) -> LocalMoments:
    """Over the rows around each point."""
    is_sparse = isinstance(around.mapped.data.matrix, SparseRows)
    return (_moments_of_sparse if is_sparse else _moments_of_dense)(around, features)


def capped_weights(weights: DoubleArray) -> DoubleArray:
    """Weights that sum to 1, none above 1/30: what is cut off goes to the others in proportion, (points, k).

    Where fewer than 30 rows have weight, the first of the others get some too, and all 30 are equal. If there are
    fewer than 30 rows, all of them are equal.
    """
    fewest = min(FEWEST_EVEN, weights.shape[1])
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


def _moments_of_dense(around: Neighborhoods, features: Winsorised) -> LocalMoments:
    matrix = around.mapped.data.matrix
    shape = len(around.near), matrix.shape[1]
    moments = LocalMoments(np.empty(shape), np.empty(shape), np.empty(shape))
    weighted_moments(
        *(matrix, around.near, around.weights, features.lowest, features.highest),
        *(moments.mean_as_given, moments.mean, moments.variance),
    )
    return moments


def _moments_of_sparse(around: Neighborhoods, features: Winsorised) -> LocalMoments:
    """By products of sparse matrices, in which values are measured from those that are not stored."""
    rows, positions = np.unique(around.near, return_inverse=True)
    n_points, k = around.near.shape
    starts = np.arange(0, n_points * k + 1, k)
    weights = sp.csr_matrix((around.weights.ravel(), positions.ravel(), starts), (n_points, len(rows)), copy=True)
    weights.eliminate_zeros()
    as_given = around.mapped.data.matrix[rows].entries
    inside = features.clipped(around.mapped.data.matrix[rows]).entries
    origin, origin_inside = features.unstored, np.clip(features.unstored, features.lowest, features.highest)
    changes = _measured_from(origin_inside, inside)
    means = (weights @ changes).toarray()
    squares = (weights @ changes.power(2)).toarray()
    return LocalMoments(
        (weights @ _measured_from(origin, as_given)).toarray() + origin,
        means + origin_inside,
        np.maximum(squares - means**2, 0.0),
    )


def _measured_from(origin: FloatArray, entries: sp.csr_matrix) -> sp.csr_matrix:
    changes = entries.data.astype(np.float64) - origin[entries.indices]
    return sp.csr_matrix((changes, entries.indices, entries.indptr), entries.shape)
