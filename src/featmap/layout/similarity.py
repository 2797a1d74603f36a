"""The similarity Q = 1/(1 + a s^b) of two points at squared distance s on the map, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import curve_fit

from ..kernels.layout import FIRST_OCTAVE, MANTISSA_BITS, TABLE_SIZE
from ..values import FloatArray

# Repulsion is 2b z/((SOFTENING + s)(1 + a s^b)), so that it stays finite at s = 0.
SOFTENING = 1e-3
# Pairs that repel, for each edge and epoch, on average. As in UMAP, where a user may choose it.
NEGATIVES_PER_EDGE = 5


@dataclass(frozen=True)
class Curve:
    """The parameters a and b, and tables of the functions of s that the forces need."""

    a: float
    b: float

    @classmethod
    def fit(cls, min_dist: float, spread: float) -> Curve:
        """The a and b of umap-learn: a smooth version of 1 up to min_dist and exp(−(d − min_dist)/spread) beyond."""
        # In units of the spread the fit converges for any spread.
        distance, flat = np.linspace(0, 3, 300), min_dist / spread
        target = np.where(distance < flat, 1.0, np.exp(-(distance - flat)))
        (a, b), _ = curve_fit(lambda d, a, b: 1 / (1 + a * d ** (2 * b)), distance, target)
        return cls(float(a / spread ** (2 * b)), float(b))

    @cached_property
    def pull(self) -> FloatArray:
        """The table of 2ab s^(b−1)/(1 + a s^b). Attraction is −pull·z."""
        s = _table_distances()
        return (2 * self.a * self.b * s ** (self.b - 1) / (1 + self.a * s**self.b)).astype(np.float32)

    @cached_property
    def push(self) -> FloatArray:
        """The table of 2b/((SOFTENING + s)(1 + a s^b)). Repulsion is push·z."""
        s = _table_distances()
        return (2 * self.b / ((SOFTENING + s) * (1 + self.a * s**self.b))).astype(np.float32)


def _table_distances() -> np.ndarray:
    """The squared distance s in the middle of the range of every table entry."""
    fraction = (np.arange(TABLE_SIZE) % (1 << MANTISSA_BITS) + 0.5) / (1 << MANTISSA_BITS)
    return np.ldexp(1 + fraction, FIRST_OCTAVE + (np.arange(TABLE_SIZE) >> MANTISSA_BITS))
