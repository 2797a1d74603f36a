"""Made data of any size on surfaces of known shape."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_swiss_roll

N_SHEETS = 10


def curved_sheets(n_rows: int, n_features: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Ten curved two-dimensional sheets with noise in all features, and the sheet of each row."""
    rng = np.random.default_rng(0)
    sheet = rng.integers(N_SHEETS, size=n_rows)
    flat = rng.uniform(-2, 2, (n_rows, 2)).astype(np.float32)
    waves = rng.normal(0, 1, (N_SHEETS, 2, n_features)).astype(np.float32)
    centers = rng.normal(0, 4, (N_SHEETS, n_features)).astype(np.float32)
    X = np.empty((n_rows, n_features), np.float32)
    for number in range(N_SHEETS):
        rows, next_waves = sheet == number, waves[(number + 1) % N_SHEETS]
        X[rows] = centers[number] + np.sin(flat[rows] @ waves[number]) + 0.5 * (flat[rows] @ next_waves)
    X += rng.normal(0, 0.1, X.shape).astype(np.float32)
    return X, sheet


def swiss_roll(n_rows: int = 5000) -> np.ndarray:
    return make_swiss_roll(n_rows, random_state=0)[0]
