"""Does importance mean something? Take important features from a point, and see how far it moves on the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .loadings import feature_importance
from .parallel import Workers
from .rows import dense_rows
from .scene import Scene
from .values import DoubleArray, FloatArray, IntArray

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class Perturbation:
    """Mean moves on the map when a fraction of the features is replaced by the mean of the point's neighbourhood.

    Moves are in units of the mean distance on the map between points and their neighbours in the data.
    """

    fractions: DoubleArray
    most: DoubleArray  # the most important features first
    random: DoubleArray
    least: DoubleArray

    @property
    def area(self) -> float:
        """Between the curves of the most important and of random features, over the mean of the latter.

        Above 0: important features move points further than others do.
        """
        between = np.trapezoid(self.most - self.random, self.fractions)
        return float(between / max(np.trapezoid(self.random, self.fractions), np.finfo(float).tiny))

    def __repr__(self) -> str:
        return f"Perturbation(area {self.area:.3f}, {len(self.fractions)} fractions)"


def perturb(scene: Scene, points: IntArray, fractions: DoubleArray, seed: int, workers: Workers) -> Perturbation:
    """Replace ever more features of the points, in three orders, and place them anew."""
    importance = feature_importance(scene.ground.features, scene.tangents, points, workers)
    orders = {
        "most": np.argsort(-importance, axis=1, kind="stable"),
        "least": np.argsort(importance, axis=1, kind="stable"),
        "random": np.random.default_rng(seed).random(importance.shape).argsort(axis=1),
    }
    unit = _mean_link_length(scene, points)
    moves = {
        name: np.array([_mean_move(scene, points, order, fraction, workers) for fraction in fractions]) / unit
        for name, order in orders.items()
    }
    return Perturbation(fractions, moves["most"], moves["random"], moves["least"])


def _mean_move(scene: Scene, points: IntArray, order: np.ndarray, fraction: float, workers: Workers) -> float:
    n_replaced = max(1, round(fraction * order.shape[1]))
    rows = dense_rows(scene.tangents.centers, points)
    for place, point in enumerate(points):
        replaced = order[place, :n_replaced]
        neighborhood = scene.ground.features.rows(scene.tangents.neighbors[point])
        rows[place, replaced] = neighborhood[:, replaced].mean(axis=0)
    placed = scene.ground.place(scene.ground.features.restore(rows), workers)
    return float(np.linalg.norm(placed - scene.places[points], axis=1).mean())


def _mean_link_length(scene: Scene, points: IntArray) -> float:
    links = scene.links[points].tocoo()
    steps: FloatArray = scene.ground.places[links.col] - scene.places[points][links.row]
    return float(np.linalg.norm(steps, axis=1).mean()) or 1.0
