"""Data and neighbours → Tangents: which features vary around each point.

V_i is never stored. It is X_iᵀF_i, and the factors F_i are k × r for any number of features. They are not stored
either: the neighbours and their weights give them again, bit for bit, for the rows that are asked for (`axes`).

About the point itself all rows of X_i share the offset of the point from its neighbours, and the first direction is
little more than that offset. About the mean of the neighbours it is the direction in which they vary most. Then every
column of F_i sums to zero, so that X_iᵀF_i is the same whichever of the two X_i is about.
"""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import Matrix, dense_rows
from ..kernels.eigen import TIE, eigen, room_for_eigen
from ..kernels.tangents import local_grams, room_for_grams
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray, Tangents

EXPLAINED_VARIANCE = 0.9  # part of Σσ² that the local directions of intrinsic_dim="auto" hold

# Directions with a singular value below this part of the largest come from the rounding of float32 data.
RANK_TOLERANCE = 1e-4

# The same for directions about the mean, relative to the steps from the point. What is left of steps that are all
# equal is the rounding of float64.
ROUNDING_OF_STEPS = 1e-12

BYTES_OF_PRODUCTS = 2**20  # of a block of points: their inner products stay in cache
LARGEST_OWN = 64  # rows of a matrix; LAPACK is faster for larger ones


def find_tangents(
    data: ScaledData,
    centers: Matrix,
    neighbors: IntArray,
    weights: np.ndarray,
    center: str,
    intrinsic_dim: int | str,
    n_axes: int,
    run: Run,
) -> Tangents:
    """The SVD of W_i X_i at every center, from the eigenvectors of its k × k Gram matrix.

    The centers are the scaled data, or new rows scaled in the same way. Their neighbours are rows of the data, with
    weights in float32. X_i is about the "point" itself or about the "mean" of its neighbours. The factors of the
    first ``n_axes`` directions are kept for the alignment.
    """
    n_rows, k = neighbors.shape
    weights, n_leading = weights.astype(np.float32, copy=False), min(n_axes, k, data.shape[1])

    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        here = slice(start, stop)
        table, positions = data.table(neighbors[here])
        factors, singular_values = svds_of_table(
            dense_rows(centers, here), table, positions, weights[here], center, n_leading
        )
        return singular_values.astype(np.float32), count_dimensions(singular_values, intrinsic_dim), factors

    found = run.by_blocks(n_rows, body, points_per_block(data, k))
    return Tangents(centers, neighbors, weights, center, *found)


def without_directions(centers: Matrix, neighbors: IntArray, weights: FloatArray, center: str) -> Tangents:
    """The tangent spaces of rows whose features are not known."""
    directions, dimensions = np.empty((len(neighbors), 0), np.float32), np.zeros(len(neighbors), np.int32)
    return Tangents(centers, neighbors, weights, center, directions, dimensions)


