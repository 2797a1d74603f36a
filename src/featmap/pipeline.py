"""The stages in order: this page is the method. `fit_map` makes a map, `look_at…` sets one out to be explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .alignment import connect
from .checkpoint import Stages
from .curve import Curve
from .features import Features, measure
from .frames import fit_frames
from .graph import build_graph, neighbor_memberships, weights_of_neighbors
from .layout.density import Density, exact_map_radii
from .layout.descent import State, descend
from .layout.edges import sort_into_slots
from .layout.forces import Attraction, Force, Repulsion
from .layout.order import order_along_map
from .layout.start import make_start
from .manifold import Manifold, place_among
from .neighbors import check_metric, find_neighbors, make_search
from .parallel import Workers
from .progress import Progress
from .radii import log_radii
from .rows import Matrix
from .scene import Ground, Scene
from .tangents import data_radii, find_tangents
from .values import Connection, DoubleArray, Embedding, FloatArray, Frames, Graph, Neighbors, Tangents, inverse_order

MADE_ANEW = Stages()


@dataclass(frozen=True)
class Settings:
    """The parameters of a fit, checked and made definite."""

    n_neighbors: int
    n_components: int
    metric: Any
    min_dist: float
    spread: float
    n_epochs: int
    density_weight: float
    density_fraction: float
    intrinsic_dim: int | str
    n_tangent_neighbors: int
    frames: str
    init: str | np.ndarray
    precomputed_knn: Neighbors | None
    seed: int


@dataclass(frozen=True)
class Fitted:
    """All that a fit leaves behind."""

    manifold: Manifold
    embedding: Embedding
    n_epochs: int  # fewer than asked for if the callback stopped the layout


def fit_map(
    X: Matrix, settings: Settings, workers: Workers, progress: Progress, stages: Stages = MADE_ANEW
) -> Fitted:
    """X → neighbours → graph → tangents → map with frames. What ``stages`` have kept is not made again."""
    manifold = approximate(X, settings, workers, progress, stages)
    features, graph, tangents = manifold.features, manifold.graph, manifold.tangents
    with progress.stage("start"):
        begin = stages.kept(
            "start",
            lambda: make_start(settings.init, features, graph, settings.n_components, settings.seed, workers),
        )
        order = order_along_map(begin)
        near_in_memory = graph.renumbered(order)
    with progress.stage("alignment"):
        connection = stages.kept(
            "alignment",
            lambda: connect(features, tangents, near_in_memory, settings.n_components, workers, order),
        )
    radii = log_radii(data_radii(tangents, settings.n_components))
    embedding, n_epochs = _lay_out(
        begin[order], near_in_memory, connection, radii[order], settings, workers, progress, stages
    )
    return Fitted(manifold, embedding.renumbered(inverse_order(order)), n_epochs)


def approximate(
    X: Matrix, settings: Settings, workers: Workers, progress: Progress, stages: Stages = MADE_ANEW
) -> Manifold:
    """X → neighbours → graph → tangents."""
    check_metric(X, settings.metric)
    with progress.stage("neighbors"):
        features = measure(X, unit_rows=settings.metric == "cosine")
        search = make_search(features, X, settings.metric, workers)
        rows = search_rows(X, features, settings.metric)
        neighbors = settings.precomputed_knn or stages.kept(
            "neighbors", lambda: find_neighbors(search, rows, _most_neighbors(settings), workers)
        )
        near = neighbors.first(settings.n_neighbors - 1)
    with progress.stage("graph"):
        graph = stages.kept("graph", lambda: build_graph(near, settings.n_neighbors, workers))
    with progress.stage("tangents"):
        weights = _tangent_weights(neighbors, near, graph, settings, workers)
        tangents = stages.kept(
            "tangents",
            lambda: find_tangents(
                features, features.matrix, neighbors.indices, weights, settings.intrinsic_dim, workers
            ),
            centers=features.matrix,
        )
    mean_distance = near.distances.sum(dtype=np.float64) / (near.distances.size + len(near.distances))
    return Manifold(
        features,
        search,
        graph,
        tangents,
        settings.metric,
        settings.n_neighbors,
        settings.n_tangent_neighbors,
        settings.intrinsic_dim,
        mean_distance,
    )


def look_at(manifold: Manifold, places: FloatArray, frames: Frames) -> Scene:
    """The rows of the data on a map of them, as the points to explain."""
    ground = Ground(manifold, places, frames)
    rows = np.arange(len(places), dtype=np.int32)
    return Scene(ground, manifold.tangents, places, frames, manifold.graph.weights, rows)


def look_at_any_map(X: Matrix, places: FloatArray, settings: Settings, workers: Workers, progress: Progress) -> Scene:
    """The same for a map that was made by other means: frames are fitted to it."""
    manifold = approximate(X, settings, workers, progress)
    with progress.stage("alignment"):
        connection = connect(manifold.features, manifold.tangents, manifold.graph, places.shape[1], workers)
    with progress.stage("frames"):
        frames = fit_frames(
            settings.frames, places, manifold.graph, connection, settings.n_neighbors, settings.seed, workers
        )
    return look_at(manifold, places, frames)


def look_at_new(X: Matrix, ground: Ground, workers: Workers) -> Scene:
    """New rows on the map, tied to their neighbours among the data."""
    manifold = ground.manifold
    near, neighbors = manifold.nearest(X, workers)
    links = manifold.strengths(near, manifold.n_neighbors, workers)
    weights = manifold.strengths(neighbors, neighbors.k + 1, workers)
    tangents = find_tangents(
        manifold.features,
        manifold.features.prepare(X),
        neighbors.indices,
        weights,
        manifold.intrinsic_dim,
        workers,
    )
    places = place_among(near, links, ground.places).astype(np.float32)
    indptr = np.arange(0, links.size + 1, near.k)
    tied = sp.csr_matrix((links.ravel(), near.indices.ravel(), indptr), (len(places), len(ground.places)))
    return Scene(ground, tangents, places, _frames_among(ground, tangents, places, tied, workers), tied, None)


def _frames_among(
    ground: Ground, tangents: Tangents, places: FloatArray, links: sp.csr_matrix, workers: Workers
) -> Frames:
    """A frame for each new point, from those of the rows it is tied to."""
    dim = places.shape[1]
    axes = np.broadcast_to(np.eye(dim, dtype=np.float32), (len(places), dim, dim)).copy()
    unframed = Scene(ground, tangents, places, Frames(axes), links, None)

    def task(start: int, stop: int) -> None:
        for point in range(start, stop):
            axes[point] = unframed.frame_without(point, np.empty(0, np.int32))

    workers.over_rows(len(places), task, block=16)
    return Frames(axes)


def _most_neighbors(settings: Settings) -> int:
    """How many others of each point graph or tangent spaces need."""
    return max(settings.n_neighbors, settings.n_tangent_neighbors) - 1


def search_rows(X: Matrix, features: Features, metric: Any) -> Matrix:
    """The rows as the search wants them: in unit size, or as given where a metric needs the data's own units."""
    return features.matrix if metric in ("euclidean", "cosine") else X


