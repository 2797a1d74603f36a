"""What is measured of each map. No loss of any method holds a measure of density that is taken here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial import KDTree
from scipy.stats import spearmanr

from lab.files import write_text

from .maps import MAPS
from .sets import N_NEIGHBORS, nearest_others, studied

N_VOTES = 10
FLOOR = 1e-3  # part of the median that is added before logs are taken, for the sake of copies
BLOCK = 500  # rows that are ranked at a time
MEASURES = {
    "accuracy": "10-NN acc.",
    "trustworthiness": "trust.",
    "neighbors_kept": "kept",
    "density_a": "density (a)",
    "density_b": "(b)",
    "density_c": "(c)",
    "slope": "slope",
    "farthest": "farthest",
}


@dataclass(frozen=True)
class DataSide:
    """What is measured of the data once for all maps of them."""

    labels: np.ndarray  # numbers
    near: np.ndarray  # (m, 15) the nearest others
    distances: np.ndarray  # (m, 15) to them
    ranks: np.ndarray  # (m, m) uint16: the place of each row among the others by distance, from 1; of itself 0

    @classmethod
    def of(cls, X: np.ndarray, labels: np.ndarray, near: np.ndarray, distances: np.ndarray) -> DataSide:
        return cls(np.unique(labels, return_inverse=True)[1], near, distances, ranks_of(X))

    def scores(self, Y: np.ndarray) -> dict[str, float]:
        """Every measure of a map by its name."""
        Y = np.asarray(Y, np.float64)
        near, distances = nearest_on(Y, N_NEIGHBORS)
        own = logs(distances[:, -1]), logs(self.distances[:, -1])
        squares = (np.sum((Y[self.near] - Y[:, None]) ** 2, axis=2)).mean(axis=1)
        return {
            "accuracy": float(np.mean(votes(self.labels, near[:, :N_VOTES]) == self.labels)),
            "trustworthiness": self.trustworthiness(near),
            "neighbors_kept": float(np.mean((near[:, :, None] == self.near[:, None]).any(axis=2))),
            "density_a": pearson(logs((self.distances**2).mean(axis=1)), logs(squares)),
            "density_b": pearson(*own),
            "density_c": float(spearmanr(*own).statistic),
            "slope": float(np.polyfit(own[1], own[0], 1)[0]),
            "farthest": farthest(Y),
        }

    def trustworthiness(self, near: np.ndarray) -> float:
        """Venna and Kaski's, over all rows; rows at equal distance are in the order of their numbers."""
        m, k = near.shape
        beyond = np.maximum(np.take_along_axis(self.ranks, near, axis=1).astype(np.int64) - k, 0)
        return float(1 - 2 * beyond.sum() / (m * k * (2 * m - 3 * k - 1)))


def ranks_of(X: np.ndarray) -> np.ndarray:
    X = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    squares = np.einsum("mn,mn->m", X, X)
    ranks = np.empty((len(X), len(X)), np.uint16)
    for start in range(0, len(X), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(X)))
        distances = squares - 2 * X[rows] @ X.T  # but for what all of a row have in common
        distances[np.arange(len(rows)), rows] = -np.inf
        order = np.argsort(distances, axis=1, kind="stable")
        np.put_along_axis(ranks[rows[0] : rows[-1] + 1], order, np.arange(len(X), dtype=np.uint16)[None], axis=1)
    return ranks


def nearest_on(Y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest other points and their distances.

    Of more than k points at one place, a point itself may not be among those that are found.
    """
    distances, found = KDTree(Y).query(Y, k + 1)
    others = found != np.arange(len(Y))[:, None]
    others[others.all(axis=1), -1] = False
    return found[others].reshape(len(Y), k), distances[others].reshape(len(Y), k)


def votes(labels: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The label that most of the neighbours have; of several the first."""
    counts = np.zeros((len(near), labels.max() + 1), np.int64)
    np.add.at(counts, (np.arange(len(near))[:, None], labels[near]), 1)
    return counts.argmax(axis=1)


def logs(lengths: np.ndarray) -> np.ndarray:
    return np.log(lengths + FLOOR * np.median(lengths))


def pearson(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def farthest(Y: np.ndarray) -> float:
    """The largest distance from the centre, the median of each coordinate, over the median distance from it."""
    distances = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
    return float(distances.max() / np.median(distances))


@lru_cache(maxsize=1)
def data_side(data: str) -> DataSide:
    bunch = studied(data)
    return DataSide.of(bunch.data, bunch.target, *nearest_others(data))


def scores_of(data: str, method: str, seed: int) -> dict[str, float]:
    """The scores of one map, which is made now if it was not made before."""
    path = MAPS.file(data, method, seed).with_suffix(".scores.json")
    if not path.exists():
        Y = MAPS.load(data, method, seed)
        write_text(path, json.dumps(data_side(data).scores(Y)))
    return json.loads(path.read_text())
