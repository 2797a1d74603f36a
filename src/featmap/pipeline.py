"""The method on one page: data → neighbours → graph → tangent spaces → map with frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks.settings import NeighborhoodSettings, Settings
from .data.noise import warn_of_noise
from .data.pca import Components
from .data.scaling import ScaledData, scale_data
from .data.sparse import Matrix
from .errors import warn
from .frames import make_frame_fitter
from .graph import build_graph, edges_to_neighbors, mean_distance, neighbor_memberships, weights_of_neighbors
from .layout.density import Density, Target
from .layout.descent import State, descend
from .layout.edges import Edges
from .layout.forces import Attraction, Force, Repulsion
from .layout.moments import MapMoments
from .layout.order import order_along_map
from .layout.ring import place_unconnected
from .layout.similarity import Curve
from .layout.start import make_start
from .layout.terms import Terms
from .neighbors import find_neighbors, make_search, search_rows
from .neighbors.other import check_metric, unconnected_from, warn_of_other_distances
from .neighbors.search import Search
from .run import Run
from .tangents.alignment import connect
from .tangents.svd import find_tangents
from .values import DoubleArray, FloatArray, Frames, Graph, Neighbors, Order, Radii, Tangents

# While density acts, frames are fitted to the map anew after this many epochs. More often gains nothing.
EPOCHS_BETWEEN_FRAMES = 30

FitFrames = Callable[[FloatArray], Frames]


@dataclass(frozen=True)
class Manifold:
    """Neighbourhoods and tangent spaces of the data, and the settings that they were made with."""

    data: ScaledData  # the features, which answers are about
    space: ScaledData  # what neighbours and tangent spaces are of: the features, or their principal components
    components: Components | None
    search: Search
    neighbors: Neighbors
    graph: Graph
    tangents: Tangents
    metric: Any
    n_neighbors: int
    n_tangent_neighbors: int
    tangent_center: str
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
            distances *= self.space.scale  # the user's units; the search has those of scaled data
        sums, counts = np.where(known, distances, 0.0).sum(axis=1), known.sum(axis=1)
        means = sums / np.maximum(counts, 1)
        return np.where(counts > 0, means, means.sum() / max(np.count_nonzero(counts), 1))

    def into_space(self, X: Matrix, run: Run) -> Matrix:
        """Rows of features as neighbourhoods see them: as they are, or their principal components."""
        return X if self.components is None else self.components.of(X, run)


@dataclass(frozen=True)
class Fitted:
    """A map of the data, with the radii along its frames. Those of the data are in its tangent spaces."""

    manifold: Manifold
    embedding: FloatArray  # (m, d')
    frames: Frames
    radii: Radii
    has_neighbors: NDArray[np.bool_]  # (m,) which rows have radii
    n_epochs: int  # fewer than asked for if the callback stopped the layout


def fit_map(X: Matrix, settings: Settings, run: Run) -> Fitted:
    """X → a map with frames."""
    return lay_out(approximate(X, settings, run), settings, run)


def approximate(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """X → neighbours → graph → tangents: what is known of the data before there is a map."""
    if settings.precomputed_knn is None and settings.pca is None:
        check_metric(X, settings.metric)
    with run.timed("scaling"):
        if settings.precomputed_knn is None and settings.pca is None and settings.metric == "euclidean":
            warn_of_noise(X)
        components, Z = find_components(X, settings, run)
        space = scale_data(Z, unit_rows=settings.metric == "cosine")
        data = space if components is None else scale_data(X, unit_rows=space.unit_rows)
    if settings.precomputed_knn is not None:
        searched = "these rows of X" if components is None else "the principal components of X"
        warn_of_other_distances(Z, space, settings.metric, settings.precomputed_knn, searched)
    search = make_search(space, Z, settings.metric)
    rows = search_rows(Z, space, settings.metric)
    neighbors = run.stage("neighbors", given_or_found, search, rows, settings)
    graph = run.stage("graph", neighborhood_graph, neighbors, settings)
    warn_of_unconnected(graph, settings.metric)
    tangents = run.stage("tangents", tangent_spaces, space, neighbors, graph, settings, centers=space.matrix)
    return Manifold(
        data,
        space,
        components,
        search,
        neighbors,
        graph,
        tangents,
        settings.metric,
        settings.n_neighbors,
        settings.n_tangent_neighbors,
        settings.tangent_center,
        settings.intrinsic_dim,
        settings.precomputed_knn is not None,
    )


def find_components(X: Matrix, settings: NeighborhoodSettings, run: Run) -> tuple[Components | None, Matrix]:
    """The principal directions if there is a ``pca``, and the rows that neighbourhoods are made of: Z = XB, or X."""
    if settings.pca is None:
        return None, X
    components = Components.find(X, settings.pca)
    Z = components.of(X, run)
    if settings.precomputed_knn is None:
        check_metric(Z, settings.metric)
    return components, Z


def lay_out(manifold: Manifold, settings: Settings, run: Run) -> Fitted:
    """Manifold → a map with frames."""
    space, tangents, dim = manifold.space, manifold.tangents, settings.n_components
    start = run.stage("start", make_start, settings.init, space, manifold.graph, dim, settings.seed)
    order = order_along_map(start)
    edges = edges_of_layout(manifold, order, Curve.fit(settings.min_dist, settings.spread), run)
    center = manifold.tangent_center
    connection = run.stage("alignment", connect, space, tangents, edges.graph, dim, center, order)

    fit = make_frame_fitter(settings.frames, edges.graph, connection, settings.n_neighbors, settings.seed, run)

    with run.timed("layout"):
        state = run.kept("layout", lambda: State.start(order.into_layout(start)))
        descend_in_two_parts(state, edges, tangents.radii[order.rows], fit, settings, run)
    with run.timed("frames"):
        frames = fit(state.embedding)
        radii = MapMoments.exact(state.embedding, edges, run).radii(frames.axes, run)
    return Fitted(
        manifold,
        place_unconnected(order.into_rows(state.embedding), manifold.graph),
        replace(frames, axes=order.into_rows(frames.axes)),
        radii[order.positions],
        order.into_rows(edges.has_neighbors),
        state.epoch,
    )


def edges_of_layout(manifold: Manifold, order: Order, curve: Curve, run: Run) -> Edges:
    """The edges of the graph in the order of the layout. Radii count those that lead to a point's own neighbours."""
    graph = order.graph_into_layout(manifold.graph)
    near = order.neighbors_into_layout(manifold.neighbors.first(manifold.n_neighbors - 1))
    return Edges.of(graph, edges_to_neighbors(graph, near, unconnected_from(manifold.metric), run), curve)


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
    near_weights = weights_of_neighbors(graph, neighbors.indices[:, : settings.n_neighbors - 1], run)
    weights = near_weights
    if neighbors.k > settings.n_neighbors - 1:
        limit = unconnected_from(settings.metric)
        weights = neighbor_memberships(neighbors, settings.n_tangent_neighbors, limit, run)
    return find_tangents(
        data,
        data.matrix,
        neighbors.indices,
        weights,
        near_weights,
        settings.tangent_center,
        settings.intrinsic_dim,
        settings.n_components,
        run,
    )


