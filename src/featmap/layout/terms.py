"""Which logarithms of radii must agree between data and map, and with which weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import DoubleArray, Radii
from .moments import ABOUT_MEAN, ABOUT_POINT


@dataclass(frozen=True)
class Terms:
    """Sums of log radii, each with a weight in the loss: d'(1 − κ) C(r) + κ Σ_l C(s_l).

    r is of the radius in all directions. For "shape" s_l = r_l − the mean of the other r, with radii along the frame
    about the neighbours' mean; in the plane s_1 = −s_2, so one term with twice the weight stands for both. For
    "directions" s_l = r_l about the point, as in the paper.
    """

    kind: str
    sums: DoubleArray  # (terms, 1 + d') what each term takes of r and of each r_l
    weights: DoubleArray  # (terms,)

    @classmethod
    def of(cls, kind: str, anisotropy: float, dim: int) -> Terms:
        along, weights = _SUMS[kind](dim)
        sums = np.zeros((1 + len(along), 1 + dim))
        sums[0, 0] = 1.0
        sums[1:, 1:] = along
        weights = np.concatenate([[dim * (1 - anisotropy)], anisotropy * weights])
        return cls(kind, sums[weights > 0], weights[weights > 0])

    def rows(self, radii: Radii) -> DoubleArray:
        """The radii that the terms are made of, one row each: (1 + d', m)."""
        return np.vstack([radii.total, (radii.centered if self.kind == "shape" else radii.along).T])

    @property
    def about(self) -> float:
        """What the radii along the frames are about: the mean of the neighbours, or the point."""
        return ABOUT_MEAN if self.kind == "shape" else ABOUT_POINT

    def of_logs(self, logs: DoubleArray) -> DoubleArray:
        """The terms of all points, from the logarithms of their radii: (terms, m)."""
        return _combined(self.sums, logs)

    def slopes_of_logs(self, slopes: DoubleArray) -> DoubleArray:
        """The slopes by the logarithms of radii, from those by the terms: (1 + d', m)."""
        return _combined(self.sums.T * self.weights, slopes)


def _combined(coefficients: DoubleArray, rows: DoubleArray) -> DoubleArray:
    """The product of two matrices, summed in a fixed order."""
    product = np.zeros((len(coefficients), rows.shape[1]))
    for out, row_of_coefficients in zip(product, coefficients, strict=True):
        for coefficient, row in zip(row_of_coefficients, rows, strict=True):
            if coefficient:
                out += coefficient * row
    return product


def _shape(dim: int) -> tuple[DoubleArray, DoubleArray]:
    if dim == 1:
        return np.zeros((0, 1)), np.zeros(0)
    if dim == 2:
        return np.array([[1.0, -1.0]]), np.array([2.0])
    return (np.eye(dim) * dim - 1) / (dim - 1), np.ones(dim)


def _directions(dim: int) -> tuple[DoubleArray, DoubleArray]:
    return np.eye(dim), np.ones(dim)


_SUMS = {"shape": _shape, "directions": _directions}
