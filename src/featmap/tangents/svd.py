"""Data and neighbours → Tangents: which features vary around each point.

V_i is never stored. It is X_iᵀF_i, and the factors F_i are k × r for any number of features. `axes` rebuilds V_i for
the rows that are asked for.
"""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import Matrix, dense_rows
from ..kernels.tangents import local_grams
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray, Tangents

EXPLAINED_VARIANCE = 0.9

# Directions with a singular value below this part of the largest come from the rounding of float32 data.
RANK_TOLERANCE = 1e-4


def find_tangents(
    data: ScaledData,
    centers: Matrix,
    neighbors: IntArray,
    weights: DoubleArray,
    intrinsic_dim: int | str,
    run: Run,
) -> Tangents:
    """The SVD of W_i X_i at every center, from the eigenvectors of its k × k Gram matrix.

    The centers are the scaled data, or new rows scaled in the same way. Their neighbours are rows of the data.
    """
    k = neighbors.shape[1]
    r = min(k, data.shape[1])

    def body(start: int, stop: int) -> tuple[DoubleArray, DoubleArray]:
        table, positions = data.table(neighbors[start:stop])
        return local_svd(dense_rows(centers, slice(start, stop)), table, positions, weights[start:stop], r)

    factors, singular_values = run.by_blocks(len(neighbors), body, data.rows_per_block(k))
    n_directions = count_dimensions(singular_values, intrinsic_dim)
    return Tangents(centers, neighbors, factors, singular_values, n_directions, weights.sum(axis=1))


def local_svd(
    centers: FloatArray, table: FloatArray, positions: IntArray, weights: DoubleArray, r: int
) -> tuple[DoubleArray, DoubleArray]:
    """Factors and singular values of some points. Their neighbours are the rows ``positions`` of a table."""
    k = positions.shape[1]
    grams = np.empty((len(centers), k, k))
    local_grams(centers, table, positions, weights, grams)
    return _factorize(grams, weights, r)


def _factorize(grams: DoubleArray, weights: DoubleArray, r: int) -> tuple[DoubleArray, DoubleArray]:
    """F = W U Σ⁻¹ and σ from the Gram matrix U Σ² Uᵀ of each point, the largest σ first."""
    eigenvalues, eigenvectors = np.linalg.eigh(grams)
    squares = np.maximum(eigenvalues[:, ::-1][:, :r], 0.0)
    present = squares > RANK_TOLERANCE**2 * squares[:, :1]
    sigma = np.sqrt(np.where(present, squares, 0.0))
    inverse = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=present)
    return np.sqrt(weights)[:, :, None] * eigenvectors[:, :, ::-1][:, :, :r] * inverse[:, None, :], sigma


def count_dimensions(singular_values: DoubleArray, intrinsic_dim: int | str) -> IntArray:
    """d_i: how many singular values reach 90 % of Σσ², or a fixed number, but at most the local rank."""
    ranks = (singular_values > 0).sum(axis=1)
    if intrinsic_dim != "auto":
        return np.minimum(ranks, intrinsic_dim).astype(np.int32)
    variance = np.cumsum(singular_values**2, axis=1)
    reached = variance >= EXPLAINED_VARIANCE * variance[:, -1:]
    return np.minimum(ranks, reached.argmax(axis=1) + 1).astype(np.int32)


def data_radii(tangents: Tangents, n_axes: int) -> DoubleArray:
    """R°_il = σ_il²/Σ_j P_ij, the radius of the data around i along its direction l. Without edges it is 0."""
    radii = np.zeros((len(tangents.factors), n_axes))
    n_known = min(n_axes, tangents.n_directions)
    sums = tangents.weight_sums[:, None]
    squares = tangents.singular_values[:, :n_known] ** 2
    np.divide(squares, sums, out=radii[:, :n_known], where=sums > 0)
    return radii
