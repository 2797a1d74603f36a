"""The density force: local radii of the map follow those of the data, in all directions and along the frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels.layout import density_records, density_records_in_the_plane, stretch, stretch_in_the_plane
from ..run import Run
from ..values import DoubleArray, FloatArray, Radii
from .agreement import POINTS_AT_ONCE, Agreement
from .edges import Edges
from .forces import CLIP, AddGradient, Attraction
from .moments import MapMoments
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
class AttractionWithDensity:
    """Attraction plus λ_t Z Σ w C(t°, t^e) over the terms t, with Z = ΣP over directed edges.

    The loss is CE/Z − λ_t Σ w C. The other forces are those of CE, so this one is multiplied by Z. The weight rises
    to λ over the epochs in which it acts. Its gradient is computed exactly, over all edges, once an epoch. It is not
    clipped: most points would be at the limit, and then only its sign would count (on MNIST that cost 0.2 of the
    correlation of radii). Adam bounds the step instead. Points without neighbours are left out. Attraction acts along
    the same edges, so both are added in one pass over them.
    """

    edges: Edges
    axes: FloatArray  # (m, d', d') the frames that it acts along
    target: Target
    weight: float  # λ
    first_epoch: int
    n_epochs: int  # in which the weight rises

    def value(self, embedding: FloatArray) -> float:
        """The value with the weight of the last epoch."""
        with Run(None) as one_thread:
            moments = MapMoments.exact(embedding, self.edges, one_thread)
            radii = moments.radii_about(self.target.terms.about, self.axes, one_thread)
            logs = log_radii(radii.T, self.edges.has_neighbors).T
            terms = self.target.terms.of_logs(logs)
            agreement = self.target.agreement.value(terms, one_thread)
        density = self.weight * self._total_weight * (self.target.terms.weights * agreement).sum()
        return Attraction(self.edges).value(embedding) + float(density)

    def weight_at(self, epoch: int) -> float:
        """λ_t = λ (t + 1)/T in the epoch t of T."""
        return self.weight * (epoch - self.first_epoch + 1) / self.n_epochs

    def prepare(self, embedding: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Measure the radii of all points, and the slopes of the agreement for each of them."""
        records = self._records(embedding, MapMoments.measured(embedding, self.edges, run), run)
        weight = np.float32(self.weight_at(epoch) * self._total_weight)
        edges, kinds, curve = self.edges.graph.weights, self.edges.kinds, self.edges.curve
        graph = (edges.indptr, edges.indices, edges.data, kinds)
        kernel = stretch_in_the_plane if embedding.shape[1] == 2 else stretch

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            kernel(records, *graph, curve.pull_and_root, CLIP, weight, start, stop, gradient)

        return add_gradient

    def _records(self, embedding: FloatArray, moments: MapMoments, run: Run) -> FloatArray:
        """What `stretch` needs of every point."""
        terms, (n_moments, n_points) = self.target.terms, moments.rows.shape
        radii = moments.radii_about(terms.about, self.axes, run)
        floors = radius_floor(radii.T, self.edges.has_neighbors)
        # Arrays that are used once have no name, so that they are freed at once: each has several numbers a point.
        slopes_of_terms = self.target.agreement.slopes(self._on_map(radii, floors, run), run)
        slopes = np.empty_like(radii)
        # As many numbers as moments, for W is replaced by c, and the position.
        records = np.empty((n_points, n_moments + embedding.shape[1]), np.float32)

        kernel = density_records_in_the_plane if embedding.shape[1] == 2 else density_records
        arrays = (embedding, self.axes, moments.rows, terms.about, radii, floors, slopes)

        def collect(start: int, stop: int) -> None:
            slopes[:, start:stop] = terms.slopes_of_logs(slopes_of_terms[:, start:stop])
            kernel(*arrays, start, stop, records)

        run.over_rows(n_points, collect, POINTS_AT_ONCE)
        return records

    def _on_map(self, radii: DoubleArray, floors: DoubleArray, run: Run) -> DoubleArray:
        """The terms of the map's radii: (terms, m)."""
        terms, n_points = self.target.terms, radii.shape[1]
        on_map = np.empty((len(terms.weights), n_points))

        def task(start: int, stop: int) -> None:
            on_map[:, start:stop] = terms.of_logs(np.log(radii[:, start:stop] + floors[:, None]))

        run.over_rows(n_points, task, POINTS_AT_ONCE)
        return on_map

    @cached_property
    def _total_weight(self) -> float:
        """Z, the sum of all weights over directed edges."""
        return float(self.edges.graph.degrees.sum())
