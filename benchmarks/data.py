"""The data the benchmarks run on: MNIST, scikit-learn's digits, and a manifold with noise of any size."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from featmap.datasets import load_mnist


def mnist() -> tuple[np.ndarray, np.ndarray]:
    """All 70,000 images, the test set last."""
    X, y = load_mnist(return_X_y=True)
    return X.astype(np.float32), y


def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float32), y


def manifold(n_rows: int, n_features: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Ten curved two-dimensional sheets in 50 dimensions, with noise in all of them."""
    rng = np.random.default_rng(0)
    sheet = rng.integers(10, size=n_rows)
    flat = rng.uniform(-2, 2, (n_rows, 2)).astype(np.float32)
    waves = rng.normal(0, 1, (10, 2, n_features)).astype(np.float32)
    centers = rng.normal(0, 4, (10, n_features)).astype(np.float32)
    X = np.empty((n_rows, n_features), np.float32)
    for number in range(10):
        rows = sheet == number
        X[rows] = centers[number] + np.sin(flat[rows] @ waves[number]) + 0.5 * (flat[rows] @ waves[(number + 1) % 10])
    X += rng.normal(0, 0.1, X.shape).astype(np.float32)
    return X, sheet


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """mnist, digits, or a number of rows of the manifold."""
    sets = {"mnist": mnist, "digits": digits}
    return sets[name]() if name in sets else manifold(int(name))
