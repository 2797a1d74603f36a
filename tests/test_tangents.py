"""The tangent spaces: the SVD they stand for, planes and rolls whose tangents are known, and degenerate points."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll

import reference
from featmap.tangents.axes import axes, feature_importance, loadings
from featmap.tangents.svd import count_dimensions, data_radii, find_tangents
from stages import all_rows, tangents_of


def principal_angle(V, expected):
    """The largest angle between two subspaces, in degrees."""
    cosines = np.linalg.svd(np.linalg.qr(V)[0].T @ np.linalg.qr(expected)[0], compute_uv=False)
    return np.degrees(np.arccos(np.clip(cosines.min(), -1, 1)))


@pytest.mark.parametrize("shape", [(60, 40), (200, 5), (30, 1)])
def test_factors_stand_for_the_svd(shape, rng, run):
    X = rng.normal(size=shape).astype(np.float32)
    data, tangents, weights = tangents_of(X, run)
    r = min(14, shape[1])
    V = axes(data, tangents, all_rows(tangents), r).transpose(0, 2, 1)
    for i in range(0, shape[0], 7):
        sigma, expected = reference.local_svd(X, i, tangents.neighbors[i], weights[i])
        np.testing.assert_allclose(tangents.singular_values[i] / data.scale, sigma[:r], rtol=1e-5, atol=1e-7)
        for axis in range(r):
            assert abs(V[i][:, axis] @ expected[:, axis]) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("shape", [(60, 40), (200, 5), (1797, 64)])
def test_axes_are_orthonormal(shape, rng, run, digits):
    X = digits if shape[1] == 64 else rng.normal(size=shape)
    data, tangents, _ = tangents_of(X, run)
    V = axes(data, tangents, all_rows(tangents), tangents.n_directions)
    present = tangents.singular_values > 0
    gram = np.einsum("mah,mbh->mab", V, V, dtype=np.float64)
    expected = np.einsum("ma,ab->mab", present, np.eye(tangents.n_directions))
    np.testing.assert_allclose(gram, expected, atol=1e-5)


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
    along = np.column_stack(
        [np.cos(angle) - angle * np.sin(angle), np.zeros(5000), np.sin(angle) + angle * np.cos(angle)]
    )
    angles = [
        principal_angle(v, np.column_stack([direction, [0, 1, 0]])) for v, direction in zip(V, along, strict=True)
    ]
    assert np.median(angles) < 5
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
    data, tangents, _ = tangents_of(X, run)
    assert (tangents.intrinsic_dim == 1).all()
    V = loadings(data, tangents, all_rows(tangents), 3, run)
    assert (V[:, :, 1:] == 0).all()


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


def test_data_radii_do_not_grow_with_the_degree(rng, run):
    """σ²/ΣP is a weighted mean of squared steps: twice the weights leave it as it is."""
    X = rng.normal(size=(100, 5)).astype(np.float32)
    data, tangents, weights = tangents_of(X, run)
    halved = find_tangents(data, data.matrix, tangents.neighbors, weights / 2, "auto", run)
    np.testing.assert_allclose(data_radii(halved, 2), data_radii(tangents, 2), rtol=1e-9)
    sigma, _ = reference.local_svd(X, 0, tangents.neighbors[0], weights[0])
    expected = (sigma[:2] * data.scale) ** 2 / weights[0].sum()
    np.testing.assert_allclose(data_radii(tangents, 2)[0], expected, rtol=1e-5)


def test_missing_directions_have_zero_radius(rng, run):
    _, tangents, _ = tangents_of(rng.normal(size=(100, 1)), run)
    assert (data_radii(tangents, 3)[:, 1:] == 0).all()
