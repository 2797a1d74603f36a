"""Local radii of data and of any map of them, point by point: in all directions, and along the frames of the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

N_NEIGHBORS = 15
MIN_DIST, SPREAD = 0.1, 1.0  # the defaults of featMAP and of UMAP
FLOOR = 1e-3  # part of the median that a radius counts as at least before logs are taken, as `FeatMAP.paper` does


@dataclass(frozen=True)
class Neighborhoods:
    """The nearest others of every row of the data, with weights that fall with the distance beyond the nearest."""

    neighbors: np.ndarray
    weights: np.ndarray
    in_data: np.ndarray  # log radii: half of log Σ w d²

    @classmethod
    def of(cls, X: np.ndarray) -> Neighborhoods:
        d, neighbors = NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X.astype(np.float64)).kneighbors()
        beyond = d - d[:, :1]
        weights = np.exp(-beyond / beyond.mean(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return cls(neighbors, weights, np.log((weights * d**2).sum(axis=1)) / 2)

    def on_map(self, Y: np.ndarray) -> np.ndarray:
        """Log radii over the same neighbours with the same weights."""
        steps = Y[self.neighbors].astype(np.float64) - Y[:, None]
        return np.log((self.weights * (steps**2).sum(axis=2)).sum(axis=1)) / 2


def radii_along_frames(Y: np.ndarray, frames: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """`embedding_radii_` of any map that has frames: log Σ Q (v·z)²/Σ Q along each axis over given neighbours."""
    from umap.umap_ import find_ab_params

    a, b = find_ab_params(SPREAD, MIN_DIST)
    steps = Y[neighbors].astype(np.float64) - Y[:, None]
    weights = 1 / (1 + a * (steps**2).sum(axis=2) ** b)
    weights /= weights.sum(axis=1, keepdims=True)
    along = np.einsum("mcl,mkc->mkl", frames, steps) ** 2
    radii = np.einsum("mk,mkl->ml", weights, along)
    return np.log(np.maximum(radii, FLOOR * np.median(radii, axis=0)))


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def two_digits(value: float) -> str:
    """Two decimals, without a minus before 0.00."""
    return f"{round(value, 2) + 0.0:.2f}"
