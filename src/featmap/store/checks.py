"""Whether values that were read belong together: kernels trust the numbers they are given, and no file is trusted."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ..features import Features
from ..kernels.search import BLOCK_COLUMNS, COORDINATES_AT_ONCE
from ..layout.descent import State
from ..manifold import Manifold
from ..neighbors import CosineSearch, Lists, ListSearch, Search
from ..rows import SparseRows
from ..scene import Ground
from ..values import Connection, Frames, Graph, Neighbors, Tangents
from .schema import within


def check_ground(ground: Ground) -> None:
    """A map, and all that is known of its data."""
    check_manifold(ground.manifold)
    n_rows, dim = len(ground.places), ground.places.shape[1]
    fit("the map", n_rows == ground.features.shape[0] and ground.frames.axes.shape == (n_rows, dim, dim))


def check_manifold(manifold: Manifold) -> None:
    features = manifold.features
    fit("the middle of the data", features.center.shape == features.shape[1:] and features.scale > 0)
    check_rows(features.matrix)
    check_search(manifold.search, features)
    check_graph(manifold.graph, features.shape[0])
    check_tangents(manifold.tangents, features.shape)
    fit("n_neighbors", 2 <= manifold.n_neighbors <= manifold.n_tangent_neighbors <= features.shape[0])
    dim = manifold.intrinsic_dim
    fit("intrinsic_dim", dim == "auto" or (isinstance(dim, numbers.Integral) and int(dim) >= 1))


def check_rows(matrix: Any) -> None:
    if isinstance(matrix, SparseRows):
        fit("the row of zeros", matrix.zeros.shape == matrix.shape[1:])


def check_search(search: Search, features: Features) -> None:
    if isinstance(search, CosineSearch):
        search = search.euclidean
    fit("the search", search.matrix.shape == features.shape)  # type: ignore[attr-defined]
    check_rows(search.matrix)  # type: ignore[attr-defined]
    if isinstance(search, ListSearch):
        n_lists = len(search.lists.first_blocks) - 1
        n_coordinates = search.directions.shape[1]
        fit("the search", n_lists >= 1 and search.directions.shape[0] == features.shape[1])
        fit("the search", n_coordinates % COORDINATES_AT_ONCE == 0)
        check_lists(search.centers, n_coordinates, 1, n_lists)
        check_lists(search.lists, n_coordinates, n_lists, features.shape[0])


def check_lists(lists: Lists, n_coordinates: int, n_lists: int, n_points: int) -> None:
    n_blocks, first = len(lists.blocks), lists.first_blocks
    fit("the search", lists.blocks.shape == (n_blocks, n_coordinates, BLOCK_COLUMNS))
    fit("the search", lists.members.shape == (n_blocks, BLOCK_COLUMNS) and within(lists.members, -1, n_points))
    fit("the search", len(first) == n_lists + 1 and first[0] == 0 and first[-1] == n_blocks)
    fit("the search", bool((first[1:] >= first[:-1]).all()))


def check_graph(graph: Graph, n_rows: int) -> None:
    fit("the graph", graph.weights.shape == (n_rows, n_rows))


def check_tangents(tangents: Tangents, shape: tuple[int, int]) -> None:
    fit("the tangent spaces", tangents.centers.shape == shape)
    check_rows(tangents.centers)
    fit("the tangent spaces", within(tangents.neighbors, 0, shape[0]))
    fit("the tangent spaces", within(tangents.intrinsic_dim, 0, tangents.n_directions + 1))


def check_stage(stage: Any, n_rows: int, dim: int, n_edges: int) -> None:
    """What one stage of a fit has made, of so many rows in so many dimensions, on a graph of so many edges."""
    match stage:
        case Neighbors():
            fit("neighbors", len(stage.indices) == n_rows and within(stage.indices, 0, n_rows))
        case Graph():
            check_graph(stage, n_rows)
        case Tangents():
            check_tangents(stage, (n_rows, stage.centers.shape[1]))
        case np.ndarray():
            fit("start", stage.shape == (n_rows, dim))
        case Connection():
            fit("alignment", len(stage.steps) == n_edges)
        case State():
            parts = (stage.coordinates, stage.gradient_mean, stage.gradient_square)
            fit("layout", all(part.shape == (dim, n_rows) for part in parts) and stage.epoch >= 0)
        case Frames():
            fit("density", stage.axes.shape == (n_rows, dim, dim))


def fit(what: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{what} does not fit the rest of it")
