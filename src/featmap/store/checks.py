"""Whether values that were read belong together. Kernels trust the numbers they are given, and no file is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..checks.parameters import NAME_OF_DISTANCES, RULES, check_each
from ..checks.settings import definite_kwds
from ..data.scaling import ScaledData
from ..explanation.points import MappedData
from ..kernels.search import BLOCK_COLUMNS, COORDINATES_AT_ONCE
from ..layout.descent import State
from ..layout.levels import CoarseStart
from ..neighbors.given_distances import DistanceSearch
from ..neighbors.large import LargeSearch
from ..neighbors.list_search import ListSearch
from ..neighbors.lists import Lists
from ..neighbors.other import CosineSearch, HellingerSearch, MetricSearch
from ..neighbors.quantizer import Quantizer
from ..pipeline import Manifold
from ..run.progress import COARSE_LAYOUT
from ..values import Connection, Frames, Geometry, Graph, Neighbors, Tangents
from .codecs import within

# The metric of each search that has only one; those that are not here are Euclidean.
METRICS = {CosineSearch: "cosine", HellingerSearch: "hellinger", DistanceSearch: NAME_OF_DISTANCES}
MOST_CANDIDATES = 1000  # for each neighbour; a search has far fewer


def require(what: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"{what} cannot belong to the rest of it")


def check_mapped_data(mapped: MappedData) -> None:
    """Check a map, and what is known of its data."""
    check_manifold(mapped.manifold)
    n_rows, dim = mapped.embedding.shape
    require("the map", n_rows == mapped.data.shape[0] and dim >= 1)


def check_geometry(geometry: Geometry, mapped: MappedData) -> None:
    """Check the tangent spaces of a map and their frames."""
    manifold, tangents = mapped.manifold, geometry.tangents
    check_tangents(tangents, manifold.space.shape)
    require("tangent_center", manifold.tangent_center == tangents.center)
    require("n_tangent_neighbors", manifold.neighbors.k == tangents.neighbors.shape[1])
    require("the frames", manifold.frame_solver == geometry.frames.solver)
    check_frames(geometry.frames, *mapped.embedding.shape)


def check_manifold(manifold: Manifold) -> None:
    data, space, neighbors = manifold.data, manifold.space, manifold.neighbors
    parameters = {name: getattr(manifold, name) for name in ("metric", "tangent_center", "intrinsic_dim")}
    check_each("FeatMAP", {**parameters, "frames": manifold.frame_solver}, RULES)
    require("seed", 0 <= manifold.seed < 2**31)
    check_data(data)
    check_space(manifold)
    check_search(manifold.search, space, manifold.metric)
    check_neighbors(neighbors, data.shape[0])
    check_graph(manifold.graph, data.shape[0])
    require("n_neighbors", 2 <= manifold.n_neighbors <= manifold.n_tangent_neighbors <= data.shape[0])
    require("n_tangent_neighbors", neighbors.k == manifold.n_tangent_neighbors - 1)


def check_data(data: ScaledData) -> None:
    require("the center of the data", data.center.shape == data.shape[1:])
    require("the scale of the data", 0 < data.scale < np.inf)
    if data.lengths is not None:
        require("the lengths of the rows", data.lengths.shape == data.shape[:1] and data.lengths.min(initial=0) >= 0)


def check_space(manifold: Manifold) -> None:
    """The space of neighbourhoods is that of the data, or that of their principal components."""
    data, space, components = manifold.data, manifold.space, manifold.components
    check_data(space)
    require("the space of neighbourhoods", space.unit_rows == data.unit_rows)
    n_components = data.shape[1]
    if components is not None:
        n_features, n_components = components.directions.shape
        require("the components", n_features == data.shape[1] and n_components >= 1)
    require("the space of neighbourhoods", space.shape == (data.shape[0], n_components))


def check_search(search: Any, data: ScaledData, metric: Any) -> None:
    found = search.metric if isinstance(search, MetricSearch) else METRICS.get(type(search), "euclidean")
    require("the search", found == metric and data.unit_rows == isinstance(search, CosineSearch))
    if isinstance(search, DistanceSearch):
        require("the search", (search.n_rows, 0) == data.shape)
        return
    is_hellinger = isinstance(search, HellingerSearch)
    inner = search.euclidean if is_hellinger or isinstance(search, CosineSearch) else search
    shape = (data.shape[0], data.shape[1] + is_hellinger)  # roots have a column more
    require("the search", inner.matrix.shape == shape)
    if isinstance(search, MetricSearch):
        definite_kwds("FeatMAP", search.metric, search.kwds, shape[1])
    if isinstance(inner, LargeSearch):
        require("the search", inner.k >= 1)
        check_chosen(inner.chosen, shape)


def check_chosen(search: Any, shape: tuple[int, int]) -> None:
    """Check what a search in large data has built, if anything."""
    if search is None:
        return
    rows = search.partition.matrix if isinstance(search, ListSearch) else search.matrix
    require("the search", rows.shape == shape)
    if isinstance(search, ListSearch):
        check_quantizer(search.quantizer, shape)
        n_coordinates, n_lists = search.quantizer.directions.shape[1], search.quantizer.n_lists
        check_lists(search.partition.lists, n_coordinates, n_lists, shape[0])
        require("the search", search.width.n_probes >= 1)
        require("the search", 1 <= search.width.candidates_per_neighbor <= MOST_CANDIDATES)
        require("the search", 0 <= search.recall <= 1)


def check_quantizer(quantizer: Quantizer, shape: tuple[int, int]) -> None:
    n_features, n_coordinates = quantizer.directions.shape
    require("the search", n_features == shape[1] and n_coordinates % COORDINATES_AT_ONCE == 0)
    require("the search", 0 <= quantizer.shared <= 1 and min(len(quantizer.centers), quantizer.n_lists) >= 1)
    check_lists(quantizer.cells, n_coordinates, 1, len(quantizer.centers))
    check_lists(quantizer.centers, n_coordinates, len(quantizer.centers), quantizer.n_lists)


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
    """Check indices and distances; a missing neighbour is at an infinite distance."""
    require("neighbors", len(neighbors.indices) == n_rows and within(neighbors.indices, 0, n_rows))
    require("neighbors", bool(neighbors.distances.min(initial=0) >= 0))  # false for NaN


def check_graph(graph: Graph, n_rows: int) -> None:
    require("the graph", graph.weights.shape == (n_rows, n_rows))


def check_tangents(tangents: Tangents, shape: tuple[int, int]) -> None:
    what, k = "the tangent spaces", tangents.neighbors.shape[1]
    require(what, tangents.centers.shape == shape and tangents.n_directions == min(k, shape[1]))
    require(what, within(tangents.neighbors, 0, shape[0]))
    require(what, within(tangents.intrinsic_dim, 0, tangents.n_directions + 1))
    require(what, min(tangents.weights.min(initial=0), tangents.singular_values.min(initial=0)) >= 0)


def check_frames(frames: Frames, n_rows: int, dim: int) -> None:
    require("the frames", frames.axes.shape == (n_rows, dim, dim) and 0 < frames.covariance_size < np.inf)
    check_each("FeatMAP", {"frames": frames.solver}, RULES)


def check_coarse_start(start: CoarseStart, n_rows: int, dim: int) -> None:
    """Check the levels: the first groups the rows, and each other one the groups before it, into fewer."""
    sizes = [len(level.centers) for level in start.levels]
    require("start", len(sizes) > 0 and all(coarse < fine for fine, coarse in pairwise(sizes)))
    for level, n_points, n_groups in zip(start.levels, (n_rows, *sizes), sizes, strict=False):
        check_graph(level.graph, n_groups)
        require("start", level.groups.shape == (n_points,))
        require("start", within(level.groups, 0, n_groups) and within(level.centers, 0, n_points))
    require("start", start.embedding.shape == (sizes[-1], dim))


def check_stage(name: str, stage: Any, made: Mapping[str, Any], n_rows: int, dim: int) -> None:
    """Check what a stage made for ``n_rows`` points in ``dim`` dimensions, of what was ``made`` before."""
    match stage:
        case Neighbors():
            check_neighbors(stage, n_rows)
        case Graph():
            check_graph(stage, n_rows)
        case Tangents():
            check_tangents(stage, (n_rows, stage.centers.shape[1]))
        case np.ndarray():
            require("start", stage.shape == (n_rows, dim))
        case CoarseStart():
            check_coarse_start(stage, n_rows, dim)
        case Connection():
            n_edges = made["graph"].weights.nnz
            require("alignment", len(stage.steps) == n_edges and stage.steps.shape[1] <= dim)
            require("alignment", stage.is_coded == (stage.rotations.dtype == np.int32))
        case Frames():
            check_frames(stage, n_rows, dim)
        case State():
            # That of groups may be of any level.
            sizes = [n_rows] if name != COARSE_LAYOUT else [len(level.centers) for level in made["start"].levels]
            n_points, parts = len(stage.embedding), (stage.embedding, stage.gradient_mean, stage.gradient_square)
            require(name, n_points in sizes and all(part.shape == (n_points, dim) for part in parts))
            require(name, stage.epoch >= 0)
