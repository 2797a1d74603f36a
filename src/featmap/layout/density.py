"""The density force: local radii of the map follow those of the data, along each point's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..curve import Curve
from ..kernels.layout import map_radii, spread
from ..parallel import Workers
from ..radii import radius_floor, shifted_correlation
from ..values import DoubleArray, FloatArray, Frames, Graph

CLIP = 4.0


@dataclass(frozen=True)
class Density:
    """λ Z Σ_l Corr(r°_l, r^e_l) with Z = ΣP over directed edges.

    The loss is CE/Z − λ ΣCorr; the other forces are those of CE, so this one is multiplied by Z. Its gradient is
    exact, over all edges, once an epoch.
    """

    graph: Graph
    curve: Curve
    frames: Frames
    data_radii: DoubleArray  # (m, d') r°, logs
    weight: float  # λ

    def value(self, coordinates: FloatArray) -> float:
        radii = exact_map_radii(coordinates.T, self.graph, self.frames, self.curve)
        agreement, _ = shifted_correlation(self.data_radii, np.log(radii + radius_floor(radii)))
        return float(self.weight * self.graph.degrees.sum() * agreement.sum())

    def add_gradient(self, coordinates: FloatArray, epoch: int, workers: Workers, gradient: FloatArray) -> None:
        n_points = coordinates.shape[1]
        edges = self.graph.weights
        radii = np.empty(self.data_radii.shape)
        sums = np.empty(n_points)

        def measure(start: int, stop: int) -> None:
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

        workers.over_rows(n_points, measure)
        floor = radius_floor(radii)
        _, slopes = shifted_correlation(self.data_radii, np.log(radii + floor))
        slopes *= self.graph.degrees.sum()

        def push_apart(start: int, stop: int) -> None:
            spread(
                coordinates,
                edges.indptr,
                edges.indices,
                self.frames.axes,
                self.curve.similarity,
                self.curve.pull,
                radii,
                floor,
                sums,
                slopes,
                self.weight,
                CLIP,
                start,
                stop,
                gradient,
            )

        workers.over_rows(n_points, push_apart)


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
