"""From distances to the weights of a graph, as umap-learn has them; for points and for tangent spaces alike."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .kernels.memberships import memberships
from .parallel import Workers
from .values import DoubleArray, Graph


def membership_strengths(
    distances: np.ndarray, indptr: np.ndarray, n_neighbors: int, workers: Workers, mean: float | None = None
) -> DoubleArray:
    """P̃_{j|i} = exp(−max(0, d_ij − ρ_i)/γ_i), with γ_i such that each row sums to log2(n_neighbors).

    Row i has the entries indptr[i]:indptr[i + 1]. ``mean`` stands in for a row's own mean distance where all its
    neighbours are duplicates; by default the mean over all rows.
    """
    n_rows = len(indptr) - 1
    if mean is None:
        # As in umap-learn the mean counts every point itself, at distance 0.
        mean = distances.sum(dtype=np.float64) / (distances.size + n_rows)
    strengths = np.empty(distances.shape)
    target = np.log2(n_neighbors)
    workers.over_rows(
        n_rows, lambda start, stop: memberships(distances, indptr, target, mean, start, stop, strengths)
    )
    return strengths


def symmetrize(directed: sp.csr_matrix) -> Graph:
    """P = P̃ + P̃ᵀ − P̃∘P̃ᵀ: the edge is there if either end says so."""
    reverse = directed.T.tocsr()
    weights = (directed + reverse - directed.multiply(reverse)).tocsr().astype(np.float32)
    weights.data = np.minimum(weights.data, np.float32(1))
    weights.eliminate_zeros()
    weights.sort_indices()
    return Graph(weights)
