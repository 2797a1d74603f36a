"""The forces on the map, each with a value and its gradient. They are UMAP's, in the units of the data.

A force raises its ``value``, which is computed exactly and slowly, for reports and tests. The descent follows what
``prepare`` returns: the same gradient, from tables, clipped, and for repulsion sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..kernels.layout import CHUNK, attract, attract_in_the_plane, repel, room_for_repulsion
from ..run import Run
from ..values import DoubleArray, FloatArray, Graph
from .similarity import NEGATIVES_PER_EDGE, Curve
from .units import Units

CLIP = np.float32(4.0)  # as in UMAP
# Points drawn per point and epoch; each has weight NEGATIVES_PER_EDGE·deg_i/DRAWS. On MNIST 32 draws gain nothing.
DRAWS = 16
# In an epoch all points draw from a pool of this many points, or from all if there are fewer, so that the pool stays
# in cache. The error that all points share is 1/√POOL of the force; the error of each point alone is 1/√DRAWS.
POOL = 16_384
CLOSEST = 1e-12  # squared distance


# Adds the gradient of a force at the points start:stop to an array (m, d'). start is a multiple of CHUNK.
AddGradient = Callable[[int, int, FloatArray], None]


class Force(Protocol):
    """A term of the objective."""

    def value(self, embedding: FloatArray) -> float:
        """The term itself, in float64."""
        ...

    def prepare(self, embedding: FloatArray, epoch: int, run: Run) -> AddGradient:
        """Compute what concerns all points at once. The function returned adds the gradient of a block of points."""
        ...


@dataclass(frozen=True)
class Attraction:
    """Σ_ij P_ij log Q(s̃_ij) over directed edges, with steps z̃_ij = z_ij/ℓ_ij in the unit of each edge."""

    graph: Graph
    curve: Curve
    units: Units

    def value(self, embedding: FloatArray) -> float:
        weights, curve = self.graph.weights, self.curve
        squared = squared_distances(embedding, self.graph.sources, weights.indices)
        squared *= self.units.of_edges.astype(np.float64) ** 2
        return float(-(weights.data * np.log1p(curve.a * squared**curve.b)).sum())

    def prepare(self, embedding: FloatArray, epoch: int, run: Run) -> AddGradient:
        edges, units, pull = self.graph.weights, self.units.of_edges, self.curve.pull
        kernel = attract_in_the_plane if embedding.shape[1] == 2 else attract

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            kernel(embedding, edges.indptr, edges.indices, edges.data, units, pull, CLIP, start, stop, gradient)

        return add_gradient


@dataclass(frozen=True)
class Repulsion:
    """Σ_i (5 deg_i/m) Σ_j log(1 − Q(ŝ_ij)), with a few random j for each i in each epoch.

    Steps ẑ_ij = z_ij/√(f_i f_j) are in the geometric mean of the units of both points.
    """

    graph: Graph
    curve: Curve
    units: Units
    seed: int

    def value(self, embedding: FloatArray) -> float:
        n_points, of_points = len(embedding), self.units.of_points.astype(np.float64)
        total = 0.0
        for i, rate in enumerate(NEGATIVES_PER_EDGE / n_points * self.graph.degrees):
            others = np.flatnonzero(np.arange(n_points) != i)
            squared = squared_distances(embedding, np.full(n_points - 1, i), others)
            squared *= (of_points[i] * of_points[others]) ** 2
            # Two points at the same position would repel each other infinitely, so they count as slightly apart.
            power = self.curve.a * np.maximum(squared, CLOSEST) ** self.curve.b
            total += rate * np.log(power / (1 + power)).sum()
        return float(total)

    def prepare(self, embedding: FloatArray, epoch: int, run: Run) -> AddGradient:
        units, push = self.units.of_points, self.curve.push
        pool, windows = draw_pool(embedding, units, np.random.default_rng([self.seed, epoch]))

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            room = room_for_repulsion(embedding.shape[1])
            repel(embedding, units, pool, windows, self._rates, push, CLIP, *room, start, stop, gradient)

        return add_gradient

    @cached_property
    def _rates(self) -> FloatArray:
        """The weight of one draw, for each point."""
        return (NEGATIVES_PER_EDGE / DRAWS * self.graph.degrees).astype(np.float32)


def draw_pool(embedding: FloatArray, units: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, np.ndarray]:
    """Random points, and for every chunk DRAWS places among them where a window begins.

    The pool has a row for each coordinate of the points drawn, and one for their units: (d' + 1, drawn).
    """
    n_points, dim = embedding.shape
    drawn = rng.permutation(n_points) if n_points <= POOL else rng.integers(n_points, size=POOL)
    windows = rng.integers(len(drawn), size=(-(-n_points // CHUNK), DRAWS))
    # A window that reaches the end of the pool continues at its beginning.
    around = np.concatenate([drawn, drawn[:CHUNK]])
    pool = np.empty((dim + 1, len(around)), np.float32)
    pool[:dim] = embedding.take(around, axis=0).T  # indexing takes five times as long
    units.take(around, out=pool[dim])
    return pool, windows


def squared_distances(embedding: np.ndarray, first: np.ndarray, second: np.ndarray) -> DoubleArray:
    """s = z·z for pairs of points, in float64."""
    steps = embedding[second].astype(np.float64) - embedding[first]
    return (steps * steps).sum(axis=1)
