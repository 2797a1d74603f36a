"""A place on the map for rows that have no neighbours: a ring around all others."""

from __future__ import annotations

import numpy as np

from ..values import DoubleArray, FloatArray, Graph

MARGIN = 1.1  # radius of the ring, by that of the connected rows
ALONE = 10.0  # its radius where no row is connected


def place_unconnected(embedding: FloatArray, graph: Graph) -> FloatArray:
    """The embedding with unconnected rows on a ring around the map, in their order."""
    unconnected = np.flatnonzero(~graph.is_connected)
    if not len(unconnected):
        return embedding
    angles = 2 * np.pi * np.arange(len(unconnected)) / len(unconnected)
    placed = embedding.copy()
    placed[unconnected] = ring(embedding[graph.is_connected], angles)
    return placed


def ring(embedding: FloatArray, angles: np.ndarray) -> DoubleArray:
    """Points of a ring around an embedding; on a map of one dimension they lie at its two ends."""
    dim = embedding.shape[1]
    center = embedding.mean(axis=0, dtype=np.float64) if len(embedding) else np.zeros(dim)
    radius = MARGIN * np.linalg.norm(embedding - center, axis=1).max() if len(embedding) else ALONE
    points = np.tile(center, (len(angles), 1))
    circle = (
        np.column_stack([np.cos(angles), np.sin(angles)]) if dim > 1 else np.where(np.cos(angles) < 0, -1, 1)[:, None]
    )
    points[:, :2] += (radius or ALONE) * circle
    return points
