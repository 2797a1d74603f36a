"""The nearest orthogonal matrix."""

from __future__ import annotations

import numpy as np

from ..kernels.frames import polar_of_two

DEGENERATE = 1e-9  # a singular value below this part of the largest has no direction


def polar(matrices: np.ndarray, previous: np.ndarray) -> np.ndarray:
    """U Vᵀ for matrices U S Vᵀ of shape (…, d, d). Where S is 0 it is completed as near to ``previous`` as possible.

    Two dimensions have a closed form: flipping a column of the matrix flips exactly that column of the result, bit
    for bit. A general SVD does not guarantee this.
    """
    dim = matrices.shape[-1]
    if dim == 1:
        return np.where(matrices > 0, 1.0, np.where(matrices < 0, -1.0, previous)).astype(matrices.dtype)
    previous = np.broadcast_to(previous, matrices.shape)
    if dim > 2:
        return _completed_polar(matrices, previous)
    nearest, degenerate = np.empty(matrices.shape, matrices.dtype), np.empty(matrices.shape[:-2], np.bool_)
    polar_of_two(matrices.reshape(-1, 2, 2), DEGENERATE, nearest.reshape(-1, 2, 2), degenerate.reshape(-1))
    if degenerate.any():
        nearest[degenerate] = _completed_polar(matrices[degenerate], previous[degenerate])
    return nearest


def _completed_polar(matrices: np.ndarray, previous: np.ndarray) -> np.ndarray:
    left, sizes, right = np.linalg.svd(matrices.astype(np.float64))
    ranks = (sizes > DEGENERATE * sizes[..., :1]).sum(axis=-1)
    nearest = left @ right
    for rank in np.unique(ranks[ranks < matrices.shape[-1]]):
        here = ranks == rank
        free_left, free_right = left[here][..., rank:], right[here][..., rank:, :]
        u, _, vt = np.linalg.svd(np.swapaxes(free_left, -1, -2) @ previous[here] @ np.swapaxes(free_right, -1, -2))
        kept = left[here][..., :rank] @ right[here][..., :rank, :]
        nearest[here] = kept + free_left @ (u @ vt) @ free_right
    return nearest.astype(matrices.dtype)
