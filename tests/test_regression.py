"""Local regressions of data on the map, against numpy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import reference
from featmap.data.scaling import scale_data
from featmap.explanation.regression import MapSearch, Moments, default_neighbors
from featmap.kernels.regression import combine_rows, room_for_rows


@pytest.fixture(params=[1, 2, 3])
def local(request, rng):
    """Features, a map, and the neighbours of four points on it."""
    X = rng.normal(size=(50, 6))
    X[:, 4] = 7.0  # constant: it has no R²
    Y = rng.normal(size=(50, request.param)).astype(np.float32)
    X[:, 0] += Y[:, 0]
    data = scale_data(X)
    neighbors = MapSearch.build(Y).nearest_others(Y[:4], np.arange(4), 20)
    weights = rng.random(size=neighbors.shape) * (rng.random(size=neighbors.shape) < 0.8)
    weights /= weights.sum(axis=1, keepdims=True)
    return data, Y, neighbors, weights, Moments(data, Y, neighbors, weights)


def test_moments_equal_their_twin(local):
    data, Y, neighbors, weights, moments = local
    for p, (near, w) in enumerate(zip(neighbors, weights, strict=True)):
        dx, dy = (reference.weighted_centered(part[near], w) for part in (data.matrix, Y))
        np.testing.assert_allclose(moments.products[p], (w * dy.T) @ dx, atol=1e-7)
        np.testing.assert_allclose(moments.squares[p], (w * dy.T) @ dy, rtol=1e-6)
        np.testing.assert_allclose(moments.spreads[p], w @ dx**2, atol=1e-7)


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("k", [1, 8, 150])
@pytest.mark.parametrize("n_sums", [1, 2, 3, 4, 5, 7])
def test_combinations_of_rows_equal_their_twin(n_sums, k, size, rng):
    """The largest error is that of float64, relative to the largest term, whatever the size of coefficients.

    Both parts add to the last line.
    """
    X = rng.normal(size=(200, 37)).astype(np.float32)
    positions = np.array([rng.choice(200, k, replace=False) for _ in range(3)], np.int32)
    coefficients = size * rng.normal(size=(3, 2, n_sums, k)) * (rng.random((3, 2, 1, k)) < 0.7)
    coefficients[2] = 0
    n_lines = 2 * n_sums - 1
    lines = np.array([[*range(n_sums - 1), n_lines - 1], [*range(n_sums - 1, n_lines)]])
    found = np.full((3, n_lines + 1, 37), np.nan)
    combine_rows(X, positions, positions[:, 0].copy(), coefficients, lines, *room_for_rows(k, n_sums), found)
    for p in range(3):
        expected = np.zeros((n_lines + 1, 37))
        for part in range(2):
            expected[lines[part]] += reference.combined_rows(X, positions[p], positions[p, 0], coefficients[p, part])
        np.testing.assert_allclose(found[p], expected, atol=1e-13 * np.abs(coefficients[p]).max())


def test_features_that_are_constant_among_the_neighbors_have_exactly_no_moments(rng):
    """They are not constant elsewhere, so that they are not 0 in unit size; sums of their squares leave rounding."""
    X = rng.normal(5, 1, size=(250, 301))
    X[:100, 1:] = rng.normal(size=300)
    Y = rng.normal(size=(250, 2)).astype(np.float32)
    moments = Moments(scale_data(X), Y, np.arange(100, dtype=np.int32)[None], np.full((1, 100), 0.01))
    assert moments.spreads[0, 0] > 0
    assert moments.products[0, :, 0].all()
    assert (moments.spreads[0, 1:] == 0).all()
    assert (moments.products[0, :, 1:] == 0).all()


def test_slopes_and_explained_variance_are_those_of_a_regression(local):
    data, Y, neighbors, weights, moments = local
    slopes = moments.slopes()
    explained = moments.explained(slopes)
    for p, (near, w) in enumerate(zip(neighbors, weights, strict=True)):
        X_near = data.matrix[near].astype(float)
        model = LinearRegression().fit(Y[near], X_near, sample_weight=w)
        np.testing.assert_allclose(slopes[p], model.coef_.T, atol=1e-6)
        np.testing.assert_allclose(slopes[p], reference.weighted_slopes(X_near, Y[near], w), atol=1e-6)
        residual = w @ (X_near - model.predict(Y[near])) ** 2
        total = w @ reference.weighted_centered(X_near, w) ** 2
        varying = total > 0
        np.testing.assert_allclose(explained[p][varying], 1 - residual[varying] / total[varying], atol=1e-6)
        assert (explained[p][~varying] == 0).all()


def test_a_narrow_direction_of_the_map_is_one(rng):
    X = rng.normal(size=(30, 4))
    Y = (rng.normal(size=(30, 2)) * [1, 1e-3]).astype(np.float32)
    data = scale_data(X)
    slopes = Moments(data, Y, np.arange(30, dtype=np.int32)[None], np.full((1, 30), 1 / 30)).slopes()
    expected = LinearRegression().fit(Y.astype(float), data.matrix.astype(float)).coef_.T
    np.testing.assert_allclose(slopes[0], expected, rtol=1e-6)


def test_cosines_compare_all_changes_at_once(local, rng):
    data, Y, neighbors, weights, moments = local
    arrows = rng.normal(size=moments.products.shape)
    for p, (near, w) in enumerate(zip(neighbors, weights, strict=True)):
        expected = reference.weighted_cosine(arrows[p], data.matrix[near], Y[near], w)
        assert moments.cosines(arrows)[p] == pytest.approx(expected, abs=1e-6)


def test_explained_variance_of_other_rows_is_that_of_their_residuals(local, rng):
    """Slopes that were fitted elsewhere may predict worse than the mean."""
    data, Y, neighbors, weights, moments = local
    slopes = rng.normal(size=moments.products.shape)
    for p, (near, w) in enumerate(zip(neighbors, weights, strict=True)):
        dx, dy = (reference.weighted_centered(part[near], w) for part in (data.matrix, Y))
        varying = w @ dx**2 > 0
        expected = 1 - (w @ (dx - dy @ slopes[p]) ** 2)[varying] / (w @ dx**2)[varying]
        np.testing.assert_allclose(moments.explained(slopes)[p][varying], expected, rtol=1e-5)
    assert (moments.explained(slopes) < 0).any()


def test_a_map_without_extent_has_no_slopes(rng):
    data = scale_data(rng.normal(size=(30, 3)))
    neighbors = np.tile(np.arange(10, dtype=np.int32), (2, 1))
    weights = np.full(neighbors.shape, 0.1)
    flat = np.zeros((30, 2), np.float32)
    line = np.column_stack([np.arange(30), np.zeros(30)]).astype(np.float32)
    for Y in (flat, line):
        moments = Moments(data, Y, neighbors, weights)
        slopes = moments.slopes()
        assert np.isfinite(slopes).all()
        assert (slopes[:, 1] == 0).all()
        assert np.isfinite(moments.cosines(slopes)).all()
    assert (Moments(data, flat, neighbors, weights).slopes() == 0).all()


def test_points_are_not_their_own_neighbors():
    Y = np.array([[0, 0]] * 6 + [[1, 0], [2, 0], [3, 0]], np.float32)  # duplicates crowd the point itself out
    found = MapSearch.build(Y).nearest_others(Y, np.arange(9), 3)
    assert found.shape == (9, 3)
    assert (found != np.arange(9)[:, None]).all()
    assert found[7].tolist() == [6, 8, found[7, 2]]


@pytest.mark.parametrize(("n_points", "expected"), [(5, 4), (31, 30), (400, 40), (3000, 300), (70_000, 300)])
def test_default_number_of_neighbors(n_points, expected):
    assert default_neighbors(n_points) == expected
