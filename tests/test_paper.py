"""The printed method: every formula against a slow twin, its force against finite differences of the printed loss."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import printed
import reference
from featmap.graph import weights_of_neighbors
from featmap.layout.similarity import Curve
from featmap.paper.correlation import Correlation
from featmap.paper.force import AnisotropicDensity
from featmap.paper.radii import FLOOR, data_radii, log_radii, map_radii
from stages import neighbors_and_graph, tangents_of

DIMENSIONS = [1, 2, 3]


def configuration(seed, dim, m=11, k=4):
    """Points of a map, k neighbours of each, orthogonal frames, log radii of data, and a curve."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(0, rng.uniform(0.3, 3), (m, dim))
    others = [np.delete(np.arange(m), i) for i in range(m)]
    neighbors = np.array([rng.choice(row, k, replace=False) for row in others], np.int32)
    frames = np.linalg.qr(rng.normal(size=(m, dim, dim)))[0]
    return Y, neighbors, frames, rng.normal(size=(m, dim)), Curve(rng.uniform(0.5, 3), rng.uniform(0.7, 1.2))


def force_of(neighbors, frames, data_logs, curve, weight=1.0):
    return AnisotropicDensity(neighbors, frames, data_logs, curve, weight)


def test_radii_of_the_data_are_squared_singular_values_about_the_point(run, rng):
    X = rng.normal(size=(80, 6)) * [5, 3, 2, 1, 1, 1]
    data, near, graph = neighbors_and_graph(X, run)
    _, tangents, _ = tangents_of(X, run, center="point")
    P = graph.weights.toarray().astype(np.float64)
    assert np.allclose(P[np.arange(80)[:, None], near.indices], weights_of_neighbors(graph, near.indices, run))
    found = data_radii(data.in_units(tangents.singular_values), 3)
    assert np.allclose(found, printed.radii_of_data(X, near.indices, P)[:, :3], rtol=1e-4)


def test_directions_that_the_data_do_not_have_have_no_radius():
    assert data_radii(np.array([[2.0], [3.0]], np.float32), 2).tolist() == [[4, 0], [9, 0]]


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_radii_of_the_map_equal_their_twin(run, dim):
    for seed in range(5):
        Y, neighbors, frames, _, curve = configuration(seed, dim)
        totals, radii = map_radii(Y, neighbors, frames, curve, run)
        assert np.allclose(radii, printed.radii_of_map(Y, neighbors, frames, curve.a, curve.b), rtol=1e-10)
        sums = [
            sum(printed.similarity(Y[j] - Y[i], curve.a, curve.b) for j in near) for i, near in enumerate(neighbors)
        ]
        assert np.allclose(totals, sums, rtol=1e-10)


def test_logarithms_are_of_no_less_than_a_thousandth_of_the_median(rng):
    radii = np.exp(rng.normal(size=(51, 2)))
    radii[0], radii[1] = 0, [1e-9, 1e9]
    found = log_radii(radii)
    assert np.allclose(found, printed.logs(radii))
    assert np.allclose(found[0], np.log(FLOOR * np.median(radii, axis=0)))
    assert np.array_equal(found[2:], np.log(radii[2:]))
    assert np.isfinite(log_radii(np.zeros((5, 2)))).all()


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_correlations_are_pearsons_and_their_slopes_finite_differences(rng, dim):
    data, on_map = rng.normal(size=(30, dim)), 3 + rng.normal(size=(30, dim))
    found = Correlation.between(data, on_map)
    assert np.allclose(found.values, printed.correlations(data, on_map), atol=1e-12)
    slopes = reference.finite_differences(lambda moved: printed.correlations(data, moved).sum(), on_map)
    assert np.allclose(found.slopes, slopes, atol=1e-8)


def test_radii_that_are_all_equal_have_no_correlation_and_no_slope(rng):
    varied, flat = rng.normal(size=(20, 2)), np.full((20, 2), 0.1)
    for data, on_map in ((varied, flat), (flat, varied)):
        found = Correlation.between(data, on_map)
        assert not found.values.any()
        assert not found.slopes.any()


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_value_is_that_of_the_print_times_its_weight(dim):
    for seed in range(5):
        Y, neighbors, frames, data_logs, curve = configuration(seed, dim)
        expected = printed.correlation_of_map(Y, neighbors, frames, data_logs, curve.a, curve.b)
        assert np.isclose(force_of(neighbors, frames, data_logs, curve, 7.0).value(Y), 7 * expected, rtol=1e-10)


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_gradient_is_that_of_the_printed_loss(run, dim):
    """Statistics change with the map here. Those of the beginning of an epoch have the same gradient there."""
    for seed in range(5):
        Y, neighbors, frames, data_logs, curve = configuration(seed, dim)
        known = {"neighbors": neighbors, "frames": frames, "data_logs": data_logs, "a": curve.a, "b": curve.b}
        found = force_of(neighbors, frames, data_logs, curve).gradient(Y, run)
        expected = reference.finite_differences(partial(printed.correlation_of_map, **known), Y)
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_gradient_is_that_of_the_supplement_but_for_its_misprint(run, dim):
    for seed in range(5):
        Y, neighbors, frames, data_logs, curve = configuration(seed, dim)
        arguments = Y, neighbors, frames, data_logs, curve.a, curve.b
        found = force_of(neighbors, frames, data_logs, curve).gradient(Y, run)
        assert np.allclose(found, printed.correlation_gradient(*arguments), rtol=1e-9, atol=1e-12)
        assert not np.allclose(found, printed.correlation_gradient(*arguments, misprint=True), rtol=0.01)


def test_the_gradient_of_the_descent_is_weighted_and_comes_by_blocks(run):
    Y, neighbors, frames, data_logs, curve = configuration(0, 2)
    force = force_of(neighbors, frames, data_logs, curve, 3.0)
    gradient = np.ones(Y.shape, np.float32)
    add_gradient = force.prepare(Y.astype(np.float32), 0, run)
    add_gradient(0, 4, gradient)
    add_gradient(4, len(Y), gradient)
    assert np.allclose(gradient - 1, 3 * force.gradient(Y, run), rtol=1e-4, atol=1e-5)


def test_clouds_without_extent_get_no_force(run):
    """Copies that lie on each other have the floor as radius. The others keep finite forces."""
    Y, neighbors, frames, data_logs, curve = configuration(1, 2)
    Y[neighbors[0]] = Y[0]
    gradient = force_of(neighbors, frames, data_logs, curve).gradient(Y, run)
    assert np.isfinite(gradient).all()
    everywhere_equal = force_of(neighbors, frames, data_logs, curve).gradient(np.zeros_like(Y), run)
    assert not everywhere_equal.any()
