"""What the factors of the tangent spaces stand for, rebuilt for the rows asked for: axes, loadings, importance."""

from __future__ import annotations

import numpy as np

from .errors import InvalidParameterError
from .features import Features
from .kernels.tangents import local_axes, local_importance
from .parallel import Workers
from .rows import dense_rows
from .values import FloatArray, IntArray, Tangents


def axes(features: Features, tangents: Tangents, rows: IntArray, n_axes: int) -> FloatArray:
    """V_iᵀ for the rows asked for: (rows, n_axes, features), zero beyond the local rank."""
    out = np.zeros((len(rows), n_axes, features.shape[1]), np.float32)
    n_known = min(n_axes, tangents.n_directions)
    table, positions = features.table(tangents.neighbors[rows])
    local_axes(dense_rows(tangents.centers, rows), table, positions, tangents.factors[rows], out[:, :n_known])
    return out


def loadings(features: Features, tangents: Tangents, rows: IntArray, n_axes: int, workers: Workers) -> FloatArray:
    """V_i[:, :n_axes] for the rows asked for: (rows, features, n_axes)."""
    out = np.empty((len(rows), features.shape[1], n_axes), np.float32)

    def task(start: int, stop: int) -> None:
        out[start:stop] = axes(features, tangents, rows[start:stop], n_axes).transpose(0, 2, 1)

    workers.over_rows(len(rows), task, features.rows_per_block(tangents.neighbors.shape[1]))
    return out


def feature_importance(
    features: Features, tangents: Tangents, rows: IntArray, workers: Workers, out: np.ndarray | None = None
) -> np.ndarray:
    """‖f_h‖ = (Σ_{l≤d_i} V_i[h, l]²)^½ for the rows asked for: (rows, features), block by block into ``out``."""
    shape = (len(rows), features.shape[1])
    if out is None:
        out = np.empty(shape, np.float32)
    elif out.shape != shape:
        raise InvalidParameterError(f"feature_importance(out=…): must have shape {shape}, not {out.shape}")

    def task(start: int, stop: int) -> None:
        block = rows[start:stop]
        table, positions = features.table(tangents.neighbors[block])
        centers = dense_rows(tangents.centers, block)
        importance = np.empty((len(block), shape[1]), np.float32)
        n_axes = tangents.intrinsic_dim[block]
        local_importance(centers, table, positions, tangents.factors[block], n_axes, importance)
        out[start:stop] = importance

    workers.over_rows(len(rows), task, features.rows_per_block(tangents.neighbors.shape[1]))
    return out
