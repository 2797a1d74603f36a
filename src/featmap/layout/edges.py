"""The edges of the graph as the kernels of the layout read them, with the similarity curve of the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..values import Graph, IntArray
from .similarity import Curve


@dataclass(frozen=True)
class Edges:
    """A graph in the order of the layout, which of its edges radii count, and the curve that gives Q on the map."""

    graph: Graph
    kinds: NDArray[np.uint8]  # (edges,) 1 if the edge i→j leads to a neighbour of i, plus 2 if i is a neighbour of j
    first_neighbors: NDArray[np.int64]  # (m + 1,) where the neighbours of each point begin
    neighbors: IntArray  # those of all points, one after another
    curve: Curve

    @classmethod
    def of(cls, graph: Graph, to_neighbor: NDArray[np.uint8], curve: Curve) -> Edges:
        """Radii count the edges i→j that lead to a neighbour of i: those with 1 in ``to_neighbor``."""
        edges = graph.weights
        # Rows and columns of the graph have the same entries, so those of a transpose are in the same places.
        marked = sp.csr_matrix((to_neighbor, edges.indices, edges.indptr), edges.shape)
        kinds = to_neighbor + 2 * marked.T.tocsr().data
        first_neighbors = np.concatenate([[0], np.cumsum(_sums_of_rows(to_neighbor, edges.indptr))])
        return cls(graph, kinds, first_neighbors, edges.indices[to_neighbor.view(bool)], curve)

    @classmethod
    def without_neighbors(cls, graph: Graph, curve: Curve) -> Edges:
        """The edges of a graph for a map without density, which needs no radii."""
        none, n_points = np.zeros(graph.weights.nnz, np.uint8), graph.weights.shape[0]
        return cls(graph, none, np.zeros(n_points + 1, np.int64), np.empty(0, np.int32), curve)

    @cached_property
    def has_neighbors(self) -> NDArray[np.bool_]:
        """Which points have neighbours of their own. A point without them has no radius."""
        return np.diff(self.first_neighbors) > 0


def _sums_of_rows(values: NDArray[np.uint8], indptr: np.ndarray) -> NDArray[np.int64]:
    """The sum of the values of each row. The zero behind them is for empty rows at the end."""
    sums = np.add.reduceat(np.append(values, np.uint8(0)), indptr[:-1], dtype=np.int64)
    return np.where(indptr[1:] > indptr[:-1], sums, 0)
