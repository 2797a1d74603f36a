"""Consistency of neighbouring tangent spaces: cos Θ for pairs of points, and its mean around each point."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..data.scaling import ScaledData
from ..values import DoubleArray, IntArray, Tangents
from .axes import axes


def consistency(products: np.ndarray) -> np.ndarray:
    """cos Θ_ij = ‖V_jᵀV_i‖_*/d. Signs and rotations of either basis do not change it."""
    return np.linalg.svd(products, compute_uv=False).mean(axis=-1)


def mean_consistency(
    data: ScaledData, points: Tangents, chosen: IntArray, links: sp.csr_matrix, others: Tangents, dim: int
) -> DoubleArray:
    """Σ_j P_ij cos Θ_ij / Σ_j P_ij over the rows j that each chosen point i is connected to.

    ``links`` holds the weights P_ij of the chosen points, ``others`` the tangent spaces of the rows. The mean is nan
    for a point without directions or without edges.
    """
    edges = links.tocoo()
    rows, numbers = np.unique(edges.col, return_inverse=True)
    here = axes(data, points, chosen, dim)
    there = axes(data, others, rows.astype(np.int32), dim)
    products = np.array([there[j] @ here[i].T for i, j in zip(edges.row, numbers, strict=True)])
    cosines = consistency(products.reshape(-1, dim, dim))
    totals = np.bincount(edges.row, edges.data, len(here))
    sums = np.bincount(edges.row, edges.data * cosines, len(here))
    is_known = here.any(axis=(1, 2)) & (totals > 0)
    return np.divide(sums, totals, out=np.full(len(here), np.nan), where=is_known)
