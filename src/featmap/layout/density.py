"""The density force: local radii of the map follow those of the data, in all directions and along the frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.layout import density_tensors, stretch
from ..run import Run
from ..values import FloatArray, Radii
from .agreement import Agreement
from .edges import Edges
from .forces import AddGradient
from .moments import MapMoments, scatter_along
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
            moments = MapMoments.exact(transposed.T, self.edges, one_thread)
            radii = self.target.terms.rows(moments.radii(self.axes, one_thread))
            logs = log_radii(radii.T, self.edges.has_neighbors).T
            terms = self.target.terms.of_logs(logs)
            agreement = self.target.agreement.value(terms, one_thread)
        return float(self.weight * self._total_weight * (self.target.terms.weights * agreement).sum())

    def weight_at(self, epoch: int) -> float:
        """λ_t = λ (t + 1)/T in the epoch t of T."""
        return self.weight * (epoch - self.first_epoch + 1) / self.n_epochs

    def prepare(self, transposed: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Measure the radii of all points, and the slopes of the agreement for each of them."""
        tensors = self._tensors(MapMoments.measured(transposed, self.edges, run), run)
        weight = np.float32(self.weight_at(epoch) * self._total_weight)
        slots, root, pull = self.edges.slots, self.edges.curve.root, self.edges.curve.pull

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(transposed, slots, root, pull, tensors, weight, start, stop, gradient)

        return add_gradient

    def _tensors(self, moments: MapMoments, run: Run) -> FloatArray:
        """What `stretch` needs of every point."""
        terms, (dim, n_points) = self.target.terms, moments.means.shape
        means, scatter = terms.about(moments)
        radii = np.vstack([moments.total, scatter_along(self.axes, scatter, run)])
        floors = radius_floor(radii.T, self.edges.has_neighbors)
        logs = np.log(radii + floors[:, None])
        slopes = terms.slopes_of_logs(self.target.agreement.slopes(terms.of_logs(logs), run))
        tensors = np.empty((len(scatter) + dim + 1, n_points), np.float32)

        def collect(start: int, stop: int) -> None:
            density_tensors(self.axes, means, radii, floors, slopes, moments.sums, start, stop, tensors)

        run.over_rows(n_points, collect)
        return tensors

    @property
    def _total_weight(self) -> float:
        """Z, the sum of all weights over directed edges."""
        return float(self.edges.graph.degrees.sum())
