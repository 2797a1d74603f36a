"""Radii as logarithms, and the correlation of two sets of them."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap.layout.radii import ShiftedCorrelation, correlation, log_radii, radius_floor


def test_radius_floor_is_relative_to_the_median():
    radii = np.array([[0.0, 2.0], [4.0, 0.0], [8.0, 0.0]])
    np.testing.assert_allclose(radius_floor(radii, np.ones(3, bool)), [4e-3, 1e-3])


def test_the_median_is_that_of_connected_points():
    radii = np.array([[0.0], [0.0], [0.0], [6.0]])
    connected = np.array([False, False, False, True])
    np.testing.assert_allclose(radius_floor(radii, connected), [6e-3])
    np.testing.assert_allclose(radius_floor(radii, np.zeros(4, bool)), [1e-3])
    assert np.isfinite(log_radii(radii, connected)).all()


@pytest.mark.parametrize(("n_points", "step"), [(10_000, 1), (10_001, 2), (30_000, 3)])
def test_the_median_of_more_than_ten_thousand_points_is_that_of_some_taken_evenly(n_points, step, rng):
    radii = rng.random((n_points, 2))
    taken = np.sort(radii[::step], axis=0)
    expected = 1e-3 * taken[len(taken) // 2]
    np.testing.assert_allclose(radius_floor(radii, np.ones(n_points, bool)), expected, rtol=1e-12)


def test_correlation_is_pearsons(rng):
    first, second = rng.normal(size=(2, 50, 3))
    second[:, 2] = 5.0
    expected = [np.corrcoef(first[:, axis], second[:, axis])[0, 1] for axis in range(2)]
    assert correlation(first, second) == pytest.approx([*expected, 0.0])
    assert correlation(first[:0], second[:0]).tolist() == [0, 0, 0]


def test_shifted_correlation_equals_its_twin(rng):
    data, on_map = rng.normal(size=(2, 50, 3))
    data -= data.mean(axis=0)
    found = ShiftedCorrelation.between(data.T, on_map.T)
    assert found.value == pytest.approx(reference.correlations(data, on_map))
    slopes = found.along[:, None] * data.T - found.against[:, None] * (on_map.T - found.mean[:, None])
    numeric = reference.finite_differences(lambda r: reference.correlations(data, r).sum(), on_map)
    np.testing.assert_allclose(slopes.T, numeric, rtol=1e-6, atol=1e-9)
