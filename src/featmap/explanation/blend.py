"""Arrows as an empirical-Bayes mixture of the regression on the map and of its part within the tangent spaces.

A = u G + v H, where the two numbers u, v ≥ 0 of a point minimise the expected error of the predicted changes. Two
halves of the neighbourhood tell signal from noise: what they agree on is signal. So arrows have the right length,
and where the map tells nothing of the features there are none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import DoubleArray, IntArray
from .neighborhoods import Neighborhoods
from .points import Points
from .projection import within_tangents
from .regression import inner

# Below this many nearest rows on the map the mixture of a single point is noisy, and that of a sample is taken.
FEWEST_FOR_OWN_MIXTURE = 60
POOLED_ROWS = 100
SINGULAR = 1e-9  # of the product of the diagonal; a Gram matrix below has no inverse to speak of


@dataclass(frozen=True)
class Agreement:
    """What two halves say of the signal in G and H: c, and the Gram matrix of signal and noise, M."""

    signal: DoubleArray  # (points, 2)
    total: DoubleArray  # (points, 2, 2)

    def pooled(self) -> Agreement:
        """One agreement of all points."""
        return Agreement(self.signal.sum(axis=0, keepdims=True), self.total.sum(axis=0, keepdims=True))

    def mixtures(self) -> DoubleArray:
        """(u, v) of each point, which minimise θᵀMθ − 2cᵀθ over θ ≥ 0: (points, 2)."""
        return np.array([_least_error(*one) for one in zip(self.signal, self.total, strict=True)]).reshape(-1, 2)


def slopes_and_projections(
    points: Points, chosen: IntArray, around: Neighborhoods, left_out: list[IntArray] | None
) -> tuple[DoubleArray, DoubleArray, Agreement]:
    """G and H of some points, and what their halves say of them."""
    first, second = around.halves
    slopes = [part.moments.slopes() for part in (around, first, second)]
    projected = within_tangents(np.concatenate(slopes, axis=1), points, chosen, left_out)
    G, G_a, G_b = slopes
    H, H_a, H_b = np.split(projected, 3, axis=1)
    squares = around.moments.squares

    def product(A: DoubleArray, B: DoubleArray) -> DoubleArray:
        """⟨A, B⟩ = tr(Aᵀ S B), which compares the changes that A and B predict."""
        return inner(A, squares @ B)

    signal = product(G_a, G_b), (product(G_a, H_b) + product(G_b, H_a)) / 2
    of_both = (G_a + G_b) / 2, (H_a + H_b) / 2
    total = [[product(A, B) for B in of_both] for A in of_both]
    return G, H, Agreement(np.stack(signal, axis=1), np.array(total).transpose(2, 0, 1))


def _least_error(c: DoubleArray, M: DoubleArray) -> tuple[float, float]:
    if np.linalg.det(M) > SINGULAR * M[0, 0] * M[1, 1]:
        both = np.linalg.solve(M, c)
        if (both >= 0).all():
            return both[0], both[1]
    alone = [max(c[a], 0.0) / M[a, a] if M[a, a] > 0 else 0.0 for a in (0, 1)]
    gains = [max(c[a], 0.0) * alone[a] for a in (0, 1)]
    return (alone[0], 0.0) if gains[0] >= gains[1] else (0.0, alone[1])
