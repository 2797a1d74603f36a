"""Where neighbouring tangent spaces turn: the mean consistency of a point's tangent space with those around it."""

from __future__ import annotations

import numpy as np

from .loadings import axes
from .orthogonal import consistency
from .scene import Scene
from .values import DoubleArray, IntArray


def mean_consistency(scene: Scene, points: IntArray) -> DoubleArray:
    """Σ_j P_ij cos Θ_ij / Σ_j P_ij over the rows each point is tied to; nan for a point without directions."""
    dim = min(scene.places.shape[1], scene.tangents.n_directions)
    links = scene.links[points].tocoo()
    others, numbers = np.unique(links.col, return_inverse=True)
    ground = scene.ground
    here = axes(ground.features, scene.tangents, points, dim)
    there = axes(ground.features, ground.tangents, others.astype(np.int32), dim)
    products = np.array([there[j] @ here[i].T for i, j in zip(links.row, numbers, strict=True)])
    cosines = consistency(products.reshape(-1, dim, dim))
    has_directions = np.asarray(here.any(axis=(1, 2)))
    return _weighted_means(cosines, links.data, links.row, has_directions)


def _weighted_means(values: np.ndarray, weights: np.ndarray, owners: np.ndarray, known: np.ndarray) -> DoubleArray:
    """The mean of each owner's values; nan where it is not known or has none."""
    totals = np.bincount(owners, weights, len(known))
    sums = np.bincount(owners, weights * values, len(known))
    return np.divide(sums, totals, out=np.full(len(known), np.nan), where=known & (totals > 0))
