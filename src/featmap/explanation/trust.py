"""How far a map and its arrows can be trusted, in words.

A bare cosine says little of arrows: noise in the features lowers it whatever the map shows. So what arrows explain is
compared with what the features tell of each other around the same points, and with what a flat map could show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..metrics.density import LocalRadii, NearestInData
from ..metrics.distances import DataDistances, MapDistances
from ..metrics.ranks import nearest, ranks_kept
from ..run import Run
from ..values import DoubleArray, IntArray
from .arrows import Arrows, scored
from .backing import backing
from .neighborhoods import Neighborhoods, cross_fitted
from .points import MappedData, Points, points_of_data
from .spaces import SpacesWithout

N_DIRECTIONS = (1, 2, 3, 5, 8, 12, 20)
FEWEST_FEATURES = 8  # that can be halved; with fewer, variances are compared instead
RIDGE = 0.01
ROUNDING = 1e-12  # directions with a smaller part of the largest variance are not there
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
        Whether the map is dense where the data are dense, up to 1: see `metrics.density_correlation`.
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
            ways = f"{more}a map of a part of the rows, a smaller density_weight, or min_dist=0"
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
        density_correlation=density_correlation_of(mapped),
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
    is_first_half = _first_half(around.mapped.data.shape[1])

    def score(fitted: Neighborhoods, scored: Neighborhoods) -> DoubleArray:
        cosines = scored.moments.cosines(draw(fitted, SpacesWithout(points, chosen, scored.rows_with_weight)))
        told = [_told_by_features(fitted, scored, number, is_first_half) for number in range(len(chosen))]
        return np.column_stack([cosines, cosines * np.abs(cosines), np.array(told).reshape(len(chosen), -1)])

    dim = points.embedding.shape[1]
    cosines, by_arrows, *told = cross_fitted(around, score).T
    return by_arrows, told[_numbers(dim).index(dim)], np.max(told, axis=0), cosines


def _first_half(n_features: int) -> np.ndarray:
    """A random half of the features, always the same: (n,)."""
    return np.random.default_rng(0).permutation(n_features) < n_features // 2


def _numbers(dim: int) -> list[int]:
    """The numbers of directions that are tried; that of the map's dimensions is one of them."""
    return sorted({*N_DIRECTIONS, dim})


def _told_by_features(
    fitted: Neighborhoods, scored: Neighborhoods, number: int, is_first_half: np.ndarray
) -> DoubleArray:
    """R²_q around one point for several numbers of directions q, as far as there are rows and features for them.

    The leading directions are those of the fitted rows. On the scored rows one half of the features tells where a row
    lies along them, and so what the other half should be.
    """
    before, weights = _centered(fitted, number)
    after, after_weights = _centered(scored, number)
    n_features, dim = before.shape[1], fitted.mapped.embedding.shape[1]
    if min(len(before), len(after)) < 2:
        return np.zeros(len(_numbers(dim)))
    limit = (n_features - 1) // 2 if n_features >= FEWEST_FEATURES else n_features
    most = max(min(len(before) // 3, limit), 1)
    directions = _leading_directions(np.sqrt(weights)[:, None] * before, min(most, max(_numbers(dim))))
    rows = np.sqrt(after_weights)[:, None] * after
    told = _told_of_variance if n_features < FEWEST_FEATURES else _told_of_others
    by_number = told(rows, directions, is_first_half)
    return np.array([by_number[min(q, len(by_number)) - 1] for q in _numbers(dim)])


def _leading_directions(rows: DoubleArray, most: int) -> DoubleArray:
    """The right singular vectors of the largest singular values, from the products of rows: (n, at most ``most``)."""
    squares, vectors = np.linalg.eigh(rows @ rows.T)
    squares, vectors = squares[::-1][:most], vectors[:, ::-1][:, :most]
    present = squares > ROUNDING * max(squares[0], 0.0)
    if not present.any():
        return np.zeros((rows.shape[1], 1))
    return rows.T @ (vectors[:, present] / np.sqrt(squares[present]))


def _centered(around: Neighborhoods, number: int) -> tuple[DoubleArray, DoubleArray]:
    """The rows around a point that have weight, minus their mean, and their weights."""
    counted = around.weights[number] > 0
    weights = around.weights[number, counted]
    rows = around.mapped.data.rows(around.near[number, counted]).astype(np.float64)
    return rows - weights @ rows, weights


def _told_of_variance(rows: DoubleArray, directions: DoubleArray, is_first_half: np.ndarray) -> DoubleArray:
    """The share of variance along the first q directions, for each q: a few features cannot be halved."""
    total = np.square(rows).sum()
    along = np.cumsum(np.square(rows @ directions).sum(axis=0))
    return along / total if total > 0 else np.zeros_like(along)


def _told_of_others(rows: DoubleArray, directions: DoubleArray, is_first_half: np.ndarray) -> DoubleArray:
    """R²_q for each q: the squared cosine between what one half of the features tells of the other and what that is.

    The mean of both ways. With s the scores that the known half V_a gives along the directions, all sums over
    features follow from the products of rows and directions within each half, which are the same for every q.
    """
    halves = is_first_half, ~is_first_half
    along = [rows[:, half] @ directions[half] for half in halves]
    grams = [directions[half].T @ directions[half] for half in halves]
    sizes = [np.square(rows[:, half]).sum() for half in halves]
    both = [_squared_cosines(along[a], grams[a], along[1 - a], grams[1 - a], sizes[1 - a]) for a in (0, 1)]
    return np.mean(both, axis=0)


def _squared_cosines(
    known: DoubleArray, known_gram: DoubleArray, others: DoubleArray, others_gram: DoubleArray, size: float
) -> DoubleArray:
    """cos²(V_b s, x_b) with s = (V_aᵀV_a + 0.01 tr/q)⁻¹ V_aᵀ x_a, for the first q directions and each q."""
    found = np.zeros(known.shape[1])
    for q in range(1, len(found) + 1):
        gram = known_gram[:q, :q]
        ridge = RIDGE * np.trace(gram) / q
        if ridge > 0:
            scores = np.linalg.solve(gram + ridge * np.eye(q), known[:, :q].T).T
            predicted = np.einsum("ra,ab,rb->", scores, others_gram[:q, :q], scores, optimize=True)
            if predicted > 0 and size > 0:
                found[q - 1] = (scores * others[:, :q]).sum() ** 2 / (predicted * size)
    return found


def trustworthiness_of(mapped: MappedData, rows: IntArray, run: Run) -> float:
    """`metrics.trustworthiness` of some rows, in the space of neighbourhoods; 1 for a handful of rows."""
    n_points = len(mapped.embedding)
    k = min(RANKED_NEIGHBORS, (n_points - 1) // 2)
    if k < 1 or not len(rows):
        return 1.0
    near = nearest(MapDistances(mapped.embedding.astype(np.float64)), rows, k, n_points, run)
    return ranks_kept(DataDistances.within(mapped.space), rows, near, n_points, run)


def density_correlation_of(mapped: MappedData) -> float:
    """`metrics.density_correlation` over the neighbours of the graph. Rows that miss some of them do not count."""
    near = mapped.manifold.neighbors.first(mapped.manifold.n_neighbors - 1)
    is_complete = np.isfinite(near.distances).all(axis=1, keepdims=True)
    distances = np.where(is_complete, near.distances, 0).astype(np.float64)
    return LocalRadii.of(NearestInData(near.indices, distances)).correlation(mapped.embedding.astype(np.float64))
