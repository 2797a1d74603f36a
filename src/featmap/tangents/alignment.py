"""Rotations between tangent spaces: O_ij and Γ_{i→j} for a pair of points, and O_ij on all edges of the graph."""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..kernels.tangents import edge_geometry, local_axes
from ..run import Run
from ..values import Connection, FloatArray, Graph, Order, Tangents
from .axes import axes
from .polar import polar

# The axes of all points are computed for a slice of features at a time, which takes this many bytes.
BYTES_OF_AXES = 5 * 2**24
EDGES_PER_BLOCK = 1 << 14


def alignment(data: ScaledData, tangents: Tangents, i: int, j: int, dim: int) -> FloatArray:
    """O_ij = polar(V_jᵀ V_i), the rotation of coordinates in the tangent space of i to those in that of j."""
    here, there = axes(data, tangents, np.array([i, j]), dim)
    return polar(there @ here.T, np.eye(dim))


def transport(data: ScaledData, tangents: Tangents, i: int, j: int, coordinates: np.ndarray) -> np.ndarray:
    """Γ_{i→j}(c) = O_ij c + V_jᵀ(x_i − x_j), the coordinates at j of the point with the coordinates c at i."""
    dim = len(coordinates)
    x_i, x_j = data.rows(np.array([i, j]))
    there = axes(data, tangents, np.array([j]), dim)[0]
    return alignment(data, tangents, i, j, dim) @ coordinates + there @ (x_i - x_j)


def connect(
    data: ScaledData,
    tangents: Tangents,
    graph: Graph,
    dim: int,
    center: str,
    order: Order,
    run: Run,
) -> Connection:
    """O_ij and V_iᵀ(x_j − x_i) on every edge, in slices of features so that the axes of all points fit in memory.

    The points of the graph are in the order of the layout. About the "mean", the mean of a point's steps is
    subtracted from each of them: then all that is computed from them is about the mean as well.
    """
    q = min(dim, tangents.n_directions)
    n_edges = graph.weights.nnz
    products, steps = np.zeros((n_edges, q, q), np.float32), np.zeros((n_edges, q), np.float32)
    for columns in _feature_slices(data, q):
        _add_slice(data.columns(columns, order.rows), tangents, graph, order, products, steps, run)
    if center == "mean":
        steps -= mean_steps(steps, graph)[graph.sources]
    return Connection(products, polar_of_edges(products, run), steps)


def mean_steps(steps: FloatArray, graph: Graph) -> FloatArray:
    """Σ_j P_ij V_iᵀ(x_j − x_i)/Σ_j P_ij of every point; 0 for points without edges."""
    weights, sources, degrees = graph.weights.data, graph.sources, graph.degrees
    means = np.zeros((len(degrees), steps.shape[1]), np.float32)
    for axis, column in enumerate(steps.T):
        sums = np.bincount(sources, weights * column, len(degrees))
        np.divide(sums, degrees, out=means[:, axis], where=degrees > 0, casting="same_kind")
    return means


def _add_slice(
    rows: FloatArray,
    tangents: Tangents,
    graph: Graph,
    order: Order,
    products: FloatArray,
    steps: FloatArray,
    run: Run,
) -> None:
    """Add what the features of one slice contribute to every edge. ``rows`` are in the order of the layout."""
    part_axes = _all_axes(rows, tangents, order, products.shape[1], run)
    sources, targets, reverse = graph.sources, graph.weights.indices, graph.reverse_edges
    run.over_rows(
        len(sources),
        lambda start, stop: edge_geometry(part_axes, rows, sources, targets, reverse, start, stop, products, steps),
        EDGES_PER_BLOCK,
    )


def polar_of_edges(products: FloatArray, run: Run) -> FloatArray:
    """O_ij of every edge. If a tangent space has too few directions, the identity completes it."""
    identity = np.eye(products.shape[-1])
    return run.by_blocks(
        len(products), lambda start, stop: (polar(products[start:stop], identity),), EDGES_PER_BLOCK
    )[0]


def _feature_slices(data: ScaledData, q: int) -> list[slice]:
    n_rows, n_features = data.shape
    width = max(1, BYTES_OF_AXES // (4 * n_rows * q))
    return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]


def _all_axes(rows: FloatArray, tangents: Tangents, order: Order, q: int, run: Run) -> FloatArray:
    """V_iᵀ of all points, in the order of the layout."""
    out = np.empty((len(rows), q, rows.shape[1]), np.float32)

    def task(start: int, stop: int) -> None:
        here = order.rows[start:stop]
        positions = order.positions[tangents.neighbors[here]]
        local_axes(rows[start:stop], rows, positions, tangents.factors[here], out[start:stop])

    run.over_rows(len(out), task)
    return out
