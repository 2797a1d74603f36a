"""Density as a change of variables: every displacement on the map is measured in units that the data give.

UMAP gives all neighbourhoods one size. Here the forces are UMAP's, but a displacement along an edge is divided by the
length of that edge in the data to the power p, and one between two points that repel each other by the geometric mean
of their radii to the power p. So p is the slope of log distance on the map against log distance in the data: UMAP has
0, 1 keeps local scale, 2 squares it. Only relative lengths count: both kinds of units have a mean log of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.edges import edge_lengths
from ..run import Run
from ..values import DoubleArray, FloatArray, Graph, Neighbors, Order

# Squares of lengths have this part of the squared median added, so that those of copies have a logarithm.
FLOOR = 1e-3
# The median is of the distances of so many points, evenly taken, if there are more.
POINTS_FOR_MEDIAN = 10_000
# No unit is more than exp(1.5) from the mean. Without a bound data with heavy tails tear the map, and a few rows that
# are far from all others make everything else small.
BOUND = 1.5
# The library's choice of p: 1.5, and less where local scales differ so much that the logarithms of the points' units
# would spread by more than 0.4. It is 1.5 on images of digits and single cells, 0.7 on COIL-20, 0.4 on heavy tails.
USUAL_POWER, MOST_SPREAD = 1.5, 0.4
WITHIN = (16, 84)  # percentiles; half the distance between them is the spread, a normal distribution's deviation
LENGTHS_AT_ONCE = 65_536  # whose logarithms a thread takes


@dataclass(frozen=True)
class Units:
    """What displacements are multiplied by: the inverse of the unit of each edge, and of the root of each point's."""

    of_edges: FloatArray  # (edges,) 1/ℓ_ij, in the order of the graph of the layout
    of_points: FloatArray  # (m,) 1/√f_i: a displacement between i and j is multiplied by both
    density: float  # p

    @classmethod
    def equal(cls, graph: Graph) -> Units:
        """The units of UMAP, which are all 1."""
        return cls(np.ones(graph.weights.nnz, np.float32), np.ones(graph.weights.shape[0], np.float32), 0.0)

    @classmethod
    def of(
        cls, graph: Graph, near: Neighbors, order: Order, density: float | None, unconnected_from: float, run: Run
    ) -> Units:
        """ℓ_ij = ‖x_j − x_i‖^p and f_i = R_i^(p/2), with the mean squared distance R_i to the neighbours of i.

        Distances are those of the neighbours, in any metric. They are in the order of the rows, the graph in that of
        the layout. Points without neighbours have the unit 1. A density of None is the library's choice.
        """
        if density == 0:
            return cls.equal(graph)
        usual = usual_distance(near, unconnected_from)
        radii, has_neighbors = root_mean_squares(near, usual, unconnected_from, run)
        of_points = relative_logs(radii, has_neighbors, 1.0, run)
        of_points[~has_neighbors] = 0
        lengths = lengths_of_edges(graph, near, order, unconnected_from, run)
        of_edges = relative_logs(lengths, graph.weights.data, usual, run)
        power = chosen_power(of_points[has_neighbors]) if density is None else float(density)
        of_edges, of_points = inverse_units(of_edges, power, 1.0, run), inverse_units(of_points, power, 0.5, run)
        return cls(of_edges, order.into_layout(of_points), power)


def usual_distance(near: Neighbors, unconnected_from: float) -> float:
    """The median distance between neighbours; their mean if that is 0, and 1 if all are copies.

    Distances are divided by it before they are squared: so their scale does not change a bit of the units.
    """
    distances = near.distances[:: -(-len(near.distances) // POINTS_FOR_MEDIAN)].astype(np.float64)
    present = distances[distances < unconnected_from]
    if not len(present):
        return 1.0
    median = float(np.partition(present, len(present) // 2)[len(present) // 2])
    return median or float(present.mean()) or 1.0


def lengths_of_edges(graph: Graph, near: Neighbors, order: Order, unconnected_from: float, run: Run) -> FloatArray:
    """The distance in the data along each edge, the larger one if the two ends were given different distances."""
    edges, lengths = graph.weights, np.empty(graph.weights.nnz, np.float32)
    limit = np.float32(unconnected_from)

    def task(start: int, stop: int) -> None:
        edge_lengths(
            edges.indptr, edges.indices, order.rows, near.indices, near.distances, limit, start, stop, lengths
        )

    run.over_rows(len(order), task)
    return lengths


def root_mean_squares(
    near: Neighbors, usual: float, unconnected_from: float, run: Run
) -> tuple[DoubleArray, np.ndarray]:
    """√R_i over the usual distance, for each point, and which points have neighbours."""

    def body(start: int, stop: int) -> tuple[np.ndarray, ...]:
        distances = near.distances[start:stop].astype(np.float64)  # over a small usual one they may leave float32
        present = distances < unconnected_from
        squares = np.where(present, distances / usual, 0.0) ** 2
        counts = present.sum(axis=1)
        return np.sqrt(squares.sum(axis=1) / np.maximum(counts, 1)), counts > 0

    radii, has_neighbors = run.by_blocks(len(near.distances), body)
    return radii, has_neighbors


def relative_logs(lengths: np.ndarray, weights: np.ndarray, usual: float, run: Run) -> FloatArray:
    """Logarithms of squared lengths, less their weighted mean."""
    logs = np.empty(len(lengths), np.float32)

    def task(start: int, stop: int) -> None:
        logs[start:stop] = np.log((lengths[start:stop].astype(np.float64) / usual) ** 2 + FLOOR)

    run.over_rows(len(logs), task, LENGTHS_AT_ONCE)
    total = weights.sum(dtype=np.float64)
    if total > 0:
        logs -= np.float32(np.einsum("e,e->", weights, logs, dtype=np.float64) / total)
    return logs


def chosen_power(logs: FloatArray) -> float:
    """The library's choice of p, for log squared radii. A few of them, however large, do not change it."""
    if not len(logs):
        return USUAL_POWER
    low, high = np.percentile(logs, WITHIN)
    spread = float(high - low) / 2  # of p/2 times them it is p/2 as large
    return USUAL_POWER if USUAL_POWER / 2 * spread <= MOST_SPREAD else 2 * MOST_SPREAD / spread


def inverse_units(logs: FloatArray, power: float, part: float, run: Run) -> FloatArray:
    """1/unit^part of each length, in the place of its logarithm; log unit = bounded(power/2 · log squared length)."""

    def task(start: int, stop: int) -> None:
        logs[start:stop] = np.exp(-part * BOUND * np.tanh(power / (2 * BOUND) * logs[start:stop]))

    run.over_rows(len(logs), task, LENGTHS_AT_ONCE)
    return logs
