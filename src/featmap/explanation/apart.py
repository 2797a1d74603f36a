"""What sets the surroundings of a point, or of a group of points, apart from the rest of the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ..data.sparse import Matrix, SparseRows, dense_rows
from ..errors import InvalidParameterError
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray
from .around import local_moments, together, widely_around
from .backing import Backing, backing
from .neighborhoods import Neighborhoods
from .points import MappedData, Points
from .winsor import Winsorised, winsorised

SCALES = ("spread", "units")
FROM_CHANCE = 2.0  # standard errors
LEAST_SCORE = 0.3  # of a feature that is worth a word, in standard deviations of the data
RATE = 0.05  # of rows with a chance finding among their own values, if values were normal
LEAST_AWAY = 1.0  # of an own value that is worth a word: what is to be believed of its distance from the rows around
FLOAT32_ROUNDING = 1e-6  # a smaller part of a value is rounding of float32


@dataclass(frozen=True)
class Apart:
    """What sets the rows around some points apart from all rows, feature by feature, in the user's units.

    Means and values are as given. Scores and standard deviations are of winsorised values.
    """

    mean: DoubleArray  # (points, n) of the rows around the point
    overall: DoubleArray  # (n,) of all rows
    spread: DoubleArray  # (n,) standard deviation over all rows
    own: DoubleArray  # (points, n) of the point itself
    z: DoubleArray  # (points, n) by how many standard deviations the mean around is above that of all
    score: DoubleArray  # (points, n) signed; features are ordered by its size
    said: NDArray[np.bool_]  # (points, n) worth a word: beyond chance, large, and other features go with it
    alone: NDArray[np.bool_]  # (points, n) beyond chance and large, but no other feature goes with it
    away: DoubleArray  # (points, n) by how many standard deviations the point itself is above the rows around it
    away_score: DoubleArray  # (points, n) signed; what is to be believed of it
    unlike: NDArray[np.bool_]  # (points, n) the point itself is unlike the rows around it; of no group
    n_effective: DoubleArray  # (points,) the number of rows of equal weight that those around count as

    @property
    def order(self) -> IntArray:
        """Column numbers of all features for each point, the largest score first: (points, n)."""
        return np.argsort(-np.abs(self.score), axis=1, kind="stable").astype(np.int32)


@dataclass(frozen=True)
class Comparison:
    """Compares the rows around points with all rows. It is made once and used for any points of a map."""

    mapped: MappedData
    features: Winsorised
    backing: Backing
    scale: str

    @classmethod
    def of(cls, mapped: MappedData, run: Run, scale: str = SCALES[0]) -> Comparison:
        return cls(mapped, winsorised(mapped, run), backing(mapped, run), scale)

    def apart(self, points: Points, chosen: IntArray, k: int) -> Apart:
        """What sets each of the chosen points apart, by its k nearest on the map."""
        return self._apart(widely_around(points, chosen, k), dense_rows(points.values, chosen))

    def together(self, points: Points, chosen: IntArray, k: int) -> Apart:
        """What sets the chosen points apart as a group: z and scores are the means of theirs, in one row."""
        found = self._apart(together(widely_around(points, chosen, k)), _mean_row(points.values[chosen]))
        return replace(found, unlike=np.zeros_like(found.unlike))

    def own_scores(self, points: Points, chosen: IntArray) -> DoubleArray:
        """By how much each of the chosen points itself is apart, as `Apart.score` says it of the rows around it."""
        features = self.features
        own = features.clipped(dense_rows(points.values, chosen)).astype(np.float64)
        sd = np.where(features.sd > 0, features.sd, 1.0)
        z = np.where(features.sd > 0, (own - features.mean) / sd, 0.0)
        return z * self.backing.factors * self._unit

    @property
    def _unit(self) -> DoubleArray | float:
        """What scores are multiplied by, so that they are measured in the scale asked for."""
        return np.sqrt(self.mapped.data.in_units(self.features.sd)) if self.scale == "units" else 1.0

    def _apart(self, around: Neighborhoods, own: FloatArray) -> Apart:
        features, data, factors = self.features, self.mapped.data, self.backing.factors
        n_effective = around.n_effective[:, None]
        has_rows = n_effective > 0
        n_rows = np.maximum(n_effective, 1)
        moments = local_moments(around, features)
        mean = np.where(has_rows, moments.mean, features.mean)
        variance = moments.variance * np.where(n_rows > 1, n_rows / np.maximum(n_rows - 1, FLOAT32_ROUNDING), 1.0)
        sd = np.where(features.sd > 0, features.sd, 1.0)
        z = np.where(features.sd > 0, (mean - features.mean) / sd, 0.0)
        error = np.maximum(np.sqrt(variance / n_rows) / sd, 1 / np.sqrt(n_rows))
        is_beyond_chance = has_rows & (np.abs(z) > FROM_CHANCE * error)
        away = np.where(has_rows & (features.sd > 0), (features.clipped(own) - mean) / sd, 0.0)
        reliability = self.backing.reliability
        return Apart(
            data.restore(np.where(has_rows, moments.mean_as_given, features.mean_as_given)),
            data.restore(features.mean_as_given),
            data.in_units(features.sd),
            data.restore(own),
            z,
            z * factors * self._unit,
            is_beyond_chance & (np.abs(z) * factors >= LEAST_SCORE),
            is_beyond_chance & (np.abs(z) >= LEAST_SCORE) & (factors == 0),
            away,
            away * reliability * self._unit,
            (np.abs(away) * reliability >= LEAST_AWAY)
            & (np.abs(away) > _farthest_by_chance(variance / sd**2, n_rows, reliability)),
            n_effective[:, 0],
        )


def _farthest_by_chance(variance: DoubleArray, n_rows: DoubleArray, reliability: DoubleArray) -> DoubleArray:
    """How far a row is from the mean of the rows around it by chance, all features looked at: (points, n).

    In standard deviations of the data, as the variance. With the reliability r, a distance d tells that the true one
    is r·d, give or take √(r(1 − r)). So it is compared with √((1 − r)/r) where the rows around vary less: a rare
    count is far from rows that have none, and tells little.
    """
    unknown = np.divide(1 - reliability, reliability, out=np.full_like(reliability, np.inf), where=reliability > 0)
    error = np.sqrt(np.maximum(variance, unknown) * (1 + 1 / n_rows))
    return stdtrit(n_rows - 1, 1 - RATE / (2 * variance.shape[1])) * error


def checked_scale(caller: str, scale: str) -> str:
    if not isinstance(scale, str) or scale not in SCALES:
        raise InvalidParameterError(f"{caller}(scale={scale!r}): scale must be one of {', '.join(map(repr, SCALES))}")
    return scale


def _mean_row(rows: Matrix) -> FloatArray:
    """The mean of some rows, as a single row."""
    if not isinstance(rows, SparseRows):
        return rows.mean(axis=0, dtype=np.float64, keepdims=True)
    entries = rows.entries
    stored = np.bincount(entries.indices, minlength=entries.shape[1])
    sums = np.bincount(entries.indices, entries.data, entries.shape[1]) + (entries.shape[0] - stored) * rows.zeros
    return (sums / entries.shape[0])[None]
