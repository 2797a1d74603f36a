"""The moments of every point's neighbours on the map, and the radii that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.layout import map_moments, map_moments_in_the_plane, radii_in_the_plane
from ..run import Run
from ..values import DoubleArray, FloatArray, Radii
from .edges import Edges

ABOUT_POINT, ABOUT_MEAN = 0.0, 1.0  # what radii along frames are about


@dataclass(frozen=True)
class MapMoments:
    """W_i = Σ ω, μ_i = Σ ω z_ij/W_i and S_i = Σ ω z_ij z_ijᵀ/W_i over the neighbours j of i, with ω = Q_ij^½."""

    rows: DoubleArray  # (1 + d' + d'(d' + 1)/2, m) W, μ and the lower triangle of S

    @classmethod
    def measured(cls, embedding: FloatArray, edges: Edges, run: Run) -> MapMoments:
        """The moments from tables, summed in float32, for the descent."""
        rows, root = _empty(embedding), edges.curve.root
        kernel = map_moments_in_the_plane if embedding.shape[1] == 2 else map_moments
        run.over_rows(
            len(embedding),
            lambda start, stop: kernel(embedding, edges.first_neighbors, edges.neighbors, root, start, stop, rows),
        )
        return cls(rows)

    @classmethod
    def exact(cls, embedding: np.ndarray, edges: Edges, run: Run) -> MapMoments:
        """The moments in float64 and without tables, for reports and tests."""
        rows = _empty(embedding)

        def task(start: int, stop: int) -> None:
            rows[:, start:stop] = exact_moments(embedding, edges, start, stop)

        run.over_rows(len(embedding), task)
        return cls(rows)

    def radii_about(self, about: float, axes: FloatArray, run: Run) -> DoubleArray:
        """Squared radii (1 + d', m): in all directions, and along each axis of the frames about point or mean."""
        radii = np.empty((1 + axes.shape[1], len(axes)))

        def task(start: int, stop: int) -> None:
            if axes.shape[1] == 2:
                radii_in_the_plane(axes, self.rows, about, start, stop, radii)
            else:
                radii[:, start:stop] = radii_along(axes[start:stop], self.rows[:, start:stop], about)

        run.over_rows(len(axes), task)
        return radii

    def radii(self, axes: FloatArray, run: Run) -> Radii:
        """The radii of the map in all directions, and along frames about the point and about the mean."""
        total, *along = self.radii_about(ABOUT_POINT, axes, run)
        centered = self.radii_about(ABOUT_MEAN, axes, run)[1:]
        return Radii(total, np.column_stack(along), centered.T.copy())


def _empty(embedding: np.ndarray) -> DoubleArray:
    n_points, dim = embedding.shape
    return np.empty((1 + dim + dim * (dim + 1) // 2, n_points))


def exact_moments(embedding: np.ndarray, edges: Edges, start: int, stop: int) -> DoubleArray:
    """The moments of some points in float64 and without tables."""
    first, curve, n_points = edges.first_neighbors[start : stop + 1], edges.curve, stop - start
    of_point = np.repeat(np.arange(n_points), np.diff(first))
    others = embedding[edges.neighbors[first[0] : first[-1]]].astype(np.float64)
    steps = (others - embedding[start:stop][of_point]).T
    omega = 1 / np.sqrt(1 + curve.a * (steps**2).sum(axis=0) ** curve.b)
    terms = [omega, *(omega * step for step in steps)]
    terms += [omega * steps[a] * steps[b] for a, b in _lower_triangle(len(steps))]
    sums = np.array([np.bincount(of_point, term, n_points) for term in terms], np.float64)
    np.divide(sums[1:], sums[0], out=sums[1:], where=sums[0] > 0)
    return sums


def radii_along(frames: FloatArray, moments: np.ndarray, about_mean: float) -> DoubleArray:
    """Squared radii from moments, see `MapMoments`: tr S, and v_lᵀ (S − t μμᵀ) v_l in row 1 + l.

    v_l is column l of a frame. t = ``about_mean`` is 1 for radii about the neighbours' mean, 0 about the point.
    """
    dim, axes, moments = frames.shape[1], frames.astype(np.float64), moments.astype(np.float64, copy=False)
    radii = np.zeros((1 + dim, len(frames)))
    for (a, b), entry in zip(_lower_triangle(dim), moments[1 + dim :], strict=True):
        scatter = entry - about_mean * moments[1 + a] * moments[1 + b]
        radii[1:] += (1 if a == b else 2) * axes[:, a].T * axes[:, b].T * scatter
        radii[0] += entry if a == b else 0.0
    return np.maximum(radii, 0.0)


def _lower_triangle(dim: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(dim) for b in range(a + 1)]
