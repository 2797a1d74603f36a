"""Frames that keep the alignments, (V_j^e)ᵀV_i^e ≈ O_ij, and agree with the map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels.frames import wanted_frames, wanted_in_the_plane
from ..run import Run
from ..tangents.polar import polar
from ..values import Connection, FloatArray, Graph

MAP_WEIGHT = 5.0  # μ; the fidelity of arrows is highest between 3 and 10
MAX_SWEEPS = 50
CONVERGED = 2e-3  # mean norm of the change of a frame in one sweep, over d'; by then 0.98 of the way is made


def aligned_fitter(
    graph: Graph, connection: Connection, n_neighbors: int, seed: int, run: Run
) -> Callable[[FloatArray], FloatArray]:
    """A function from the covariances with a map to frames. Nothing here is random."""
    return lambda covariance: aligned_frames(covariance, graph, connection, run)


def aligned_frames(covariance: FloatArray, graph: Graph, connection: Connection, run: Run) -> FloatArray:
    """V_i^e ← polar(Σ_j P_ij V_j^e O_ij + μ C_i + deg_i V_i^e), all points at once, from polar(C_i).

    The last term damps the iteration, which would flip for ever without it. A map that is turned or mirrored has the
    same frames, turned or mirrored: so the change of a sweep is measured by a norm that does not depend on that.
    """
    start = polar(covariance, np.eye(covariance.shape[1]))
    return settled(start, lambda frames: sweep(frames, covariance, graph, connection, run))


def settled(frames: np.ndarray, move: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Frames, or one frame, after so many moves that they hardly change."""
    for _ in range(MAX_SWEEPS):
        moved = move(frames)
        change = _mean_norm(moved - frames) / frames.shape[-1]
        frames = moved
        if change < CONVERGED:
            break
    return frames


def _mean_norm(matrices: np.ndarray) -> float:
    return float(np.sqrt(np.einsum("...ca,...ca->...", matrices, matrices)).mean())


def sweep(frames: FloatArray, covariance: FloatArray, graph: Graph, connection: Connection, run: Run) -> FloatArray:
    """One step of the fixed-point iteration, for all points at once."""
    moved = np.empty_like(covariance)

    def task(start: int, stop: int) -> None:
        here = slice(start, stop)
        _sum_wanted(frames, covariance, graph, connection, start, stop, moved)
        moved[here] = polar(moved[here], frames[here])

    run.over_rows(len(frames), task)
    return moved


def _sum_wanted(
    frames: FloatArray,
    covariance: FloatArray,
    graph: Graph,
    connection: Connection,
    start: int,
    stop: int,
    out: FloatArray,
) -> None:
    """What frames are the nearest orthogonal matrices to, for the points start:stop."""
    edges = (graph.weights.indptr, graph.weights.indices, graph.weights.data, connection.rotations)
    if connection.is_coded:
        frames, covariance, out = (array.reshape(-1, 4) for array in (frames, covariance, out))
        wanted_in_the_plane(frames, covariance, np.float32(MAP_WEIGHT), *edges, start, stop, out)
    else:
        wanted_frames(frames, covariance, np.float32(MAP_WEIGHT), *edges, start, stop, out)
