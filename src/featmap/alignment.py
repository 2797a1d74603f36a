"""How tangent spaces turn from point to point: O_ij, Γ_ij and cos Θ_ij, for a pair and for all edges of the graph."""

from __future__ import annotations

import numpy as np

from .features import Features
from .kernels.tangents import edge_geometry, local_axes
from .loadings import axes
from .orthogonal import polar
from .parallel import Workers
from .values import Connection, FloatArray, Graph, IntArray, Tangents, inverse_order

# The axes of all points are held for this many bytes' worth of features at a time.
BYTES_OF_AXES = 5 * 2**24
EDGES_PER_BLOCK = 1 << 14


def alignment(features: Features, tangents: Tangents, i: int, j: int, dim: int) -> FloatArray:
    """O_ij = polar(V_jᵀ V_i): carries coordinates in the tangent space of i to that of j."""
    here, there = axes(features, tangents, np.array([i, j]), dim)
    return polar(there @ here.T, np.eye(dim))


def transport(features: Features, tangents: Tangents, i: int, j: int, coordinates: np.ndarray) -> np.ndarray:
    """Γ_{i→j}(c) = O_ij c + V_jᵀ(x_i − x_j): the same place, seen from j."""
    dim = len(coordinates)
    x_i, x_j = features.rows(np.array([i, j]))
    there = axes(features, tangents, np.array([j]), dim)[0]
    return alignment(features, tangents, i, j, dim) @ coordinates + there @ (x_i - x_j)


def connect(
    features: Features,
    tangents: Tangents,
    graph: Graph,
    dim: int,
    workers: Workers,
    order: IntArray | None = None,
) -> Connection:
    """O_ij and V_iᵀ(x_j − x_i) on every edge, in slices of features so that the axes of all points fit in memory.

    Point i of the graph is the row order[i] of the data, by default i.
    """
    if order is None:
        order = np.arange(features.shape[0], dtype=np.int32)
    q = min(dim, tangents.n_directions)
    n_edges = graph.weights.nnz
    products, steps = np.zeros((n_edges, q, q), np.float32), np.zeros((n_edges, q), np.float32)
    for columns in _feature_slices(features, q):
        _add_slice(features.columns(columns, order), tangents, graph, order, products, steps, workers)
    return Connection(products, polar_of_edges(products, workers), steps)


def _add_slice(
    rows: FloatArray,
    tangents: Tangents,
    graph: Graph,
    order: IntArray,
    products: FloatArray,
    steps: FloatArray,
    workers: Workers,
) -> None:
    """What the features of one slice contribute to every edge; ``rows`` are in the order of the graph."""
    part_axes = _all_axes(rows, tangents, order, products.shape[1], workers)
    sources, targets, reverse = graph.sources, graph.weights.indices, graph.reverse_edges
    workers.over_rows(
        len(sources),
        lambda start, stop: edge_geometry(part_axes, rows, sources, targets, reverse, start, stop, products, steps),
        EDGES_PER_BLOCK,
    )


def polar_of_edges(products: FloatArray, workers: Workers) -> FloatArray:
    """O_ij of every edge, completed by the identity where a tangent space has too few directions."""
    turns = np.empty_like(products)
    identity = np.eye(products.shape[-1])

    def task(start: int, stop: int) -> None:
        turns[start:stop] = polar(products[start:stop], identity)

    workers.over_rows(len(products), task, EDGES_PER_BLOCK)
    return turns


def _feature_slices(features: Features, q: int) -> list[slice]:
    n_rows, n_features = features.shape
    width = max(1, BYTES_OF_AXES // (4 * n_rows * q))
    return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]


def _all_axes(rows: FloatArray, tangents: Tangents, order: IntArray, q: int, workers: Workers) -> FloatArray:
    """V_iᵀ of all points, in the order of the graph."""
    out = np.empty((len(rows), q, rows.shape[1]), np.float32)
    numbers = inverse_order(order)

    def task(start: int, stop: int) -> None:
        here = order[start:stop]
        positions = numbers[tangents.neighbors[here]]
        local_axes(rows[start:stop], rows, positions, tangents.factors[here], out[start:stop])

    workers.over_rows(len(out), task)
    return out
