"""How far points move on the map when important features are taken from them: a test of importance.

Users find it as `featmap.metrics.perturbation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks.arguments import checked_count
from ..data.sparse import dense_rows
from ..errors import InvalidParameterError
from ..kernels.placement import weighted_means
from ..run import Run
from ..tangents.axes import feature_importance
from ..values import DoubleArray, FloatArray, IntArray
from .mixin import ExplanationMixin
from .placement import place_rows
from .points import Points

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
PERTURBED_ROWS = 200


@dataclass(frozen=True)
class Perturbation:
    """Mean moves on the map when a fraction of the features is taken from points.

    `featmap.metrics.perturbation` makes it. A feature is taken by setting it to its mean over
    the neighbours of the point. Moves are in units of the mean distance on the map between points and their
    neighbours in the data. Important features differ most from the neighbours, so that taking them changes a point
    most, and any change of that size moves it. The floor tells how far: what the most important features move
    beyond it is due to which features they are.

    Parameters
    ----------
    fractions : ndarray of shape (n_fractions,)
        The fractions of the features.
    most : ndarray of shape (n_fractions,)
        Mean moves when the most important features are taken.
    random : ndarray of shape (n_fractions,)
        Mean moves when random features are taken.
    least : ndarray of shape (n_fractions,)
        Mean moves when the least important features are taken.
    floor : ndarray of shape (n_fractions,)
        Mean moves when as many random features are changed in the direction of the neighbours by as much in all as
        the most important ones, as far as they differ from the neighbours.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, metrics
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:300])
    >>> found = metrics.perturbation(model, range(20), fractions=(0.1, 0.5))
    >>> found.area > 0
    True
    """

    fractions: DoubleArray
    most: DoubleArray
    random: DoubleArray
    least: DoubleArray
    floor: DoubleArray

    @property
    def area(self) -> float:
        """Area between the curve of the most important features and the floor, over that below the floor.

        Above 0, important features move points further than a change of the same size in random features does.
        """
        between = np.trapezoid(self.most - self.floor, self.fractions)
        return float(between / max(np.trapezoid(self.floor, self.fractions), np.finfo(float).tiny))

    def __repr__(self) -> str:
        return f"Perturbation(area {self.area:.3f} above the floor, {len(self.fractions)} fractions)"


def perturbation(
    model: ExplanationMixin,
    rows: ArrayLike | None = None,
    *,
    fractions: Sequence[float] = FRACTIONS,
    random_state: int = 0,
) -> Perturbation:
    """
    Measure how far rows move on the map when features are taken from them.

    A feature is taken by setting it to its mean over the neighbours of the row. Any change moves a row, and important
    features change it most. So there is a floor beside the curve: as many random features, changed by as much in all.
    If important features move rows further than the floor, it matters for this map which features they are. On data
    with few features the test says little.

    Parameters
    ----------
    model : FeatMAP or Explanation
        A fitted model, or the explanation of any map.
    rows : array-like, slice or None, default=None
        The rows to move: numbers that count from 0, a mask, or names if the data had an index. By default 200 random
        rows.
    fractions : sequence of float, default=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
        Which fractions of the features are taken, in rising order.
    random_state : int, default=0
        The seed of the random rows and of the random features.

    Returns
    -------
    Perturbation
        Mean moves for the most important, random and least important features, and the floor.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP, metrics
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:300])
    >>> metrics.perturbation(model, range(20), fractions=(0.1, 0.5)).most.shape
    (2,)
    """
    if not isinstance(model, ExplanationMixin):
        raise InvalidParameterError(
            f"perturbation(model=…): model must be a fitted FeatMAP or an Explanation, which featmap.explain(X, Y) "
            f"gives for any map; got {type(model).__name__}"
        )
    checked_count("perturbation", "random_state", random_state, 0)
    steps = _checked_fractions(fractions)
    chosen = model._answers.rows(rows)
    if rows is None and len(chosen) > PERTURBED_ROWS:
        chosen = np.sort(np.random.default_rng(random_state).choice(chosen, PERTURBED_ROWS, replace=False))
    with Run(model.n_jobs) as run:
        return perturb(model._points, chosen, steps, random_state, run)


def _checked_fractions(fractions: Sequence[float]) -> DoubleArray:
    try:
        steps = np.asarray(fractions, dtype=np.float64)
    except (TypeError, ValueError):
        steps = np.empty(0)
    if steps.ndim != 1 or len(steps) < 2 or not ((steps > 0) & (steps <= 1)).all() or (np.diff(steps) <= 0).any():
        raise InvalidParameterError(
            f"perturbation(fractions={fractions!r}): fractions must be at least two numbers that rise, above 0 "
            "and at most 1"
        )
    return steps


def perturb(points: Points, chosen: IntArray, fractions: DoubleArray, seed: int, run: Run) -> Perturbation:
    """Replace more and more features of the points, in three orders, and place the points again."""
    manifold = points.mapped.manifold
    importance = feature_importance(manifold.space, points.tangents, chosen, run, components=manifold.components)
    rows = dense_rows(points.values, chosen)
    change = _change_to_neighbors(points, chosen, rows)
    at_random = np.random.default_rng(seed).random(importance.shape)
    most, least = (np.argsort(sign * importance, axis=1, kind="stable") for sign in (-1, 1))
    random = at_random.argsort(axis=1)
    changeable = np.where(change != 0, at_random, 1 + at_random).argsort(axis=1)
    numbers = [max(1, round(fraction * importance.shape[1])) for fraction in fractions]
    unit, before = _mean_link_length(points, chosen), _placed(points, rows, run)

    def moves(steps: Iterable[FloatArray]) -> DoubleArray:
        placed = (_placed(points, rows + step, run) for step in steps)
        return np.array([np.linalg.norm(places - before, axis=1).mean() for places in placed]) / unit

    return Perturbation(
        fractions,
        moves(_first(change, most, n) for n in numbers),
        moves(_first(change, random, n) for n in numbers),
        moves(_first(change, least, n) for n in numbers),
        moves(_as_long(_first(change, changeable, n), _first(change, most, n)) for n in numbers),
    )


def _change_to_neighbors(points: Points, chosen: IntArray, rows: FloatArray) -> FloatArray:
    """What every feature changes by when it is taken from a point. Points without neighbours lose nothing."""
    change = np.zeros_like(rows)
    for number, point in enumerate(chosen):
        near = points.tangents.neighbors[point][points.has_edge[point]]
        if len(near):
            change[number] = points.mapped.data.rows(near).mean(axis=0) - rows[number]
    return change


def _first(change: FloatArray, order: np.ndarray, n_taken: int) -> FloatArray:
    """The change of the features that come first in the order of each point."""
    step = np.zeros_like(change)
    taken = order[:, :n_taken]
    np.put_along_axis(step, taken, np.take_along_axis(change, taken, axis=1), axis=1)
    return step


def _as_long(steps: FloatArray, others: FloatArray) -> FloatArray:
    """Steps with the lengths of others."""
    own, wanted = (np.linalg.norm(step, axis=1, keepdims=True) for step in (steps, others))
    return steps * (wanted / np.where(own > 0, own, 1.0))


def _placed(points: Points, rows: FloatArray, run: Run) -> FloatArray:
    """Scaled rows on the map, by averages.

    Averages move with every feature that is taken. Medians stay at the place of the row itself, and then jump.
    """
    mapped = points.mapped
    return place_rows(mapped.data.as_given(rows), mapped.manifold, mapped.embedding, run, weighted_means)


def _mean_link_length(points: Points, chosen: IntArray) -> float:
    links = points.links[chosen].tocoo()
    if not links.nnz:
        return 1.0
    steps: FloatArray = points.mapped.embedding[links.col] - points.embedding[chosen][links.row]
    return float(np.linalg.norm(steps, axis=1).mean()) or 1.0
