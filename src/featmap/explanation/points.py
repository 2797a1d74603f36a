"""The points that are explained: rows of the data on their map, or new rows placed on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..checks.settings import NeighborhoodSettings
from ..data.scaling import ScaledData
from ..data.sparse import Matrix, dense_rows
from ..frames import fit_frames
from ..frames.local import frame_among
from ..neighbors.other import unconnected_from
from ..pipeline import Manifold, approximate
from ..run import Run
from ..tangents.alignment import connect
from ..tangents.axes import axes
from ..tangents.svd import find_tangents
from ..values import DoubleArray, FloatArray, Frames, IntArray, Order, Tangents
from .placement import memberships_of_new, nearest_rows, place_among
from .regression import MapSearch, Moments


@dataclass(frozen=True)
class MappedData:
    """The data with their map: the embedding and the frame of every row."""

    manifold: Manifold
    embedding: FloatArray
    frames: Frames

    @property
    def data(self) -> ScaledData:
        return self.manifold.data

    @property
    def space(self) -> ScaledData:
        return self.manifold.space

    @property
    def tangents(self) -> Tangents:
        return self.manifold.tangents

    @cached_property
    def search(self) -> MapSearch:
        return MapSearch.build(self.embedding)


@dataclass(frozen=True)
class Points:
    """Points on the map, with their tangent spaces and frames, and their links to rows of the data."""

    mapped: MappedData
    values: Matrix  # (points, n) their features, scaled
    tangents: Tangents
    embedding: FloatArray
    frames: Frames
    links: sp.csr_matrix  # (points, rows of the data) weights of the edges
    has_edge: NDArray[np.bool_]  # (points, k) whether each neighbour behind the tangent space is connected
    rows: IntArray | None  # which rows of the data the points are; None if they are new

    def __len__(self) -> int:
        return len(self.embedding)

    def __getitem__(self, chosen: IntArray) -> Points:
        return replace(
            self,
            values=self.values[chosen],
            tangents=self.tangents[chosen],
            embedding=self.embedding[chosen],
            frames=self.frames[chosen],
            links=self.links[chosen],
            has_edge=self.has_edge[chosen],
            rows=None if self.rows is None else self.rows[chosen],
        )

    @cached_property
    def is_connected(self) -> NDArray[np.bool_]:
        """Which points are linked to rows of the data."""
        return np.asarray(self.links.sum(axis=1)).ravel() > 0

    def nearest_on_map(self, chosen: IntArray, k: int) -> IntArray:
        """The k rows of the data nearest to each point on the map, without the point itself: (points, k)."""
        if self.rows is None:
            return self.mapped.search.nearest(self.embedding[chosen], k)
        return self.mapped.search.nearest_others(self.rows[chosen], k)

    def moments(self, neighbors: IntArray) -> Moments:
        return Moments.around(self.mapped.data, self.mapped.embedding, neighbors)

    def frame_without(self, point: int, left_out: IntArray) -> DoubleArray:
        """The frame of a point fitted to the rows that it is linked to, without some of them: (d', d')."""
        first, last = self.links.indptr[point], self.links.indptr[point + 1]
        others, weights = self.links.indices[first:last], self.links.data[first:last]
        kept = ~np.isin(others, left_out)
        others, weights = others[kept], weights[kept]
        mapped = self.mapped
        q = min(mapped.embedding.shape[1], self.tangents.n_directions)
        changes = mapped.space.rows(others) - dense_rows(self.tangents.centers, [point])
        if mapped.manifold.tangent_center == "mean" and len(others):
            changes -= (weights @ changes / weights.sum()).astype(np.float32)
        return frame_among(
            axes(mapped.space, self.tangents, np.array([point], np.int32), q)[0],
            axes(mapped.space, mapped.tangents, others, q),
            mapped.frames.axes[others],
            changes,
            mapped.embedding[others] - self.embedding[point],
            weights,
            mapped.frames.covariance_size,
        )


def points_of_data(mapped: MappedData) -> Points:
    """The rows of the data themselves."""
    manifold = mapped.manifold
    rows = np.arange(len(mapped.embedding), dtype=np.int32)
    has_edge = manifold.neighbors.distances < unconnected_from(manifold.metric)
    return Points(
        mapped,
        manifold.data.matrix,
        manifold.tangents,
        mapped.embedding,
        mapped.frames,
        manifold.graph.weights,
        has_edge,
        rows,
    )


def points_of_any_map(X: Matrix, embedding: FloatArray, settings: NeighborhoodSettings, run: Run) -> Points:
    """The rows of the data on a map that another method made: frames are fitted to it."""
    manifold = approximate(X, settings, run)
    order, dim = Order.of_the_rows(len(embedding)), embedding.shape[1]
    center = manifold.tangent_center
    connection = run.stage(
        "alignment", connect, manifold.space, manifold.tangents, manifold.graph, dim, center, order
    )
    with run.timed("frames"):
        frames = fit_frames(
            settings.frames, embedding, manifold.graph, connection, settings.n_neighbors, settings.seed, run
        )
    return points_of_data(MappedData(manifold, embedding, frames))


def points_of_new_rows(X: Matrix, mapped: MappedData, run: Run) -> Points:
    """New rows on the map, linked to their neighbours among the data."""
    manifold = mapped.manifold
    Z = manifold.into_space(X, run)
    near, neighbors = nearest_rows(Z, manifold, run)
    strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
    weights = memberships_of_new(neighbors, neighbors.k + 1, manifold, run)
    centers = manifold.space.prepare(Z)
    tangents = find_tangents(
        manifold.space,
        centers,
        neighbors.indices,
        weights,
        strengths,
        manifold.tangent_center,
        manifold.intrinsic_dim,
        mapped.embedding.shape[1],
        run,
    )
    embedding = place_among(near, strengths, mapped.embedding, manifold.graph.is_connected).astype(np.float32)
    indptr = np.arange(0, strengths.size + 1, near.k)
    shape = (len(embedding), len(mapped.embedding))
    links = sp.csr_matrix((strengths.ravel(), near.indices.ravel(), indptr), shape)
    links.eliminate_zeros()
    has_edge = neighbors.distances < unconnected_from(manifold.metric)
    identity = np.eye(embedding.shape[1], dtype=np.float32)
    unframed = Frames(np.broadcast_to(identity, (len(embedding), *identity.shape)))
    values = centers if manifold.components is None else manifold.data.prepare(X)
    points = Points(mapped, values, tangents, embedding, unframed, links, has_edge, None)
    return replace(points, frames=_frames_among(points, run))


def _frames_among(points: Points, run: Run) -> Frames:
    """A frame for each new point, from those of the rows that it is linked to."""
    none = np.empty(0, np.int32)

    def body(start: int, stop: int) -> tuple[FloatArray]:
        return (np.array([points.frame_without(point, none) for point in range(start, stop)], np.float32),)

    return Frames(run.by_blocks(len(points), body, block=16)[0])
