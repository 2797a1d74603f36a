"""The nouns of the method: small frozen values made of plain arrays, which check their shapes when made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
DoubleArray = NDArray[np.float64]
IntArray = NDArray[np.int32]


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

    def neighbors_into_layout(self, neighbors: Neighbors) -> Neighbors:
        """The same neighbours with the points in the order of the layout."""
        return Neighbors(self.positions[neighbors.indices[self.rows]], neighbors.distances[self.rows])

    def graph_into_layout(self, graph: Graph) -> Graph:
        """The same graph with its points in the order of the layout."""
        weights = graph.weights[self.rows]
        weights.indices = self.positions[weights.indices]
        weights.has_sorted_indices = False
        weights.sort_indices()
        return Graph(weights)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Order({len(self)} points)"


@dataclass(frozen=True, repr=False)
class Neighbors:
    """The nearest others of every point, sorted by distance, ties by index. A missing one is at infinity."""

    indices: IntArray
    distances: FloatArray

    def __post_init__(self) -> None:
        _check("Neighbors.distances", self.distances, self.indices.shape)
        if not (self.distances[:, 1:] >= self.distances[:, :-1]).all():
            raise ValueError("Neighbors.distances must rise along a row")

    @property
    def k(self) -> int:
        return self.indices.shape[1]

    def __getitem__(self, rows: np.ndarray) -> Neighbors:
        """The neighbours of some of the points."""
        return Neighbors(self.indices[rows], self.distances[rows])

    def first(self, k: int) -> Neighbors:
        """The k nearest neighbours of each point."""
        return Neighbors(np.ascontiguousarray(self.indices[:, :k]), np.ascontiguousarray(self.distances[:, :k]))

    def __repr__(self) -> str:
        return f"Neighbors({len(self.indices)} points, {self.k} each)"


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

    @cached_property
    def is_connected(self) -> NDArray[np.bool_]:
        """Which points have edges."""
        return np.diff(self.weights.indptr) > 0

    @property
    def sources(self) -> IntArray:
        """The row each stored edge belongs to."""
        return np.repeat(np.arange(self.weights.shape[0], dtype=np.int32), np.diff(self.weights.indptr))

    @property
    def reverse_edges(self) -> IntArray:
        """Where the edge j→i is stored, for every stored edge i→j."""
        numbers = np.arange(self.weights.nnz, dtype=np.int32)
        return sp.csr_matrix((numbers, self.weights.indices, self.weights.indptr), self.weights.shape).T.tocsr().data

    def __repr__(self) -> str:
        return f"Graph({self.weights.shape[0]} points, {self.weights.nnz} directed edges)"


@dataclass(frozen=True, repr=False)
class Radii:
    """Squared local radii around every point, of the data or of the map. They are 0 where a point has no neighbours.

    A radius is a weighted mean over the n_neighbors − 1 neighbours of a point, the same in the data and on the map.
    """

    total: DoubleArray  # (m,) in all directions, about the point
    along: DoubleArray  # (m, d') along each local direction, about the point
    centered: DoubleArray  # (m, d') along each local direction, about the mean of the neighbours

    def __post_init__(self) -> None:
        _check("Radii.total", self.total, self.along.shape[:1])
        _check("Radii.centered", self.centered, self.along.shape)

    def __getitem__(self, rows: IntArray) -> Radii:
        """The values of some of the points."""
        return Radii(self.total[rows], self.along[rows], self.centered[rows])

    def __repr__(self) -> str:
        return f"Radii({len(self.total)} points)"


@dataclass(frozen=True, repr=False)
class Tangents:
    """The local SVD at every point, with its axes kept as factors: V_i = X_iᵀ F_i over i's neighbours."""

    centers: Any  # (m, n) the points themselves, scaled: the data (not a copy) or new rows
    neighbors: IntArray  # (m, k) the rows of the data that made X_i
    weights: FloatArray  # (m, k) theirs, the squares of W_i
    factors: DoubleArray  # (m, k, r) F_i = W_i U_i Σ_i⁻¹; columns beyond the local rank are zero
    singular_values: DoubleArray  # (m, r) falling, in unit size
    intrinsic_dim: IntArray  # (m,) d_i
    radii: Radii  # of the data, along the first d' directions

    def __post_init__(self) -> None:
        n_rows, k, r = self.factors.shape
        _check("Tangents.centers", self.centers, (n_rows, self.centers.shape[1]))
        _check("Tangents.neighbors", self.neighbors, (n_rows, k))
        _check("Tangents.weights", self.weights, (n_rows, k))
        _check("Tangents.singular_values", self.singular_values, (n_rows, r))
        _check("Tangents.intrinsic_dim", self.intrinsic_dim, (n_rows,))
        _check("Tangents.radii", self.radii.total, (n_rows,))
        if (np.diff(self.singular_values, axis=1) > 0).any():
            raise ValueError("Tangents.singular_values must not rise along a row")

    def __getitem__(self, rows: np.ndarray) -> Tangents:
        """The values of some of the points."""
        return Tangents(
            self.centers[rows],
            self.neighbors[rows],
            self.weights[rows],
            self.factors[rows],
            self.singular_values[rows],
            self.intrinsic_dim[rows],
            self.radii[rows],
        )

    @property
    def n_directions(self) -> int:
        """r, the number of local directions kept."""
        return self.factors.shape[2]

    def __repr__(self) -> str:
        n_rows, k, r = self.factors.shape
        return f"Tangents({n_rows} points, {r} directions from {k} neighbours)"


@dataclass(frozen=True, repr=False)
class Connection:
    """The rotation between the tangent spaces of i and j for every edge i→j, with the first q directions."""

    products: FloatArray  # (edges, q, q) V_jᵀ V_i
    rotations: FloatArray  # (edges, q, q) O_ij = polar(V_jᵀ V_i)
    steps: FloatArray  # (edges, q) V_iᵀ(x_j − x_i), minus their mean if the tangent spaces are about the mean

    def __post_init__(self) -> None:
        n_edges, q = self.steps.shape
        _check("Connection.products", self.products, (n_edges, q, q))
        _check("Connection.rotations", self.rotations, (n_edges, q, q))

    def __repr__(self) -> str:
        n_edges, q = self.steps.shape
        return f"Connection({n_edges} edges, {q} directions)"


@dataclass(frozen=True, repr=False)
class Frames:
    """An orthogonal matrix at every point of the map. Column l shows the local direction l of the data on the map."""

    axes: FloatArray  # (m, d', d')
    covariance_size: float = 1.0  # mean norm of the C_i that they were fitted to; new points need the same
    solver: str = "aligned"  # which solver made them; frames of new points are made in the same way

    def __post_init__(self) -> None:
        n_rows, dim, _ = self.axes.shape
        _check("Frames.axes", self.axes, (n_rows, dim, dim))
        gram = np.einsum("mca,mcb->mab", self.axes, self.axes)
        if not np.allclose(gram, np.eye(dim), atol=1e-3):
            raise ValueError("Frames.axes must be orthogonal matrices")

    def __getitem__(self, rows: np.ndarray) -> Frames:
        """The values of some of the points."""
        return Frames(self.axes[rows], self.covariance_size, self.solver)

    def __repr__(self) -> str:
        n_rows, dim, _ = self.axes.shape
        return f"Frames({n_rows} points, {dim} × {dim})"
