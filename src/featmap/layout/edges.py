"""The edges of the graph as the kernels of the layout read them, with the similarity curve of the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..kernels.layout import CHUNK, Slots, fill_slots
from ..values import Graph
from .similarity import Curve


@dataclass(frozen=True)
class Edges:
    """A graph in the order of the layout, its edges by slots, and the curve that gives Q on the map."""

    graph: Graph
    to_neighbor: NDArray[np.uint8]  # (edges,) 1 if the edge i→j leads to a neighbour of i, as the radii count them
    slots: Slots
    curve: Curve

    @classmethod
    def of(cls, graph: Graph, to_neighbor: NDArray[np.uint8], curve: Curve) -> Edges:
        return cls(graph, to_neighbor, sort_into_slots(graph, to_neighbor), curve)

    @cached_property
    def has_neighbors(self) -> NDArray[np.bool_]:
        """Which points have neighbours of their own. A point without them has no radius."""
        return np.bincount(self.graph.sources, self.to_neighbor, self.graph.weights.shape[0]) > 0


def sort_into_slots(graph: Graph, to_neighbor: NDArray[np.uint8]) -> Slots:
    """The edges of all points by chunks and slots, see `Slots`."""
    edges = graph.weights
    n_points = edges.shape[0]
    degrees = np.diff(edges.indptr)
    points = np.lexsort((-degrees, np.arange(n_points) // CHUNK)).astype(np.int32)
    first_slots = np.concatenate([[0], np.cumsum(degrees[points[::CHUNK]])])
    slots = Slots(
        points,
        first_slots,
        np.full(first_slots[-1] + 1, edges.nnz),
        np.empty(edges.nnz, np.int32),
        np.empty(edges.nnz, np.float32),
        np.empty(edges.nnz, np.float32),
        np.empty(edges.nnz, np.float32),
    )
    from_neighbor = to_neighbor[graph.reverse_edges]
    fill_slots(edges.indptr, edges.indices, edges.data, to_neighbor, from_neighbor, slots, 0, n_points)
    return slots
