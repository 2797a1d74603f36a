"""How far points move on the map when important features are taken from them: a test of importance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.sparse import dense_rows
from ..kernels.placement import weighted_means
from ..run import Run
from ..tangents.axes import feature_importance
from ..values import DoubleArray, FloatArray, IntArray
from .placement import place_rows
from .points import Points


@dataclass(frozen=True)
class Perturbation:
    """Mean moves on the map when a fraction of the features is taken from points.

    `FeatMAP.perturbation` and `Explanation.perturbation` make it. A feature is taken by setting it to its mean over
    the neighbours of the point. Moves are in units of the mean distance on the map between points and their
    neighbours in the data.

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

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from featmap import FeatMAP
    >>> model = FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:300])
    >>> found = model.perturbation(range(20), fractions=(0.1, 0.5))
    >>> found.area > 0
    True
    """

    fractions: DoubleArray
    most: DoubleArray
    random: DoubleArray
    least: DoubleArray

    @property
    def area(self) -> float:
        """Area between the curves of the most important and of random features, over that below the latter.

        Above 0, important features move points further than random ones do.
        """
        between = np.trapezoid(self.most - self.random, self.fractions)
        return float(between / max(np.trapezoid(self.random, self.fractions), np.finfo(float).tiny))

    def __repr__(self) -> str:
        return f"Perturbation(area {self.area:.3f}, {len(self.fractions)} fractions)"


def perturb(points: Points, chosen: IntArray, fractions: DoubleArray, seed: int, run: Run) -> Perturbation:
    """Replace more and more features of the points, in three orders, and place the points again."""
    manifold = points.mapped.manifold
    importance = feature_importance(manifold.space, points.tangents, chosen, run, components=manifold.components)
    orders = {
        "most": np.argsort(-importance, axis=1, kind="stable"),
        "least": np.argsort(importance, axis=1, kind="stable"),
        "random": np.random.default_rng(seed).random(importance.shape).argsort(axis=1),
    }
    unit, before = _mean_link_length(points, chosen), _placed(points, dense_rows(points.values, chosen), run)
    moves = {
        name: np.array([_mean_move(points, chosen, before, order, fraction, run) for fraction in fractions]) / unit
        for name, order in orders.items()
    }
    return Perturbation(fractions, moves["most"], moves["random"], moves["least"])


def _mean_move(
    points: Points, chosen: IntArray, before: FloatArray, order: np.ndarray, fraction: float, run: Run
) -> float:
    """How far the points move from where they were ``before``, when that part of the features is replaced."""
    n_replaced = max(1, round(fraction * order.shape[1]))
    rows = dense_rows(points.values, chosen)
    for number, point in enumerate(chosen):
        replaced = order[number, :n_replaced]
        near = points.tangents.neighbors[point][points.has_edge[point]]
        if len(near):
            rows[number, replaced] = points.mapped.data.rows(near)[:, replaced].mean(axis=0)
    return float(np.linalg.norm(_placed(points, rows, run) - before, axis=1).mean())


def _placed(points: Points, rows: FloatArray, run: Run) -> FloatArray:
    """Scaled rows on the map, by averages.

    Averages move with every feature that is taken. Medians stay at the place of the row itself, and then jump.
    """
    mapped = points.mapped
    return place_rows(mapped.data.restore(rows), mapped.manifold, mapped.embedding, run, weighted_means)


def _mean_link_length(points: Points, chosen: IntArray) -> float:
    links = points.links[chosen].tocoo()
    if not links.nnz:
        return 1.0
    steps: FloatArray = points.mapped.embedding[links.col] - points.embedding[chosen][links.row]
    return float(np.linalg.norm(steps, axis=1).mean()) or 1.0
