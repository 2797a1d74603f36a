"""What there is to explain: a map of data, and some points on it, which are rows of the data or new ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from .features import Features
from .frames.local import frame_among
from .loadings import axes
from .manifold import Manifold
from .parallel import Workers
from .regression import MapSearch, Moments
from .rows import Matrix, dense_rows
from .values import DoubleArray, FloatArray, Frames, IntArray, Tangents


@dataclass(frozen=True)
class Ground:
    """The map: places and frames of all rows of the data."""

    manifold: Manifold
    places: FloatArray
    frames: Frames

    @property
    def features(self) -> Features:
        return self.manifold.features

    @property
    def tangents(self) -> Tangents:
        return self.manifold.tangents

    @cached_property
    def search(self) -> MapSearch:
        return MapSearch.build(self.places)

    def place(self, X: Matrix, workers: Workers) -> FloatArray:
        """Where new rows belong on the map."""
        return self.manifold.place(X, self.places, workers)


@dataclass(frozen=True)
class Scene:
    """Points on the map, what is known of each, and how it is tied to the rows of the data."""

    ground: Ground
    tangents: Tangents
    places: FloatArray
    frames: Frames
    links: sp.csr_matrix  # (points, rows of the data) weights
    rows: IntArray | None  # which rows of the data the points are; None: they are new

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, points: IntArray) -> Scene:
        return replace(
            self,
            tangents=self.tangents[points],
            places=self.places[points],
            frames=self.frames[points],
            links=self.links[points],
            rows=None if self.rows is None else self.rows[points],
        )

    def nearest_on_map(self, points: IntArray, k: int) -> IntArray:
        """The k rows of the data nearest to each point on the map, without the point itself: (points, k)."""
        if self.rows is None:
            return self.ground.search.nearest(self.places[points], k)
        return self.ground.search.nearest_others(self.rows[points], k)

    def moments(self, neighbors: IntArray) -> Moments:
        return Moments.around(self.ground.features, self.ground.places, neighbors)

    def frame_without(self, point: int, left_out: IntArray) -> DoubleArray:
        """The frame of a point fitted to the rows it is tied to, less some: (d', d')."""
        first, last = self.links.indptr[point], self.links.indptr[point + 1]
        others, weights = self.links.indices[first:last], self.links.data[first:last]
        kept = ~np.isin(others, left_out)
        others, weights = others[kept], weights[kept]
        ground = self.ground
        q = min(ground.places.shape[1], self.tangents.n_directions)
        return frame_among(
            axes(ground.features, self.tangents, np.array([point], np.int32), q)[0],
            axes(ground.features, ground.tangents, others, q),
            ground.frames.axes[others],
            ground.features.rows(others) - dense_rows(self.tangents.centers, [point]),
            ground.places[others] - self.places[point],
            weights,
            ground.frames.covariance_size,
        )
