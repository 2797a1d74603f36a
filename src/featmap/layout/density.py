"""The density force: local radii of the map follow those of the data, along each point's frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..curve import Curve
from ..kernels.layout import Slots, density_tensors, exact_radii, map_radii, stretch
from ..parallel import Workers
from ..radii import ShiftedCorrelation, log_radii, radius_floor
from ..values import DoubleArray, FloatArray, Frames, Graph
from .forces import AddGradient


@dataclass(frozen=True)
class Density:
    """λ Z Σ_l Corr(r°_l, r^e_l) with Z = ΣP over directed edges.

    The loss is CE/Z − λ ΣCorr; the other forces are those of CE, so this one is multiplied by Z. Its gradient is
    exact, over all edges, once an epoch. It is not clipped: most points would be at the limit, and then only its
    sign would count (on MNIST that cost 0.2 of the radii's correlation). Adam bounds the step instead.
    """

    graph: Graph
    slots: Slots
    curve: Curve
    frames: Frames
    data_radii: DoubleArray  # (m, d') r°, logs
    weight: float  # λ

    def value(self, coordinates: FloatArray) -> float:
        embedding = np.ascontiguousarray(coordinates.T)
        with Workers(1) as one_thread:
            radii = exact_map_radii(embedding, self.graph, self.frames, self.curve, one_thread)
        agreement = ShiftedCorrelation.between(self._centered_rows, log_radii(radii).T)
        return float(self.weight * self.total_weight * agreement.value.sum())

    def prepare(self, coordinates: FloatArray, epoch: int, workers: Workers) -> AddGradient:
        """Measure the radii of all points and what a change of each is worth."""
        dim, n_points = coordinates.shape
        radii, sums = np.empty(coordinates.shape), np.empty(n_points)
        tensors = np.empty((dim * (dim + 1) // 2 + 1, n_points), np.float32)
        axes, similarity, pull = self.frames.axes, self.curve.similarity, self.curve.pull

        def measure(start: int, stop: int) -> None:
            map_radii(coordinates, self.slots, axes, similarity, start, stop, radii, sums)

        workers.over_rows(n_points, measure)
        floor = radius_floor(radii.T)
        logs = np.log(radii + floor[:, None])
        agreement = ShiftedCorrelation.between(self._centered_rows, logs)
        slopes = np.stack([agreement.along, agreement.against, agreement.mean, floor]).T

        def collect(start: int, stop: int) -> None:
            density_tensors(axes, self._centered_rows, logs, radii, sums, slopes, start, stop, tensors)

        workers.over_rows(n_points, collect)
        weight = np.float32(self.weight * self.total_weight)

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(coordinates, self.slots, similarity, pull, tensors, weight, start, stop, gradient)

        return add_gradient

    @cached_property
    def _centered_rows(self) -> DoubleArray:
        """r° less its mean, by rows, one per direction, as the kernels have the map's."""
        return np.ascontiguousarray((self.data_radii - self.data_radii.mean(axis=0)).T)

    @cached_property
    def total_weight(self) -> float:
        """Z."""
        return float(self.graph.degrees.sum())


def exact_map_radii(
    embedding: np.ndarray, graph: Graph, frames: Frames, curve: Curve, workers: Workers
) -> DoubleArray:
    """R^e_il = Σ_j φ (v_il·z_ij)²/Σ_j φ over all edges of the graph, in float64 and without tables: (m, d')."""
    radii = np.empty(embedding.shape)
    edges = graph.weights
    workers.over_rows(
        len(radii),
        lambda start, stop: exact_radii(
            embedding, edges.indptr, edges.indices, frames.axes, curve.a, curve.b, start, stop, radii
        ),
    )
    return radii
