"""The density force: local radii of the map follow those of the data, in all directions and along the frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.layout import density_tensors, exact_moments, map_moments, radii_along, stretch
from ..run import Run
from ..values import DoubleArray, FloatArray, Radii
from .agreement import Agreement
from .edges import Edges
from .forces import AddGradient
from .radii import log_radii, radius_floor
from .terms import Terms


@dataclass(frozen=True)
class Target:
    """What density asks of a map: the terms that must agree, and how those of the data are."""

    terms: Terms
    agreement: Agreement

    @classmethod
    def of(cls, data_radii: Radii, terms: Terms, edges: Edges, run: Run) -> Target:
        logs = log_radii(terms.rows(data_radii).T, edges.has_neighbors).T
        return cls(terms, Agreement.with_data(terms.of_logs(logs), edges, run))


@dataclass(frozen=True)
class Density:
    """λ_t Z Σ w C(t°, t^e) over the terms t, with Z = ΣP over directed edges. Points without neighbours are left out.

    The loss is CE/Z − λ_t Σ w C. The other forces are those of CE, so this one is multiplied by Z. The weight rises
    to λ over the epochs in which it acts. Its gradient is computed exactly, over all edges, once an epoch. It is not
    clipped: most points would be at the limit, and then only its sign would count (on MNIST that cost 0.2 of the
    correlation of radii). Adam bounds the step instead.
    """

    edges: Edges
    axes: FloatArray  # (m, d', d') the frames that it acts along
    target: Target
    weight: float  # λ
    first_epoch: int
    n_epochs: int  # in which the weight rises

    def value(self, transposed: FloatArray) -> float:
        """With the weight of the last epoch."""
        with Run(None) as one_thread:
            radii = self.target.terms.rows(map_radii(transposed.T, self.edges, self.axes, one_thread))
            logs = log_radii(radii.T, self.edges.has_neighbors).T
            terms = self.target.terms.of_logs(logs)
            agreement = self.target.agreement.value(terms, one_thread)
        return float(self.weight * self._total_weight * (self.target.terms.weights * agreement).sum())

    def weight_at(self, epoch: int) -> float:
        """λ_t = λ (t + 1)/T in the epoch t of T."""
        return self.weight * (epoch - self.first_epoch + 1) / self.n_epochs

    def prepare(self, transposed: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Measure the radii of all points, and the slopes of the agreement for each of them."""
        moments = np.empty((n_moments(len(transposed)), transposed.shape[1]))
        slots, root, pull = self.edges.slots, self.edges.curve.root, self.edges.curve.pull

        def measure(start: int, stop: int) -> None:
            map_moments(transposed, slots, root, start, stop, moments)

        run.over_rows(transposed.shape[1], measure)
        tensors = self._tensors(moments, run)
        weight = np.float32(self.weight_at(epoch) * self._total_weight)

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(transposed, slots, root, pull, tensors, weight, start, stop, gradient)

        return add_gradient

    def _tensors(self, moments: DoubleArray, run: Run) -> FloatArray:
        """What `stretch` needs of every point."""
        dim, n_points = self.axes.shape[1], moments.shape[1]
        terms = self.target.terms
        radii = terms.rows(radii_of(moments, self.axes, run))
        floors = radius_floor(radii.T, self.edges.has_neighbors)
        logs = np.log(radii + floors[:, None])
        slopes = terms.slopes_of_logs(self.target.agreement.slopes(terms.of_logs(logs), run))
        means = moments[1 : 1 + dim] if terms.kind == "shape" else np.zeros((dim, n_points))
        tensors = np.empty((dim * (dim + 1) // 2 + dim + 1, n_points), np.float32)

        def collect(start: int, stop: int) -> None:
            density_tensors(self.axes, means, radii, floors, slopes, moments[0], start, stop, tensors)

        run.over_rows(n_points, collect)
        return tensors

    @property
    def _total_weight(self) -> float:
        """Z, the sum of all weights over directed edges."""
        return float(self.edges.graph.degrees.sum())


def n_moments(dim: int) -> int:
    """How many numbers the kernels keep of the neighbours of a point: W, μ, and the lower triangle of S."""
    return 1 + dim + dim * (dim + 1) // 2


def map_radii(embedding: np.ndarray, edges: Edges, axes: FloatArray, run: Run) -> Radii:
    """The radii of the map, with weights Q_ij^½ over the neighbours of each point, in float64 and without tables."""
    moments = np.empty((n_moments(embedding.shape[1]), len(embedding)))
    weights, curve = edges.graph.weights, edges.curve
    run.over_rows(
        len(embedding),
        lambda start, stop: exact_moments(
            embedding, weights.indptr, weights.indices, edges.to_neighbor, curve.a, curve.b, start, stop, moments
        ),
    )
    return radii_of(moments, axes, run)


def radii_of(moments: DoubleArray, axes: FloatArray, run: Run) -> Radii:
    """tr S, v_lᵀ S v_l, and v_lᵀ (S − μμᵀ) v_l."""
    dim = axes.shape[1]
    means, scatter = moments[1 : 1 + dim], moments[1 + dim :]
    pairs = np.tril_indices(dim)
    total = scatter[pairs[0] == pairs[1]].sum(axis=0)
    centered = scatter - means[pairs[0]] * means[pairs[1]]
    return Radii(total, *(_along(axes, part, run).T for part in (scatter, centered)))


def _along(axes: FloatArray, scatter: DoubleArray, run: Run) -> DoubleArray:
    radii = np.empty((axes.shape[1], len(axes)))
    run.over_rows(len(axes), lambda start, stop: radii_along(axes, scatter, start, stop, radii))
    return radii
