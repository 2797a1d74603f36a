"""How consistent neighbouring tangent spaces are: cos Θ, for pairs of bases and as a mean around each point."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..data.scaling import ScaledData
from ..values import DoubleArray, IntArray, Tangents
from .axes import axes


def consistency(products: np.ndarray) -> np.ndarray:
    """cos Θ_ij = ‖V_jᵀV_i‖_*/d, which no sign and no rotation of either basis can change."""
    return np.linalg.svd(products, compute_uv=False).mean(axis=-1)


def mean_consistency(
    data: ScaledData, points: Tangents, chosen: IntArray, links: sp.csr_matrix, others: Tangents, dim: int
) -> DoubleArray:
    """Σ_j P_ij cos Θ_ij / Σ_j P_ij over the rows j that each chosen point i is linked to.

    ``links`` are the weights of the chosen points, ``others`` the tangent spaces of the rows. It is nan for a point
    without directions, and for one without links.
    """
    edges = links.tocoo()
    rows, numbers = np.unique(edges.col, return_inverse=True)
    here = axes(data, points, chosen, dim)
    there = axes(data, others, rows.astype(np.int32), dim)
    products = np.array([there[j] @ here[i].T for i, j in zip(edges.row, numbers, strict=True)])
    cosines = consistency(products.reshape(-1, dim, dim))
    has_directions = np.asarray(here.any(axis=(1, 2)))
    return _weighted_means(cosines, edges.data, edges.row, has_directions)


def _weighted_means(values: np.ndarray, weights: np.ndarray, owners: np.ndarray, known: np.ndarray) -> DoubleArray:
    """The mean of each owner's values; nan where it is not known or has none."""
    totals = np.bincount(owners, weights, len(known))
    sums = np.bincount(owners, weights * values, len(known))
    return np.divide(sums, totals, out=np.full(len(known), np.nan), where=known & (totals > 0))
