"""The edges of the graph as the kernels of the layout read them, with the similarity curve of the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.layout import CHUNK, Slots, fill_slots
from ..values import Graph
from .similarity import Curve


@dataclass(frozen=True)
class Edges:
    """A graph in the order of the layout, its edges by slots, and the curve that gives Q on the map."""

    graph: Graph
    slots: Slots
    curve: Curve

    @classmethod
    def of(cls, graph: Graph, curve: Curve) -> Edges:
        return cls(graph, sort_into_slots(graph), curve)


def sort_into_slots(graph: Graph) -> Slots:
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
    )
    fill_slots(edges.indptr, edges.indices, edges.data, slots, 0, n_points)
    return slots
