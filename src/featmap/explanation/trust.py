"""How far a map and its arrows can be trusted, in words.

A bare cosine says little of arrows: noise in the features lowers it whatever the map shows. So what arrows explain is
compared with what the features tell of each other around the same points, and with what a flat map could show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..metrics.distances import DataDistances, map_distances
from ..metrics.ranks import nearest, ranks_kept
from ..run import Run
from ..values import DoubleArray, IntArray
from .arrows import Arrows, scored
from .backing import backing
from .map_scale import own_distances_of
from .neighborhoods import Neighborhoods, cross_fitted
from .points import MappedData, Points, points_of_data
from .spaces import SpacesWithout
from .told import FEWEST_FEATURES, CenteredRows, told_by_features

N_DIRECTIONS = (1, 2, 3, 5, 8, 12, 20)
GOOD, FAIR = 0.7, 0.4  # limits of the share of what a flat map could show
NEARLY_ALL = 0.95  # the share is an estimate from some rows: 100 % of it would promise too much
TRUSTED_ROWS, RANKED_ROWS = 100, 500
RANKED_NEIGHBORS = 15


@dataclass(frozen=True)
class Trust:
    """How far a map and its arrows can be trusted. `FeatMAP.trust` makes it; printed, it is a few sentences.

    Parameters
    ----------
    share_of_flat : float
        What the arrows explain of the changes around a row, relative to what the best plane through the features
        could explain. A flat map can show no more, so 1 is the best.
    share_of_all : float
        The same relative to all that the features tell of each other there, in any number of directions.
    fidelity : float
        The median of `FeatMAP.fidelity` over the same rows. It counts the noise of the features and all that no map
        of so many dimensions can show, so that it may be small where the shares are large.
    trustworthiness : float
        Whether neighbours on the map are neighbours in the data, from 0 to 1: see `metrics.trustworthiness`.
    density_correlation : float
        Whether the map is dense where the data are dense, up to 1: the model's ``density_correlation_``, see
        `metrics.density_correlation`.
    n_rows : int
        The number of random rows behind the figures of arrows.
    n_ranked_rows : int
        The number of random rows behind the trustworthiness.
    n_components : int
        The number of dimensions of the map.
    features_agree : bool
        Whether any feature is known by others, see `FeatMAP.backing`. If none is, there is nothing to explain, and
        both shares are 0.
    by_another_method : bool, default=False
        Whether another method has made the map, so that the advice names no parameters of `FeatMAP`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from featmap import FeatMAP
    >>> trust = FeatMAP(n_epochs=50, random_state=0).fit(load_iris().data).trust()
    >>> trust.word in ("good", "fair", "poor")
    True
    """

    share_of_flat: float
    share_of_all: float
    fidelity: float
    trustworthiness: float
    density_correlation: float
    n_rows: int
    n_ranked_rows: int
    n_components: int
    features_agree: bool
    by_another_method: bool = False

    @property
    def word(self) -> str:
        """How good the arrows are: "good", "fair" or "poor"."""
        if self.share_of_flat >= GOOD:
            return "good"
        return "fair" if self.share_of_flat >= FAIR else "poor"

    @property
    def sentence(self) -> str:
        """How good the arrows are and what to make of it, in one sentence."""
        if not self.features_agree:
            return "Arrows are poor: no feature tells anything of the others; do not read them."
        advice = {
            "good": "read them one by one",
            "fair": "read the longest ones only",
            "poor": "do not read them",
        }[self.word]
        flat = {1: "line", 2: "plane"}.get(self.n_components, f"{self.n_components}-dimensional map")
        share = "nearly all" if self.share_of_flat >= NEARLY_ALL else f"{self.share_of_flat:.0%}"
        return (
            f"Arrows are {self.word} on the whole map: they show {share} of the changes around a row that a {flat} "
            f"could show; {advice}."
        )

    @property
    def advice(self) -> str:
        """What could make the arrows better; empty if they are good."""
        if self.word == "good":
            return ""
        if self.by_another_method:
            more = "a map with three dimensions, or " if self.n_components < 3 else ""
            ways = f"{more}a map of a part of the rows"
        else:
            more = "n_components=3, " if self.n_components < 3 else ""
            ways = f"{more}a map of a part of the rows, a smaller density, or min_dist=0"
        return f"For better arrows try {ways}. To tell groups apart use contrast, which needs no arrows."

    def __str__(self) -> str:
        more = (
            f"Of all that the features tell of each other there, which may take more dimensions than a map has, they "
            f"show {self.share_of_all:.0%} ({self.n_rows} random rows)."
        )
        bare = (
            f"Fidelity, the cosine of foretold and true changes, is {self.fidelity:.2f} (0 is chance): it counts "
            "noise and what no map can show, too, so that it may be small where the shares are large."
        )
        lines = [
            self.sentence,
            more if self.features_agree else "",
            bare if self.features_agree else "",
            f"Neighbours: trustworthiness {self.trustworthiness:.3f} (1 is best; {self.n_ranked_rows} random rows). "
            f"Density: correlation {self.density_correlation:.2f} (1 is best).",
            self.advice,
        ]
        return "\n".join(line for line in lines if line)


def measure_trust(mapped: MappedData, kind: str, k: int, units: IntArray, run: Run) -> Trust:
    """The trust in arrows of a kind that are fitted to the k nearest on the map, on random rows that have edges."""
    points = points_of_data(mapped)
    draw = scored(kind, points, k, units)
    connected = np.flatnonzero(points.is_connected).astype(np.int32)
    chosen, ranked = (_some(connected, n_rows) for n_rows in (TRUSTED_ROWS, RANKED_ROWS))

    def body(start: int, stop: int) -> tuple[DoubleArray, ...]:
        here = chosen[start:stop]
        return explained_around(draw, points, here, Neighborhoods.around(points, here, k, units))

    by_arrows, by_plane, by_features, cosines = run.by_blocks(len(chosen), body, mapped.data.rows_per_block(k))
    agree = mapped.data.shape[1] < FEWEST_FEATURES or backing(mapped, run).finds_any
    return Trust(
        share_of_flat=_share(by_arrows, by_plane) if agree else 0.0,
        share_of_all=_share(by_arrows, by_features) if agree else 0.0,
        fidelity=float(np.median(cosines)) if len(cosines) else 0.0,
        trustworthiness=trustworthiness_of(mapped, ranked, run),
        density_correlation=own_distances_of(mapped, run).correlation,
        n_rows=len(chosen),
        n_ranked_rows=len(ranked),
        n_components=mapped.embedding.shape[1],
        features_agree=agree,
    )


def _some(rows: IntArray, n_most: int) -> IntArray:
    """At most so many random rows, always the same."""
    return np.sort(np.random.default_rng(0).choice(rows, min(n_most, len(rows)), replace=False))


def _share(part: DoubleArray, whole: DoubleArray) -> float:
    return float(np.clip(part.sum() / whole.sum(), 0, 1)) if whole.sum() > 0 else 0.0


def explained_around(
    draw: Arrows, points: Points, chosen: IntArray, around: Neighborhoods
) -> tuple[DoubleArray, ...]:
    """What arrows, the best plane and all features explain around some points, and the cosines of arrows.

    All are cross-fitted, (points,) each. The first three are squared cosines between predicted and true changes, with
    a sign for the arrows, which may point the wrong way.
    """
    is_first, dim = _first_half(around.mapped.data.shape[1]), points.embedding.shape[1]
    numbers = sorted({*N_DIRECTIONS, dim})

    def score(fitted: Neighborhoods, scored: Neighborhoods) -> DoubleArray:
        cosines = scored.moments.cosines(draw(fitted, SpacesWithout(points, chosen, scored.rows_with_weight)))
        return np.column_stack([cosines, cosines * np.abs(cosines)])

    cosines, by_arrows = cross_fitted(around, score).T
    told = np.array([_told_around(around, point, is_first, numbers) for point in range(len(chosen))])
    told = told.reshape(len(chosen), len(numbers))
    return by_arrows, told[:, numbers.index(dim)], told.max(axis=1), cosines


def _told_around(around: Neighborhoods, point: int, is_first: np.ndarray, numbers: list[int]) -> DoubleArray:
    """What the features around a point tell of each other, each half of the rows fitted once and scored once."""
    (one, spreads), (two, other_spreads) = (_centered(half, point) for half in around.halves)
    of_two = told_by_features(one, two, other_spreads, is_first, numbers)
    of_one = told_by_features(two, one, spreads, is_first, numbers)
    return (of_one + of_two) / 2


def _centered(half: Neighborhoods, point: int) -> tuple[CenteredRows, DoubleArray]:
    """The rows around a point that have weight, and the spreads of the features over them."""
    counted = half.weights[point] > 0
    rows = half.mapped.data.matrix[half.near[point, counted]]
    return CenteredRows.of(rows, half.weights[point, counted]), half.moments.spreads[point]


def _first_half(n_features: int) -> np.ndarray:
    """A random half of the features, always the same: (n,)."""
    return np.random.default_rng(0).permutation(n_features) < n_features // 2


def trustworthiness_of(mapped: MappedData, rows: IntArray, run: Run) -> float:
    """`metrics.trustworthiness` of some rows, in the space of neighbourhoods; 1 for a handful of rows."""
    n_points = len(mapped.embedding)
    k = min(RANKED_NEIGHBORS, (n_points - 1) // 2)
    if k < 1 or not len(rows):
        return 1.0
    near = nearest(map_distances(mapped.embedding.astype(np.float64)), rows, k, n_points, run)
    return ranks_kept(DataDistances.within(mapped.space), rows, near, n_points, run)
