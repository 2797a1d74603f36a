"""The tangent spaces: the SVD they stand for, planes and rolls whose tangents are known, and degenerate points."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll

import reference
from featmap.data.scaling import scale_data
from featmap.kernels.tangents import axes_of_points
from featmap.tangents.axes import axes, factors_of, feature_importance, leading_axes, leading_factors, loadings
from featmap.tangents.svd import count_dimensions, find_tangents
from stages import all_rows, tangents_of


def principal_angle(V, expected):
    """The largest angle between two subspaces, in degrees."""
    cosines = np.linalg.svd(np.linalg.qr(V)[0].T @ np.linalg.qr(expected)[0], compute_uv=False)
    return np.degrees(np.arccos(np.clip(cosines.min(), -1, 1)))


def check_orthonormal(V, present=1, atol=1e-5):
    """The axes of each point: their products are 1 with themselves, where there is such an axis, and else 0."""
    V = V.astype(np.float64)
    expected = np.eye(V.shape[1]) * np.broadcast_to(present, V.shape[:2])[:, :, None]
    np.testing.assert_allclose(V @ V.transpose(0, 2, 1), expected, atol=atol)


def of_the_first_row(X, weights, center, run):
    """Scaled data, and the tangent space of the first row, whose neighbours are all others."""
    data, near = scale_data(X), np.arange(1, len(X), dtype=np.int32)[None]
    return data, find_tangents(data, data.matrix[:1], near, weights, center, "auto", 2, run)


@pytest.mark.parametrize("center", ["mean", "point"])
@pytest.mark.parametrize("shape", [(60, 40), (200, 5), (30, 1)])
def test_factors_stand_for_the_svd(shape, center, rng, run):
    X = rng.normal(size=shape).astype(np.float32)
    data, tangents, weights = tangents_of(X, run, center=center)
    r = min(13, shape[1])  # about the mean there are at most 13 directions of 14 neighbours
    V = axes(data, tangents, all_rows(tangents), r).transpose(0, 2, 1)
    for i in range(0, shape[0], 7):
        sigma, expected = reference.local_svd(X, i, tangents.neighbors[i], weights[i], center)
        np.testing.assert_allclose(tangents.singular_values[i, :r] / data.scale, sigma[:r], rtol=1e-5, atol=1e-7)
        for axis in range(r):
            assert abs(V[i][:, axis] @ expected[:, axis]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("shape", [(60, 40), (200, 5), (1797, 64)])
def test_axes_are_orthonormal(shape, rng, run, digits):
    X = digits if shape[1] == 64 else rng.normal(size=shape)
    data, tangents, _ = tangents_of(X, run)
    V = axes(data, tangents, all_rows(tangents), tangents.n_directions)
    check_orthonormal(V, present=tangents.singular_values > 0)


@pytest.mark.parametrize("intrinsic_dim", ["auto", 1, 3, 50])
def test_importance_squares_sum_to_the_intrinsic_dimension(intrinsic_dim, run, digits):
    data, tangents, _ = tangents_of(digits, run, intrinsic_dim)
    importance = feature_importance(data, tangents, all_rows(tangents), run)
    squares = (importance.astype(np.float64) ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, tangents.intrinsic_dim, rtol=1e-5, atol=1e-5)


def test_importance_is_the_length_of_the_loadings(run, digits):
    data, tangents, _ = tangents_of(digits[:300], run)
    V = loadings(data, tangents, all_rows(tangents), tangents.n_directions, run)
    importance = feature_importance(data, tangents, all_rows(tangents), run)
    for i in range(300):
        expected = np.linalg.norm(V[i, :, : tangents.intrinsic_dim[i]], axis=1)
        np.testing.assert_allclose(importance[i], expected, atol=1e-6)


def test_constant_feature_has_exactly_no_importance(rng, run):
    X = rng.normal(size=(200, 6))
    X[:, 2] = 0.1  # not exact in binary
    data, tangents, _ = tangents_of(X, run)
    importance = feature_importance(data, tangents, all_rows(tangents), run)
    assert (importance[:, 2] == 0).all()
    assert (importance[:, [0, 1, 3, 4, 5]] > 0).all()


def test_a_plane_is_recovered(rng, run):
    plane = np.linalg.qr(rng.normal(size=(50, 2)))[0]
    X = rng.uniform(-1, 1, (1000, 2)) @ plane.T
    data, tangents, _ = tangents_of(X, run)
    V = loadings(data, tangents, all_rows(tangents), 2, run)
    assert max(principal_angle(v, plane) for v in V) < 0.1
    assert np.median(tangents.intrinsic_dim) == 2
    assert tangents.intrinsic_dim.max() <= 2
    # float32 data: what is left beyond the plane is rounding, and not a direction
    assert ((tangents.singular_values > 0).sum(axis=1) == 2).all()


def test_a_swiss_roll_has_its_analytic_tangents(run):
    X, angle = make_swiss_roll(5000, random_state=0)
    data, tangents, _ = tangents_of(X, run)
    V = loadings(data, tangents, all_rows(tangents), 2, run)
    along = np.cos(angle) - angle * np.sin(angle), np.zeros(5000), np.sin(angle) + angle * np.cos(angle)
    spanned = (np.column_stack([direction, [0, 1, 0]]) for direction in np.transpose(along))
    assert np.median([principal_angle(*both) for both in zip(V, spanned, strict=True)]) < 5
    assert np.median(tangents.intrinsic_dim) == 2


def test_duplicates_have_no_directions(run):
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 4)), 20, axis=0)
    data, tangents, _ = tangents_of(X, run)
    assert (tangents.singular_values == 0).all()
    assert (tangents.intrinsic_dim == 0).all()
    assert (feature_importance(data, tangents, all_rows(tangents), run) == 0).all()
    assert (loadings(data, tangents, all_rows(tangents), 2, run) == 0).all()


def test_collinear_points_have_one_direction(rng, run):
    X = rng.normal(size=(100, 1)) * np.array([[1.0, 2.0, -1.0]])
    data, tangents, _ = tangents_of(X, run, n_axes=3)
    assert (tangents.intrinsic_dim == 1).all()
    V = loadings(data, tangents, all_rows(tangents), 3, run)
    assert not V[:, :, 1:].any()


def test_sparse_equals_dense(run):
    X = sp.random(300, 100, 0.2, random_state=0, format="csr")
    data, tangents, _ = tangents_of(X, run)
    dense_data, dense_tangents, _ = tangents_of(X.toarray(), run)
    found = feature_importance(data, tangents, all_rows(tangents), run)
    expected = feature_importance(dense_data, dense_tangents, all_rows(tangents), run)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_count_dimensions_counts():
    sigma = np.sqrt([[0.9, 0.1, 0.0], [0.89, 0.11, 0.0], [0.5, 0.3, 0.2], [0.0, 0.0, 0.0]])
    assert count_dimensions(sigma, "auto").tolist() == [1, 2, 3, 0]
    assert count_dimensions(sigma, 2).tolist() == [2, 2, 2, 0]


@pytest.mark.parametrize("center", ["mean", "point"])
def test_factors_about_the_mean_sum_to_zero(center, run, digits):
    """So the axes are the same whether differences are taken from the mean or from the point."""
    data, tangents, _ = tangents_of(digits[:300], run, center=center)
    factors = factors_of(data, tangents, all_rows(tangents), 14)[3]
    sums, largest = np.abs(factors.sum(axis=1)).max(axis=1), np.abs(factors).max(axis=(1, 2))
    assert ((sums < 1e-9 * largest) == (center == "mean")).all()


@pytest.mark.parametrize("n_axes", [1, 2, 5])
@pytest.mark.parametrize("center", ["mean", "point"])
def test_factors_are_made_again_bit_for_bit(center, n_axes, run, digits):
    """Whatever is asked for with them: so a fit and all that is asked of it have the same axes."""
    data, tangents, _ = tangents_of(digits[:300], run, center=center, n_axes=n_axes)
    assert tangents.leading.shape == (300, 14, n_axes)
    for rows in (all_rows(tangents), np.array([7], np.int32), np.array([299, 3, 3, 150], np.int32)):
        for n_asked in (n_axes, 14):
            factors = factors_of(data, tangents, rows, n_asked)[3]
            assert np.array_equal(factors[:, :, :n_axes], tangents.leading[rows])


@pytest.mark.parametrize("q", [1, 2, 5])
def test_leading_factors_are_those_that_were_kept_or_made_again(run, digits, q):
    data, tangents, _ = tangents_of(digits[:300], run, n_axes=2)
    made_again = leading_factors(data, tangents.without_leading(), q, run)
    assert made_again.shape == (300, 14, q)
    assert np.array_equal(leading_factors(data, tangents, q, run), made_again)
    assert np.array_equal(made_again[:, :, :2], tangents.leading[:, :, :q])


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("width", [1, 16, 50, 64])
def test_axes_have_the_same_bits_by_slices_of_features(run, digits, q, width):
    """On a cluster a partition makes the axes of all features, in an alignment here they come by slices."""
    data, tangents, _ = tangents_of(digits[:300], run, n_axes=q)
    rows, numbers = np.array([299, 3, 3, 150], np.int32), np.arange(300, dtype=np.int32)
    whole = leading_axes(data, tangents, tangents.leading, rows)
    for first in range(0, 64, width):
        n = min(width, 64 - first)
        part, room = np.empty((4, q, n), np.float32), (np.empty(14, np.int32), np.empty((2, n)))
        axes_of_points(rows, data.matrix, numbers, tangents.neighbors, tangents.leading, first, *room, part)
        assert np.array_equal(part, whole[:, :, first : first + n])


@pytest.mark.parametrize("spread", [1, 1e-4, 1e-7])
def test_leading_axes_are_orthonormal_and_those_that_are_made_again(spread, run, rng):
    """Even those of an outlier, far from neighbours that are near each other."""
    X = spread * rng.normal(size=(60, 6))
    X[0] = 1
    data, tangents, _ = tangents_of(X, run, n_axes=2)
    rows = all_rows(tangents)
    found = leading_axes(data, tangents, tangents.leading, rows)
    assert np.array_equal(found, axes(data, tangents, rows, 2))
    check_orthonormal(found)


def test_a_neighbourhood_of_any_size_has_axes(rng, run):
    """More neighbours than our own eigenvectors are for."""
    X = rng.normal(size=(120, 5))
    data, (near, _) = scale_data(X), reference.nearest_others(X, 100)
    weights = np.ones((120, 100))
    tangents = find_tangents(data, data.matrix, near.astype(np.int32), weights, "mean", "auto", 2, run)
    check_orthonormal(axes(data, tangents, all_rows(tangents), 5))


def test_about_the_mean_an_offset_is_not_a_direction(rng, run):
    """Points of a line, seen from a point beside it. About the point the first direction is that offset."""
    line = np.column_stack([np.linspace(0, 1, 14), np.zeros(14), np.zeros(14)])
    first = {}
    for center in ("mean", "point"):
        found = of_the_first_row(np.vstack([[0.5, 30.0, 0.0], line]), np.ones((1, 14)), center, run)
        first[center] = axes(*found, np.array([0], np.int32), 1)[0, 0]
    np.testing.assert_allclose(np.abs(first["mean"]), [1, 0, 0], atol=1e-5)
    assert abs(first["point"][1]) > 0.99


@pytest.mark.parametrize("offset", [0.1, 1.0, 1e6])
def test_neighbours_at_one_place_have_no_directions(offset, rng, run):
    """Their steps are all equal, and what rounding leaves of them about the mean is not a direction."""
    X = np.vstack([np.full((1, 3), offset), np.tile([[0.3, 0.7, 0.1]], (14, 1))])
    data, tangents = of_the_first_row(X, rng.random((1, 14)), "mean", run)
    assert (tangents.singular_values == 0).all()
    assert (factors_of(data, tangents, all_rows(tangents), 3)[3] == 0).all()


@pytest.mark.parametrize("offset", [1.0, 1e3, 1e6, 1e9])
def test_axes_of_a_far_point_are_orthonormal(offset, run):
    """A point far from its neighbours: rounding must not bring the offset into the axes."""
    X = np.vstack([np.full((1, 3), offset), np.random.default_rng(0).normal(size=(14, 3))])
    found = of_the_first_row(X, np.random.default_rng(1).random((1, 14)), "mean", run)
    check_orthonormal(axes(*found, np.array([0], np.int32), 3), atol=1e-4)


def test_one_neighbour_alone_is_a_direction(run):
    """The mean of one neighbour would be the neighbour itself."""
    _, tangents, _ = tangents_of(np.array([[0.0, 0.0], [3.0, 4.0]]), run)
    assert (tangents.intrinsic_dim == 1).all()
