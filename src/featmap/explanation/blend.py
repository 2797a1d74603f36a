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
from typing import NamedTuple

import numpy as np

from ..kernels.arrows import mix_lines, products_of_lines
from ..kernels.products import TILE
from ..values import DoubleArray, IntArray
from .neighborhoods import N_HALVES, Neighborhoods
from .points import MappedData
from .projection import projections
from .regression import inner
from .spaces import Spaces

# Below this many nearest rows on the map the mixture of a single point is noisy, and that of a sample is taken.
FEWEST_FOR_OWN_MIXTURE = 60
POOLED_ROWS = 100
SINGULAR = 1e-9  # of the product of the diagonal; a Gram matrix below has no inverse to speak of


class Slopes(NamedTuple):
    """G = αL of some points, and H, its part within the tangent spaces."""

    lines: DoubleArray  # (points, lines, n) L
    combinations: DoubleArray  # (points, d', lines) α
    projected: DoubleArray  # (points, d', n) H


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


def blended(slopes: Slopes, mixtures: DoubleArray, sets: IntArray) -> DoubleArray:
    """u G + v H of each point, with the mixture of each feature's set: (points, d', n)."""
    arrows = np.empty(slopes.projected.shape)
    # A copy, since kernels would be compiled once more for arrays that nobody may write.
    of_points = np.broadcast_to(mixtures, (len(arrows), *mixtures.shape[1:])).copy()
    mix_lines(*slopes, of_points, sets, arrows)
    return arrows


def slopes_and_agreement(around: Neighborhoods, spaces: Spaces) -> tuple[Slopes, Agreement]:
    """G and H of some points, and what their halves say of them.

    All slopes are combinations αL of the same lines L, those of `lines_of_halves`. So products between slopes, or
    with projections, follow from LLᵀ and LPLᵀ, P the mean of V Vᵀ.
    """
    squares, lines = around.moments.squares, lines_of_halves(around)
    of_all, of_first, of_second = _combinations(around, lines.shape[1])
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
    # Kernels are compiled for contiguous arrays, as parts of one point are and those of several are not.
    return Slopes(lines, of_all, np.ascontiguousarray(H)), _agreement(of_G, of_H)


def lines_of_halves(around: Neighborhoods) -> DoubleArray:
    """L: Σ w Δy Δxᵀ of either half, and the difference of their means of the features, (points, lines, n).

    Each row is in one half, so that a sum over all rows is not needed: see `_combinations`. There are lines of 0
    behind, up to a multiple of what kernels take at once.
    """
    moments, dim, (n_points, k) = around.moments_of_halves, around.mapped.embedding.shape[1], around.near.shape
    weights = moments.weights.reshape(n_points, N_HALVES, 1, k) * np.array([1.0, -1.0])[:, None, None]
    coefficients = np.concatenate([moments.on_map.steps.reshape(n_points, N_HALVES, dim, k), weights], axis=2)
    lines = np.array([[*range(half * dim, half * dim + dim), N_HALVES * dim] for half in range(N_HALVES)])
    return around.moments.combined(coefficients, lines, -(-(N_HALVES * dim + 1) // TILE) * TILE)


def _combinations(around: Neighborhoods, n_lines: int) -> tuple[DoubleArray, ...]:
    """α of the slopes of all rows around each point and of either half: (points, d', lines) each.

    A covariance is that within the halves plus that between their means. With a and b the halves' parts of the
    weights, Σ w Δy Δxᵀ = a Σ₁ + b Σ₂ + ab (ȳ₁ − ȳ₂)(x̄₁ − x̄₂)ᵀ.
    """
    moments, dim, n_points = around.moments_of_halves, around.mapped.embedding.shape[1], len(around.near)
    places = moments.on_map.places.reshape(n_points, N_HALVES, dim)
    a, b = around.parts_of_halves.T[:, :, None, None]
    of_sums = np.zeros((n_points, dim, n_lines))
    of_sums[:, :, :dim] = a * np.eye(dim)
    of_sums[:, :, dim : 2 * dim] = b * np.eye(dim)
    of_sums[:, :, 2 * dim] = (a * b)[:, 0] * (places[:, 0] - places[:, 1])
    of_halves = np.zeros((N_HALVES, n_points, dim, n_lines))
    for half, inverses in enumerate(moments.inverse.reshape(n_points, N_HALVES, dim, dim).swapaxes(0, 1)):
        of_halves[half, :, :, half * dim : half * dim + dim] = inverses
    return around.moments.inverse @ of_sums, *of_halves


def _grams_of_sets(lines: DoubleArray, sets: IntArray) -> list[DoubleArray]:
    """L Lᵀ over the features of each set: (points, lines, lines) each."""
    parts = [np.take(lines, np.flatnonzero(sets == number), axis=2) for number in (0, 1)] if sets.any() else [lines]
    grams = [np.empty((*lines.shape[:2], lines.shape[1])) for _ in parts]
    for part, products in zip(parts, grams, strict=True):
        products_of_lines(part, products)
    return grams


def _agreement(of_G: list[tuple[DoubleArray, DoubleArray]], of_H: tuple[DoubleArray, ...]) -> Agreement:
    """c and M of each set from their entries. Only the first set has a part in H."""
    nothing = tuple(np.zeros_like(entry) for entry in of_H)
    signal, total = [], []
    for (signal_G, size_G), (signal_H, across, size_H) in zip(of_G, (of_H, nothing), strict=False):
        signal.append([signal_G, signal_H])
        total.append([[size_G, across], [across, size_H]])
    return Agreement(np.array(signal).transpose(2, 0, 1), np.array(total).transpose(3, 0, 1, 2))