def points_per_block(data: ScaledData, k: int) -> int:
    """Points whose inner products stay in cache. Of sparse data the rows that they need are made dense besides."""
    n_points = max(1, BYTES_OF_PRODUCTS // (8 * (k + 1) ** 2))
    return n_points if isinstance(data.matrix, np.ndarray) else min(n_points, data.rows_per_block(k))


def local_svds(
    data: ScaledData, centers: FloatArray, neighbors: IntArray, weights: np.ndarray, center: str
) -> tuple[DoubleArray, DoubleArray]:
    """F_i and σ_i at some centers."""
    table, positions = data.table(neighbors)
    return svds_of_table(centers, table, positions, weights, center, neighbors.shape[1])


def svds_of_table(
    centers: FloatArray, table: FloatArray, positions: IntArray, weights: np.ndarray, center: str, n_axes: int
) -> tuple[DoubleArray, DoubleArray]:
    """F_i, at most ``n_axes`` columns of it, and σ_i at some centers.

    The neighbours of a center are the rows ``positions`` of a table. Nothing else is needed to compute them, and no
    other center changes a bit of them.
    """
    n_points, k = positions.shape
    weights = weights.astype(np.float32, copy=False)
    shares = mean_shares(weights) if center == "mean" else np.zeros(weights.shape)
    grams = np.empty((n_points, k + 1, k + 1))
    local_grams(centers, table, positions, shares, *room_for_grams(k), grams)
    return factorize(grams, weights, shares, min(k, table.shape[1]), n_axes)


def mean_shares(weights: FloatArray) -> DoubleArray:
    """The share of every neighbour in the mean of a row. It is 0 if only one has weight, since a mean needs two."""
    has_mean = (weights > 0).sum(axis=1, keepdims=True) > 1
    return np.where(has_mean, _shares(weights), 0.0)


def factorize(
    grams: DoubleArray, weights: FloatArray, shares: DoubleArray, r: int, n_axes: int
) -> tuple[DoubleArray, DoubleArray]:
    """F = W U Σ⁻¹, at most ``n_axes`` columns, and σ from the inner products of `local_grams`, largest first.

    About the mean each column sums to zero but for rounding, which steps that are much longer than σ would enlarge:
    so what is left of the sum is taken off.
    """
    k, roots, n_axes = weights.shape[1], np.sqrt(weights.astype(np.float64)), min(r, n_axes)
    squares, vectors = eigenvectors(roots[:, :, None] * grams[:, :k, :k] * roots[:, None, :], n_axes)
    singular_values = present_values(squares[:, :r], squared_lengths(grams, k), weights)
    leading = singular_values[:, :n_axes, None]
    inverses = np.divide(1.0, leading, out=np.zeros(leading.shape), where=leading > 0)
    columns = roots[:, None] * vectors * inverses
    columns -= shares[:, None] * columns.sum(axis=2, keepdims=True)
    return np.ascontiguousarray(columns.transpose(0, 2, 1)), singular_values


def present_values(squares: DoubleArray, lengths: DoubleArray, weights: FloatArray) -> DoubleArray:
    """σ from σ², the largest first.

    Directions are absent, with σ = 0, if σ is below RANK_TOLERANCE of the largest or below ROUNDING_OF_STEPS of
    the steps from the point.
    """
    steps = np.einsum("pa,pa->p", weights, lengths)[:, None]
    least = np.maximum(RANK_TOLERANCE**2 * np.maximum(squares[:, :1], 0.0), ROUNDING_OF_STEPS**2 * steps)
    return np.sqrt(np.where(squares > least, squares, 0.0))


def squared_lengths(grams: DoubleArray, n_first: int) -> DoubleArray:
    """‖x_j − x_i‖² of the first neighbours of each point, from the inner products of `local_grams`."""
    lengths = np.einsum("paa->pa", grams[:, :n_first, :n_first]) + 2 * grams[:, :n_first, -1] + grams[:, -1:, -1]
    return np.maximum(lengths, 0.0)


def _shares(weights: FloatArray) -> DoubleArray:
    """Weights divided by the sum of their row, in float64; zero where that is zero."""
    sums = weights.sum(axis=1, keepdims=True, dtype=np.float64)
    return np.divide(weights, sums, out=np.zeros(weights.shape), where=sums > 0)


def count_dimensions(singular_values: DoubleArray, intrinsic_dim: int | str) -> IntArray:
    """d_i: how many singular values reach 90 % of Σσ², or a fixed number, but at most the local rank."""
    ranks = (singular_values > 0).sum(axis=1)
    if intrinsic_dim != "auto":
        return np.minimum(ranks, intrinsic_dim).astype(np.int32)
    variance = np.cumsum(singular_values**2, axis=1)
    reached = variance >= EXPLAINED_VARIANCE * variance[:, -1:]
    return np.minimum(ranks, reached.argmax(axis=1) + 1).astype(np.int32)


def eigenvectors(matrices: DoubleArray, n_axes: int) -> tuple[DoubleArray, DoubleArray]:
    """Eigenvalues of symmetric matrices (n, k, k), the largest first, and the first eigenvectors as rows.

    Their shapes are (n, k) and (n, n_axes, k). The largest entry of an eigenvector is positive, and the first of
    those that are as large. So the signs are the same whoever computes them, unless rounding decides which entry is
    the largest.
    """
    n_matrices, k, _ = matrices.shape
    if k <= LARGEST_OWN:
        values, vectors = np.empty((n_matrices, k)), np.empty((n_matrices, n_axes, k))
        eigen(matrices, values, vectors, *room_for_eigen(k, n_axes))
        return values, vectors
    values, columns = np.linalg.eigh(matrices)
    vectors = np.ascontiguousarray(columns.transpose(0, 2, 1)[:, ::-1][:, :n_axes])
    sizes = np.abs(vectors)
    largest = (sizes >= (1 - TIE) * sizes.max(axis=2, keepdims=True)).argmax(axis=2)[:, :, None]
    signs = np.where(np.take_along_axis(vectors, largest, axis=2) < 0, -1.0, 1.0)
    return np.ascontiguousarray(values[:, ::-1]), signs * vectors
