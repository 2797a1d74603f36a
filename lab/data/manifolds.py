"""Made data of any size: surfaces of known shape, and a Gaussian that is hard to search."""

from __future__ import annotations

import numpy as np

N_SHEETS = 10
ROWS_AT_ONCE = 100_000


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
    for start in range(0, n_rows, ROWS_AT_ONCE):  # noise of all rows at once would take twice the memory of the rows
        part = X[start : start + ROWS_AT_ONCE]
        part += rng.normal(0, 0.1, part.shape).astype(np.float32)
    return X, sheet


def gaussian(n_rows: int, n_features: int = 50, power: float = 0.5, seed: int = 0) -> np.ndarray:
    """Rows of a Gaussian with independent features, whose standard deviations are 1, 2^(−½), 3^(−½), …

    It has no clusters and hardly fewer dimensions than features, so that neighbours are hard to find. With a smaller
    power they are still harder to find.
    """
    X = np.random.default_rng(seed).standard_normal((n_rows, n_features), np.float32)
    X *= np.arange(1, n_features + 1, dtype=np.float32) ** np.float32(-power)
    return X
