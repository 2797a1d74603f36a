"""The nearest orthogonal matrix, also where it is not determined."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap.tangents.polar import polar


@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_equals_the_svd(dim, rng):
    matrices = rng.normal(size=(500, dim, dim))
    expected = np.array([reference.nearest_orthogonal(matrix) for matrix in matrices])
    np.testing.assert_allclose(polar(matrices, np.eye(dim)), expected, atol=1e-9)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_zero_gives_the_previous(dim, rng):
    previous = np.linalg.qr(rng.normal(size=(20, dim, dim)))[0]
    np.testing.assert_allclose(polar(np.zeros((20, dim, dim)), previous), previous, atol=1e-12)


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_missing_columns_are_completed_by_the_previous(dim, rng):
    """With one column known, the rest is as near the previous frame as orthogonality allows."""
    previous = np.linalg.qr(rng.normal(size=(50, dim, dim)))[0]
    matrices = np.zeros((50, dim, dim))
    matrices[:, :, 0] = rng.normal(size=(50, dim))
    found = polar(matrices, previous)
    np.testing.assert_allclose(np.swapaxes(found, 1, 2) @ found, np.broadcast_to(np.eye(dim), found.shape), atol=1e-9)
    direction = matrices[:, :, 0] / np.linalg.norm(matrices[:, :, 0], axis=1, keepdims=True)
    np.testing.assert_allclose(found[:, :, 0], direction, atol=1e-9)
    for i in range(50):
        agreement = (found[i] * previous[i]).sum()
        for _ in range(50):  # no other completion is nearer
            rotation = np.eye(dim)
            rotation[1:, 1:] = np.linalg.qr(rng.normal(size=(dim - 1, dim - 1)))[0]
            assert ((found[i] @ rotation) * previous[i]).sum() <= agreement + 1e-9


def test_flipping_columns_flips_exactly_them(rng):
    matrices = rng.normal(size=(1000, 2, 2)).astype(np.float32)
    for signs in ([1, -1], [-1, 1], [-1, -1]):
        flipped = polar(matrices * np.float32(signs), np.eye(2))
        assert np.array_equal(flipped, polar(matrices, np.eye(2)) * np.float32(signs))
