"""The method on one page: data → neighbours → graph → tangent spaces → map with frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    edges_to_neighbors,
    mean_distance,
    neighbor_memberships,
    warn_of_unconnected,
    weights_of_neighbors,
)
from .layout.coarse import spread
from .layout.density import AttractionWithDensity, Target
from .layout.descent import State, descend
from .layout.edges import Edges
from .layout.forces import Attraction, Repulsion
from .layout.levels import coarse_start, descend_by_levels
from .layout.moments import MapMoments
from .layout.order import order_along_map, order_by_groups
from .layout.ring import place_unconnected
from .layout.similarity import Curve
from .layout.start import make_start
from .layout.terms import Terms
from .neighbors import find_neighbors, large_search, make_search, search_rows
from .neighbors.given_distances import DistanceSearch
from .neighbors.other import MetricSearch, check_metric, unconnected_from, warn_of_other_distances
from .neighbors.search import Search
from .run import Run, return_free_memory
from .run.progress import COARSE_LAYOUT, LISTS
from .tangents.alignment import connect
from .tangents.svd import find_tangents, radii_without_directions
from .values import (
    NO_GRAPH,
    Connection,
    DoubleArray,
    FloatArray,
    Frames,
    Graph,
    Neighbors,
    Order,
    Radii,
    SearchReport,
    Tangents,
)

# While density acts, frames are fitted to the map anew after this many epochs. More often gains nothing.
EPOCHS_BETWEEN_FRAMES = 30

FitFrames = Callable[[FloatArray], Frames]
Align = Callable[[Order, Run], Connection]  # of all edges of the graph, in the order of the layout


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
    metric: str | Callable[..., Any]
    n_neighbors: int
    n_tangent_neighbors: int
    tangent_center: str
    intrinsic_dim: int | str
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

    def without_leading(self) -> Manifold:
        """The same without the factors that only the alignment needs."""
        return replace(self, tangents=self.tangents.without_leading())

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
    n_epochs: int  # of all points
    is_complete: bool  # False if the callback stopped the layout before its last epoch


def fit_map(X: Matrix, settings: Settings, run: Run) -> Fitted:
    """X → a map with frames."""
    fitted = lay_out(approximate(X, settings, run), settings, run)
    return_free_memory()
    large = large_search(fitted.manifold.search)
    if large is not None and large.gave_up_lists:
        with run.timed(LISTS):
            large.fill_lists(run)
    return fitted


def approximate(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """X → neighbours → graph → tangents: what is known of the data before there is a map."""
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
    tangents = run.stage("tangents", tangent_spaces, space, neighbors, graph, settings, centers=space.matrix)
    return Manifold.of(
        settings,
        data=data,
        space=space,
        components=components,
        search=search,
        neighbors=neighbors,
        graph=graph,
        tangents=tangents,
    )


def approximate_by_distances(X: Matrix, settings: NeighborhoodSettings, run: Run) -> Manifold:
    """Distances between the rows → neighbours → graph → radii. There are no features and no tangent spaces."""
    space, search = without_features(X.shape[0]), DistanceSearch(X.shape[0])
    neighbors = run.stage("neighbors", search.others, X, settings.n_others)
    graph = run.stage("graph", neighborhood_graph, neighbors, settings)
    tangents = run.stage("tangents", radii_alone, space, neighbors, graph, settings, centers=space.matrix)
    return Manifold.of(
        settings,
        data=space,
        space=space,
        components=None,
        search=search,
        neighbors=neighbors,
        graph=graph,
        tangents=tangents,
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


def lay_out(manifold: Manifold, settings: Settings, run: Run, align: Align | None = None) -> Fitted:
    """Manifold → a map with frames. Where the rows are on a cluster, ``align`` connects their tangent spaces there.

    The graph is held once: in the order of the layout until the map is made, and then in that of the rows again.
    """
    curve, plan = Curve.fit(settings.min_dist, settings.spread), settings.plan(manifold.space.shape[0])
    order, graph, start = find_start(manifold, settings, curve, plan, run)
    manifold = replace(manifold, graph=NO_GRAPH)
    return_free_memory()
    kind = settings.n_components, manifold.tangent_center, settings.frames
    align_here = partial(connect, manifold.space, manifold.tangents, graph, *kind)
    connection = run.stage("alignment", align or align_here, order)
    del align_here  # with the leading factors
    manifold = manifold.without_leading()
    edges = edges_of_layout(manifold, graph, order, curve, run)
    fit = make_frame_fitter(settings.frames, graph, connection, settings.n_neighbors, settings.seed, run)
    return_free_memory()

    with run.timed("layout"):
        state = run.kept("layout", partial(State.start, start))
        del start
        descend_in_two_parts(state, edges, manifold.tangents.radii, order, fit, plan, settings, run)
    with run.timed("frames"):
        frames = fit(state.embedding)
        del fit, connection  # they take more memory than what follows
        radii = MapMoments.exact(state.embedding, edges, run).radii(frames.axes, run)
        manifold = replace(manifold, graph=order.graph_into_rows(graph, run.over_rows))
    return Fitted(
        manifold=manifold,
        embedding=place_unconnected(order.into_rows(state.embedding), manifold.graph),
        frames=replace(frames, axes=order.into_rows(frames.axes)),
        radii=radii[order.positions],
        has_neighbors=order.into_rows(edges.has_neighbors),
        n_epochs=state.epoch,
        is_complete=state.epoch == plan.full,
    )


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


def edges_of_layout(manifold: Manifold, graph: Graph, order: Order, curve: Curve, run: Run) -> Edges:
    """The edges of a graph in the order of the layout. Radii count those that lead to a point's own neighbours."""
    near, limit = manifold.neighbors.first(manifold.n_neighbors - 1), unconnected_from(manifold.metric)
    return Edges.of(graph, edges_to_neighbors(graph, near, order, limit, run), curve)


