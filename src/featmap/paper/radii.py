"""The printed radii: R°_il = σ_il² of the data, and R^e_il of the map along the frame, with weights Q_ij.

Both are over the neighbours N(i) of a point that made its tangent space: the print calls R^e the radius of the cloud
Y_i of the k nearest neighbours. Neither is divided by what the other is divided by. Dividing R° by ΣP_ij, as R^e is
by ΣQ_ij, would make another target; the print does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..layout.similarity import Curve
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray

# A radius counts as at least this part of the median along its direction: the print takes the logarithm of any.
FLOOR = 1e-3
CLOSEST = 1e-12  # squared distance; at 0 the slope of Q has no finite factor


class Clouds(NamedTuple):
    """The neighbours of some points on the map, as the frames see them."""

    steps: DoubleArray  # (points, k, d') z_ij = y_j − y_i
    along: DoubleArray  # (points, k, d') z_ij·v^e_il
    similarities: DoubleArray  # (points, k) Q_ij
    pulls: DoubleArray  # (points, k) 2ab s^(b−1) Q_ij, so that ∂Q_ij/∂z_ij = −Q_ij·pull·z_ij


def clouds(
    embedding: np.ndarray, neighbors: IntArray, frames: np.ndarray, curve: Curve, start: int, stop: int
) -> Clouds:
    """The clouds of the points start:stop, in float64."""
    here = embedding[start:stop, None].astype(np.float64)
    steps = embedding[neighbors[start:stop]].astype(np.float64) - here
    squared = np.maximum(np.einsum("ijc,ijc->ij", steps, steps), CLOSEST)
    powers = curve.a * squared**curve.b
    similarities = 1 / (1 + powers)
    along = np.einsum("ijc,icl->ijl", steps, frames[start:stop].astype(np.float64))
    return Clouds(steps, along, similarities, 2 * curve.b * powers / squared * similarities)


def data_radii(singular_values: FloatArray, n_axes: int) -> DoubleArray:
    """R°_il = σ_il² along the first ``n_axes`` directions, 0 beyond the local rank."""
    leading = singular_values[:, :n_axes].astype(np.float64)
    return np.pad(leading**2, ((0, 0), (0, n_axes - leading.shape[1])))


def map_radii(
    embedding: np.ndarray, neighbors: IntArray, frames: np.ndarray, curve: Curve, run: Run
) -> tuple[DoubleArray, DoubleArray]:
    """W_i = Σ_j Q_ij and R^e_il = Σ_j Q_ij (z_ij·v^e_il)²/W_i, over j in N(i)."""

    def body(start: int, stop: int) -> tuple[DoubleArray, DoubleArray]:
        cloud = clouds(embedding, neighbors, frames, curve, start, stop)
        totals = cloud.similarities.sum(axis=1)
        return totals, np.einsum("ij,ijl->il", cloud.similarities, cloud.along**2) / totals[:, None]

    totals, radii = run.by_blocks(len(embedding), body)
    return totals, radii


def floors(radii: DoubleArray) -> DoubleArray:
    """The least radius that counts, along each direction. Where the median is 0 it is FLOOR itself."""
    median = np.median(radii, axis=0)
    return FLOOR * np.where(median > 0, median, 1.0)


def log_radii(radii: DoubleArray) -> DoubleArray:
    """r_il = log R_il, of no less than the floor."""
    return np.log(np.maximum(radii, floors(radii)))
