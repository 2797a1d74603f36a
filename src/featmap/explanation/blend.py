"""Arrows as an empirical-Bayes mixture of the regression on the map and of its part within the tangent spaces.

A = u G + v H, where the two numbers u, v ≥ 0 of a point minimise the expected error of the predicted changes. Two
halves of the neighbourhood tell signal from noise: what they agree on is signal. So arrows have the right length,
and where the map tells nothing of the features there are none.

Features without loadings, such as genes that had no part in the principal components, are a set of their own. The
tangent spaces know nothing of them, so that H is 0, and the mixture of the other features would leave their arrows
too short. Each set has the mixture of its own sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import DoubleArray, IntArray
from .neighborhoods import N_PARTS, Neighborhoods
from .points import MappedData
from .projection import projections
from .regression import inner
from .spaces import Spaces

# Below this many nearest rows on the map the mixture of a single point is noisy, and that of a sample is taken.
FEWEST_FOR_OWN_MIXTURE = 60
POOLED_ROWS = 100
SINGULAR = 1e-9  # of the product of the diagonal; a Gram matrix below has no inverse to speak of


@dataclass(frozen=True)
class Agreement:
    """What two halves say of the signal in G and H: c, and the Gram matrix of signal and noise, M."""

    signal: DoubleArray  # (points, sets, 2)
    total: DoubleArray  # (points, sets, 2, 2)

    def pooled(self) -> Agreement:
        """One agreement of all points."""
        return Agreement(self.signal.sum(axis=0, keepdims=True), self.total.sum(axis=0, keepdims=True))

    def mixtures(self) -> DoubleArray:
        """(u, v) of each point and set, which minimise θᵀMθ − 2cᵀθ over θ ≥ 0: (points, sets, 2)."""
        c, M = self.signal, self.total
        diagonal = M[..., 0, 0] * M[..., 1, 1]
        determinant = diagonal - M[..., 0, 1] * M[..., 1, 0]
        has_inverse = determinant > SINGULAR * diagonal
        crossed = M[..., [1, 0], [1, 0]] * c - M[..., [0, 1], [1, 0]] * c[..., ::-1]
        both = np.divide(crossed, determinant[..., None], out=np.full_like(crossed, -1), where=has_inverse[..., None])
        return np.where((both >= 0).all(axis=-1, keepdims=True), both, self._alone())

    def _alone(self) -> DoubleArray:
        """The better of (u, 0) and (0, v)."""
        gains, sizes = np.maximum(self.signal, 0.0), np.einsum("...aa->...a", self.total)
        alone = np.divide(gains, sizes, out=np.zeros_like(gains), where=sizes > 0)
        is_first = gains[..., 0] * alone[..., 0] >= gains[..., 1] * alone[..., 1]
        return np.where(np.stack([is_first, ~is_first], axis=-1), alone, 0.0)


def sets_of_features(mapped: MappedData) -> IntArray:
    """0 for features that the tangent spaces know, 1 for those without loadings: (n,), or (1,) if all are known."""
    components = mapped.manifold.components
    if components is None or components.has_loadings.all():
        return np.zeros(1, np.int32)
    return (~components.has_loadings).astype(np.int32)


def blended(G: DoubleArray, H: DoubleArray, mixtures: DoubleArray, sets: IntArray) -> DoubleArray:
    """u G + v H of each point, with the mixture of each feature's set: (points, d', n)."""
    u, v = mixtures[:, sets].transpose(2, 0, 1)[:, :, None]
    return u * G + v * H


def slopes_and_projections(around: Neighborhoods, spaces: Spaces) -> tuple[DoubleArray, DoubleArray, Agreement]:
    """G and H of some points, and what their halves say of them.

    All slopes are combinations αL of the same lines L, the sums Σ w Δy Δxᵀ of all rows and of either half. So
    products between slopes, or with projections, follow from LLᵀ and LPLᵀ, P the mean of V Vᵀ.
    """
    moments, dim = around.moments_with_halves, around.mapped.embedding.shape[1]
    lines = moments.products.reshape(len(around.near), N_PARTS * dim, around.mapped.data.shape[1])
    squares = moments.squares.reshape(-1, N_PARTS, dim, dim)[:, 0]
    of_all, of_first, of_second = _combinations(moments.inverse.reshape(-1, N_PARTS, dim, dim))
    of_mean = (of_first + of_second) / 2
    projected_grams, projected = projections(lines, np.concatenate([of_all, of_mean], axis=1), spaces)
    H, H_mean = np.split(projected, 2, axis=1)

    def product(first: DoubleArray, grams: DoubleArray, second: DoubleArray) -> DoubleArray:
        """⟨A, B⟩ = tr(Aᵀ S B), which compares the changes that A = αL and B = βL predict."""
        return inner(squares, first @ grams @ second.transpose(0, 2, 1))

    of_G = [
        (product(of_first, grams, of_second), product(of_mean, grams, of_mean))
        for grams in _grams_of_sets(lines, sets_of_features(around.mapped))
    ]
    across = product(of_mean, projected_grams, of_mean)
    of_H = product(of_first, projected_grams, of_second), across, inner(squares @ H_mean, H_mean)
    G = of_all[:, :, :dim] @ lines[:, :dim]
    return G, H, _agreement(of_G, of_H)


def _grams_of_sets(lines: DoubleArray, sets: IntArray) -> list[DoubleArray]:
    """L Lᵀ over the features of each set: (points, lines, lines) each."""
    parts = [np.take(lines, np.flatnonzero(sets == number), axis=2) for number in (0, 1)] if sets.any() else [lines]
    return [part @ part.transpose(0, 2, 1) for part in parts]


def _agreement(of_G: list[tuple[DoubleArray, DoubleArray]], of_H: tuple[DoubleArray, ...]) -> Agreement:
    """c and M of each set from their entries. Only the first set has a part in H."""
    nothing = tuple(np.zeros_like(entry) for entry in of_H)
    signal, total = [], []
    for (signal_G, size_G), (signal_H, across, size_H) in zip(of_G, (of_H, nothing), strict=False):
        signal.append([signal_G, signal_H])
        total.append([[size_G, across], [across, size_H]])
    return Agreement(np.array(signal).transpose(2, 0, 1), np.array(total).transpose(3, 0, 1, 2))


def _combinations(inverses: DoubleArray) -> tuple[DoubleArray, ...]:
    """α of each part: (points, d', parts · d'), its inverse at its own lines and 0 at those of the other parts."""
    n_points, n_parts, dim, _ = inverses.shape
    combinations = np.zeros((n_parts, n_points, dim, n_parts, dim))
    for part in range(n_parts):
        combinations[part, :, :, part] = inverses[:, part]
    return tuple(combinations.reshape(n_parts, n_points, dim, n_parts * dim))
