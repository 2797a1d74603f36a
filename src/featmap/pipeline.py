"""The stages in order: this page is the method. `fit_map` makes a map, `place` puts new points on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .alignment import connect
from .curve import Curve
from .features import Features, Matrix, measure
from .frames import fit_frames
from .graph import build_graph, neighbor_memberships, weights_of_neighbors
from .layout.density import Density, exact_map_radii
from .layout.descent import State, descend
from .layout.edges import sort_into_slots
from .layout.forces import Attraction, Force, Repulsion
from .layout.order import order_along_map
from .layout.start import make_start
from .neighbors import Search, find_neighbors, given_neighbors, make_search
from .parallel import BLOCK, Workers
from .progress import Progress
from .radii import log_radii
from .tangents import data_radii, find_tangents
from .values import Connection, DoubleArray, Embedding, FloatArray, Frames, Graph, Neighbors, Tangents, inverse_order


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
    precomputed_knn: tuple[Any, Any] | None
    seed: int


@dataclass(frozen=True)
class Fitted:
    """All that a fit leaves behind."""

    features: Features
    search: Search
    graph: Graph
    tangents: Tangents
    embedding: Embedding
    n_epochs: int  # fewer than asked for if the callback stopped the layout
    metric: Any
    n_neighbors: int
    mean_distance: float  # between neighbours, for new rows that have only duplicates


def fit_map(X: Matrix, settings: Settings, workers: Workers, progress: Progress) -> Fitted:
    """X → neighbours → graph → tangents → map with frames."""
    with progress.stage("neighbors"):
        features = measure(X, unit_rows=settings.metric == "cosine")
        search = make_search(features, X, settings.metric, workers)
        neighbors = _neighbors(X, features, search, settings, workers)
        near = neighbors.first(settings.n_neighbors - 1)
    with progress.stage("graph"):
        graph = build_graph(near, settings.n_neighbors, workers)
    with progress.stage("tangents"):
        weights = _tangent_weights(neighbors, near, graph, settings, workers)
        tangents = find_tangents(features, neighbors.indices, weights, settings.intrinsic_dim, workers)
    with progress.stage("start"):
        begin = make_start(settings.init, features, graph, settings.n_components, settings.seed, workers)
        order = order_along_map(begin)
        near_in_memory = graph.renumbered(order)
    with progress.stage("alignment"):
        connection = connect(features, tangents, near_in_memory, settings.n_components, workers, order)
    radii = log_radii(data_radii(tangents, settings.n_components))
    embedding, n_epochs = _lay_out(
        begin[order], near_in_memory, connection, radii[order], settings, workers, progress
    )
    embedding = embedding.renumbered(inverse_order(order))
    mean_distance = near.distances.sum(dtype=np.float64) / (near.distances.size + len(near.distances))
    return Fitted(
        features, search, graph, tangents, embedding, n_epochs, settings.metric, settings.n_neighbors, mean_distance
    )


def _neighbors(X: Matrix, features: Features, search: Search, settings: Settings, workers: Workers) -> Neighbors:
    k = max(settings.n_neighbors, settings.n_tangent_neighbors) - 1
    if settings.precomputed_knn is not None:
        return given_neighbors(*settings.precomputed_knn, features.shape[0], k)
    return find_neighbors(search, search_rows(X, features, settings.metric), k, workers)


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
) -> tuple[Embedding, int]:
    """Neighbours first; density along the frames of that map in the last epochs; frames of the final map."""
    curve = Curve.fit(settings.min_dist, settings.spread)
    slots = sort_into_slots(graph)
    forces: list[Force] = [Attraction(graph, slots, curve), Repulsion(graph, curve, settings.seed)]
    state = State.start(begin)

    def frames() -> Frames:
        return fit_frames(settings.frames, state.embedding, graph, connection, settings.seed, workers)

    with progress.stage("layout", settings.n_epochs):
        density_from = settings.n_epochs - density_epochs(settings)
        running = descend(state, forces, density_from, settings.n_epochs, workers, progress)
        if running and density_from < settings.n_epochs:
            forces.append(Density(graph, slots, curve, frames(), radii, settings.density_weight))
            descend(state, forces, settings.n_epochs, settings.n_epochs, workers, progress)
    with progress.stage("frames"):
        final = frames()
        map_radii = log_radii(exact_map_radii(state.embedding, graph, final, curve, workers))
    return Embedding(state.embedding, final, radii, map_radii), state.epoch


def density_epochs(settings: Settings) -> int:
    """How many of the last epochs have the density force."""
    return round(settings.density_fraction * settings.n_epochs) if settings.density_weight > 0 else 0


def place(X: Matrix, fitted: Fitted, workers: Workers) -> FloatArray:
    """Where new rows belong on the map, each for itself.

    The mean of its neighbours' places with weights P̃/d²: they grow without bound as d falls, so a row that comes
    close to a training row comes close to its place, and at distance 0 takes it.
    """
    placed = np.empty((X.shape[0], fitted.embedding.coordinates.shape[1]), np.float32)
    for start in range(0, X.shape[0], BLOCK):
        rows = X[start : start + BLOCK]
        if fitted.metric in ("euclidean", "cosine"):
            rows = fitted.features.prepare(rows)
        k = min(fitted.n_neighbors - 1, fitted.features.shape[0])
        indices, distances = fitted.search.nearest(rows, k, workers)
        near = Neighbors(indices, distances.astype(np.float32))
        strengths = neighbor_memberships(near, fitted.n_neighbors, workers, fitted.mean_distance)
        placed[start : start + BLOCK] = _weighted_places(near, distances, strengths, fitted.embedding.coordinates)
    return placed


def _weighted_places(
    near: Neighbors, distances: np.ndarray, strengths: np.ndarray, coordinates: FloatArray
) -> np.ndarray:
    nearest = distances[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(nearest > 0, strengths * (nearest / distances) ** 2, 0.0)
    weights[nearest[:, 0] == 0, 0] = 1.0
    totals = np.zeros((len(weights), coordinates.shape[1]))
    # One neighbour after the other: a row's sum then has the same bits in any company.
    sums = np.zeros((len(weights), 1))
    for column in range(weights.shape[1]):
        totals += weights[:, column, None] * coordinates[near.indices[:, column]]
        sums += weights[:, column, None]
    return totals / sums
