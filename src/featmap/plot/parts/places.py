"""Where groups of points are on a map."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .sample import some_of

MOST_POINTS = 2_000  # of a group, among which the densest place is looked for
SHARE = 0.25  # a place is dense if this part of the group is near


def densest_place(positions: np.ndarray) -> np.ndarray:
    """Return the point of a group around which the nearest quarter of the group is nearest."""
    positions = positions[some_of(np.arange(len(positions)), MOST_POINTS)]
    k = min(max(round(SHARE * len(positions)), 3), len(positions))
    distances = cKDTree(positions).query(positions, [k])[0][:, 0]
    return positions[distances.argmin()]
