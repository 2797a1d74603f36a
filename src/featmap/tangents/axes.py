"""Axes, loadings and importance of chosen rows. The factors of their tangent spaces are computed again."""

from __future__ import annotations

import numpy as np

from ..data.pca import Components
from ..data.scaling import ScaledData
from ..data.sparse import dense_rows
from ..errors import InvalidParameterError
from ..kernels.tangents import local_axes, local_importance, room_for_importance
from ..run import Run
from ..values import DoubleArray, FloatArray, IntArray, Tangents
from .svd import points_per_block, svds_of_table


def axes(data: ScaledData, tangents: Tangents, rows: IntArray, n_axes: int) -> FloatArray:
    """V_iᵀ of some rows: (rows, n_axes, features), zero beyond the local rank."""
    out = np.zeros((len(rows), n_axes, data.shape[1]), np.float32)
    centers, table, positions, factors = factors_of(data, tangents, rows, n_axes)
    local_axes(centers, table, positions, factors, 0, np.empty((2, data.shape[1])), out[:, : factors.shape[2]])
    return out


def leading_axes(data: ScaledData, tangents: Tangents, factors: DoubleArray, rows: IntArray) -> FloatArray:
    """V_iᵀ of some rows as the alignment needs them, from the leading factors of all rows."""
    out = np.empty((len(rows), factors.shape[2], data.shape[1]), np.float32)
    table, positions = data.table(tangents.neighbors[rows])
    centers = dense_rows(tangents.centers, rows)
    local_axes(centers, table, positions, factors[rows], 0, np.empty((2, data.shape[1])), out)
    return out


def leading_factors(data: ScaledData, tangents: Tangents, q: int, run: Run) -> DoubleArray:
    """The first q columns of F_i of all rows: those that were kept, or the same made again."""
    kept, rows = tangents.leading, np.arange(len(tangents.neighbors), dtype=np.int32)
    if kept is not None and kept.shape[2] >= q:
        return np.ascontiguousarray(kept[:, :, :q])

    def body(start: int, stop: int) -> tuple[DoubleArray]:
        return (factors_of(data, tangents, rows[start:stop], q)[3],)

    return run.by_blocks(len(rows), body, points_per_block(data, tangents.neighbors.shape[1]))[0]


def factors_of(
    data: ScaledData, tangents: Tangents, rows: IntArray, n_axes: int
) -> tuple[FloatArray, FloatArray, IntArray, DoubleArray]:
    """The arguments of `local_axes`: centers, a table of rows, the positions of neighbours in it, and factors.

    The factors have the bits that they had when the tangent spaces were found.
    """
    centers = dense_rows(tangents.centers, rows)
    table, positions = data.table(tangents.neighbors[rows])
    factors, _ = svds_of_table(centers, table, positions, tangents.weights[rows], tangents.center, n_axes)
    return centers, table, positions, factors


def loadings(
    data: ScaledData,
    tangents: Tangents,
    rows: IntArray,
    n_axes: int,
    run: Run,
    components: Components | None = None,
) -> FloatArray:
    """V_i[:, :n_axes] of some rows, or B V_i if the data are principal components: (rows, features, n_axes)."""

    def body(start: int, stop: int) -> tuple[FloatArray]:
        V = axes(data, tangents, rows[start:stop], n_axes)
        return ((V if components is None else components.in_features(V)).transpose(0, 2, 1),)

    return run.by_blocks(len(rows), body, _rows_per_block(data, tangents, components))[0]


def feature_importance(
    data: ScaledData,
    tangents: Tangents,
    rows: IntArray,
    run: Run,
    out: np.ndarray | None = None,
    components: Components | None = None,
) -> np.ndarray:
    """‖f_h‖ = (Σ_{l≤d_i} V_i[h, l]²)^½ of some rows: (rows, features), written into ``out`` block by block.

    If the data are principal components, B V_i takes the place of V_i.
    """
    shape = (len(rows), data.shape[1] if components is None else components.n_features)
    if out is None:
        out = np.empty(shape, np.float32)
    elif out.shape != shape:
        raise InvalidParameterError(f"feature_importance(out=…): out must have shape {shape}; got {out.shape}")

    def task(start: int, stop: int) -> None:
        block = rows[start:stop]
        n_axes = tangents.intrinsic_dim[block]
        most_axes = int(n_axes.max(initial=1))
        if components is None:
            centers, table, positions, factors = factors_of(data, tangents, block, most_axes)
            found, room = np.empty((len(block), shape[1]), np.float32), room_for_importance(positions.shape[1])
            local_importance(centers, table, positions, factors, n_axes, *room, found)
            out[start:stop] = found
        else:
            V = axes(data, tangents, block, most_axes)
            V[np.arange(V.shape[1]) >= n_axes[:, None]] = 0
            out[start:stop] = np.sqrt(np.square(components.in_features(V)).sum(axis=1))

    run.over_rows(len(rows), task, _rows_per_block(data, tangents, components))
    return out


def _rows_per_block(data: ScaledData, tangents: Tangents, components: Components | None) -> int:
    if components is None:
        return data.rows_per_block(tangents.neighbors.shape[1])
    return components.rows_per_block(tangents.n_directions)
