"""Frames that keep the alignments themselves: (V_j^e)ᵀV_i^e ≈ O_ij, tied to the map that is drawn."""

from __future__ import annotations

import numpy as np

from ..kernels.frames import carried_frames
from ..orthogonal import polar
from ..parallel import Workers
from ..values import Connection, FloatArray, Frames, Graph

MAP_WEIGHT = 5.0  # μ; arrows are truest between 3 and 10
MAX_SWEEPS = 50
CONVERGED = 2e-3  # mean change of a frame's entries in one sweep; by then 0.98 of the way in cosine


def aligned_frames(
    covariance: FloatArray, graph: Graph, connection: Connection, seed: int, workers: Workers
) -> Frames:
    """V_i^e ← polar(Σ_j P_ij V_j^e O_ij + μ C_i + deg_i V_i^e), all points at once, from polar(C_i).

    The last term damps: without it the iteration flips for ever. There is nothing random here.
    """
    dim = covariance.shape[1]
    frames = np.broadcast_to(np.eye(dim, dtype=np.float32), covariance.shape)
    frames = _polar(covariance, frames, workers)
    for _ in range(MAX_SWEEPS):
        moved = sweep(frames, covariance, graph, connection, workers)
        change = np.abs(moved - frames).mean()
        frames = moved
        if change < CONVERGED:
            break
    return Frames(frames)


def sweep(
    frames: FloatArray, covariance: FloatArray, graph: Graph, connection: Connection, workers: Workers
) -> FloatArray:
    """One step of the fixed point, for all points at once."""
    edges = graph.weights
    degrees = graph.degrees.astype(np.float32)[:, None, None]
    wanted = np.empty_like(covariance)

    def task(start: int, stop: int) -> None:
        carried_frames(frames, edges.indptr, edges.indices, edges.data, connection.turns, start, stop, wanted)
        here = slice(start, stop)
        wanted[here] += np.float32(MAP_WEIGHT) * covariance[here] + degrees[here] * frames[here]

    workers.over_rows(len(frames), task)
    return _polar(wanted, frames, workers)


def _polar(matrices: FloatArray, previous: FloatArray, workers: Workers) -> FloatArray:
    nearest = np.empty_like(matrices)

    def task(start: int, stop: int) -> None:
        nearest[start:stop] = polar(matrices[start:stop], previous[start:stop])

    workers.over_rows(len(matrices), task)
    return nearest
