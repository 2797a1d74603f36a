"""The points that are explained: rows of the data on their map, or new rows placed on it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..checks.settings import NeighborhoodSettings
from ..data.scaling import ScaledData
from ..data.sparse import Matrix, dense_rows, stacked
from ..data.units import Units
from ..frames.local import FRAME_AMONG, Surroundings
from ..neighbors.other import unconnected_from
from ..pipeline import Manifold, approximate
from ..run import Run
from ..tangents.axes import axes
from ..tangents.svd import find_tangents
from ..values import DoubleArray, FloatArray, Frames, Geometry, IntArray, Neighbors, Tangents
from .dependence import copies_of_rows
from .geometry import DeferredGeometry
from .placement import memberships_of_new, nearest_rows, place_among
from .regression import MapSearch


@dataclass(frozen=True)
class MappedData:
    """The data with their map. Tangent spaces and frames are made when they are first asked for."""

    manifold: Manifold
    embedding: Annotated[FloatArray, "(m, d')"]
    deferred: DeferredGeometry = field(default_factory=DeferredGeometry)
    by_another_method: bool = False  # whether the map is not of FeatMAP, which has other parameters

    @property
    def data(self) -> ScaledData:
        return self.manifold.data

    @property
    def space(self) -> ScaledData:
        return self.manifold.space

    @property
    def geometry(self) -> Geometry:
        return self.deferred.of(self.manifold, self.embedding)

    @property
    def tangents(self) -> Tangents:
        return self.geometry.tangents

    @property
    def frames(self) -> Frames:
        return self.geometry.frames

    @cached_property
    def search(self) -> MapSearch:
        return MapSearch.build(self.embedding)

    @cached_property
    def copies(self) -> IntArray:
        """A number for each row, equal for rows that are nearly equal."""
        return copies_of_rows(self.manifold.neighbors, self.manifold.metric)

    @cached_property
    def distinct(self) -> IntArray:
        """The first row of each set of copies, in order."""
        return np.sort(np.unique(self.copies, return_index=True)[1]).astype(np.int32)

    def kept(self, question: Hashable, answer: Callable[[], Any]) -> Any:
        """What ``answer`` gives, computed for the first one who asks."""
        if question not in self._answers:
            self._answers[question] = answer()
        return self._answers[question]

    def known(self, question: Hashable) -> Any:
        """What was answered before, or None."""
        return self._answers.get(question)

    @cached_property
    def _answers(self) -> dict[Hashable, Any]:
        return {}


@dataclass(frozen=True)
class Points:
    """Points on the map, with their links to rows of the data."""

    mapped: MappedData
    values: Matrix  # (points, n) their features, scaled
    embedding: FloatArray
    links: sp.csr_matrix  # (points, rows of the data) weights of the edges
    has_edge: NDArray[np.bool_]  # (points, k) whether each neighbour behind the tangent space is connected
    rows: IntArray  # (points,) which row of the data each point is, −1 for a new point
    numbers: IntArray  # (points,) the place of each point among those that were asked about
    lengths: DoubleArray | None = None  # (points,) of unit rows, in the units of the user
    own_geometry: Geometry | None = None  # of points that are not all rows of the data

    def __len__(self) -> int:
        return len(self.embedding)

    def __getitem__(self, chosen: np.ndarray) -> Points:
        return replace(
            self,
            values=self.values[chosen],
            embedding=self.embedding[chosen],
            links=self.links[chosen],
            has_edge=self.has_edge[chosen],
            rows=self.rows[chosen],
            numbers=self.numbers[chosen],
            lengths=None if self.lengths is None else self.lengths[chosen],
            own_geometry=None if self.own_geometry is None else self.own_geometry[chosen],
        )

    @property
    def geometry(self) -> Geometry:
        """The tangent space and the frame of each point. Those of rows of the data are the map's.

        It is no `cached_property`: before Python 3.12 that has a lock for all points of all maps, which stays locked
        in a process that forks meanwhile.
        """
        if self.own_geometry is not None:
            return self.own_geometry
        known: Geometry | None = vars(self).get("_geometry_of_rows")
        if known is None:
            of_map = self.mapped.geometry
            is_map = np.array_equal(self.rows, np.arange(len(self.mapped.embedding)))
            known = vars(self)["_geometry_of_rows"] = of_map if is_map else of_map[self.rows]
        return known

    @property
    def tangents(self) -> Tangents:
        return self.geometry.tangents

    @property
    def frames(self) -> Frames:
        return self.geometry.frames

    def in_units(self, units: Units | None) -> Points:
        """The same points, with answers in other units."""
        manifold = self.mapped.manifold
        mapped = replace(self.mapped, manifold=replace(manifold, data=replace(manifold.data, units=units)))
        return replace(self, mapped=mapped)

    def on_a_map(self, *, by_another_method: bool) -> Points:
        """The same points, with the knowledge of who made their map."""
        return replace(self, mapped=replace(self.mapped, by_another_method=by_another_method))

    def features(self, chosen: Any = slice(None)) -> ScaledData:
        """The features of some points, scaled so that ``restore`` and ``in_units`` give the units of the user."""
        return replace(self.mapped.data, matrix=self.values, lengths=self.lengths).features(chosen)

    @property
    def is_part_of_map(self) -> bool:
        """Whether the points are new rows on a map, or some of its rows, rather than all of its rows."""
        return len(self) != len(self.mapped.embedding) or bool((self.rows < 0).any())

    @cached_property
    def is_connected(self) -> NDArray[np.bool_]:
        """Which points are linked to rows of the data."""
        return np.asarray(self.links.sum(axis=1)).ravel() > 0

    def nearest_on_map(self, chosen: IntArray, k: int) -> IntArray:
        """The k rows of the data nearest to each point on the map, without the point itself: (points, k)."""
        return self.mapped.search.nearest_others(self.embedding[chosen], self.rows[chosen], k)

    def frame_without(self, point: int, left_out: IntArray) -> DoubleArray:
        """The frame of a point as if some rows were not on the map: (d', d').

        A frame of the paper's is the one that is drawn. The solver has not seen the map, and a single row has hardly
        any part in the rotation that fits all frames of a connected part to it.
        """
        if self.frames.solver == "paper":
            return self.frames.axes[point].astype(np.float64)
        return self.frame_among(point, left_out)

    def frame_among(self, point: int, left_out: IntArray) -> DoubleArray:
        """The frame of a point among the rows that it is linked to, without some of them: (d', d')."""
        first, last = self.links.indptr[point], self.links.indptr[point + 1]
        others, weights = self.links.indices[first:last], self.links.data[first:last]
        kept = ~np.isin(others, left_out)
        others, weights = others[kept], weights[kept]
        mapped = self.mapped
        q = min(mapped.embedding.shape[1], self.tangents.n_directions)
        changes = mapped.space.rows(others) - dense_rows(self.tangents.centers, [point])
        if mapped.manifold.tangent_center == "mean" and len(others):
            changes -= (np.einsum("j,jn->n", weights, changes) / weights.sum()).astype(np.float32)
        around = Surroundings(
            axes(mapped.space, self.tangents, np.array([point], np.int32), q)[0],
            axes(mapped.space, mapped.tangents, others, q),
            mapped.frames.axes[others],
            changes,
            mapped.embedding[others] - self.embedding[point],
            weights,
            mapped.frames.covariance_size,
        )
        return FRAME_AMONG[mapped.frames.solver](around)


def points_of_data(mapped: MappedData) -> Points:
    """The rows of the data themselves."""
    manifold = mapped.manifold
    rows = np.arange(len(mapped.embedding), dtype=np.int32)
    has_edge = manifold.neighbors.distances < unconnected_from(manifold.metric)
    return Points(
        mapped,
        manifold.data.matrix,
        mapped.embedding,
        manifold.graph.weights,
        has_edge,
        rows,
        rows,
        manifold.data.lengths,
    )


def points_of_any_map(
    X: Matrix, embedding: FloatArray, settings: NeighborhoodSettings, deferred: DeferredGeometry, run: Run
) -> Points:
    """The rows of the data on a map that another method made. Frames will be fitted to it."""
    return points_of_data(MappedData(approximate(X, settings, run), embedding, deferred))


def points_of_new_rows(X: Matrix, mapped: MappedData, run: Run) -> Points:
    """New rows on the map. A row at distance 0 from a row of the data is that row, the first among its copies."""
    manifold = mapped.manifold
    Z = manifold.into_space(X, run)
    scaled = manifold.data.scaled(X)
    values = scaled.matrix
    centers = values if manifold.components is None else manifold.space.prepare(Z)
    near, neighbors = nearest_rows(Z, manifold, run)
    is_known = near.distances[:, 0] == 0
    known, new = np.flatnonzero(is_known), np.flatnonzero(~is_known)
    parts = []
    if len(known):
        of_rows = points_of_data(mapped)[near.indices[known, 0]]
        parts.append(replace(of_rows, values=values[known], lengths=None, own_geometry=of_rows.geometry))
    if len(new):
        parts.append(_points_among_rows(values[new], centers[new], near[new], neighbors[new], mapped, run))
    order = np.argsort(np.concatenate([known, new]))
    numbers = np.arange(len(order), dtype=np.int32)
    return replace(_joined(parts)[order], numbers=numbers, lengths=scaled.lengths)


def _points_among_rows(
    values: Matrix, centers: Matrix, near: Neighbors, neighbors: Neighbors, mapped: MappedData, run: Run
) -> Points:
    """New points, linked to their neighbours among the data."""
    manifold = mapped.manifold
    strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
    weights = memberships_of_new(neighbors, neighbors.k + 1, manifold, run)
    tangents = find_tangents(
        manifold.space,
        centers,
        neighbors.indices,
        weights,
        manifold.tangent_center,
        manifold.intrinsic_dim,
        mapped.embedding.shape[1],
        run,
    )
    embedding = place_among(near, strengths, mapped.embedding, manifold.graph.is_connected, run)
    indptr = np.arange(0, strengths.size + 1, near.k)
    shape = (len(embedding), len(mapped.embedding))
    links = sp.csr_matrix((strengths.ravel().astype(np.float32), near.indices.ravel(), indptr), shape)
    links.eliminate_zeros()
    has_edge = neighbors.distances < unconnected_from(manifold.metric)
    identity = np.eye(embedding.shape[1], dtype=np.float32)
    rows = np.full(len(embedding), -1, np.int32)
    unframed = Geometry(tangents.without_leading(), replace(mapped.frames, axes=np.tile(identity, (len(rows), 1, 1))))
    points = Points(mapped, values, embedding, links, has_edge, rows, rows, own_geometry=unframed)
    return replace(points, own_geometry=replace(unframed, frames=_frames_among(points, run)))


def _joined(parts: list[Points]) -> Points:
    """The points of several parts in one, part after part."""

    def of_all(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    return replace(
        parts[0],
        values=stacked([part.values for part in parts]),
        own_geometry=_joined_geometry([part.geometry for part in parts]),
        embedding=of_all("embedding"),
        links=sp.vstack([part.links for part in parts], format="csr"),
        has_edge=of_all("has_edge"),
        rows=of_all("rows"),
        numbers=of_all("numbers"),
    )


def _joined_geometry(parts: list[Geometry]) -> Geometry:
    def of_all(name: str) -> np.ndarray:
        return np.concatenate([getattr(part.tangents, name) for part in parts])

    tangents = Tangents(
        stacked([part.tangents.centers for part in parts]),
        of_all("neighbors"),
        of_all("weights"),
        parts[0].tangents.center,
        of_all("singular_values"),
        of_all("intrinsic_dim"),
    )
    axes = np.concatenate([part.frames.axes for part in parts])
    return Geometry(tangents, replace(parts[0].frames, axes=axes))


def _frames_among(points: Points, run: Run) -> Frames:
    """A frame for each new point, from those of the rows that it is linked to."""
    none = np.empty(0, np.int32)

    def body(start: int, stop: int) -> tuple[FloatArray]:
        return (np.array([points.frame_among(point, none) for point in range(start, stop)], np.float32),)

    return replace(points.mapped.frames, axes=run.by_blocks(len(points), body, block=16)[0])
