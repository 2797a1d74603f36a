"""The frame of one point, from the frames of the points around it, which do not change.

The point has axes of shape (q, n). The other points j have axes (k, q, n), frames (k, d', d'), changes x_j − x of
shape (k, n), steps y_j − y (k, d') and weights (k,). Without other points the frame is the identity.
"""

from __future__ import annotations

import numpy as np

from ..tangents.polar import polar
from ..values import DoubleArray, FloatArray
from .aligned import MAP_WEIGHT, settled


def aligned_among(
    axes: FloatArray,
    others_axes: FloatArray,
    others_frames: FloatArray,
    changes: FloatArray,
    steps: FloatArray,
    weights: np.ndarray,
    covariance_size: float,
) -> DoubleArray:
    """V^e ← polar(Σ_j w_j V_j^e O_j + μ C + Σ_j w_j V^e) from polar(C), as aligned frames are fitted: (d', d').

    The start and the damping decide which of two mirrored frames is found. Without them one row in five of digits had
    the mirror image of the frame that the model has.
    """
    dim, q = others_frames.shape[1], len(axes)
    rotations = polar(np.einsum("jan,bn->jab", others_axes, axes, dtype=np.float64), np.eye(q))
    carried, covariance = np.zeros((dim, dim)), np.zeros((dim, dim))
    carried[:, :q] = np.einsum("j,jca,jab->cb", weights, others_frames[:, :, :q], rotations)
    covariance[:, :q] = np.einsum("j,jc,jn,bn->cb", weights, steps, changes, axes, optimize=True, dtype=np.float64)
    wanted = carried + MAP_WEIGHT / covariance_size * covariance
    return settled(polar(covariance, np.eye(dim)), lambda frame: polar(wanted + weights.sum() * frame, frame))


def paper_among(
    axes: FloatArray,
    others_axes: FloatArray,
    others_frames: FloatArray,
    changes: FloatArray,
    steps: FloatArray,
    weights: np.ndarray,
    covariance_size: float,
) -> DoubleArray:
    """V^e = polar(Σ_j w_j V_j^e diag(V_jᵀV)), the mean of the paper's frames around the point: (d', d').

    The paper attracts frames in bases whose signs agree. The diagonal of V_jᵀV has these signs, and it is small where
    two points do not share a direction, whose sign then means nothing. For copies of rows the mean is nearer to their
    own frames than the minimum of the attraction Σ_j w_j log Q is: the cosine is 0.85 instead of 0.75 on digits.
    """
    dim, q = others_frames.shape[1], len(axes)
    agreement = np.einsum("jan,an->ja", others_axes, axes, dtype=np.float64)
    wanted = np.zeros((dim, dim))
    wanted[:, :q] = np.einsum("j,jca,ja->ca", weights, others_frames[:, :, :q], agreement)
    return polar(wanted, np.eye(dim))


FRAME_AMONG = {"aligned": aligned_among, "paper": paper_among}
