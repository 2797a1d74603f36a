"""Does the importance of pixels follow the edges of what an image shows?

Measured by the correlation of each image's gradient magnitude with its importance, over the pixels that vary in the
data at all; and compared with quantities that follow edges without any tangent space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import binary_dilation, sobel
from scipy.stats import rankdata
from sklearn.utils import Bunch

from .bootstrap import Contest, contest

INK = 0.1  # of the brightest value: pixels above belong to what an image shows
SURROUNDINGS = 2  # pixels around it that are looked at, too


def gradient_magnitude(images: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Sobel's gradient magnitude of images that are rows of pixels."""
    framed = images.reshape(-1, *shape).astype(float)
    return np.array([np.hypot(sobel(image, 0), sobel(image, 1)) for image in framed]).reshape(images.shape)


def shown(images: np.ndarray) -> np.ndarray:
    """Which pixels belong to the object that an image shows on its dark background."""
    return images > INK * images.max()


def surroundings(images: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    framed = shown(images).reshape(-1, *shape)
    return np.array([binary_dilation(image, iterations=SURROUNDINGS) for image in framed]).reshape(images.shape)


def correlations(a: np.ndarray, b: np.ndarray, within: np.ndarray | None = None) -> np.ndarray:
    """Pearson's correlation of each row of a with the same row of b, over the columns within a mask of the row."""
    weights = np.ones(b.shape) if within is None else within.astype(float)
    weights /= weights.sum(axis=1, keepdims=True)
    a = a - (weights * a).sum(axis=1, keepdims=True)
    b = b - (weights * b).sum(axis=1, keepdims=True)
    return (weights * a * b).sum(axis=1) / np.sqrt((weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1))


def others_of_the_class(target: np.ndarray, rows: np.ndarray, seed: int = 0) -> np.ndarray:
    """For each row another one with the same label."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(np.setdiff1d(np.flatnonzero(target == target[row]), row)) for row in rows])


def others_of_another_class(target: np.ndarray, rows: np.ndarray, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(np.flatnonzero(target != target[row])) for row in rows])


@dataclass(frozen=True)
class EdgeStudy:
    """Correlations with the gradient, by name; how they compare, and how they do by two other ways of measuring."""

    pearson: dict[str, np.ndarray]
    judged: Contest
    by_ranks: Contest
    near_the_thing: Contest

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "Pearson, varying pixels (decides)": self.judged.figures,
            "Spearman, varying pixels": self.by_ranks.figures,
            f"Pearson, what is shown and {SURROUNDINGS} pixels around": self.near_the_thing.figures,
        }


def study_edges(model: Any, data: Bunch, rows: np.ndarray, groups: np.ndarray | None = None) -> EdgeStudy:
    """Importance, intensity, the spread of each pixel over all data, and the importance of another of the class."""
    spread = data.data.std(axis=0)
    varying = spread > 0
    images = data.data[rows]
    gradient = gradient_magnitude(images, data.image_shape)[:, varying]
    rivals = {
        "importance": model.feature_importance(rows)[:, varying],
        "pixel intensity": images[:, varying],
        "spread over all data": np.broadcast_to(spread[varying], gradient.shape),
        "importance of another of its class": model.feature_importance(others_of_the_class(data.target, rows))[
            :, varying
        ],
    }
    near = surroundings(images, data.image_shape)[:, varying]
    pearson = {name: correlations(rival, gradient) for name, rival in rivals.items()}
    gradient_ranks = rankdata(gradient, axis=1)
    spearman = {name: correlations(rankdata(rival, axis=1), gradient_ranks) for name, rival in rivals.items()}
    close = {name: correlations(rival, gradient, near) for name, rival in rivals.items()}
    return EdgeStudy(pearson, contest(pearson, groups), contest(spearman, groups), contest(close, groups))
