"""Data and neighbours → Tangents: which features vary around each point.

V_i is never stored. It is X_iᵀF_i, and the factors F_i are k × r for any number of features. `axes` rebuilds V_i for
the rows that are asked for.

About the point itself all rows of X_i share the offset of the point from its neighbours, and the first direction is
little more than that offset. About the mean of the neighbours it is the direction in which they vary most. Then every
column of F_i sums to zero, so that X_iᵀF_i is the same whichever of the two X_i is about.
"""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import Matrix, dense_rows
from ..kernels.tangents import local_grams
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray, Radii, Tangents

EXPLAINED_VARIANCE = 0.9

# Directions with a singular value below this part of the largest come from the rounding of float32 data.
RANK_TOLERANCE = 1e-4

# The same for directions about the mean, relative to the steps from the point. What is left of steps that are all
# equal is the rounding of float64.
ROUNDING = 1e-12


def find_tangents(
    data: ScaledData,
    centers: Matrix,
    neighbors: IntArray,
    weights: DoubleArray,
    near_weights: DoubleArray,
    center: str,
    intrinsic_dim: int | str,
    n_axes: int,
    run: Run,
) -> Tangents:
    """The SVD of W_i X_i at every center, from the eigenvectors of its k × k Gram matrix, and the local radii.

    The centers are the scaled data, or new rows scaled in the same way. Their neighbours are rows of the data.
    ``weights`` are those of the SVD. Radii are measured over the first neighbours only, with ``near_weights``, and
    along ``n_axes`` directions. X_i is about the "point" itself or about the "mean" of its neighbours.
    """

    def body(start: int, stop: int) -> tuple[DoubleArray, ...]:
        here = slice(start, stop)
        factors, singular_values, grams = local_svds(
            data, dense_rows(centers, here), neighbors[here], weights[here], center
        )
        return factors, singular_values, *local_radii(grams, factors[:, :, :n_axes], near_weights[here], n_axes)

    factors, singular_values, *radii = run.by_blocks(len(neighbors), body, data.rows_per_block(neighbors.shape[1]))
    n_directions = count_dimensions(singular_values, intrinsic_dim)
    kept_weights = weights.astype(np.float32)
    return Tangents(centers, neighbors, kept_weights, factors, singular_values, n_directions, Radii(*radii))


def local_svds(
    data: ScaledData, centers: FloatArray, neighbors: IntArray, weights: DoubleArray, center: str
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """F_i and σ_i at some centers, and the inner products of `local_grams` behind them."""
    k = neighbors.shape[1]
    shares = mean_shares(weights) if center == "mean" else np.zeros_like(weights)
    table, positions = data.table(neighbors)
    grams = np.empty((len(neighbors), k + 1, k + 1))
    local_grams(centers, table, positions, shares, grams)
    factors, singular_values = factorize(grams, weights, min(k, data.shape[1]))
    # Their sums are zero about the mean but for rounding, which steps that are much longer than σ would enlarge.
    factors -= shares[:, :, None] * factors.sum(axis=1, keepdims=True)
    return factors, singular_values, grams


def mean_shares(weights: DoubleArray) -> DoubleArray:
    """The share of every neighbour in the mean of a row. It is 0 if only one has weight, since a mean needs two."""
    has_mean = (weights > 0).sum(axis=1, keepdims=True) > 1
    return np.where(has_mean, _shares(weights), 0.0)


def factorize(grams: DoubleArray, weights: DoubleArray, r: int) -> tuple[DoubleArray, DoubleArray]:
    """F = W U Σ⁻¹ and σ from the inner products of `local_grams` at each point, the largest σ first."""
    roots, k = np.sqrt(weights), weights.shape[1]
    eigenvalues, eigenvectors = np.linalg.eigh(roots[:, :, None] * grams[:, :k, :k] * roots[:, None, :])
    squares = np.maximum(eigenvalues[:, ::-1][:, :r], 0.0)
    steps = np.einsum("pa,pa->p", weights, squared_lengths(grams, k))[:, None]
    present = squares > np.maximum(RANK_TOLERANCE**2 * squares[:, :1], ROUNDING**2 * steps)
    sigma = np.sqrt(np.where(present, squares, 0.0))
    inverse = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=present)
    return roots[:, :, None] * eigenvectors[:, :, ::-1][:, :, :r] * inverse[:, None, :], sigma


def local_radii(
    grams: DoubleArray, factors: DoubleArray, weights: DoubleArray, n_axes: int
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """R°_i in all directions, and R°_il along the axes about the point and about the mean: see `Radii`.

    The inner products are those of `local_grams`: the steps x_j − x_i are the differences to the middle plus the
    last one, and their coordinates along the axes are products with the factors.
    """
    k, k_near = grams.shape[1] - 1, weights.shape[1]
    lengths = squared_lengths(grams, k_near)
    coordinates = (grams[:, :k_near, :k] + grams[:, k:, :k]) @ factors
    shares = _shares(weights)
    offsets = np.einsum("pa,pal->pl", shares, coordinates)
    missing = ((0, 0), (0, n_axes - factors.shape[2]))
    along = np.einsum("pa,pal->pl", shares, coordinates**2)
    centered = np.einsum("pa,pal->pl", shares, (coordinates - offsets[:, None]) ** 2)
    total = np.einsum("pa,pa->p", shares, lengths)
    return total, np.pad(along, missing), np.pad(centered, missing)


def squared_lengths(grams: DoubleArray, n_first: int) -> DoubleArray:
    """‖x_j − x_i‖² of the first neighbours of each point, from the inner products of `local_grams`."""
    lengths = np.einsum("paa->pa", grams[:, :n_first, :n_first]) + 2 * grams[:, :n_first, -1] + grams[:, -1:, -1]
    return np.maximum(lengths, 0.0)


def _shares(weights: DoubleArray) -> DoubleArray:
    """Weights divided by the sum of their row; zero where that is zero."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)


def count_dimensions(singular_values: DoubleArray, intrinsic_dim: int | str) -> IntArray:
    """d_i: how many singular values reach 90 % of Σσ², or a fixed number, but at most the local rank."""
    ranks = (singular_values > 0).sum(axis=1)
    if intrinsic_dim != "auto":
        return np.minimum(ranks, intrinsic_dim).astype(np.int32)
    variance = np.cumsum(singular_values**2, axis=1)
    reached = variance >= EXPLAINED_VARIANCE * variance[:, -1:]
    return np.minimum(ranks, reached.argmax(axis=1) + 1).astype(np.int32)
