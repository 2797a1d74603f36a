"""The frame of one point, from the frames of the points around it, which do not change."""

from __future__ import annotations

import numpy as np

from ..tangents.polar import polar
from ..values import DoubleArray, FloatArray
from .aligned import MAP_WEIGHT


def frame_among(
    axes: FloatArray,
    others_axes: FloatArray,
    others_frames: FloatArray,
    changes: FloatArray,
    steps: FloatArray,
    weights: np.ndarray,
    covariance_size: float,
) -> DoubleArray:
    """V^e = polar(Σ_j w_j V_j^e O_j + μ C), of shape (d', d'): a step of the aligned frames without damping.

    The point has axes of shape (q, n). The other points j have axes (k, q, n), frames (k, d', d'), changes x_j − x
    (k, n), steps y_j − y (k, d') and weights (k,). Without other points the frame is the identity.
    """
    dim = others_frames.shape[1]
    q = len(axes)
    rotations = polar(np.einsum("jan,bn->jab", others_axes, axes, dtype=np.float64), np.eye(q))
    wanted = np.zeros((dim, dim))
    wanted[:, :q] = np.einsum("j,jca,jab->cb", weights, others_frames[:, :, :q], rotations)
    covariance = np.einsum("j,jc,jn,bn->cb", weights, steps, changes, axes, optimize=True, dtype=np.float64)
    wanted[:, :q] += MAP_WEIGHT / covariance_size * covariance
    return polar(wanted, np.eye(dim))
