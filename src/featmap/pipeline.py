"""The method on one page: data → neighbours → graph → tangent spaces → map with frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .checks.settings import NeighborhoodSettings, Settings
from .data.scaling import ScaledData, scale_data
from .data.sparse import Matrix
from .errors import warn
from .frames import fit_frames
from .graph import build_graph, mean_distance, neighbor_memberships, weights_of_neighbors
from .layout.density import FitFrames, MakeDensity, density_along_frames, exact_map_radii
from .layout.descent import State, descend
from .layout.edges import Edges
from .layout.forces import Attraction, Force, Repulsion
from .layout.order import order_along_map
from .layout.radii import log_radii
from .layout.ring import place_unconnected
from .layout.similarity import Curve
from .layout.start import make_start
from .neighbors import find_neighbors, make_search, search_rows
from .neighbors.other import check_metric, unconnected_from, warn_of_other_distances
from .neighbors.search import Search
from .run import Run
from .tangents.alignment import connect
from .tangents.svd import data_radii, find_tangents
from .values import DoubleArray, FloatArray, Frames, Graph, Neighbors, Tangents


@dataclass(frozen=True)
class Manifold:
    """Neighbourhoods and tangent spaces of the data, and the settings that they were made with."""

    data: ScaledData
    search: Search
    neighbors: Neighbors
    graph: Graph
    tangents: Tangents
    metric: Any
    n_neighbors: int
    n_tangent_neighbors: int
    intrinsic_dim: int | str
    has_given_neighbors: bool

    @cached_property
    def mean_distance(self) -> float:
        """The mean distance between neighbours of the graph, for new rows that have only duplicates."""
        distances = self.neighbors.distances[:, : self.n_neighbors - 1]
        return mean_distance(distances[np.isfinite(distances)], len(distances))

    @cached_property
    def usual_distances(self) -> DoubleArray:
        """The mean distance of each row to its neighbours in the graph, as the search measures distances: (m,).

        Rows without neighbours have the mean of the others.
        """
        distances = self.neighbors.distances[:, : self.n_neighbors - 1].astype(np.float64)
        known = np.isfinite(distances)
        if self.has_given_neighbors and self.metric == "euclidean":
            distances *= self.data.scale  # the user's units; the search has those of scaled data
        sums, counts = np.where(known, distances, 0.0).sum(axis=1), known.sum(axis=1)
        means = sums / np.maximum(counts, 1)
        return np.where(counts > 0, means, means.sum() / max(np.count_nonzero(counts), 1))


@dataclass(frozen=True)
class Fitted:
    """A map of the data. Radii are logarithms, along the frames; those of the data are of scaled data."""

    manifold: Manifold
    embedding: FloatArray  # (m, d')
    frames: Frames
    data_radii: DoubleArray  # (m, d')
    embedding_radii: DoubleArray  # (m, d')
    n_epochs: int  # fewer than asked for if the callback stopped the layout


def fit_map(X: Matrix, settings: Settings, run: Run) -> Fitted:
    """X → a map with frames."""
    return lay_out(approximate(X, settings, run), settings, run)


def approximate(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """X → neighbours → graph → tangents: what is known of the data before there is a map."""
    if settings.precomputed_knn is None:
        check_metric(X, settings.metric)
    with run.timed("scaling"):
        data = scale_data(X, unit_rows=settings.metric == "cosine")
    if settings.precomputed_knn is not None:
        warn_of_other_distances(X, data, settings.metric, settings.precomputed_knn)
    search = make_search(data, X, settings.metric)
    rows = search_rows(X, data, settings.metric)
    neighbors = run.stage("neighbors", given_or_found, search, rows, settings)
    graph = run.stage("graph", neighborhood_graph, neighbors, settings)
    warn_of_unconnected(graph, settings.metric)
    tangents = run.stage("tangents", tangent_spaces, data, neighbors, graph, settings, centers=data.matrix)
    return Manifold(
        data,
        search,
        neighbors,
        graph,
        tangents,
        settings.metric,
        settings.n_neighbors,
        settings.n_tangent_neighbors,
        settings.intrinsic_dim,
        settings.precomputed_knn is not None,
    )


def lay_out(
    manifold: Manifold, settings: Settings, run: Run, make_density: MakeDensity = density_along_frames
) -> Fitted:
    """Manifold → a map with frames. ``make_density`` makes the density force; give another to try it."""
    data, tangents, dim = manifold.data, manifold.tangents, settings.n_components
    start = run.stage("start", make_start, settings.init, data, manifold.graph, dim, settings.seed)
    order = order_along_map(start)
    edges = Edges.of(order.graph_into_layout(manifold.graph), Curve.fit(settings.min_dist, settings.spread))
    connection = run.stage("alignment", connect, data, tangents, edges.graph, dim, order)
    radii = data_radii(tangents, max(dim, tangents.n_directions))

    def fit(embedding: FloatArray) -> Frames:
        return fit_frames(
            settings.frames, embedding, edges.graph, connection, settings.n_neighbors, settings.seed, run
        )

    def density(frames: Frames) -> Force:
        return make_density(edges, frames, order.into_layout(radii), settings.density_weight, fit)

    with run.timed("layout"):
        state = descend_in_two_parts(order.into_layout(start), edges, density, fit, settings, run)
    with run.timed("frames"):
        frames = fit(state.embedding)
        embedding_radii = exact_map_radii(state.embedding, edges, frames, run)
    return Fitted(
        manifold,
        place_unconnected(order.into_rows(state.embedding), manifold.graph),
        Frames(order.into_rows(frames.axes), frames.covariance_size),
        log_radii(radii[:, :dim], manifold.graph.is_connected),
        order.into_rows(log_radii(embedding_radii, edges.graph.is_connected)),
        state.epoch,
    )


def given_or_found(search: Search, rows: Matrix, settings: NeighborhoodSettings, run: Run) -> Neighbors:
    """The neighbours that the user gave, or else the nearest others of every row."""
    given = settings.precomputed_knn
    return find_neighbors(search, rows, settings.n_others, run) if given is None else given


def neighborhood_graph(neighbors: Neighbors, settings: NeighborhoodSettings, run: Run) -> Graph:
    """The graph of the n_neighbors − 1 nearest others."""
    near = neighbors.first(settings.n_neighbors - 1)
    return build_graph(near, settings.n_neighbors, unconnected_from(settings.metric), run)


def warn_of_unconnected(graph: Graph, metric: Any) -> None:
    """A warning counts the rows without any edge."""
    n_rows, n_unconnected = len(graph.is_connected), int((~graph.is_connected).sum())
    if n_unconnected:
        warn(
            f"{n_unconnected} of {n_rows} rows have no neighbours: they are as far from all others as "
            f"metric={metric!r} can tell, or neighbours were missing; they have no importance and no arrows, and a "
            "fit places them on a ring around the map"
        )


def tangent_spaces(
    data: ScaledData, neighbors: Neighbors, graph: Graph, settings: NeighborhoodSettings, run: Run
) -> Tangents:
    """Local SVDs with weights P_ij; on a larger neighbourhood than the graph's with P̃_{j|i}, its own ρ and γ."""
    if neighbors.k == settings.n_neighbors - 1:
        weights = weights_of_neighbors(graph, neighbors.indices, run)
    else:
        limit = unconnected_from(settings.metric)
        weights = neighbor_memberships(neighbors, settings.n_tangent_neighbors, limit, run)
    return find_tangents(data, data.matrix, neighbors.indices, weights, settings.intrinsic_dim, run)


def descend_in_two_parts(
    start: FloatArray,
    edges: Edges,
    density: Callable[[Frames], Force],
    fit: FitFrames,
    settings: Settings,
    run: Run,
) -> State:
    """Neighbours first; in the last epochs density as well, along the frames of the map by then."""
    forces: list[Force] = [Attraction(edges), Repulsion(edges, settings.seed)]
    state = run.kept("layout", lambda: State.start(start))
    density_from = settings.n_epochs - settings.n_density_epochs
    running = descend(state, forces, density_from, settings.n_epochs, run)
    if running and density_from < settings.n_epochs:
        if edges.graph.weights.nnz:
            forces.append(density(run.kept("density", lambda: fit(state.embedding))))
        descend(state, forces, settings.n_epochs, settings.n_epochs, run)
    return state
