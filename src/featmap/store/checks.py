"""Whether values that were read belong together. Kernels trust the numbers they are given, and no file is trusted."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..checks.parameters import RULES, check_each
from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..explanation.points import MappedData
from ..kernels.search import BLOCK_COLUMNS, COORDINATES_AT_ONCE
from ..layout.descent import State
from ..neighbors.lists import ListIndex, Lists, ListSearch
from ..neighbors.other import CosineSearch, MetricSearch
from ..pipeline import Manifold
from ..values import Connection, Frames, Graph, Neighbors, Tangents
from .schema.arrays import within


def require(what: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{what} cannot belong to the rest of it")


def require_finite(what: str, *arrays: np.ndarray) -> None:
    """Refuse NaN and infinity. Both reach the smallest or the largest value, which need no copy of a mapped array."""
    for array in arrays:
        if array.size and not np.isfinite([array.min(), array.max()]).all():
            raise ValueError(f"it has NaN or infinite numbers in {what}")


def numbers_in(matrix: Any) -> tuple[np.ndarray, ...]:
    """The arrays that hold the numbers of a dense or sparse matrix."""
    if isinstance(matrix, SparseRows):
        return matrix.entries.data, matrix.zeros
    return (matrix.data if sp.issparse(matrix) else matrix,)


def check_mapped_data(mapped: MappedData) -> None:
    """Check a map, and what is known of its data."""
    check_manifold(mapped.manifold)
    n_rows, dim = mapped.embedding.shape
    require("the map", n_rows == mapped.data.shape[0] and dim >= 1)
    require_finite("the map", mapped.embedding)
    require("the tangent spaces", mapped.tangents.radii.along.shape[1] == dim)
    check_frames(mapped.frames, n_rows, dim)


def check_manifold(manifold: Manifold) -> None:
    data, space, neighbors = manifold.data, manifold.space, manifold.neighbors
    parameters = ("metric", "tangent_center", "intrinsic_dim")
    check_each("FeatMAP", {name: getattr(manifold, name) for name in parameters}, RULES)
    check_data(data)
    check_space(manifold)
    check_search(manifold.search, space, manifold.metric)
    check_neighbors(neighbors, data.shape[0])
    check_graph(manifold.graph, data.shape[0])
    check_tangents(manifold.tangents, space.shape)
    require("n_neighbors", 2 <= manifold.n_neighbors <= manifold.n_tangent_neighbors <= data.shape[0])
    n_others = manifold.n_tangent_neighbors - 1
    require("n_tangent_neighbors", n_others == neighbors.k == manifold.tangents.neighbors.shape[1])


def check_data(data: ScaledData) -> None:
    check_rows("the data", data.matrix)
    require("the center of the data", data.center.shape == data.shape[1:])
    require_finite("the center of the data", data.center)
    require("the scale of the data", 0 < data.scale < np.inf)
    if data.lengths is not None:
        require("the lengths of the rows", data.lengths.shape == data.shape[:1] and data.lengths.min(initial=0) >= 0)
        require_finite("the lengths of the rows", data.lengths)


def check_space(manifold: Manifold) -> None:
    """The space of neighbourhoods is that of the data, or that of their principal components."""
    data, space, components = manifold.data, manifold.space, manifold.components
    check_data(space)
    require("the space of neighbourhoods", space.unit_rows == data.unit_rows)
    n_components = data.shape[1]
    if components is not None:
        n_features, n_components = components.directions.shape
        require("the components", n_features == data.shape[1] and n_components >= 1)
        require_finite("the components", components.directions)
    require("the space of neighbourhoods", space.shape == (data.shape[0], n_components))


def check_rows(what: str, matrix: Any) -> None:
    if isinstance(matrix, SparseRows):
        require(what, matrix.zeros.shape == matrix.shape[1:])
    require_finite(what, *numbers_in(matrix))


def check_search(search: Any, data: ScaledData, metric: str) -> None:
    is_cosine = isinstance(search, CosineSearch)
    found = "cosine" if is_cosine else search.metric if isinstance(search, MetricSearch) else "euclidean"
    require("the search", found == metric and data.unit_rows == is_cosine)
    inner = search.euclidean if is_cosine else search
    require("the search", inner.matrix.shape == data.shape)
    check_rows("the search", inner.matrix)
    if isinstance(inner, ListSearch) and inner.index is not None:
        check_index(inner.index, data)


def check_index(index: ListIndex, data: ScaledData) -> None:
    n_lists = len(index.lists.first_blocks) - 1
    n_coordinates = index.directions.shape[1]
    require("the search", n_lists >= 1 and index.directions.shape[0] == data.shape[1])
    require("the search", n_coordinates % COORDINATES_AT_ONCE == 0)
    require_finite("the search", index.directions)
    check_lists(index.centers, n_coordinates, 1, n_lists)
    check_lists(index.lists, n_coordinates, n_lists, data.shape[0])


def check_lists(lists: Lists, n_coordinates: int, n_lists: int, n_points: int) -> None:
    n_blocks, first = len(lists.blocks), lists.first_blocks
    require("the search", lists.blocks.shape == (n_blocks, n_coordinates, BLOCK_COLUMNS))
    require("the search", lists.members.shape == (n_blocks, BLOCK_COLUMNS) and within(lists.members, -1, n_points))
    require("the search", len(first) == n_lists + 1 and first[0] == 0 and first[-1] == n_blocks)
    require("the search", bool((first[1:] >= first[:-1]).all()))
    # A column that is no point is at infinity in every coordinate.
    is_point = lists.members >= 0
    require("the search", np.array_equal(np.isfinite(lists.blocks).all(axis=1), is_point))
    require("the search", np.array_equal(np.isposinf(lists.blocks).all(axis=1), ~is_point))


def check_neighbors(neighbors: Neighbors, n_rows: int) -> None:
    """A missing neighbour is at an infinite distance."""
    require("neighbors", len(neighbors.indices) == n_rows and within(neighbors.indices, 0, n_rows))
    require("neighbors", bool(neighbors.distances.min(initial=0) >= 0))  # false for NaN


def check_graph(graph: Graph, n_rows: int) -> None:
    require("the graph", graph.weights.shape == (n_rows, n_rows))


def check_tangents(tangents: Tangents, shape: tuple[int, int]) -> None:
    what, k = "the tangent spaces", tangents.neighbors.shape[1]
    require(what, tangents.centers.shape == shape and tangents.n_directions == min(k, shape[1]))
    check_rows(what, tangents.centers)
    require(what, within(tangents.neighbors, 0, shape[0]))
    require(what, within(tangents.intrinsic_dim, 0, tangents.n_directions + 1))
    require_finite(what, tangents.factors, tangents.singular_values, tangents.weights)
    require(what, tangents.weights.min(initial=0) >= 0)
    radii = tangents.radii
    require_finite(what, radii.total, radii.along, radii.centered)
    require(what, min(part.min(initial=0) for part in (radii.total, radii.along, radii.centered)) >= 0)


def check_frames(frames: Frames, n_rows: int, dim: int) -> None:
    require("the frames", frames.axes.shape == (n_rows, dim, dim) and 0 < frames.covariance_size < np.inf)
    check_each("FeatMAP", {"frames": frames.solver}, RULES)


def check_stage(stage: Any, n_rows: int, dim: int, n_edges: int) -> None:
    """Check what a stage of a fit made for ``n_rows`` rows in ``dim`` dimensions, on a graph of ``n_edges`` edges."""
    match stage:
        case Neighbors():
            check_neighbors(stage, n_rows)
        case Graph():
            check_graph(stage, n_rows)
        case Tangents():
            check_tangents(stage, (n_rows, stage.centers.shape[1]))
            require("the tangent spaces", stage.radii.along.shape[1] == dim)
        case np.ndarray():
            require("start", stage.shape == (n_rows, dim))
            require_finite("start", stage)
        case Connection():
            require("alignment", len(stage.steps) == n_edges and stage.steps.shape[1] <= dim)
            require_finite("alignment", stage.products, stage.rotations, stage.steps)
        case State():
            parts = (stage.transposed, stage.gradient_mean, stage.gradient_square)
            require("layout", all(part.shape == (dim, n_rows) for part in parts) and stage.epoch >= 0)
            require_finite("layout", *parts)
            check_frames(Frames(stage.axes), n_rows, dim)
        case Frames():
            check_frames(stage, n_rows, dim)
