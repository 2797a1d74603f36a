"""Every force: its gradient against finite differences of its value, its kernel against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap.kernels.layout import CHUNK, table_entry
from featmap.layout.forces import DRAWS, POOL, Attraction, Repulsion, draw_pool
from featmap.layout.similarity import NEGATIVES_PER_EDGE, SOFTENING, Curve
from featmap.layout.units import Units
from stages import as_graph

# What the tables (7 bits of mantissa) and float32 cost: relative to the size of the whole gradient.
KERNEL_ERROR = 5e-3


def random_configuration(seed, m=9, dim=2, apart=1e-3):
    """Points no two of which have s < apart, weights, the length of every edge and unit of every point, a curve."""
    rng = np.random.default_rng(seed)
    while True:
        Y = rng.normal(0, rng.uniform(0.1, 5), (m, dim))
        s = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)[~np.eye(m, dtype=bool)]
        if s.min() > apart:
            break
    P = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.6), 1)
    P[0, 1:] = 0.5  # connected
    lengths, units = np.exp(np.triu(rng.normal(0, 0.5, (m, m)))), np.exp(rng.normal(0, 0.5, m))
    lengths = np.triu(lengths, 1) + np.triu(lengths, 1).T + np.eye(m)
    return Y, P + P.T, lengths, units, rng.uniform(0.5, 3), rng.uniform(0.6, 1.2)


def known(P, lengths, units, a, b):
    """The graph, the curve and the units of a configuration, as the forces take them."""
    graph = as_graph(P)
    of_edges = 1 / lengths[graph.sources, graph.weights.indices]
    return graph, Curve(a, b), Units(of_edges.astype(np.float32), (1 / np.sqrt(units)).astype(np.float32), 1.0)


def gradient_of(force, Y, run, epoch=0):
    """The whole gradient, block by block."""
    gradient = np.zeros(Y.shape, np.float32)
    add_gradient = force.prepare(Y.astype(np.float32), epoch, run)
    run.over_rows(len(Y), lambda start, stop: add_gradient(start, stop, gradient), CHUNK)
    return gradient


def relative_error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_attraction_gradient_is_that_of_its_value(dim):
    Y, P, lengths, _, a, b = random_configuration(dim, dim=dim)
    numeric = reference.finite_differences(lambda Y: reference.attraction_value(Y, P, lengths, a, b), Y)
    assert relative_error(reference.attraction_gradient(Y, P, lengths, a, b), numeric) < 1e-6


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_repulsion_gradient_is_that_of_its_value(dim):
    Y, _, _, units, a, b = random_configuration(dim, dim=dim)

    def value(y):
        moved = Y.copy()
        moved[0] = y[0]
        return reference.repulsion_value(moved, 0, units, a, b)

    numeric = reference.finite_differences(value, Y[:1], step=1e-5)
    assert relative_error(reference.repulsion_gradient(Y, 0, units, a, b)[None], numeric) < 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_values_equal_their_twins(seed):
    Y, P, lengths, units, a, b = random_configuration(seed)
    graph, curve, in_float32 = known(P, lengths, units, a, b)
    P = graph.weights.toarray().astype(np.float64)
    attraction = Attraction(graph, curve, in_float32).value(Y)
    assert attraction == pytest.approx(reference.attraction_value(Y, P, lengths, a, b))
    rates = 5 * P.sum(axis=1) / len(Y)
    repulsion = sum(rates[i] * reference.repulsion_value(Y, i, units, a, b) for i in range(len(Y)))
    assert Repulsion(graph, curve, in_float32, 0).value(Y) == pytest.approx(repulsion)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_attraction_kernel_is_close_to_its_twin(seed, dim, run):
    Y, P, lengths, units, a, b = random_configuration(seed, m=40, dim=dim)
    found = gradient_of(Attraction(*known(P, lengths, units, a, b)), Y, run)
    assert relative_error(found, reference.attraction_gradient(Y, P, lengths, a, b)) < KERNEL_ERROR


def tabulated_gradient(Y, P, lengths, units, curve):
    """2Σ_j P_ij pull z/ℓ² − (5 deg_i/m) Σ_j push z/(f_i f_j), with the coefficients that the kernels look up."""
    gradient = np.zeros_like(Y)
    rates = NEGATIVES_PER_EDGE * P.sum(axis=1) / len(Y)
    for i, j in zip(*np.nonzero(~np.eye(len(Y), dtype=bool)), strict=True):
        z, squared_length, squared_unit = Y[j] - Y[i], lengths[i, j] ** 2, units[i] * units[j]
        pull = curve.pull[table_entry(np.float32(z @ z / squared_length))]
        push = curve.push[table_entry(np.float32(z @ z / squared_unit))]
        gradient[i] += (2 * P[i, j] * pull / squared_length - rates[i] * push / squared_unit) * z
    return gradient


def test_kernels_cross_the_borders_of_chunks(run):
    """600 points are more than two chunks; their gradient in pieces and by the twin."""
    Y, P, lengths, units, a, b = random_configuration(0, m=600, apart=1e-7)
    P[np.random.default_rng(0).random(P.shape) < 0.97] = 0
    P = np.maximum(P, P.T)
    found = gradient_of(Attraction(*known(P, lengths, units, a, b)), Y, run)
    assert relative_error(found, reference.attraction_gradient(Y, P, lengths, a, b)) < KERNEL_ERROR


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sampled_gradient_is_unbiased(dim, run):
    """Over seeds: 2ΣP log Q + (5 deg/m) Σ log(1 − Q), as tabulated, within three standard errors; and the tables
    within their stated error of the softened formulas."""
    n_seeds = 16_000
    # So far apart that no force is clipped.
    Y, P, lengths, units, _, _ = random_configuration(3, m=6, dim=dim, apart=0.6)
    curve = Curve.fit(0.1, 1.0)
    of_map = known(P, lengths, units, curve.a, curve.b)
    pulled = gradient_of(Attraction(*of_map), Y, run)
    draws = np.array([pulled + gradient_of(Repulsion(*of_map, seed), Y, run, epoch=7) for seed in range(n_seeds)])
    expected = tabulated_gradient(Y, P, lengths, units, curve)
    error = draws.std(axis=0) / np.sqrt(n_seeds)
    assert (np.abs(draws.mean(axis=0, dtype=np.float64) - expected) < 3 * error).all()
    assert error.max() < 0.02 * np.abs(expected).max(), "too few seeds to notice a bias"
    rates, softened = NEGATIVES_PER_EDGE * P.sum(axis=1) / len(Y), (units, curve.a, curve.b, SOFTENING)
    repelled = [rates[i] * reference.repulsion_gradient(Y, i, *softened) for i in range(len(Y))]
    exact = reference.attraction_gradient(Y, P, lengths, curve.a, curve.b) + np.array(repelled)
    assert relative_error(expected, exact) < KERNEL_ERROR


def test_equal_units_are_umaps_forces(run):
    """Multiplying by 1 changes no bit."""
    Y, P, _, _, a, b = random_configuration(4, m=300, apart=1e-7)
    graph, curve, _ = known(P, np.ones_like(P), np.ones(len(Y)), a, b)
    found = gradient_of(Attraction(graph, curve, Units.equal(graph)), Y, run)
    assert relative_error(found, reference.attraction_gradient(Y, P, np.ones_like(P), a, b)) < KERNEL_ERROR


def test_each_vertex_draws_its_own_points_in_each_epoch(run):
    Y, P, lengths, units, a, b = random_configuration(0, m=50)
    repulsion = Repulsion(*known(P, lengths, units, a, b), 0)
    gradients = [gradient_of(repulsion, Y, run, epoch) for epoch in (0, 1)]
    assert not np.array_equal(gradients[0], gradients[1])


@pytest.mark.parametrize(("m", "n_drawn"), [(37, 37), (700, 700), (20_000, POOL)])
def test_draws_are_uniform(m, n_drawn):
    """Every vertex meets every point equally often, and its unit: χ² over epochs of what the first and last draw."""
    numbers = np.arange(m, dtype=np.float32)
    counts = np.zeros((2, m))
    for epoch in range(400):
        pool, windows = draw_pool(numbers[:, None], -numbers, np.random.default_rng(epoch))
        drawn = pool[0].astype(int)
        assert np.array_equal(pool[1], -pool[0])
        assert len(drawn) == n_drawn + min(CHUNK, n_drawn)
        counts[0] += np.bincount(drawn[windows[0]], minlength=m)
        counts[1] += np.bincount(drawn[windows[-1] + (m - 1) % CHUNK], minlength=m)
    expected = 400 * DRAWS / m
    assert (((counts - expected) ** 2 / expected).sum(axis=1) < m - 1 + 5 * np.sqrt(2 * m)).all()


def awkward_maps():
    """Coincident points, all points at one place, a point without edges, a far outlier."""
    Y, P, *rest = random_configuration(1, m=12)
    Y[1] = Y[0]
    yield "coincident", Y, P, *rest
    yield "all at one place", np.zeros_like(Y), P, *rest
    lonely = P.copy()
    lonely[3] = lonely[:, 3] = 0
    yield "empty neighbourhood", Y, lonely, *rest
    yield "no edges", Y, np.zeros_like(P), *rest
    far = Y.copy()
    far[0] = 1e15
    yield "far outlier", far, P, *rest


@pytest.mark.parametrize("case", list(awkward_maps()), ids=lambda case: case[0])
def test_values_and_gradients_stay_finite(case, run):
    _, Y, P, lengths, units, a, b = case
    of_map, Y = known(P, lengths, units, a, b), Y.astype(np.float32)
    for force in (Attraction(*of_map), Repulsion(*of_map, 0)):
        assert np.isfinite(gradient_of(force, Y, run)).all()
        assert np.isfinite(force.value(Y))
