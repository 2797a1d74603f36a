"""Whether values that were read belong together: kernels trust the numbers they are given, and no file is trusted."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..explanation.points import MappedData
from ..kernels.search import BLOCK_COLUMNS, COORDINATES_AT_ONCE
from ..layout.descent import State
from ..neighbors.lists import ListIndex, Lists, ListSearch
from ..neighbors.other import CosineSearch
from ..neighbors.search import Search
from ..pipeline import Manifold
from ..values import Connection, Frames, Graph, Neighbors, Tangents
from .schema import within


def check_mapped_data(mapped: MappedData) -> None:
    """A map, and all that is known of its data."""
    check_manifold(mapped.manifold)
    n_rows, dim = len(mapped.embedding), mapped.embedding.shape[1]
    require("the map", n_rows == mapped.data.shape[0] and mapped.frames.axes.shape == (n_rows, dim, dim))


def check_manifold(manifold: Manifold) -> None:
    data = manifold.data
    require("the middle of the data", data.center.shape == data.shape[1:] and data.scale > 0)
    check_rows(data.matrix)
    check_search(manifold.search, data)
    check_graph(manifold.graph, data.shape[0])
    check_stage(manifold.neighbors, data.shape[0], 0, 0)
    check_tangents(manifold.tangents, data.shape)
    require("n_neighbors", 2 <= manifold.n_neighbors <= manifold.n_tangent_neighbors <= data.shape[0])
    dim = manifold.intrinsic_dim
    require("intrinsic_dim", dim == "auto" or (isinstance(dim, numbers.Integral) and int(dim) >= 1))


def check_rows(matrix: Any) -> None:
    if isinstance(matrix, SparseRows):
        require("the row of zeros", matrix.zeros.shape == matrix.shape[1:])


def check_search(search: Search, data: ScaledData) -> None:
    if isinstance(search, CosineSearch):
        search = search.euclidean
    require("the search", search.matrix.shape == data.shape)  # type: ignore[attr-defined]
    check_rows(search.matrix)  # type: ignore[attr-defined]
    if isinstance(search, ListSearch) and search.index is not None:
        check_index(search.index, data)


def check_index(index: ListIndex, data: ScaledData) -> None:
    n_lists = len(index.lists.first_blocks) - 1
    n_coordinates = index.directions.shape[1]
    require("the search", n_lists >= 1 and index.directions.shape[0] == data.shape[1])
    require("the search", n_coordinates % COORDINATES_AT_ONCE == 0)
    check_lists(index.centers, n_coordinates, 1, n_lists)
    check_lists(index.lists, n_coordinates, n_lists, data.shape[0])


def check_lists(lists: Lists, n_coordinates: int, n_lists: int, n_points: int) -> None:
    n_blocks, first = len(lists.blocks), lists.first_blocks
    require("the search", lists.blocks.shape == (n_blocks, n_coordinates, BLOCK_COLUMNS))
    require("the search", lists.members.shape == (n_blocks, BLOCK_COLUMNS) and within(lists.members, -1, n_points))
    require("the search", len(first) == n_lists + 1 and first[0] == 0 and first[-1] == n_blocks)
    require("the search", bool((first[1:] >= first[:-1]).all()))


def check_graph(graph: Graph, n_rows: int) -> None:
    require("the graph", graph.weights.shape == (n_rows, n_rows))


def check_tangents(tangents: Tangents, shape: tuple[int, int]) -> None:
    require("the tangent spaces", tangents.centers.shape == shape)
    check_rows(tangents.centers)
    require("the tangent spaces", within(tangents.neighbors, 0, shape[0]))
    require("the tangent spaces", within(tangents.intrinsic_dim, 0, tangents.n_directions + 1))


def check_stage(stage: Any, n_rows: int, dim: int, n_edges: int) -> None:
    """What one stage of a fit has made, of so many rows in so many dimensions, on a graph of so many edges."""
    match stage:
        case Neighbors():
            require("neighbors", len(stage.indices) == n_rows and within(stage.indices, 0, n_rows))
        case Graph():
            check_graph(stage, n_rows)
        case Tangents():
            check_tangents(stage, (n_rows, stage.centers.shape[1]))
        case np.ndarray():
            require("start", stage.shape == (n_rows, dim))
        case Connection():
            require("alignment", len(stage.steps) == n_edges)
        case State():
            parts = (stage.transposed, stage.gradient_mean, stage.gradient_square)
            require("layout", all(part.shape == (dim, n_rows) for part in parts) and stage.epoch >= 0)
        case Frames():
            require("density", stage.axes.shape == (n_rows, dim, dim))


def require(what: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{what} does not fit the rest of it")
