"""Eigenvectors of small symmetric matrices: those of neighbourhoods by our own kernel, larger ones by LAPACK."""

from __future__ import annotations

import numpy as np

from ..kernels.eigen import TIE, eigen, room_for_eigen
from ..values import DoubleArray

LARGEST_OWN = 64  # rows; LAPACK is faster for larger matrices


def eigenvectors(matrices: DoubleArray, n_axes: int) -> tuple[DoubleArray, DoubleArray]:
    """Eigenvalues of symmetric matrices (n, k, k), the largest first, and the first eigenvectors as rows.

    Their shapes are (n, k) and (n, n_axes, k). The largest entry of an eigenvector is positive, and the first of
    those that are as large. So the signs are the same whoever computes them, unless rounding decides which entry is
    the largest.
    """
    n_matrices, k, _ = matrices.shape
    if k > LARGEST_OWN:
        return _by_lapack(matrices, n_axes)
    values, vectors = np.empty((n_matrices, k)), np.empty((n_matrices, n_axes, k))
    eigen(matrices, values, vectors, *room_for_eigen(k, n_axes))
    return values, vectors


def _by_lapack(matrices: DoubleArray, n_axes: int) -> tuple[DoubleArray, DoubleArray]:
    values, columns = np.linalg.eigh(matrices)
    vectors = np.ascontiguousarray(columns.transpose(0, 2, 1)[:, ::-1][:, :n_axes])
    sizes = np.abs(vectors)
    largest = (sizes >= (1 - TIE) * sizes.max(axis=2, keepdims=True)).argmax(axis=2)[:, :, None]
    signs = np.where(np.take_along_axis(vectors, largest, axis=2) < 0, -1.0, 1.0)
    return np.ascontiguousarray(values[:, ::-1]), signs * vectors
