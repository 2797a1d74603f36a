"""Rotations between tangent spaces: O_ij and Γ_{i→j} for a pair of points, and O_ij on all edges of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows, dense_rows
from ..kernels.rotations import code_rotations
from ..kernels.tangents import center_steps, edge_geometry, edge_geometry_of_two, local_axes, whole_products
from ..run import Run
from ..values import Connection, DoubleArray, FloatArray, Graph, IntArray, Order, Tangents
from .axes import axes, factors_of
from .polar import DEGENERATE, polar
from .svd import points_per_block

# The axes of all points are computed for a slice of features at a time. It takes at most this many bytes, or has this
# many features if they take more: narrower slices would be slow, and data that are not wide have one slice.
BYTES_OF_AXES = 2**27
FEWEST_FEATURES = 64
# Where the axes of all points take more bytes, those of a part of the points are made at a time. Points that edges
# lead to from several parts have their axes made for each of these, so there are few parts.
MOST_PARTS = 4
POINTS_PER_BLOCK = 512
FEATURES_AT_ONCE = 16  # a slice is a multiple of what vector instructions take


@dataclass(frozen=True)
class Table:
    """Dense rows with at least the features of a slice."""

    rows: FloatArray
    first: int  # the place of the first feature of the slice
    places: IntArray  # (m,) the place in the table of each point, in the order of the layout


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
    """Memory that is used again and again. New memory is slow, because the system clears it first."""

    def __init__(self) -> None:
        self._memory: FloatArray = np.empty(0, np.float32)

    def take(self, *shape: int) -> FloatArray:
        """An array in it, which is right until the next one is taken."""
        size = math.prod(shape)
        if self._memory.size < size:
            self._memory = np.empty(size, np.float32)
        return self._memory[:size].reshape(shape)


UseAxes = Callable[[Part, FloatArray, Table], None]  # of the axes V_iᵀ of a part, for some features, and the rows


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


def connector(solver: str) -> Callable[..., Connection]:
    """The verb that makes the connection which a solver of frames needs."""
    return connect_with_products if solver == "paper" else connect


def connect(
    data: ScaledData,
    tangents: Tangents,
    graph: Graph,
    dim: int,
    center: str,
    order: Order,
    run: Run,
) -> Connection:
    """O_ij and V_iᵀ(x_j − x_i) on every edge, by slices of features and parts of the points: axes take much memory.

    The points of the graph are in the order of the layout. About the "mean", the mean of a point's steps is
    subtracted from each of them: then all that is computed from them is about the mean as well.
    """
    q = min(dim, tangents.n_directions)
    if q == 0:
        return Connection(
            np.empty((graph.weights.nnz, 0, 0), np.float32), np.empty((graph.weights.nnz, 0), np.float32)
        )
    each_part = partial(_for_each_part, data=data, tangents=tangents, graph=graph, q=q, order=order, run=run)
    return _connected(graph, *_sums_along_edges(each_part, graph, q, dim, center, run), run)


def connect_with_products(
    data: ScaledData,
    tangents: Tangents,
    graph: Graph,
    dim: int,
    center: str,
    order: Order,
    run: Run,
) -> Connection:
    """The same with V_jᵀ V_i on every edge."""
    q = min(dim, tangents.n_directions)
    each_part = partial(_for_each_part, data=data, tangents=tangents, graph=graph, q=q, order=order, run=run)
    return _connected_with_products(graph, *_sums_along_edges(each_part, graph, q, dim, center, run), run)


def connect_part(
    data: ScaledData, axes: FloatArray, graph: Graph, dim: int, center: str, solver: str, n_rows: int, run: Run
) -> Connection:
    """The connection between some of the rows, whose axes V_iᵀ are given. ``n_rows`` is the number of all rows.

    It is right on the edges of those points of the graph that have all of their edges in it.
    """
    q, order = axes.shape[1], Order.of_the_rows(len(axes))
    whole, room = Part.of(graph, 0, len(axes)), Room()

    def each_slice(use: UseAxes) -> None:
        for columns in _feature_slices(n_rows, axes.shape[2], q):
            use(whole, np.ascontiguousarray(axes[:, :, columns]), _copied_slice(data, columns, order, room, run))

    sums = _sums_along_edges(each_slice, graph, q, dim, center, run)
    return (_connected_with_products if solver == "paper" else _connected)(graph, *sums, run)


def _connected(graph: Graph, products: FloatArray, steps: FloatArray, run: Run) -> Connection:
    return Connection(_rotations(graph, products, run), steps)


def _connected_with_products(graph: Graph, products: FloatArray, steps: FloatArray, run: Run) -> Connection:
    whole = _whole_products(graph, products, 0, graph.weights.shape[0]) if _are_halves(products) else products
    return Connection(_rotations(graph, products, run), steps, whole)


def _sums_along_edges(
    each_part: Callable[[UseAxes], None], graph: Graph, q: int, dim: int, center: str, run: Run
) -> tuple[FloatArray, FloatArray]:
    """V_jᵀ V_i, on maps in the plane by halves (`edge_geometry_of_two`), and the steps along every edge.

    ``each_part`` calls a function for the axes of each part of the points and each slice of the features.
    """
    edges, n_points = graph.weights, graph.weights.shape[0]
    in_the_plane = q == dim == 2
    sums_of_slice = edge_geometry_of_two if in_the_plane else edge_geometry
    products = np.zeros((edges.nnz, 2) if in_the_plane else (edges.nnz, q, q), np.float32)
    steps = np.zeros((edges.nnz, q), np.float32)

    def add_sums(part: Part, axes: FloatArray, table: Table) -> None:
        def task(start: int, stop: int) -> None:
            ends = (edges.indptr, edges.indices, part.start + start, part.start + stop)
            sums_of_slice(axes, part.places, table.rows, table.places, table.first, *ends, products, steps)

        run.over_rows(part.stop - part.start, task)

    each_part(add_sums)
    if center == "mean":
        run.over_rows(n_points, lambda start, stop: center_steps(edges.indptr, edges.data, start, stop, steps))
    return products, steps


def _are_halves(products: FloatArray) -> bool:
    return products.ndim == 2


def _rotations(graph: Graph, products: FloatArray, run: Run) -> np.ndarray:
    """O_ij of every edge, on maps in the plane as codes."""
    return (_codes if _are_halves(products) else _polar_of_edges)(graph, products, run)


def _codes(graph: Graph, halves: FloatArray, run: Run) -> IntArray:
    """O_ij of every edge as a code. If a tangent space has too few directions, the identity completes it."""
    indptr = graph.weights.indptr
    codes = np.empty(len(halves), np.int32)

    def task(start: int, stop: int) -> None:
        products = _whole_products(graph, halves, start, stop)
        code_rotations(products, DEGENERATE, codes[indptr[start] : indptr[stop]])

    run.over_rows(len(indptr) - 1, task)
    return codes


def _whole_products(graph: Graph, halves: FloatArray, start: int, stop: int) -> FloatArray:
    """V_jᵀ V_i of the edges of some points."""
    indptr, indices = graph.weights.indptr, graph.weights.indices
    products = np.empty((indptr[stop] - indptr[start], 2, 2), np.float32)
    whole_products(indptr, indices, halves, start, stop, products)
    return products


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


def _for_each_part(
    use: UseAxes, data: ScaledData, tangents: Tangents, graph: Graph, q: int, order: Order, run: Run
) -> None:
    """Call ``use`` with V_iᵀ of each part of the points and the rows, for each slice of the features.

    They are right until the next are made.
    """
    slices, leading = _feature_slices(*data.shape, q), tangents.leading
    if leading is not None and leading.shape[2] < q:
        leading = None  # the tangent spaces were found for fewer directions
    if leading is None and len(slices) > 1:
        leading = _leading_factors(data, tangents, q, run)

    def factors(rows: IntArray) -> DoubleArray:
        return factors_of(data, tangents, rows, q)[3] if leading is None else leading[rows]

    of_rows, of_axes = Room(), Room()

    def use_slice(columns: slice) -> None:
        is_whole, width = len(slices) == 1 and not isinstance(data.matrix, SparseRows), columns.stop - columns.start
        table = Table(data.matrix, 0, order.rows) if is_whole else _copied_slice(data, columns, order, of_rows, run)
        for part in _parts(graph, 4 * q * width):
            out = of_axes.take(len(part.points), q, width)
            _axes_of_slice(table, part.points, tangents, factors, order, run, out)
            use(part, out, table)

    for columns in slices:
        use_slice(columns)


def _copied_slice(data: ScaledData, columns: slice, order: Order, room: Room, run: Run) -> Table:
    """The features of a slice in the order of the layout: rows of neighbours are then near each other in memory."""
    matrix = data.matrix
    part = matrix.columns(columns) if isinstance(matrix, SparseRows) else matrix[:, columns]
    rows = room.take(len(order), columns.stop - columns.start)

    def task(start: int, stop: int) -> None:
        rows[start:stop] = dense_rows(part, order.rows[start:stop])

    run.over_rows(len(order), task)
    return Table(rows, 0, np.arange(len(order), dtype=np.int32))


def _axes_of_slice(
    table: Table,
    points: IntArray,
    tangents: Tangents,
    factors: Callable[[IntArray], DoubleArray],
    order: Order,
    run: Run,
    out: FloatArray,
) -> None:
    """out = V_iᵀ of some points of the layout, for the features of a slice."""
    width = out.shape[2]

    def task(start: int, stop: int) -> None:
        here = order.rows[points[start:stop]]
        centers = table.rows[table.places[points[start:stop]], table.first : table.first + width]
        positions = table.places[order.positions[tangents.neighbors[here]]]
        centers, sums = np.ascontiguousarray(centers), np.empty(width)
        local_axes(centers, table.rows, positions, factors(here), table.first, sums, out[start:stop])

    run.over_rows(len(points), task, POINTS_PER_BLOCK)


def _leading_factors(data: ScaledData, tangents: Tangents, q: int, run: Run) -> DoubleArray:
    """The first q columns of F_i of all points."""
    rows = np.arange(len(tangents.neighbors), dtype=np.int32)

    def body(start: int, stop: int) -> tuple[DoubleArray]:
        return (factors_of(data, tangents, rows[start:stop], q)[3],)

    return run.by_blocks(len(rows), body, points_per_block(data, tangents.neighbors.shape[1]))[0]
