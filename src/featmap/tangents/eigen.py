"""Eigenvectors of small symmetric matrices: those of neighbourhoods by our own kernel, larger ones by LAPACK."""

from __future__ import annotations

import numpy as np

from ..kernels.eigen import TIE, eigen, padded_width
from ..values import DoubleArray

LARGEST_OWN = 64  # rows; LAPACK is faster for larger matrices


def eigenvectors(matrices: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Eigenvalues of symmetric matrices (n, k, k), the largest first, and eigenvectors as rows: (n, k) and (n, k, k).

    The largest entry of an eigenvector is positive, and the first of those that are as large. So the signs are the
    same whoever computes them, unless rounding decides which entry is the largest.
    """
    if matrices.shape[1] > LARGEST_OWN:
        return _by_lapack(matrices)
    k, width = matrices.shape[1], 2 * padded_width(matrices.shape[1])
    values, vectors = np.empty(matrices.shape[:2]), np.empty(matrices.shape)
    room = (np.empty((k, width)), np.empty(k), np.empty(k), np.empty(width), np.empty(width))
    eigen(matrices, values, vectors, *room)
    return values, vectors


def _by_lapack(matrices: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    values, columns = np.linalg.eigh(matrices)
    vectors = np.ascontiguousarray(columns.transpose(0, 2, 1)[:, ::-1])
    sizes = np.abs(vectors)
    largest = (sizes >= (1 - TIE) * sizes.max(axis=2, keepdims=True)).argmax(axis=2)[:, :, None]
    signs = np.where(np.take_along_axis(vectors, largest, axis=2) < 0, -1.0, 1.0)
    return np.ascontiguousarray(values[:, ::-1]), signs * vectors