def descend_in_two_parts(
    state: State, edges: Edges, data_radii: Radii, fit: FitFrames, settings: Settings, run: Run
) -> None:
    """Neighbours first; in the last epochs density as well, along frames that follow the map."""
    forces: list[Force] = [Attraction(edges), Repulsion(edges, settings.seed)]
    density_from = settings.n_epochs - settings.n_density_epochs
    terms = Terms.of(settings.density_terms, settings.density_anisotropy, settings.n_components)
    running = descend(state, forces, density_from, settings.n_epochs, run)
    if not (edges.has_neighbors.any() and len(terms.weights)):
        descend(state, forces, settings.n_epochs, settings.n_epochs, run)
    elif running and state.epoch < settings.n_epochs:
        target = Target.of(data_radii, terms, edges, run)
        descend_with_density(state, forces, edges, target, density_from, fit, settings, run)


def descend_with_density(
    state: State,
    forces: Sequence[Force],
    edges: Edges,
    target: Target,
    density_from: int,
    fit: FitFrames,
    settings: Settings,
    run: Run,
) -> None:
    """The epochs with density, in parts. Each part begins with frames that are fitted to the map as it is then."""
    n_epochs, running = settings.n_epochs, True
    while running and state.epoch < n_epochs:
        n_done = state.epoch - density_from
        if n_done % EPOCHS_BETWEEN_FRAMES == 0:
            state.axes = fit(state.embedding).axes
        density = Density(edges, state.axes, target, settings.density_weight, density_from, settings.n_density_epochs)
        until = min(state.epoch + EPOCHS_BETWEEN_FRAMES - n_done % EPOCHS_BETWEEN_FRAMES, n_epochs)
        running = descend(state, [*forces, density], until, n_epochs, run)
