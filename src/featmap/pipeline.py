"""The method on one page: data → neighbours → graph → map; and for answers, tangent spaces and frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from .checks.parameters import NAME_OF_DISTANCES
from .checks.settings import NeighborhoodSettings, Plan, Settings
from .data.advice import warn_of_noise
from .data.pca import Components
from .data.scaling import ScaledData, scale_data, without_features
from .data.sparse import Matrix
from .frames import make_frame_fitter
from .graph import (
    build_graph,
    connected_entries,
    mean_distance,
    neighbor_memberships,
    warn_of_unconnected,
    weights_of_neighbors,
)
from .layout.coarse import spread
from .layout.descent import State, descend
from .layout.forces import Attraction, Repulsion
from .layout.levels import coarse_start, descend_by_levels
from .layout.order import order_along_map, order_by_groups
from .layout.ring import place_unconnected
from .layout.similarity import Curve
from .layout.start import make_start
from .layout.units import Units
from .neighbors import find_neighbors, large_search, make_search, search_rows
from .neighbors.given_distances import DistanceSearch
from .neighbors.other import MetricSearch, check_metric, unconnected_from, warn_of_other_distances
from .neighbors.search import Search
from .run import Run, return_free_memory
from .run.progress import COARSE_LAYOUT, LISTS
from .tangents.alignment import connect
from .tangents.svd import find_tangents, without_directions
from .values import (
    NO_GRAPH,
    Connection,
    DoubleArray,
    FloatArray,
    Frames,
    Geometry,
    Graph,
    Neighbors,
    Order,
    SearchReport,
    Tangents,
)

Align = Callable[[Order, Run], Connection]  # of all edges of the graph, in the order of the layout


@dataclass(frozen=True)
class Manifold:
    """The data with their neighbourhoods, and the settings of these and of the tangent spaces and frames."""

    data: ScaledData  # the features, which answers are about
    space: ScaledData  # what neighbours and tangent spaces are of: the features, or their principal components
    components: Components | None
    search: Search
    neighbors: Neighbors
    graph: Graph
    metric: str | Callable[..., Any]
    n_neighbors: int
    n_tangent_neighbors: int
    tangent_center: str
    intrinsic_dim: int | str
    frame_solver: str
    seed: int
    has_given_neighbors: bool

    @classmethod
    def of(cls, settings: NeighborhoodSettings, **parts: Any) -> Manifold:
        """The parts, with the settings that they were made with."""
        return cls(
            **parts,
            metric=settings.metric,
            n_neighbors=settings.n_neighbors,
            n_tangent_neighbors=settings.n_tangent_neighbors,
            tangent_center=settings.tangent_center,
            intrinsic_dim=settings.intrinsic_dim,
            frame_solver=settings.frames,
            seed=settings.seed,
            has_given_neighbors=settings.precomputed_knn is not None,
        )

    @property
    def metric_kwds(self) -> Mapping[str, Any]:
        """The parameters of the metric."""
        return self.search.kwds if isinstance(self.search, MetricSearch) else {}

    @property
    def has_features(self) -> bool:
        """False if only distances between the rows are known."""
        return self.data.shape[1] > 0

    @property
    def search_report(self) -> SearchReport | None:
        """How neighbours were searched. None if the user or a checkpoint gave them."""
        return None if self.has_given_neighbors else self.search.report

    @property
    def distances_in_units(self) -> DoubleArray:
        """The distances to the neighbours, in units of the data; infinite if one is missing."""
        return self.in_units(self.neighbors.distances)

    def in_units(self, distances: FloatArray) -> DoubleArray:
        """Some of the distances to the neighbours, in units of the data."""
        wide = distances.astype(np.float64)  # in units of the data they may leave float32
        is_scaled = self.metric == "euclidean" and not self.has_given_neighbors
        return self.space.in_units(wide) if is_scaled else wide

    @cached_property
    def mean_distance(self) -> float:
        """The mean distance between neighbours of the graph, for new rows that have only duplicates."""
        distances = self.neighbors.first(self.n_neighbors - 1).distances
        return mean_distance(distances.ravel(), *connected_entries(distances, np.inf))

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
    """A map of the data."""

    manifold: Manifold
    embedding: FloatArray  # (m, d')
    density: float  # p
    n_epochs: int  # of all points
    is_complete: bool  # False if the callback stopped the layout before its last epoch


def fit_map(X: Matrix, settings: Settings, run: Run) -> Fitted:
    """X → a map."""
    fitted = lay_out(approximate(X, settings, run), settings, run)
    return_free_memory()
    make_ready_for_new_rows(fitted.manifold, run)
    return fitted


def make_ready_for_new_rows(manifold: Manifold, run: Run) -> None:
    """Fill the lists of the search again, where the fit gave them up."""
    large = large_search(manifold.search)
    if large is not None and large.gave_up_lists:
        with run.timed(LISTS):
            large.fill_lists(run)


def approximate(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """X → neighbours → graph: what is known of the data before there is a map."""
    if settings.metric == NAME_OF_DISTANCES:
        return approximate_by_distances(X, settings, run)
    if settings.precomputed_knn is None and settings.pca is None:
        check_metric(X, settings.metric, settings.metric_kwds)
    with run.timed("scaling"):
        if settings.precomputed_knn is None and settings.pca is None and settings.metric == "euclidean":
            warn_of_noise(X)
        components, Z = find_components(X, settings, run)
        space = scale_data(Z, run, unit_rows=settings.metric == "cosine")
        data = space if components is None else scale_data(X, run, unit_rows=space.unit_rows)
    if settings.precomputed_knn is not None:
        searched = "these rows of X" if components is None else "the principal components of X"
        given, kwds = settings.precomputed_knn, settings.metric_kwds
        warn_of_other_distances(Z, space, settings.metric, given, searched, kwds)
    search = make_search(space, Z, settings.metric, settings.n_others + 1, settings.metric_kwds)
    rows = search_rows(Z, space, settings.metric)
    neighbors = run.stage("neighbors", given_or_found, search, rows, settings)
    if (large := large_search(search)) is not None:
        large.give_up_lists()  # they take more memory than the neighbours, and only new rows need them
    return_free_memory()
    graph = run.stage("graph", neighborhood_graph, neighbors, settings)
    warn_of_unconnected(graph, settings.metric)
    return Manifold.of(
        settings,
        data=data,
        space=space,
        components=components,
        search=search,
        neighbors=neighbors,
        graph=graph,
    )


def approximate_by_distances(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """Distances between the rows → neighbours → graph. There are no features."""
    space, search = without_features(X.shape[0]), DistanceSearch(X.shape[0])
    neighbors = run.stage("neighbors", search.others, X, settings.n_others)
    graph = run.stage("graph", neighborhood_graph, neighbors, settings)
    return Manifold.of(
        settings,
        data=space,
        space=space,
        components=None,
        search=search,
        neighbors=neighbors,
        graph=graph,
    )


def find_components(X: Matrix, settings: NeighborhoodSettings, run: Run) -> tuple[Components | None, Matrix]:
    """The principal directions if there is a ``pca``, and the rows that neighbourhoods are made of: Z = XB, or X."""
    if settings.pca is None:
        return None, X
    components = Components.find(X, settings.pca)
    Z = components.of(X, run)
    if settings.precomputed_knn is None:
        check_metric(Z, settings.metric, settings.metric_kwds)
    return components, Z


def lay_out(manifold: Manifold, settings: Settings, run: Run) -> Fitted:
    """Manifold → a map.

    The graph is in the order of the layout until the map is made, and then in that of the rows again.
    """
    curve, plan = Curve.fit(settings.min_dist, settings.spread), settings.plan(manifold.space.shape[0])
    order, graph, start = find_start(manifold, settings, curve, plan, run)
    manifold = replace(manifold, graph=NO_GRAPH)
    return_free_memory()
    with run.timed("layout"):
        near, limit = manifold.neighbors.first(manifold.n_neighbors - 1), unconnected_from(manifold.metric)
        of_data = Units.of(graph, near, order, settings.density, limit, run)
        state = run.kept("layout", partial(State.start, start))
        del start
        descend_in_units(state, graph, curve, of_data, plan, settings.seed, run)
        manifold = replace(manifold, graph=order.graph_into_rows(graph, run.over_rows))
    return Fitted(
        manifold=manifold,
        embedding=place_unconnected(order.into_rows(state.embedding), manifold.graph),
        density=of_data.density if state.epoch > plan.with_equal_units else 0.0,
        n_epochs=state.epoch,
        is_complete=state.epoch == plan.full,
    )


def descend_in_units(
    state: State, graph: Graph, curve: Curve, of_data: Units, plan: Plan, seed: int, run: Run
) -> None:
    """The epochs of all points: the first ones with equal units, as the plan has it, then in units of the data."""

    def descend_to(until: int, units: Units) -> bool:
        known = graph, curve, units
        return descend(state, [Attraction(*known), Repulsion(*known, seed)], until, plan.full, run)

    if state.epoch >= plan.with_equal_units or descend_to(plan.with_equal_units, Units.equal(graph)):
        descend_to(plan.full, of_data)


def find_start(
    manifold: Manifold, settings: Settings, curve: Curve, plan: Plan, run: Run
) -> tuple[Order, Graph, FloatArray]:
    """The order of the layout, and in this order the graph and where the map starts."""
    space, graph, dim, seed = manifold.space, manifold.graph, settings.n_components, settings.seed
    if not plan.coarse:
        start = run.stage("start", make_start, settings.init, space, graph, dim, seed)
        order = order_along_map(start)
        return order, order.graph_into_layout(graph, run.over_rows), order.into_layout(start)
    start = run.stage("start", coarse_start, space, graph, dim, seed)
    with run.timed(COARSE_LAYOUT):
        state = run.kept(COARSE_LAYOUT, lambda: State.start(start.embedding))
        of_groups = descend_by_levels(state, start, curve, plan.of_levels(len(start.levels)), seed, run)
        groups = start.levels[0].groups
        order = order_by_groups(groups, order_along_map(of_groups))
        graph = order.graph_into_layout(graph, run.over_rows)  # first, since spreading goes along its edges
        return order, graph, spread(of_groups, order.into_layout(groups), graph, seed, run)


def given_or_found(search: Search, rows: Matrix, settings: NeighborhoodSettings, run: Run) -> Neighbors:
    """The neighbours that the user gave, or else the nearest others of every row."""
    given = settings.precomputed_knn
    return find_neighbors(search, rows, settings.n_others, run) if given is None else given


def neighborhood_graph(neighbors: Neighbors, settings: NeighborhoodSettings, run: Run) -> Graph:
    """The graph of the n_neighbors − 1 nearest others."""
    near = neighbors.first(settings.n_neighbors - 1)
    return build_graph(near, settings.n_neighbors, unconnected_from(settings.metric), run)


def find_geometry(manifold: Manifold, embedding: FloatArray, run: Run) -> Geometry:
    """Tangent spaces of the data, and their frames on a map of any method."""
    dim = embedding.shape[1]
    tangents = run.stage("tangents", tangent_spaces, manifold, dim, centers=manifold.space.matrix)
    frames = frames_on_map(manifold, tangents, embedding, run)
    return Geometry(tangents.without_leading(), frames)


def tangent_spaces(manifold: Manifold, n_axes: int, run: Run) -> Tangents:
    """Local SVDs at all points, or none if there are no features."""
    space, neighbors = manifold.space, manifold.neighbors.indices
    weights, kind = tangent_weights(manifold, run), (manifold.tangent_center, manifold.intrinsic_dim)
    if not manifold.has_features:
        return without_directions(space.matrix, neighbors, weights, manifold.tangent_center)
    return find_tangents(space, space.matrix, neighbors, weights, *kind, n_axes, run)


def tangent_weights(manifold: Manifold, run: Run) -> FloatArray:
    """The weights of all neighbours in local SVDs: P_ij.

    On a larger neighbourhood than the graph's they are P̃_{j|i} of that, with its own ρ and γ.
    """
    if manifold.n_tangent_neighbors == manifold.n_neighbors:
        return weights_of_neighbors(manifold.graph, manifold.neighbors.indices, run)
    limit = unconnected_from(manifold.metric)
    weights = neighbor_memberships(manifold.neighbors, manifold.n_tangent_neighbors, limit, run)
    return weights.astype(np.float32)


def frames_on_map(
    manifold: Manifold, tangents: Tangents, embedding: FloatArray, run: Run, align: Align | None = None
) -> Frames:
    """The frames of tangent spaces on a map. Where the rows are on a cluster, ``align`` connects them there."""
    order, kind = order_along_map(embedding), (embedding.shape[1], manifold.tangent_center, manifold.frame_solver)
    graph = order.graph_into_layout(manifold.graph, run.over_rows)
    with run.timed("alignment"):  # no checkpoint keeps it: a fit that goes on has other places, and so another order
        connection = (align or partial(connect, manifold.space, tangents, graph, *kind))(order, run)
    with run.timed("frames"):
        fit = make_frame_fitter(manifold.frame_solver, graph, connection, manifold.n_neighbors, manifold.seed, run)
        frames = fit(order.into_layout(embedding))
        return replace(frames, axes=order.into_rows(frames.axes))
