"""The force of the printed density: λ Z Σ_l Corr(r°_l, r^e_l), a value beside its gradient.

The supplement draws an edge with probability P_ij/Z and gives it λ Z/(m P_ij) ∂Corr/∂z_ij. Here all edges are summed
at once, so that P_ij and Z cancel. What it regards as fixed during an epoch (ΣQ, radii, variances, covariance) is
computed at the beginning of the epoch, which for a sum over all edges is the exact gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..layout.forces import AddGradient
from ..layout.similarity import Curve
from ..run import SERIAL, Run
from ..values import DoubleArray, FloatArray, IntArray
from .correlation import Correlation
from .radii import clouds, floors, log_radii, map_radii


@dataclass(frozen=True)
class AnisotropicDensity:
    """Radii of the map along the frames are to correlate with those of the data, along each direction by itself."""

    neighbors: IntArray  # (m, k) N(i), in the order of the layout
    frames: FloatArray  # (m, d', d') V_i^e
    data_logs: DoubleArray  # (m, d') r°
    curve: Curve
    weight: float  # λ Z

    def value(self, embedding: np.ndarray) -> float:
        _, radii = map_radii(embedding, self.neighbors, self.frames, self.curve, SERIAL)
        return self.weight * float(Correlation.between(self.data_logs, log_radii(radii)).values.sum())

    def prepare(self, embedding: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Compute the gradient of all points, since every radius depends on all others through the statistics."""
        whole = (self.weight * self.gradient(embedding, run)).astype(np.float32)

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            gradient[start:stop] += whole[start:stop]

        return add_gradient

    def gradient(self, embedding: np.ndarray, run: Run) -> DoubleArray:
        """The gradient of Σ_l Corr: Σ_{j: i∈N(j)} D_ji − Σ_{j∈N(i)} D_ij, D_ij what z_ij changes in i's cloud."""
        totals, radii = map_radii(embedding, self.neighbors, self.frames, self.curve, run)
        least = floors(radii)
        slopes = Correlation.between(self.data_logs, np.log(np.maximum(radii, least))).slopes
        slopes = np.where(radii > least, slopes, 0.0)  # a radius below the floor counts as the floor

        def body(start: int, stop: int) -> tuple[DoubleArray]:
            here = slice(start, stop)
            return (self._changes(embedding, totals[here], radii[here], slopes[here], start, stop),)

        (changes,) = run.by_blocks(len(embedding), body)
        received = [
            np.bincount(self.neighbors.ravel(), along_axis.ravel(), len(embedding))
            for along_axis in np.moveaxis(changes, 2, 0)
        ]
        return np.column_stack(received) - changes.sum(axis=1)

    def _changes(
        self,
        embedding: np.ndarray,
        totals: DoubleArray,
        radii: DoubleArray,
        slopes: DoubleArray,
        start: int,
        stop: int,
    ) -> DoubleArray:
        """D_ij = Σ_l slope_il ∂r_il/∂z_ij, where with Q = Q_ij, R = R_il, W = W_i and t = z_ij·v_il

        ∂r_il/∂z_ij = Q/(W R) [2 t v_il − pull (t² − R) z_ij].

        The print has twice the pull on t²: it lost a factor ½ where it drew 2 v_il v_ilᵀ z_ij out of a bracket.
        """
        cloud = clouds(embedding, self.neighbors, self.frames, self.curve, start, stop)
        worth = slopes / (np.maximum(radii, np.finfo(float).tiny) * totals[:, None])
        wider = 2 * np.einsum("ijl,icl->ijc", worth[:, None] * cloud.along, self.frames[start:stop])
        nearer = np.einsum("ijl,il->ij", cloud.along**2 - radii[:, None], worth) * cloud.pulls
        return cloud.similarities[:, :, None] * (wider - nearer[:, :, None] * cloud.steps)
