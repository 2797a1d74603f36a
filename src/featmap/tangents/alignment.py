"""Rotations between tangent spaces: O_ij and Γ_{i→j} for a pair of points, and O_ij on all edges of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows, dense_rows
from ..kernels.tangents import axes_of_points, center_steps, edge_geometry, edge_geometry_of_two, whole_products
from ..run import Run
from ..values import Connection, DoubleArray, FloatArray, Graph, IntArray, Order, Tangents
from .axes import axes, leading_factors
from .polar import DEGENERATE, polar

# The axes of all points are computed for a slice of features at a time. It takes at most this many bytes, or has this
# many features if they take more: narrower slices would be slow, and data that are not wide have one slice.
BYTES_OF_AXES = 2**27
FEWEST_FEATURES = 64
# Where the axes of all points take more bytes, those of a part of the points are made at a time. Points that edges
# lead to from several parts have their axes made for each of these, so there are few parts.
MOST_PARTS = 6
POINTS_PER_BLOCK = 512
FEATURES_AT_ONCE = 16  # a slice is a multiple of what vector instructions take


@dataclass(frozen=True)
class Table:
    """Dense rows with the features of a slice."""

    rows: FloatArray
    of_points: IntArray  # (m,) the place in the table of each point, in the order of the layout
    of_rows: IntArray  # (m,) and in the order of the data


@dataclass(frozen=True)
class Part:
    """The points start to stop of the layout, with the points beyond that edges lead to from them."""

    start: int
    stop: int
    points: IntArray  # those whose axes are needed
    places: IntArray  # (m,) the place among these of each of them

    @classmethod
    def of(cls, graph: Graph, start: int, stop: int) -> Part:
        """An edge is computed at the earlier of its ends, so that points before ``start`` are not needed."""
        indptr, is_needed = graph.weights.indptr, np.zeros(graph.weights.shape[0], bool)
        is_needed[graph.weights.indices[indptr[start] : indptr[stop]]] = True
        is_needed[:start], is_needed[start:stop] = False, True
        points = np.flatnonzero(is_needed).astype(np.int32)
        places = np.zeros(len(is_needed), np.int32)
        places[points] = np.arange(len(points), dtype=np.int32)
        return cls(start, stop, points, places)


class Room:
    """Memory that is reused. New memory is slow, because the system clears it first."""

    def __init__(self) -> None:
        self._memory: FloatArray = np.empty(0, np.float32)

    def take(self, *shape: int) -> FloatArray:
        """An array in this memory, valid until the next one is taken."""
        size = math.prod(shape)
        if self._memory.size < size:
            self._memory = np.empty(size, np.float32)
        return self._memory[:size].reshape(shape)


@dataclass(frozen=True)
class Piece:
    """The axes V_iᵀ of a part of the points for a slice of the features. The next piece reuses the memory."""

    part: Part
    axes: FloatArray  # (points, q, features)
    table: Table
    is_last_slice: bool

    def add_sums(self, kernel: Callable[..., None], edges: sp.csr_matrix, run: Run, *sums: Any) -> None:
        """Add what this piece contributes to the sums of each edge."""
        places = self.axes, self.part.places, self.table.rows, self.table.of_points
        first_feature, links, first = 0, (edges.indptr, edges.indices), self.part.start
        run.over_rows(
            self.part.stop - first,
            lambda start, stop: kernel(*places, first_feature, *links, first + start, first + stop, *sums),
        )


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
    solver: str,
    order: Order,
    run: Run,
) -> Connection:
    """O_ij and V_iᵀ(x_j − x_i) on every edge, by slices of features and parts of the points: axes take much memory.

    The points of the graph are in the order of the layout. About the "mean", the mean of a point's steps is
    subtracted from each of them: then all that is computed from them is about the mean as well. The "paper" solver of
    frames needs V_jᵀ V_i too.
    """
    with_products = solver == "paper"
    q = min(dim, tangents.n_directions)
    if q == 0:
        none = np.empty((graph.weights.nnz, 0, 0), np.float32)
        return Connection(none, np.empty((graph.weights.nnz, 0), np.float32), none if with_products else None)
    slices = _feature_slices(*data.shape, q)
    pieces = _pieces(data, tangents, graph, q, slices, order, run)
    return _along_edges(pieces, len(slices), graph, q, dim, center, with_products, run)


def connect_part(
    data: ScaledData, axes: FloatArray, graph: Graph, dim: int, center: str, solver: str, n_rows: int, run: Run
) -> Connection:
    """The connection between some of the rows, whose axes V_iᵀ are given. ``n_rows`` is the number of all rows.

    It is right on the edges of those points of the graph that have all of their edges in it.
    """
    q, order = axes.shape[1], Order.of_the_rows(len(axes))
    whole, room, slices = Part.of(graph, 0, len(axes)), Room(), _feature_slices(n_rows, axes.shape[2], q)
    pieces = (
        Piece(
            whole,
            np.ascontiguousarray(axes[:, :, columns]),
            _copied_slice(data, columns, order, room, run),
            columns is slices[-1],
        )
        for columns in slices
    )
    return _along_edges(pieces, len(slices), graph, q, dim, center, solver == "paper", run)


def _along_edges(
    pieces: Iterable[Piece],
    n_slices: int,
    graph: Graph,
    q: int,
    dim: int,
    center: str,
    with_products: bool,
    run: Run,
) -> Connection:
    """The connection from sums along every edge, to which each part of the points adds for each slice of features."""
    if q == dim == 2:
        connection = _along_edges_in_the_plane(pieces, n_slices, graph, with_products, run)
    else:
        connection = _along_edges_of_any_map(pieces, graph, q, with_products, run)
    if center == "mean":
        edges, steps = graph.weights, connection.steps
        run.over_rows(edges.shape[0], lambda start, stop: center_steps(edges.indptr, edges.data, start, stop, steps))
    return connection


def _along_edges_in_the_plane(
    pieces: Iterable[Piece], n_slices: int, graph: Graph, with_products: bool, run: Run
) -> Connection:
    """The connection of a map in the plane, whose rotations are kept as codes.

    The rotation of an edge follows from its sums over all features, so it is found with the last slice of them. The
    sums are kept only for further slices and for products.
    """
    edges = graph.weights
    steps, codes = np.zeros((edges.nnz, 2), np.float32), np.empty(edges.nnz, np.int32)
    halves = np.zeros((edges.nnz if n_slices > 1 or with_products else 0, 2), np.float32)

    for piece in pieces:
        found = codes if piece.is_last_slice else codes[:0]
        piece.add_sums(edge_geometry_of_two, edges, run, DEGENERATE, steps, halves, found)
        del piece  # before the next one is made
    if not with_products:
        return Connection(codes, steps, None)
    products = np.empty((len(halves), 2, 2), np.float32)
    whole_products(edges.indptr, edges.indices, halves, products)
    return Connection(codes, steps, products)


def _along_edges_of_any_map(
    pieces: Iterable[Piece], graph: Graph, q: int, with_products: bool, run: Run
) -> Connection:
    edges = graph.weights
    steps, products = np.zeros((edges.nnz, q), np.float32), np.zeros((edges.nnz, q, q), np.float32)
    for piece in pieces:
        piece.add_sums(edge_geometry, edges, run, products, steps)
        del piece  # before the next one is made
    return Connection(_polar_of_edges(graph, products, run), steps, products if with_products else None)


def _polar_of_edges(graph: Graph, products: FloatArray, run: Run) -> FloatArray:
    """O_ij of every edge. If a tangent space has too few directions, the identity completes it."""
    indptr, identity, rotations = graph.weights.indptr, np.eye(products.shape[-1]), np.empty_like(products)

    def task(start: int, stop: int) -> None:
        here = slice(indptr[start], indptr[stop])
        rotations[here] = polar(products[here], identity)

    run.over_rows(len(indptr) - 1, task)
    return rotations


def _feature_slices(n_rows: int, n_features: int, q: int) -> list[slice]:
    """Slices that follow from the numbers of all rows and features, so that sums over features have one order."""
    most = max(FEWEST_FEATURES, BYTES_OF_AXES // (4 * n_rows * q))
    n_slices = -(-n_features // most)
    width = -(-n_features // (n_slices * FEATURES_AT_ONCE)) * FEATURES_AT_ONCE
    return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]


def _parts(graph: Graph, bytes_of_point: int) -> Iterator[Part]:
    """Parts of the points, each of which has axes of so many bytes."""
    n_points = graph.weights.shape[0]
    n_parts = min(MOST_PARTS, max(1, -(-n_points * bytes_of_point // BYTES_OF_AXES)))
    for number in range(n_parts):
        yield Part.of(graph, n_points * number // n_parts, n_points * (number + 1) // n_parts)


def _pieces(
    data: ScaledData,
    tangents: Tangents,
    graph: Graph,
    q: int,
    slices: Sequence[slice],
    order: Order,
    run: Run,
) -> Iterator[Piece]:
    """V_iᵀ of each part of the points and the rows, for each slice of the features."""
    factors = leading_factors(data, tangents, q, run)
    is_whole = len(slices) == 1 and not isinstance(data.matrix, SparseRows)
    of_rows, of_axes = Room(), Room()
    for columns in slices:
        width = columns.stop - columns.start
        if is_whole:
            table = Table(data.matrix, order.rows, np.arange(len(order), dtype=np.int32))
        else:
            table = _copied_slice(data, columns, order, of_rows, run)
        for part in _parts(graph, 4 * q * width):
            axes = of_axes.take(len(part.points), q, width)
            _axes_of_slice(table, part.points, tangents, factors, order, run, axes)
            yield Piece(part, axes, table, columns is slices[-1])


def _copied_slice(data: ScaledData, columns: slice, order: Order, room: Room, run: Run) -> Table:
    """The features of a slice in the order of the layout: rows of neighbours are then near each other in memory."""
    matrix = data.matrix
    part = matrix.columns(columns) if isinstance(matrix, SparseRows) else matrix[:, columns]
    rows = room.take(len(order), columns.stop - columns.start)

    def task(start: int, stop: int) -> None:
        rows[start:stop] = dense_rows(part, order.rows[start:stop])

    run.over_rows(len(order), task)
    return Table(rows, np.arange(len(order), dtype=np.int32), order.positions)


def _axes_of_slice(
    table: Table,
    points: IntArray,
    tangents: Tangents,
    factors: DoubleArray,
    order: Order,
    run: Run,
    out: FloatArray,
) -> None:
    """Write V_iᵀ of some points of the layout into ``out``, for the features of a slice."""
    k, width = tangents.neighbors.shape[1], out.shape[2]

    def task(start: int, stop: int) -> None:
        here, room = order.rows[points[start:stop]], (np.empty(k, np.int32), np.empty((2, width)))
        known = (table.rows, table.of_rows, tangents.neighbors, factors, 0)
        axes_of_points(here, *known, *room, out[start:stop])

    run.over_rows(len(points), task, POINTS_PER_BLOCK)
