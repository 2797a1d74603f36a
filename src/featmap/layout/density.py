"""The density force: local radii of the map follow those of the data, along each point's frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..curve import Curve
from ..kernels.layout import density_tensors, map_radii, stretch
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
        agreement, _ = shifted_correlation(self._data_rows, log_radii(radii).T)
        return float(self.weight * self.total_weight * agreement.sum())

    def add_gradient(self, coordinates: FloatArray, epoch: int, workers: Workers, gradient: FloatArray) -> None:
        radii, slopes = self._slopes(coordinates, workers)
        dim, n_points = coordinates.shape
        tensors = np.empty((dim * (dim + 1) // 2, n_points), np.float32)
        levels = np.empty(n_points, np.float32)
        edges = self.graph.weights

        def collect(start: int, stop: int) -> None:
            density_tensors(self.frames.axes, slopes, radii, start, stop, tensors, levels)

        def apply(start: int, stop: int) -> None:
            stretch(
                coordinates,
                edges.indptr,
                edges.indices,
                self.curve.similarity,
                self.curve.pull,
                tensors,
                levels,
                np.float32(self.weight),
                start,
                stop,
                gradient,
            )

        workers.over_rows(n_points, collect)
        workers.over_rows(n_points, apply)

    def _slopes(self, coordinates: FloatArray, workers: Workers) -> tuple[DoubleArray, DoubleArray]:
        """R_li and g_li = Z ∂Corr_l/∂r_li /(W_i (R_li + ε)), what a change of Σφ(v·z)² around i is worth: (d', m)."""
        edges = self.graph.weights
        radii = np.empty(coordinates.shape)
        sums = np.empty(coordinates.shape[1])

        def task(start: int, stop: int) -> None:
            map_radii(
                coordinates,
                edges.indptr,
                edges.indices,
                self.frames.axes,
                self.curve.similarity,
                start,
                stop,
                radii,
                sums,
            )

        workers.over_rows(len(sums), task)
        lifted = radii + radius_floor(radii.T)[:, None]
        _, slopes = shifted_correlation(self._data_rows, np.log(lifted))
        slopes *= self.total_weight / (lifted * np.where(sums > 0, sums, np.inf))
        return radii, slopes

    @cached_property
    def _data_rows(self) -> DoubleArray:
        """r° by rows, one per direction, as the kernels have the map's."""
        return np.ascontiguousarray(self.data_radii.T)

    @cached_property
    def total_weight(self) -> float:
        """Z."""
        return float(self.graph.degrees.sum())


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
