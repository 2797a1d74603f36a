"""The density force: local radii of the map follow those of the data, along each point's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..curve import Curve
from ..kernels.layout import scatter, stretch
from ..parallel import Workers
from ..radii import log_radii, radius_floor, shifted_correlation
from ..values import DoubleArray, FloatArray, Frames, Graph


@dataclass(frozen=True)
class Density:
    """λ Z Σ_l Corr(r°_l, r^e_l) with Z = ΣP over directed edges.

    The loss is CE/Z − λ ΣCorr; the other forces are those of CE, so this one is multiplied by Z. Its gradient is
    exact, over all edges, once an epoch. It is not clipped: most points would be at the limit, and then only its
    sign would count (on MNIST that cost 0.2 of the radii's correlation). Adam bounds the step instead.
    """

    graph: Graph
    curve: Curve
    frames: Frames
    data_radii: DoubleArray  # (m, d') r°, logs
    weight: float  # λ

    def value(self, coordinates: FloatArray) -> float:
        radii = exact_map_radii(coordinates.T, self.graph, self.frames, self.curve)
        agreement, _ = shifted_correlation(self.data_radii, log_radii(radii))
        return float(self.weight * self.graph.degrees.sum() * agreement.sum())

    def add_gradient(self, coordinates: FloatArray, epoch: int, workers: Workers, gradient: FloatArray) -> None:
        tensor, level = self._slopes(coordinates, workers)
        edges = self.graph.weights

        def task(start: int, stop: int) -> None:
            stretch(
                coordinates,
                edges.indptr,
                edges.indices,
                self.curve.similarity,
                self.curve.pull,
                tensor,
                level,
                np.float32(self.weight),
                start,
                stop,
                gradient,
            )

        workers.over_rows(coordinates.shape[1], task)

    def _slopes(self, coordinates: FloatArray, workers: Workers) -> tuple[FloatArray, FloatArray]:
        """What the gradient needs of every point: M = Σ_l g_l v_l v_lᵀ and c = Σ_l g_l R_l.

        g_l = Z ∂Corr/∂r_l /(W (R_l + ε)). With these ∂/∂z Σ_l g_l-weighted log radii is φ[2Mz + (c − zᵀMz)·pull·z].
        """
        scatters, sums = self._scatter(coordinates, workers)
        axes = self.frames.axes
        present = sums > 0
        inverse = np.divide(1.0, sums, out=np.zeros(len(sums)), where=present)
        radii = np.einsum("mal,abm,mbl->ml", axes, scatters, axes, optimize=True) * inverse[:, None]
        radii = np.maximum(radii, 0.0)
        floor = radius_floor(radii)
        _, slopes = shifted_correlation(self.data_radii, np.log(radii + floor))
        slopes *= self.graph.degrees.sum() * inverse[:, None] / (radii + floor)
        tensor = np.einsum("mal,ml,mbl->abm", axes, slopes, axes, optimize=True)
        level = np.einsum("ml,ml->m", slopes, radii)
        return np.ascontiguousarray(tensor, dtype=np.float32), level.astype(np.float32)

    def _scatter(self, coordinates: FloatArray, workers: Workers) -> tuple[FloatArray, FloatArray]:
        dim, n_points = coordinates.shape
        edges = self.graph.weights
        scatters = np.empty((dim, dim, n_points), np.float32)
        sums = np.empty(n_points, np.float32)
        workers.over_rows(
            n_points,
            lambda start, stop: scatter(
                coordinates, edges.indptr, edges.indices, self.curve.similarity, start, stop, scatters, sums
            ),
        )
        return scatters, sums


def exact_map_radii(embedding: np.ndarray, graph: Graph, frames: Frames, curve: Curve) -> DoubleArray:
    """R^e_il = Σ_j φ (v_il·z_ij)²/Σ_j φ over all edges of the graph, in float64: (m, d')."""
    sources, targets = graph.sources, graph.weights.indices
    steps = embedding[targets].astype(np.float64) - embedding[sources]
    similarity = 1 / (1 + curve.a * (steps * steps).sum(axis=1) ** curve.b)
    n_points, dim = embedding.shape
    sums = np.bincount(sources, similarity, minlength=n_points)
    radii = np.zeros((n_points, dim))
    for axis in range(dim):
        along = np.einsum("ec,ec->e", steps, frames.axes[:, :, axis][sources])
        total = np.bincount(sources, similarity * along**2, minlength=n_points)
        np.divide(total, sums, out=radii[:, axis], where=sums > 0)
    return radii
