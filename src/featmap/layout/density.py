"""The density force: local radii of the map follow those of the data, along the frame of each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels.layout import density_tensors, exact_radii, map_radii, stretch
from ..run import Run
from ..values import DoubleArray, FloatArray, Frames
from .edges import Edges
from .forces import AddGradient, Force
from .radii import ShiftedCorrelation, log_radii, radius_floor

FitFrames = Callable[[FloatArray], Frames]
# Arguments: the edges, the frames when the density force begins, R° of the data along all local directions, λ, and a
# function that fits frames to an embedding.
MakeDensity = Callable[[Edges, Frames, DoubleArray, float, FitFrames], Force]


def density_along_frames(
    edges: Edges, frames: Frames, data_radii: DoubleArray, weight: float, fit: FitFrames
) -> Density:
    """The force of the paper, along the frames that the map has when the density force begins."""
    dim = frames.axes.shape[1]
    return Density(edges, frames, log_radii(data_radii[:, :dim], edges.graph.is_connected), weight)


@dataclass(frozen=True)
class Density:
    """λ Z Σ_l Corr(r°_l, r^e_l) with Z = ΣP over directed edges. Points without edges are left out.

    The loss is CE/Z − λ ΣCorr. The other forces are those of CE, so this one is multiplied by Z. Its gradient is
    computed exactly, over all edges, once an epoch. It is not clipped: most points would be at the limit, and then
    only its sign would count (on MNIST that cost 0.2 of the correlation of radii). Adam bounds the step instead.
    """

    edges: Edges
    frames: Frames
    data_radii: DoubleArray  # (m, d') r°, the logarithms
    weight: float  # λ

    def value(self, transposed: FloatArray) -> float:
        embedding = np.ascontiguousarray(transposed.T)
        with Run(None) as one_thread:
            radii = exact_map_radii(embedding, self.edges, self.frames, one_thread)
        logs = log_radii(radii, self.edges.graph.is_connected).T
        return float(self.weight * self.total_weight * self._agreement(logs).value.sum())

    def prepare(self, transposed: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Measure the radii of all points, and the slope of the correlation for each of them."""
        dim, n_points = transposed.shape
        radii, sums = np.empty(transposed.shape), np.empty(n_points)
        tensors = np.empty((dim * (dim + 1) // 2 + 1, n_points), np.float32)
        axes, slots = self.frames.axes, self.edges.slots
        similarity, pull = self.edges.curve.similarity, self.edges.curve.pull

        def measure(start: int, stop: int) -> None:
            map_radii(transposed, slots, axes, similarity, start, stop, radii, sums)

        run.over_rows(n_points, measure)
        floor = radius_floor(radii.T, self.edges.graph.is_connected)
        logs = np.log(radii + floor[:, None])
        agreement = self._agreement(logs)
        slopes = np.stack([agreement.along, agreement.against, agreement.mean, floor]).T

        def collect(start: int, stop: int) -> None:
            density_tensors(axes, self._centered_rows, logs, radii, sums, slopes, start, stop, tensors)

        run.over_rows(n_points, collect)
        weight = np.float32(self.weight * self.total_weight)

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(transposed, slots, similarity, pull, tensors, weight, start, stop, gradient)

        return add_gradient

    def _agreement(self, logs: DoubleArray) -> ShiftedCorrelation:
        connected = self.edges.graph.is_connected
        if connected.all():
            return ShiftedCorrelation.between(self._centered_rows, logs)
        return ShiftedCorrelation.between(self._centered_rows[:, connected], logs[:, connected])

    @cached_property
    def _centered_rows(self) -> DoubleArray:
        """r° minus its mean, one row per direction, as the kernels store the radii of the map."""
        mean = self.data_radii[self.edges.graph.is_connected].mean(axis=0)
        return np.ascontiguousarray((self.data_radii - mean).T)

    @cached_property
    def total_weight(self) -> float:
        """Z, the sum of all weights over directed edges."""
        return float(self.edges.graph.degrees.sum())


def exact_map_radii(embedding: np.ndarray, edges: Edges, frames: Frames, run: Run) -> DoubleArray:
    """R^e_il = Σ_j φ (v_il·z_ij)²/Σ_j φ over all edges of the graph, in float64 and without tables: (m, d')."""
    radii = np.empty(embedding.shape)
    weights, curve = edges.graph.weights, edges.curve
    run.over_rows(
        len(radii),
        lambda start, stop: exact_radii(
            embedding, weights.indptr, weights.indices, frames.axes, curve.a, curve.b, start, stop, radii
        ),
    )
    return radii
