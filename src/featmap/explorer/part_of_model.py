"""A part of a model, for a file that leaves the other rows or features out.

What the page computes must follow from what the file holds. So the part is explained for itself: with fewer rows
neighbours are searched anew in the same principal components, with fewer features tangent spaces are made of those
that are left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import scipy.sparse as sp

from ..checks.settings import NeighborhoodSettings
from ..data.scaling import ScaledData
from ..data.sparse import Matrix, SparseRows
from ..explanation.geometry import DeferredGeometry
from ..explanation.points import Points, points_of_any_map, points_of_data
from ..pipeline import tangent_spaces
from ..run import Run
from ..values import Geometry, IntArray


def of_rows(points: Points, rows: IntArray, run: Run) -> Points:
    """Some rows on their places of the map, with neighbours among themselves."""
    settings = _settings(points)
    given = replace(points.mapped.data, units=None)
    X, embedding = user_rows(given, rows), points.mapped.embedding[rows]
    part = points_of_any_map(X, embedding, settings, DeferredGeometry(), run)
    part = part.on_a_map(by_another_method=points.mapped.by_another_method)
    return part.in_units(points.mapped.data.units)


def of_features(points: Points, features: IntArray, run: Run) -> Points:
    """Some features on the same map and graph. Tangent spaces are those of these features."""
    mapped = points.mapped
    manifold = mapped.manifold
    data = manifold.data.columns(features)
    manifold = replace(manifold, data=data, space=replace(data, units=None), components=None)
    tangents = tangent_spaces(manifold, mapped.embedding.shape[1], run).without_leading()
    deferred = DeferredGeometry(made=Geometry(tangents, mapped.frames))
    return points_of_data(replace(mapped, manifold=manifold, deferred=deferred))


def _settings(points: Points) -> NeighborhoodSettings:
    manifold = points.mapped.manifold
    return NeighborhoodSettings(
        n_neighbors=manifold.n_neighbors,
        metric=manifold.metric,
        metric_kwds=manifold.metric_kwds,
        pca=None if manifold.components is None else manifold.components.directions,
        intrinsic_dim=manifold.intrinsic_dim,
        n_tangent_neighbors=manifold.n_tangent_neighbors,
        tangent_center=manifold.tangent_center,
        n_components=points.mapped.embedding.shape[1],
        frames="aligned",
        precomputed_knn=None,
        seed=0,
    )


def user_rows(data: ScaledData, rows: Any) -> Matrix:
    """Some rows in the units of the user, as an array or a CSR matrix."""
    features = data.features(rows)
    if not isinstance(features.matrix, SparseRows):
        return features.restore(features.matrix)
    entries = features.matrix.entries
    values = features.in_units(entries.data) + features.center[entries.indices]
    return sp.csr_matrix((values, entries.indices, entries.indptr), entries.shape)
