"""What a length on the map means in the data: how density is kept, and how much rows differ that lie near each other.

Both are measured, so they can be asked of the map of any method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..data.scaling import ScaledData
from ..data.sparse import SparseRows
from ..metrics.density import OwnDistances, distances_on_map
from ..run import SERIAL, Run
from ..values import DoubleArray, IntArray
from .points import MappedData

MOST_ROWS = 10_000  # of a large map, which are measured against all its points
# A map carries a scale if distances to its neighbours grow by at least this slope with those in the data, and with at
# least this correlation. Of maps of iris, wine, penguins, breast cancer, digits, segment, COIL-20, PBMC, satellite,
# letters, MNIST and Fashion none has both without density: correlations are up to 0.61 (iris, with slopes to 0.39),
# slopes up to 0.73 (digits, with a correlation of 0.33), and wine has 0.47 and 0.51. With the default density all
# have: at least 0.56 (letters) and 0.93 (penguins).
LEAST_CORRELATION, LEAST_SLOPE = 0.5, 0.6
FEWEST_ROWS = 100  # a correlation of 0.5 of fewer rows may be chance

MOST_PAIRS, FEWEST_PAIRS = 2_000, 50
TWO_THIRDS = (1 / 6, 1 / 2, 5 / 6)
SAME_SPREAD = 0.01  # standard deviations that differ from 1 by less are 1


def own_distances_of(mapped: MappedData, run: Run = SERIAL) -> OwnDistances:
    """Distances to the last neighbour of the graph, in the data and on the map, of at most 10,000 rows."""
    return mapped.kept("own distances", lambda: _own_distances(mapped, run))


def _own_distances(mapped: MappedData, run: Run) -> OwnDistances:
    k = mapped.manifold.n_neighbors - 1
    rows = _some(len(mapped.embedding), MOST_ROWS)
    in_data = mapped.manifold.in_units(mapped.manifold.neighbors.distances[rows, k - 1])
    places = mapped.embedding[rows].astype(np.float64)
    return OwnDistances.of(rows, in_data, distances_on_map(mapped.search.tree, places, k, run))


def _some(n_rows: int, n_most: int) -> IntArray:
    """At most so many random rows, always the same."""
    if n_rows <= n_most:
        return np.arange(n_rows, dtype=np.int32)
    return np.sort(np.random.default_rng(0).choice(n_rows, n_most, replace=False)).astype(np.int32)


@dataclass(frozen=True)
class ScaleBar:
    """How much rows differ that are within some distance of each other on the map, as it is drawn.

    A row and another one, random among those within the length, differ by ``typical`` in the median, and in two of
    three cases by ``low`` to ``high``.
    """

    length: float
    typical: float
    low: float
    high: float
    unit: str  # what follows the number
    n_features: int  # that the difference is measured over; the levels of a category are one
    of_components: bool


def scale_bar_of(mapped: MappedData, length: float) -> ScaleBar | None:
    """The scale of the first two dimensions of a map; None if it carries none, or distances have no unit."""
    return mapped.kept(("scale bar", length), lambda: _scale_bar(mapped, length))


def _scale_bar(mapped: MappedData, length: float) -> ScaleBar | None:
    """Measured on pairs, not taken from the slope.

    In many dimensions the nearest rows are far already, so that the difference grows much more slowly with the
    distance than from one place to another: twice the bar is not twice the difference.
    """
    manifold, own = mapped.manifold, own_distances_of(mapped)
    if manifold.metric not in ("euclidean", "cosine"):
        return None
    if len(own.rows) < FEWEST_ROWS or own.correlation < LEAST_CORRELATION or own.slope < LEAST_SLOPE:
        return None
    drawn = mapped.embedding[:, :2].astype(np.float64)
    pairs = pairs_within(drawn[own.rows], length)
    if len(pairs) < FEWEST_PAIRS:
        return None
    factor, unit = unit_of(mapped)
    low, typical, high = factor * np.quantile(differences(mapped, own.rows[pairs]), TWO_THIRDS)
    if not typical > 0:
        return None
    groups = manifold.data.groups
    n_features = (
        manifold.space.shape[1] if manifold.components is not None or groups is None else len(np.unique(groups))
    )
    return ScaleBar(
        length, float(typical), float(low), float(high), unit, n_features, manifold.components is not None
    )


def pairs_within(places: DoubleArray, length: float) -> IntArray:
    """Pairs of at most 2,000 places and another one each, random among those within the length: (pairs, 2)."""
    rng, tree = np.random.default_rng(0), cKDTree(places)
    chosen = rng.permutation(len(places))[:MOST_PAIRS]
    pairs = []
    for place, near in zip(chosen, tree.query_ball_point(places[chosen], length, return_sorted=True), strict=True):
        others = [other for other in near if other != place]
        if others:
            pairs.append((place, others[rng.integers(len(others))]))
    return np.array(pairs, np.int32).reshape(-1, 2)


def differences(mapped: MappedData, pairs: IntArray) -> DoubleArray:
    """The distance in the data between the rows of each pair, in units of the fit; (pairs,)."""
    space, lengths = mapped.space, np.empty(len(pairs))
    n_at_once = space.rows_per_block(2)  # sparse rows are dense here
    for start in range(0, len(pairs), n_at_once):
        here = slice(start, start + n_at_once)
        steps = space.rows(pairs[here, 0]).astype(np.float64) - space.rows(pairs[here, 1])
        lengths[here] = np.sqrt((steps * steps).sum(axis=1))
    return lengths**2 / 2 if mapped.manifold.metric == "cosine" else lengths / space.scale


def unit_of(mapped: MappedData) -> tuple[float, str]:
    """What distances are told in, and the factor that leads there from the units of the fit."""
    if mapped.manifold.metric == "cosine":
        return 1.0, "in cosine distance"
    data = mapped.data
    if data.units is not None and np.ptp(data.units.factor) <= 1e-9 * np.abs(data.units.factor).max():
        return abs(float(data.units.factor[0])), "in units of the data"
    if is_standardised(data):
        return 1.0, "standard deviations"
    return 1.0, "in units of the data" if data.units is None else "in units of the prepared data"


def is_standardised(data: ScaledData) -> bool:
    """Whether all columns have the standard deviation 1, those aside that are constant or tell yes from no."""
    if isinstance(data.matrix, SparseRows):
        return False
    matrix = data.matrix
    means = matrix.mean(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->j", matrix, matrix, dtype=np.float64) / len(matrix)
    spreads = np.sqrt(np.maximum(squares - means**2, 0)) / data.scale
    has_unit = np.abs(spreads - 1) <= SAME_SPREAD
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    others = np.flatnonzero(~has_unit)
    is_flag = [bool(((matrix[:, h] == low[h]) | (matrix[:, h] == high[h])).all()) for h in others]
    return bool(has_unit.any()) and all(is_flag)
