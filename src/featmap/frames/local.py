"""The frame of one point, from the frames of the points around it, which do not change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tangents.polar import polar
from ..values import DoubleArray, FloatArray
from .aligned import MAP_WEIGHT, settled


@dataclass(frozen=True)
class Surroundings:
    """A point and the other points j that it is linked to. Without other points its frame is the identity."""

    axes: FloatArray  # (q, n) of the point
    others_axes: FloatArray  # (k, q, n)
    others_frames: FloatArray  # (k, d', d')
    changes: FloatArray  # (k, n) x_j − x
    steps: FloatArray  # (k, d') y_j − y
    weights: np.ndarray  # (k,)
    covariance_size: float  # see `Frames`


def aligned_among(around: Surroundings) -> DoubleArray:
    """V^e ← polar(Σ_j w_j V_j^e O_j + μ C + Σ_j w_j V^e) from polar(C), as aligned frames are fitted: (d', d').

    The start and the damping decide which of two mirrored frames is found. Without them one row in five of digits had
    the mirror image of the frame that the model has.
    """
    axes, weights, dim, q = around.axes, around.weights, around.others_frames.shape[1], len(around.axes)
    rotations = polar(np.einsum("jan,bn->jab", around.others_axes, axes, dtype=np.float64), np.eye(q))
    carried, covariance = np.zeros((dim, dim)), np.zeros((dim, dim))
    carried[:, :q] = np.einsum("j,jca,jab->cb", weights, around.others_frames[:, :, :q], rotations)
    covariance[:, :q] = np.einsum(
        "j,jc,jn,bn->cb", weights, around.steps, around.changes, axes, optimize=True, dtype=np.float64
    )
    wanted = carried + MAP_WEIGHT / around.covariance_size * covariance
    return settled(polar(covariance, np.eye(dim)), lambda frame: polar(wanted + weights.sum() * frame, frame))


def paper_among(around: Surroundings) -> DoubleArray:
    """V^e = polar(Σ_j w_j V_j^e diag(V_jᵀV)), the mean of the paper's frames around the point: (d', d').

    The paper attracts frames in bases whose signs agree. The diagonal of V_jᵀV has these signs, and it is small where
    two points do not share a direction, whose sign then means nothing. For copies of rows the mean is nearer to their
    own frames than the minimum of the attraction Σ_j w_j log Q is: the cosine is 0.85 instead of 0.75 on digits.
    """
    frames, q = around.others_frames, len(around.axes)
    agreement = np.einsum("jan,an->ja", around.others_axes, around.axes, dtype=np.float64)
    wanted = np.zeros(frames.shape[1:])
    wanted[:, :q] = np.einsum("j,jca,ja->ca", around.weights, frames[:, :, :q], agreement)
    return polar(wanted, np.eye(len(wanted)))


FRAME_AMONG = {"aligned": aligned_among, "paper": paper_among}
