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


def inverse_order(order: IntArray) -> IntArray:
    """Where each point stands in an order of them."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    return places


@dataclass(frozen=True, repr=False)
class Neighbors:
    """The nearest others of every point, sorted by distance, ties by index."""

    indices: IntArray
    distances: FloatArray

    def __post_init__(self) -> None:
        _check("Neighbors.distances", self.distances, self.indices.shape)
        if (np.diff(self.distances, axis=1) < 0).any():
            raise ValueError("Neighbors.distances must not fall along a row")

    @property
    def k(self) -> int:
        return self.indices.shape[1]

    def first(self, k: int) -> Neighbors:
        """The k nearest of them."""
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

    @property
    def sources(self) -> IntArray:
        """The row each stored edge belongs to."""
        return np.repeat(np.arange(self.weights.shape[0], dtype=np.int32), np.diff(self.weights.indptr))

    @property
    def reverse_edges(self) -> IntArray:
        """Where the edge j→i is stored, for every stored edge i→j."""
        numbers = np.arange(self.weights.nnz, dtype=np.int32)
        return sp.csr_matrix((numbers, self.weights.indices, self.weights.indptr), self.weights.shape).T.tocsr().data

    def renumbered(self, order: IntArray) -> Graph:
        """The same graph with its points in another order: point i of the new one is order[i] of this one."""
        weights = self.weights[order]
        weights.indices = inverse_order(order)[weights.indices]
        weights.has_sorted_indices = False
        weights.sort_indices()
        return Graph(weights)

    def __repr__(self) -> str:
        return f"Graph({self.weights.shape[0]} points, {self.weights.nnz} directed edges)"


@dataclass(frozen=True, repr=False)
class Tangents:
    """The local SVD at every point, with its axes kept as factors: V_i = X_iᵀ F_i over i's neighbours."""

    centers: Any  # (m, n) the points themselves, dense or CSR: the data, not a copy, or new rows
    neighbors: IntArray  # (m, k) the rows of the data that made X_i
    factors: DoubleArray  # (m, k, r) F_i = W_i U_i Σ_i⁻¹; columns beyond the local rank are zero
    singular_values: DoubleArray  # (m, r) falling, in unit size
    intrinsic_dim: IntArray  # (m,) d_i
    weight_sums: DoubleArray  # (m,) Σ_j P_ij over the neighbours

    def __post_init__(self) -> None:
        n_rows, k, r = self.factors.shape
        _check("Tangents.centers", self.centers, (n_rows, self.centers.shape[1]))
        _check("Tangents.neighbors", self.neighbors, (n_rows, k))
        _check("Tangents.singular_values", self.singular_values, (n_rows, r))
        _check("Tangents.intrinsic_dim", self.intrinsic_dim, (n_rows,))
        _check("Tangents.weight_sums", self.weight_sums, (n_rows,))
        if (np.diff(self.singular_values, axis=1) > 0).any():
            raise ValueError("Tangents.singular_values must not rise along a row")

    def __getitem__(self, rows: IntArray) -> Tangents:
        """Those of some of the points."""
        return Tangents(
            self.centers[rows],
            self.neighbors[rows],
            self.factors[rows],
            self.singular_values[rows],
            self.intrinsic_dim[rows],
            self.weight_sums[rows],
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
    """How tangent spaces sit to each other along every edge i→j of the graph, with the first q directions."""

    products: FloatArray  # (edges, q, q) V_jᵀ V_i
    turns: FloatArray  # (edges, q, q) O_ij = polar(V_jᵀ V_i)
    steps: FloatArray  # (edges, q) V_iᵀ(x_j − x_i)

    def __post_init__(self) -> None:
        n_edges, q = self.steps.shape
        _check("Connection.products", self.products, (n_edges, q, q))
        _check("Connection.turns", self.turns, (n_edges, q, q))

    def __repr__(self) -> str:
        n_edges, q = self.steps.shape
        return f"Connection({n_edges} edges, {q} directions)"


@dataclass(frozen=True, repr=False)
class Frames:
    """An orthogonal matrix at every point of the map; column l is the direction of the local direction l."""

    axes: FloatArray  # (m, d', d')
    covariance_size: float = 1.0  # mean norm of the C_i they were fitted to; frames of further points need the same

    def __post_init__(self) -> None:
        n_rows, dim, _ = self.axes.shape
        _check("Frames.axes", self.axes, (n_rows, dim, dim))
        gram = np.einsum("mca,mcb->mab", self.axes, self.axes)
        if not np.allclose(gram, np.eye(dim), atol=1e-3):
            raise ValueError("Frames.axes must be orthogonal matrices")

    def __getitem__(self, rows: IntArray) -> Frames:
        """Those of some of the points."""
        return Frames(self.axes[rows], self.covariance_size)

    def __repr__(self) -> str:
        n_rows, dim, _ = self.axes.shape
        return f"Frames({n_rows} points, {dim} × {dim})"


@dataclass(frozen=True, repr=False)
class Embedding:
    """The map, its frames, and the logs of the radii along them in the data and on the map."""

    coordinates: FloatArray  # (m, d')
    frames: Frames
    data_radii: DoubleArray  # (m, d') r°, in unit size
    map_radii: DoubleArray  # (m, d') r^e

    def __post_init__(self) -> None:
        n_rows, dim = self.coordinates.shape
        _check("Embedding.frames", self.frames.axes, (n_rows, dim, dim))
        _check("Embedding.data_radii", self.data_radii, (n_rows, dim))
        _check("Embedding.map_radii", self.map_radii, (n_rows, dim))

    def renumbered(self, order: IntArray) -> Embedding:
        """The same map with its points in another order: point i of the new one is order[i] of this one."""
        return Embedding(self.coordinates[order], self.frames[order], self.data_radii[order], self.map_radii[order])

    def __repr__(self) -> str:
        n_rows, dim = self.coordinates.shape
        return f"Embedding({n_rows} points in {dim} dimensions)"