def given_or_found(search: Search, rows: Matrix, settings: NeighborhoodSettings, run: Run) -> Neighbors:
    """The neighbours that the user gave, or else the nearest others of every row."""
    given = settings.precomputed_knn
    return find_neighbors(search, rows, settings.n_others, run) if given is None else given


def neighborhood_graph(neighbors: Neighbors, settings: NeighborhoodSettings, run: Run) -> Graph:
    """The graph of the n_neighbors − 1 nearest others."""
    near = neighbors.first(settings.n_neighbors - 1)
    return build_graph(near, settings.n_neighbors, unconnected_from(settings.metric), run)


def tangent_spaces(
    data: ScaledData, neighbors: Neighbors, graph: Graph, settings: NeighborhoodSettings, run: Run
) -> Tangents:
    """Local SVDs at all points."""
    weights, near_weights = tangent_weights(neighbors, graph, settings, run)
    kind = settings.tangent_center, settings.intrinsic_dim, settings.n_components
    return find_tangents(data, data.matrix, neighbors.indices, weights, near_weights, *kind, run)


def radii_alone(
    data: ScaledData, neighbors: Neighbors, graph: Graph, settings: NeighborhoodSettings, run: Run
) -> Tangents:
    """Local radii at all points, where there are no features."""
    weights, _ = tangent_weights(neighbors, graph, settings, run)
    return radii_without_directions(data.matrix, neighbors, weights, settings.tangent_center, settings.n_components)


def tangent_weights(
    neighbors: Neighbors, graph: Graph, settings: NeighborhoodSettings, run: Run
) -> tuple[FloatArray, FloatArray]:
    """The weights of all neighbours in local SVDs, and of the graph's neighbours in radii.

    Both are P_ij. On a larger neighbourhood than the graph's they are P̃_{j|i} of that, with its own ρ and γ.
    """
    near_weights = weights_of_neighbors(graph, neighbors.indices[:, : settings.n_neighbors - 1], run)
    if neighbors.k == settings.n_neighbors - 1:
        return near_weights, near_weights
    limit = unconnected_from(settings.metric)
    weights = neighbor_memberships(neighbors, settings.n_tangent_neighbors, limit, run)
    return weights.astype(np.float32), near_weights


def descend_in_two_parts(
    state: State,
    edges: Edges,
    data_radii: Radii,
    order: Order,
    fit: FitFrames,
    plan: Plan,
    settings: Settings,
    run: Run,
) -> None:
    """Neighbours first; in the last epochs density as well, along frames that follow the map.

    The radii of the data are in the order of the rows.
    """
    attraction, repulsion = Attraction(edges), Repulsion(edges, settings.seed)
    terms = Terms.of(settings.density_terms, settings.density_anisotropy, settings.n_components)
    has_density = edges.has_neighbors.any() and len(terms.weights) > 0
    density_from = plan.full - (plan.density if has_density else 0)
    running = descend(state, [attraction, repulsion], density_from, plan.full, run)
    if running and state.epoch < plan.full:
        target = Target.of(data_radii[order.rows], terms, edges, run)
        descend_with_density(state, repulsion, edges, target, fit, plan, settings.density_weight, run)


def descend_with_density(
    state: State,
    repulsion: Repulsion,
    edges: Edges,
    target: Target,
    fit: FitFrames,
    plan: Plan,
    weight: float,
    run: Run,
) -> None:
    """The epochs with density, in parts. Each part begins with frames that are fitted to the map as it is then."""
    density_from, running = plan.full - plan.density, True
    while running and state.epoch < plan.full:
        n_done = state.epoch - density_from
        if n_done % EPOCHS_BETWEEN_FRAMES == 0:
            state.axes = fit(state.embedding).axes
        density = AttractionWithDensity(edges, state.axes, target, weight, density_from, plan.density)
        until = min(state.epoch + EPOCHS_BETWEEN_FRAMES - n_done % EPOCHS_BETWEEN_FRAMES, plan.full)
        running = descend(state, [density, repulsion], until, plan.full, run)
