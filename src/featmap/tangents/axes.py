"""Axes, loadings and importance of chosen rows, rebuilt from the factors of their tangent spaces."""

from __future__ import annotations

import numpy as np

from ..data.scaling import ScaledData
from ..data.sparse import dense_rows
from ..errors import InvalidParameterError
from ..kernels.tangents import local_axes, local_importance
from ..run import Run
from ..values import FloatArray, IntArray, Tangents


def axes(data: ScaledData, tangents: Tangents, rows: IntArray, n_axes: int) -> FloatArray:
    """V_iᵀ of some rows: (rows, n_axes, features), zero beyond the local rank."""
    out = np.zeros((len(rows), n_axes, data.shape[1]), np.float32)
    n_known = min(n_axes, tangents.n_directions)
    table, positions = data.table(tangents.neighbors[rows])
    local_axes(dense_rows(tangents.centers, rows), table, positions, tangents.factors[rows], out[:, :n_known])
    return out


def loadings(data: ScaledData, tangents: Tangents, rows: IntArray, n_axes: int, run: Run) -> FloatArray:
    """V_i[:, :n_axes] of some rows: (rows, features, n_axes)."""

    def body(start: int, stop: int) -> tuple[FloatArray]:
        return (axes(data, tangents, rows[start:stop], n_axes).transpose(0, 2, 1),)

    return run.by_blocks(len(rows), body, data.rows_per_block(tangents.neighbors.shape[1]))[0]


def feature_importance(
    data: ScaledData, tangents: Tangents, rows: IntArray, run: Run, out: np.ndarray | None = None
) -> np.ndarray:
    """‖f_h‖ = (Σ_{l≤d_i} V_i[h, l]²)^½ of some rows: (rows, features), written into ``out`` block by block."""
    shape = (len(rows), data.shape[1])
    if out is None:
        out = np.empty(shape, np.float32)
    elif out.shape != shape:
        raise InvalidParameterError(f"feature_importance(out=…): out must have shape {shape}; got {out.shape}")

    def task(start: int, stop: int) -> None:
        block = rows[start:stop]
        table, positions = data.table(tangents.neighbors[block])
        centers = dense_rows(tangents.centers, block)
        importance = np.empty((len(block), shape[1]), np.float32)
        n_axes = tangents.intrinsic_dim[block]
        local_importance(centers, table, positions, tangents.factors[block], n_axes, importance)
        out[start:stop] = importance

    run.over_rows(len(rows), task, data.rows_per_block(tangents.neighbors.shape[1]))
    return out
