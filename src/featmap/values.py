"""The nouns of the method: small frozen values made of plain arrays, which check their shapes when made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]
IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]
WholeArray = NDArray[np.integer[Any]]  # whole numbers of any size, such as rows that were chosen

Task = Callable[[int, int], None]  # of a block of rows
OverRows = Callable[[int, Task], None]  # calls a task for all blocks of so many rows, as `Run.over_rows`

# In the annotation of an array whose entries may be infinite; those of all others are finite.
MAY_BE_INFINITE = "may be infinite"

BEYOND_INT32 = 2**31  # from so many edges on their numbers take 64 bits


def _all_at_once(n_rows: int, task: Task) -> None:
    task(0, n_rows)


def _check(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")


@dataclass(frozen=True, repr=False)
class Order:
    """The order in which the layout keeps the points. All other values have the order of the user's rows."""

    rows: IntArray  # (m,) the row of the user's data at each position of the layout
    positions: IntArray  # (m,) the position of each row in the layout

    @classmethod
    def of(cls, rows: IntArray) -> Order:
        positions = np.empty_like(rows)
        positions[rows] = np.arange(len(rows), dtype=rows.dtype)
        return cls(rows, positions)

    @classmethod
    def of_the_rows(cls, n_rows: int) -> Order:
        """The order of the user's rows itself."""
        return cls.of(np.arange(n_rows, dtype=np.int32))

    def into_layout(self, by_row: np.ndarray) -> np.ndarray:
        """An array with an entry for each row, in the order of the layout."""
        return by_row[self.rows]

    def into_rows(self, by_position: np.ndarray) -> np.ndarray:
        """An array with an entry for each position of the layout, in the order of the rows."""
        return by_position[self.positions]

    def graph_into_layout(self, graph: Graph, over_rows: OverRows = _all_at_once) -> Graph:
        """The same graph with its points in the order of the layout."""
        return Graph(_reordered(graph.weights, self.rows, self.positions, over_rows))

    def graph_into_rows(self, graph: Graph, over_rows: OverRows = _all_at_once) -> Graph:
        """The graph in the order of the rows again, with the bytes that it had."""
        return Graph(_reordered(graph.weights, self.positions, self.rows, over_rows))

    def edges_into_layout(self, graph: Graph) -> np.ndarray:
        """The number that each edge of `graph_into_layout` has among the edges of the graph."""
        edges = graph.weights
        numbers = sorted_csr(np.arange(edges.nnz), edges.indices, edges.indptr)
        return _reordered(numbers, self.rows, self.positions, _all_at_once).data

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Order({len(self)} points)"


