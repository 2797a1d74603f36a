"""Positions for rows without neighbours: a ring around the map."""

from __future__ import annotations

import numpy as np

from ..values import DoubleArray, FloatArray, Graph

MARGIN = 1.1  # radius of the ring, relative to that of the connected rows
ALONE = 10.0  # radius of the ring if no row is connected


def place_unconnected(embedding: FloatArray, graph: Graph) -> FloatArray:
    """The embedding with its unconnected rows moved to a ring around the map, in row order."""
    unconnected = np.flatnonzero(~graph.is_connected)
    if not len(unconnected):
        return embedding
    angles = 2 * np.pi * np.arange(len(unconnected)) / len(unconnected)
    placed = embedding.copy()
    placed[unconnected] = ring(embedding[graph.is_connected], angles)
    return placed


def ring(embedding: FloatArray, angles: np.ndarray) -> DoubleArray:
    """Points on a ring around an embedding. In one dimension they are at the two ends of the map."""
    dim = embedding.shape[1]
    center = embedding.mean(axis=0, dtype=np.float64) if len(embedding) else np.zeros(dim)
    radius = MARGIN * np.linalg.norm(embedding - center, axis=1).max() if len(embedding) else ALONE
    points = np.tile(center, (len(angles), 1))
    circle = (
        np.column_stack([np.cos(angles), np.sin(angles)]) if dim > 1 else np.where(np.cos(angles) < 0, -1, 1)[:, None]
    )
    points[:, :2] += (radius or ALONE) * circle
    return points
