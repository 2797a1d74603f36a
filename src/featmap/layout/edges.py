"""The edges as the layout's loops want them: by slots."""

from __future__ import annotations

import numpy as np

from ..kernels.layout import CHUNK, Slots, fill_slots
from ..values import Graph


def sort_into_slots(graph: Graph) -> Slots:
    """The edges of all points by chunks and slots; see `Slots`."""
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