def sorted_csr(data: np.ndarray, indices: IntArray, indptr: np.ndarray) -> sp.csr_matrix:
    """A square matrix of these parts, whose rows have rising columns.

    Parts are set rather than given: the constructor would copy indices of 32 bits where edge numbers need 64.
    """
    n_rows = len(indptr) - 1
    matrix = sp.csr_matrix((n_rows, n_rows), dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    matrix.has_sorted_indices = True
    return matrix


def edge_numbers(indptr: NDArray[np.int64]) -> np.ndarray:
    """Where the edges of each point begin, in 32 bits if these can count all edges."""
    return indptr.astype(np.int32) if indptr[-1] < BEYOND_INT32 else indptr


def _reordered(matrix: sp.csr_matrix, order: IntArray, places: IntArray, over_rows: OverRows) -> sp.csr_matrix:
    """Rows and columns in another order, in which number i of before has the place places[i] = order⁻¹[i].

    A part of the rows at a time, since the numbers of their entries take more memory than the entries.
    """
    n_entries = np.diff(matrix.indptr)[order]
    indptr = np.zeros_like(matrix.indptr)
    np.cumsum(n_entries, out=indptr[1:])
    indices, data = np.empty_like(matrix.indices), np.empty_like(matrix.data)

    def task(start: int, stop: int) -> None:
        counts, here = n_entries[start:stop], slice(indptr[start], indptr[stop])
        ends = np.cumsum(counts, dtype=np.int64)
        shifts = matrix.indptr[order[start:stop]] - ends + counts
        before = np.arange(here.stop - here.start) + np.repeat(shifts, counts)
        part = sp.csr_matrix(
            (matrix.data[before], places[matrix.indices[before]], np.concatenate([[0], ends])),
            shape=(len(ends), len(order)),
        )
        part.sort_indices()
        indices[here], data[here] = part.indices, part.data

    over_rows(len(order), task)
    return sorted_csr(data, indices, indptr)


@dataclass(frozen=True, repr=False)
class Neighbors:
    """The nearest others of every point, sorted by distance, ties by index. A missing one is at infinity."""

    indices: Annotated[IntArray, "(m, k)"]
    distances: Annotated[FloatArray, "(m, k)", MAY_BE_INFINITE]

    def __post_init__(self) -> None:
        _check("Neighbors.distances", self.distances, self.indices.shape)
        if not (self.distances[:, 1:] >= self.distances[:, :-1]).all():
            raise ValueError("Neighbors.distances must rise along a row")

    @property
    def k(self) -> int:
        return self.indices.shape[1]

    def __getitem__(self, rows: np.ndarray) -> Neighbors:
        """The neighbours of these rows."""
        return Neighbors(self.indices[rows], self.distances[rows])

    def first(self, k: int) -> Neighbors:
        """The k nearest neighbours of each point."""
        return Neighbors(np.ascontiguousarray(self.indices[:, :k]), np.ascontiguousarray(self.distances[:, :k]))

    def __repr__(self) -> str:
        return f"Neighbors({len(self.indices)} points, {self.k} each)"


@dataclass(frozen=True)
class SearchReport:
    """How neighbours were searched."""

    recall: float  # the part of the true neighbours that was found, measured on some rows; 1 if the search is exact
    way: str  # "exact", or how widely an approximate search looked

    def __str__(self) -> str:
        return f"recall {self.recall:.3f} of neighbours: {self.way}"


@dataclass(frozen=True, repr=False)
class Graph:
    """The symmetric weights P of the edges between neighbours, as sorted CSR."""

    weights: sp.csr_matrix

    def __post_init__(self) -> None:
        n_rows = self.weights.shape[0]
        _check("Graph.weights", self.weights, (n_rows, n_rows))
        if self.weights.nnz and not (self.weights.data.min() >= 0 and self.weights.data.max() <= 1):
            raise ValueError("Graph.weights must lie in [0, 1]")

    @cached_property
    def degrees(self) -> DoubleArray:
        """deg_i = Σ_j P_ij."""
        return np.asarray(self.weights.sum(axis=1, dtype=np.float64)).ravel()

    @property
    def for_csgraph(self) -> sp.csr_matrix:
        """The weights with numbers of edges in 32 bits, if these can count them all: csgraph takes no others."""
        edges = self.weights
        if edges.nnz > np.iinfo(np.int32).max:
            return edges
        return sp.csr_matrix((edges.data, edges.indices, edges.indptr.astype(np.int32, copy=False)), edges.shape)

    @cached_property
    def is_connected(self) -> NDArray[np.bool_]:
        """Which points have edges."""
        return np.diff(self.weights.indptr) > 0

    @property
    def sources(self) -> IntArray:
        """The row each stored edge belongs to."""
        return np.repeat(np.arange(self.weights.shape[0], dtype=np.int32), np.diff(self.weights.indptr))

    def __repr__(self) -> str:
        return f"Graph({self.weights.shape[0]} points, {self.weights.nnz} directed edges)"


NO_GRAPH = Graph(sp.csr_matrix((0, 0), dtype=np.float32))


@dataclass(frozen=True, repr=False)
class Tangents:
    """The local SVD at every point. Its axes are made again when they are needed: V_i = X_iᵀ F_i over i's neighbours.

    The factors F_i = W_i U_i Σ_i⁻¹ follow from the centers, the neighbours and their weights.
    """

    centers: Any  # (m, n) the points themselves, scaled: the data (not a copy) or new rows
    neighbors: Annotated[IntArray, "(m, k)"]  # the rows of the data that made X_i
    weights: Annotated[FloatArray, "(m, k)"]  # theirs, the squares of W_i
    center: str  # what X_i is about: the "mean" of the neighbours or the "point"
    singular_values: Annotated[FloatArray, "(m, r)"]  # falling, in unit size; 0 beyond the local rank
    intrinsic_dim: Annotated[IntArray, "(m,)"]  # d_i
    # The first columns of F_i, for the alignment of the same fit.
    leading: Annotated[DoubleArray, "(m, k, q)"] | None = None

    def __post_init__(self) -> None:
        n_rows, k = self.neighbors.shape
        _check("Tangents.centers", self.centers, (n_rows, self.centers.shape[1]))
        _check("Tangents.weights", self.weights, (n_rows, k))
        _check("Tangents.singular_values", self.singular_values, (n_rows, self.n_directions))
        _check("Tangents.intrinsic_dim", self.intrinsic_dim, (n_rows,))
        if self.leading is not None:
            _check("Tangents.leading", self.leading, (n_rows, k, self.leading.shape[2]))
        if (self.singular_values[:, 1:] > self.singular_values[:, :-1]).any():
            raise ValueError("Tangents.singular_values must not rise along a row")

    def __getitem__(self, rows: np.ndarray) -> Tangents:
        """The tangent spaces of these rows, without the leading factors."""
        return Tangents(
            self.centers[rows],
            self.neighbors[rows],
            self.weights[rows],
            self.center,
            self.singular_values[rows],
            self.intrinsic_dim[rows],
        )

    def without_leading(self) -> Tangents:
        """The tangent spaces without the leading factors, which can be computed again from the rest."""
        return replace(self, leading=None)

    @property
    def n_directions(self) -> int:
        """r, the number of local directions."""
        return self.singular_values.shape[1]

    def __repr__(self) -> str:
        n_rows, k = self.neighbors.shape
        return f"Tangents({n_rows} points, {self.n_directions} directions from {k} neighbours)"


@dataclass(frozen=True, repr=False)
class Connection:
    """The rotation between the tangent spaces of i and j for every edge i→j, with the first q directions."""

    # O_ij = polar(V_jᵀ V_i): (edges, q, q), or in the plane codes of `kernels.rotations`: (edges,).
    rotations: Annotated[NDArray[np.float32 | np.int32], "(edges, ...)"]
    # V_iᵀ(x_j − x_i), minus their mean if the tangent spaces are about the mean.
    steps: Annotated[FloatArray, "(edges, q)"]
    # V_jᵀ V_i, if the solver of frames needs them.
    kept_products: Annotated[FloatArray, "(edges, q, q)"] | None = None

    def __post_init__(self) -> None:
        n_edges, q = self.steps.shape
        _check("Connection.rotations", self.rotations, (n_edges,) if self.is_coded and q == 2 else (n_edges, q, q))
        if self.kept_products is not None:
            _check("Connection.kept_products", self.kept_products, (n_edges, q, q))

    @property
    def is_coded(self) -> bool:
        """Whether rotations are codes."""
        return self.rotations.ndim == 1

    @property
    def products(self) -> FloatArray:
        """V_jᵀ V_i of every edge."""
        if self.kept_products is None:
            raise ValueError("Connection.products were not kept")
        return self.kept_products

    def __getitem__(self, edges: np.ndarray) -> Connection:
        """The connection on these edges."""
        products = None if self.kept_products is None else self.kept_products[edges]
        return Connection(self.rotations[edges], self.steps[edges], products)

    def __repr__(self) -> str:
        n_edges, q = self.steps.shape
        return f"Connection({n_edges} edges, {q} directions)"


@dataclass(frozen=True, repr=False)
class Frames:
    """An orthogonal matrix at every point of the map. Column l shows the local direction l of the data on the map."""

    axes: Annotated[FloatArray, "(m, d', d')"]
    covariance_size: float = 1.0  # mean norm of the C_i that they were fitted to; new points need the same
    solver: str = "aligned"  # which solver made them; frames of new points are made in the same way

    def __post_init__(self) -> None:
        n_rows, dim, _ = self.axes.shape
        _check("Frames.axes", self.axes, (n_rows, dim, dim))
        for a, b in combinations_with_replacement(range(dim), 2):  # one by one, since all take much memory
            products = np.einsum("mc,mc->m", self.axes[:, :, a], self.axes[:, :, b])
            if not np.allclose(products, a == b, atol=1e-3):
                raise ValueError("Frames.axes must be orthogonal matrices")

    def __getitem__(self, rows: np.ndarray) -> Frames:
        """The frames of these rows."""
        return Frames(self.axes[rows], self.covariance_size, self.solver)

    def __repr__(self) -> str:
        n_rows, dim, _ = self.axes.shape
        return f"Frames({n_rows} points, {dim} × {dim})"


@dataclass(frozen=True, repr=False)
class Geometry:
    """What the map does not need: the tangent space of every point, and its frame on the map."""

    tangents: Tangents
    frames: Frames

    def __getitem__(self, rows: np.ndarray) -> Geometry:
        """Tangent spaces and frames of these rows."""
        return Geometry(self.tangents[rows], self.frames[rows])

    def __repr__(self) -> str:
        return f"Geometry({self.tangents!r}, {self.frames!r})"