def _tangent_weights(
    neighbors: Neighbors, near: Neighbors, graph: Graph, settings: Settings, workers: Workers
) -> np.ndarray:
    """P_ij on the graph's own neighbourhood; on a larger one P̃_{j|i}, with its own ρ and γ."""
    if neighbors.k == near.k:
        return weights_of_neighbors(graph, near.indices, workers)
    return neighbor_memberships(neighbors, settings.n_tangent_neighbors, workers)


def _lay_out(
    begin: FloatArray,
    graph: Graph,
    connection: Connection,
    radii: DoubleArray,
    settings: Settings,
    workers: Workers,
    progress: Progress,
    stages: Stages,
) -> tuple[Embedding, int]:
    """Neighbours first; density along the frames of that map in the last epochs; frames of the final map."""
    curve = Curve.fit(settings.min_dist, settings.spread)
    slots = sort_into_slots(graph)
    forces: list[Force] = [Attraction(graph, slots, curve), Repulsion(graph, curve, settings.seed)]
    state = stages.kept("layout", lambda: State.start(begin))

    def frames() -> Frames:
        return fit_frames(
            settings.frames, state.embedding, graph, connection, settings.n_neighbors, settings.seed, workers
        )

    with progress.stage("layout", settings.n_epochs):
        density_from = settings.n_epochs - density_epochs(settings)
        running = descend(state, forces, density_from, settings.n_epochs, workers, progress, stages.keep)
        if running and density_from < settings.n_epochs:
            begun = stages.kept("density", frames)
            forces.append(Density(graph, slots, curve, begun, radii, settings.density_weight))
            descend(state, forces, settings.n_epochs, settings.n_epochs, workers, progress, stages.keep)
    with progress.stage("frames"):
        final = frames()
        map_radii = log_radii(exact_map_radii(state.embedding, graph, final, curve, workers))
    return Embedding(state.embedding, final, radii, map_radii), state.epoch


def density_epochs(settings: Settings) -> int:
    """How many of the last epochs have the density force."""
    return round(settings.density_fraction * settings.n_epochs) if settings.density_weight > 0 else 0
