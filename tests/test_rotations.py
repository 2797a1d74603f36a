"""Rotations of the plane as one integer each."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap.kernels.rotations import code_rotations
from featmap.tangents.polar import DEGENERATE, polar


def codes_of(matrices):
    codes = np.empty(len(matrices), np.int32)
    code_rotations(np.asarray(matrices, np.float32), DEGENERATE, codes)
    return codes


def test_they_are_the_nearest_orthogonal_matrices(rng):
    matrices = rng.normal(size=(1000, 2, 2)).astype(np.float32)
    expected = [reference.nearest_orthogonal(matrix.astype(np.float64)) for matrix in matrices]
    np.testing.assert_allclose(reference.decoded(codes_of(matrices)), expected, atol=1e-7)


def test_angles_of_all_quadrants_and_their_bounds_are_kept():
    angles = np.arange(-16, 17) * np.pi / 8 + np.array([[-1e-7], [0], [1e-7]])
    cosines, sines = np.cos(angles.ravel()), np.sin(angles.ravel())
    for d in (1, -1):
        matrices = np.array([[cosines, -d * sines], [sines, d * cosines]]).transpose(2, 0, 1)
        np.testing.assert_allclose(reference.decoded(codes_of(matrices)), matrices, atol=1e-7)


@pytest.mark.parametrize("column", [0, 1])
def test_flipping_a_column_flips_exactly_that_column(column, rng):
    matrices = rng.normal(size=(1000, 2, 2)).astype(np.float32)
    plain = reference.decoded(codes_of(matrices))
    matrices[:, :, column] *= -1
    flipped = reference.decoded(codes_of(matrices))
    plain[:, :, column] *= -1
    assert np.array_equal(flipped, plain)


def test_directions_that_are_missing_are_completed_as_by_polar(rng):
    """One direction that they share, or none."""
    one = rng.normal(size=(50, 2, 1)) @ rng.normal(size=(50, 1, 2))
    along = np.array([[[1, 0], [0, 0]], [[0, 0], [0, -3]], [[0, 2], [0, 0]], [[0, 0], [0, 0]]])
    matrices = np.concatenate([one, along]).astype(np.float32)
    found = reference.decoded(codes_of(matrices))
    decided = np.abs(np.trace(matrices, axis1=1, axis2=2)) > 0
    decided[-1] = True
    np.testing.assert_allclose(found[decided], polar(matrices, np.eye(2))[decided], atol=1e-4)
