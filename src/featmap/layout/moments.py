"""The moments of every point's neighbours on the map, and the radii that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.layout import exact_moments, map_moments, radii_along
from ..run import Run
from ..values import DoubleArray, FloatArray, Radii
from .edges import Edges


@dataclass(frozen=True)
class MapMoments:
    """W_i = Σ ω, μ_i = Σ ω z_ij/W_i and S_i = Σ ω z_ij z_ijᵀ/W_i over the neighbours j of i, with ω = Q_ij^½."""

    sums: DoubleArray  # (m,) W
    means: DoubleArray  # (d', m) μ
    scatter: DoubleArray  # (d'(d' + 1)/2, m) the lower triangle of S

    @classmethod
    def measured(cls, transposed: FloatArray, edges: Edges, run: Run) -> MapMoments:
        """From tables, in float32: for the descent."""
        moments, slots, root = _empty(*transposed.shape), edges.slots, edges.curve.root
        run.over_rows(
            moments.shape[1], lambda start, stop: map_moments(transposed, slots, root, start, stop, moments)
        )
        return cls._of(moments, len(transposed))

    @classmethod
    def exact(cls, embedding: np.ndarray, edges: Edges, run: Run) -> MapMoments:
        """In float64 and without tables: for reports and tests."""
        n_points, dim = embedding.shape
        moments, weights, curve = _empty(dim, n_points), edges.graph.weights, edges.curve
        run.over_rows(
            n_points,
            lambda start, stop: exact_moments(
                embedding, weights.indptr, weights.indices, edges.to_neighbor, curve.a, curve.b, start, stop, moments
            ),
        )
        return cls._of(moments, dim)

    @classmethod
    def _of(cls, moments: DoubleArray, dim: int) -> MapMoments:
        return cls(moments[0], moments[1 : 1 + dim], moments[1 + dim :])

    @property
    def total(self) -> DoubleArray:
        """tr S, the squared radius in all directions."""
        first, second = np.tril_indices(len(self.means))
        return self.scatter[first == second].sum(axis=0)

    @property
    def centered(self) -> DoubleArray:
        """S − μμᵀ, the scatter about the mean of the neighbours."""
        first, second = np.tril_indices(len(self.means))
        return self.scatter - self.means[first] * self.means[second]

    def radii(self, axes: FloatArray, run: Run) -> Radii:
        """The radii of the map in all directions, and along frames about the point and about the mean."""
        along = (scatter_along(axes, scatter, run).T for scatter in (self.scatter, self.centered))
        return Radii(self.total, *along)


def scatter_along(axes: FloatArray, scatter: DoubleArray, run: Run) -> DoubleArray:
    """v_lᵀ S v_l along each axis of each frame: (d', m)."""
    radii = np.empty((axes.shape[1], len(axes)))
    run.over_rows(len(axes), lambda start, stop: radii_along(axes, scatter, start, stop, radii))
    return radii


def _empty(dim: int, n_points: int) -> DoubleArray:
    return np.empty((1 + dim + dim * (dim + 1) // 2, n_points))
