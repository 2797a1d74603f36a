"""The nearest orthogonal matrix, and how near two bases are to each other."""

from __future__ import annotations

import numpy as np

DEGENERATE = 1e-9  # a singular value below this part of the largest carries no direction


def polar(matrices: np.ndarray, previous: np.ndarray) -> np.ndarray:
    """The orthogonal factor U Vᵀ of every matrix U S Vᵀ; where S has zeros, completed as near ``previous`` as can be.

    Two dimensions have a closed form in which flipping a column of the matrix flips exactly that column of the
    result, bit for bit; a general SVD does not keep that promise.
    """
    dim = matrices.shape[-1]
    if dim == 1:
        return np.where(matrices > 0, 1.0, np.where(matrices < 0, -1.0, previous)).astype(matrices.dtype)
    if dim == 2:
        nearest, degenerate = _polar_of_two(matrices)
        if degenerate.any():
            nearest[degenerate] = _completed_polar(
                matrices[degenerate], np.broadcast_to(previous, matrices.shape)[degenerate]
            )
        return nearest
    return _completed_polar(matrices, np.broadcast_to(previous, matrices.shape))


def _polar_of_two(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation or reflection, whichever the determinant's sign says, and where neither is determined."""
    a, b, c, d = (matrices[..., row, column].astype(np.float64) for row in (0, 1) for column in (0, 1))
    determinant = a * d - b * c
    turn = np.where(determinant >= 0, 1.0, -1.0)
    cosine, sine = a + turn * d, c - turn * b
    length = np.hypot(cosine, sine)
    degenerate = np.abs(determinant) <= DEGENERATE * (a * a + b * b + c * c + d * d)
    length = np.where(degenerate, 1.0, length)
    cosine, sine = cosine / length, sine / length
    nearest = np.stack([np.stack([cosine, -turn * sine], -1), np.stack([sine, turn * cosine], -1)], -2)
    return nearest.astype(matrices.dtype), degenerate


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


def consistency(products: np.ndarray) -> np.ndarray:
    """cos Θ_ij = ‖V_jᵀV_i‖_*/d, which no sign and no rotation of either basis can change."""
    return np.linalg.svd(products, compute_uv=False).mean(axis=-1)
