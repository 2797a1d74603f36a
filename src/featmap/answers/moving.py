"""Changed rows of the data on the map: each as if the row that it was made from were not there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.sparse import Matrix, up_to_translation
from ..explanation.outliers import relative_distances
from ..explanation.placement import memberships_of_new, place_among
from ..run import Run
from ..values import DoubleArray, FloatArray, Neighbors, WholeArray
from .table import Drawn


class Moved(NamedTuple):
    """Where changed rows lie, and which rows are nearest to them then."""

    places: FloatArray  # (rows, d')
    on_map: WholeArray  # (rows, n)
    in_data: WholeArray  # (rows, n)
    outlier: DoubleArray  # (rows,)


def place_changed(drawn: Drawn, prepared: Matrix, row: int, n: int, run: Run) -> Moved:
    """Place versions of one row, as `FeatMAP.transform` would."""
    mapped = drawn.mapped
    manifold = mapped.manifold
    near = _nearest_others(drawn, prepared, row, run)
    strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
    places = place_among(near, strengths, mapped.embedding, manifold.graph.is_connected, run)
    on_map = mapped.search.nearest_others(places, np.full(len(places), row, np.int32), n)
    return Moved(places, on_map, near.indices[:, :n], relative_distances(near, manifold.usual_distances))


def _nearest_others(drawn: Drawn, prepared: Matrix, row: int, run: Run) -> Neighbors:
    """The rows of the data nearest to each version, without the row itself."""
    manifold = drawn.mapped.manifold
    rows = manifold.into_space(prepared, run)
    is_scaled = manifold.metric in ("euclidean", "cosine")
    k = min(manifold.n_neighbors - 1, manifold.data.shape[0] - 1)
    indices, distances = manifold.search.nearest(manifold.space.prepare(rows) if is_scaled else rows, k + 1, run)
    is_self = indices == row
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(indices), k)
    others = np.ascontiguousarray(indices[~is_self].reshape(shape), np.int32)
    return Neighbors(others, np.ascontiguousarray(distances[~is_self].reshape(shape), np.float32))


def distances_in_data(drawn: Drawn, row: int, others: WholeArray) -> DoubleArray:
    """Squared distances of a row to others, in the space of neighbourhoods."""
    matrix = up_to_translation(drawn.mapped.manifold.space.matrix)
    if isinstance(matrix, np.ndarray):
        return ((matrix[others] - matrix[row]).astype(np.float64) ** 2).sum(axis=1)
    rows, own = matrix[others], matrix[row]
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    return squares - 2 * np.asarray((rows @ own.T).todense()).ravel()
