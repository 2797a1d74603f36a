"""Every force: its gradient against finite differences of its value, its kernel against its slow twin."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.kernels.layout import CHUNK, table_place
from featmap.layout.density import Density, exact_map_radii
from featmap.layout.edges import sort_into_slots
from featmap.layout.forces import DRAWS, NEGATIVES_PER_EDGE, POOL, Attraction, Repulsion, draw_pool
from featmap.layout.radii import FLOOR, radius_floor
from featmap.layout.similarity import SOFTENING, Curve
from featmap.values import Frames, Graph

# What the tables (7 bits of mantissa) and float32 cost: relative to the size of the whole gradient.
KERNEL_ERROR = 5e-3
CONFIGURATIONS = range(100)


def random_configuration(seed, m=9, dim=2, apart=1e-3):
    """Points no two of which have s < apart, a symmetric graph, orthogonal frames, radii, and a curve."""
    rng = np.random.default_rng(seed)
    while True:
        Y = rng.normal(0, rng.uniform(0.1, 5), (m, dim))
        s = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)[~np.eye(m, dtype=bool)]
        if s.min() > apart:
            break
    P = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.6), 1)
    P[0, 1:] = 0.5  # connected
    frames = np.linalg.qr(rng.normal(size=(m, dim, dim)))[0]
    a, b = rng.uniform(0.5, 3), rng.uniform(0.6, 1.2)
    return Y, P + P.T, frames, rng.normal(size=(m, dim)), a, b


def as_graph(P):
    weights = sp.csr_matrix(P.astype(np.float32))
    weights.sort_indices()
    return Graph(weights)


def gradient_of(force, coordinates, run, epoch=0):
    """The whole gradient, block by block."""
    gradient = np.zeros(coordinates.shape, np.float32)
    add_gradient = force.prepare(coordinates.astype(np.float32), epoch, run)
    run.over_rows(coordinates.shape[1], lambda start, stop: add_gradient(start, stop, gradient), CHUNK)
    return gradient


def relative_error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("seed", CONFIGURATIONS)
def test_attraction_gradient_is_that_of_its_value(seed, dim):
    Y, P, _, _, a, b = random_configuration(seed, dim=dim)
    numeric = reference.finite_differences(lambda Y: reference.attraction_value(Y, P, a, b), Y)
    assert relative_error(reference.attraction_gradient(Y, P, a, b), numeric) < 1e-6


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("seed", CONFIGURATIONS)
def test_repulsion_gradient_is_that_of_its_value(seed, dim):
    Y, _, _, _, a, b = random_configuration(seed, dim=dim)

    def value(y):
        moved = Y.copy()
        moved[0] = y[0]
        return reference.repulsion_value(moved, 0, a, b)

    numeric = reference.finite_differences(value, Y[:1], step=1e-5)
    assert relative_error(reference.repulsion_gradient(Y, 0, a, b)[None], numeric) < 1e-6


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("seed", CONFIGURATIONS)
def test_density_gradient_is_that_of_its_value(seed, dim):
    Y, P, frames, radii, a, b = random_configuration(seed, dim=dim)
    floor = radius_floor(reference.map_radii(Y, P, frames, a, b))
    numeric = reference.finite_differences(lambda Y: reference.density_value(Y, P, frames, radii, a, b, floor), Y)
    assert relative_error(reference.density_gradient(Y, P, frames, radii, a, b, floor), numeric) < 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_values_equal_their_twins(seed, run):
    Y, P, frames, radii, a, b = random_configuration(seed)
    graph, curve, columns = as_graph(P), Curve(a, b), Y.T
    P = graph.weights.toarray().astype(np.float64)
    assert Attraction(graph, sort_into_slots(graph), curve).value(columns) == pytest.approx(
        reference.attraction_value(Y, P, a, b)
    )
    repulsion = sum(5 * P[i].sum() / len(Y) * reference.repulsion_value(Y, i, a, b) for i in range(len(Y)))
    assert Repulsion(graph, curve, 0).value(columns) == pytest.approx(repulsion)
    on_map = reference.map_radii(Y, P, frames, a, b)
    np.testing.assert_allclose(exact_map_radii(Y, graph, Frames(frames), curve, run), on_map, rtol=1e-6)
    agreement = reference.density_value(Y, P, frames, radii, a, b, radius_floor(on_map))
    density = Density(graph, sort_into_slots(graph), curve, Frames(frames), radii, 0.7)
    assert density.value(columns) == pytest.approx(0.7 * P.sum() * agreement)


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(10))
def test_attraction_kernel_is_close_to_its_twin(seed, dim, run):
    Y, P, _, _, a, b = random_configuration(seed, m=40, dim=dim)
    graph = as_graph(P)
    found = gradient_of(Attraction(graph, sort_into_slots(graph), Curve(a, b)), Y.T, run)
    assert relative_error(found.T, reference.attraction_gradient(Y, P, a, b)) < KERNEL_ERROR


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(10))
def test_density_kernels_are_close_to_their_twin(seed, dim, run):
    Y, P, frames, radii, a, b = random_configuration(seed, m=40, dim=dim)
    graph = as_graph(P)
    density = Density(graph, sort_into_slots(graph), Curve(a, b), Frames(frames.astype(np.float32)), radii, 0.7)
    found = gradient_of(density, Y.T, run)
    floor = radius_floor(reference.map_radii(Y, P, frames, a, b))
    expected = 0.7 * P.sum() * reference.density_gradient(Y, P, frames, radii, a, b, floor)
    assert relative_error(found.T, expected) < 2 * KERNEL_ERROR


def tabulated_gradient(Y, P, curve):
    """2Σ_j P_ij pull z − (5 deg_i/m) Σ_j push z over all pairs, with the coefficients that the kernels look up."""
    gradient = np.zeros_like(Y)
    rates = NEGATIVES_PER_EDGE * P.sum(axis=1) / len(Y)
    for i, j in zip(*np.nonzero(~np.eye(len(Y), dtype=bool)), strict=True):
        z = Y[j] - Y[i]
        entry = table_place(np.float32(z @ z))
        gradient[i] += (2 * P[i, j] * curve.pull[entry] - rates[i] * curve.push[entry]) * z
    return gradient


@pytest.mark.parametrize("m", [1, 255, 256, 257, 700])
def test_slots_hold_every_edge_once(m, rng):
    """Sorted back by source and target they are the graph; a slot's points are the first of their chunk."""
    weights = sp.random(m, m, 0.03, random_state=0, format="csr", dtype=np.float32)
    graph = as_graph((weights + weights.T).toarray() / 2)
    slots = sort_into_slots(graph)
    edges = np.zeros((m, m), np.float32)
    for chunk, first in enumerate(range(0, m, CHUNK)):
        for slot in range(slots.first_slots[chunk], slots.first_slots[chunk + 1]):
            here = slice(slots.starts[slot], slots.starts[slot + 1])
            sources = slots.points[first : first + len(slots.targets[here])]
            assert (sources // CHUNK == chunk).all()
            edges[sources, slots.targets[here]] += slots.weights[here]
    assert np.array_equal(edges, graph.weights.toarray())
    assert np.array_equal(np.sort(slots.points), np.arange(m))


def test_kernels_cross_the_borders_of_chunks(run):
    """600 points are more than two chunks; their gradients in one piece and by the twin."""
    Y, P, frames, radii, a, b = random_configuration(0, m=600, apart=1e-7)
    P[np.random.default_rng(0).random(P.shape) < 0.97] = 0
    P = np.maximum(P, P.T)
    graph, curve = as_graph(P), Curve(a, b)
    slots = sort_into_slots(graph)
    found = gradient_of(Attraction(graph, slots, curve), Y.T, run)
    assert relative_error(found.T, reference.attraction_gradient(Y, P, a, b)) < KERNEL_ERROR
    found = gradient_of(Density(graph, slots, curve, Frames(frames.astype(np.float32)), radii, 0.7), Y.T, run)
    floor = radius_floor(reference.map_radii(Y, P, frames, a, b))
    expected = 0.7 * P.sum() * reference.density_gradient(Y, P, frames, radii, a, b, floor)
    assert relative_error(found.T, expected) < 2 * KERNEL_ERROR


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sampled_gradient_is_unbiased(dim, run):
    """Over seeds: 2ΣP log Q + (5 deg/m) Σ log(1 − Q), as tabulated, within three standard errors; and the tables
    within their stated error of the softened formulas."""
    n_seeds = 16_000
    Y, P, _, _, _, _ = random_configuration(3, m=6, dim=dim, apart=0.3)  # so far apart that no force is clipped
    graph, curve = as_graph(P), Curve.fit(0.1, 1.0)
    attraction = Attraction(graph, sort_into_slots(graph), curve)
    pulled = gradient_of(attraction, Y.T, run)
    draws = np.array(
        [pulled + gradient_of(Repulsion(graph, curve, seed), Y.T, run, epoch=7) for seed in range(n_seeds)]
    )
    expected = tabulated_gradient(Y, P, curve)
    error = draws.std(axis=0).T / np.sqrt(n_seeds)
    assert (np.abs(draws.mean(axis=0, dtype=np.float64).T - expected) < 3 * error).all()
    assert error.max() < 0.02 * np.abs(expected).max(), "too few seeds to notice a bias"
    exact = reference.attraction_gradient(Y, P, curve.a, curve.b) + np.array(
        [
            NEGATIVES_PER_EDGE * P[i].sum() / len(Y) * reference.repulsion_gradient(Y, i, curve.a, curve.b, SOFTENING)
            for i in range(len(Y))
        ]
    )
    assert relative_error(expected, exact) < KERNEL_ERROR


def test_each_vertex_draws_its_own_points_in_each_epoch(run):
    Y, P, _, _, _, _ = random_configuration(0, m=50)
    repulsion = Repulsion(as_graph(P), Curve.fit(0.1, 1.0), 0)
    gradients = [gradient_of(repulsion, Y.T, run, epoch) for epoch in (0, 1)]
    assert not np.array_equal(gradients[0], gradients[1])


@pytest.mark.parametrize(("m", "n_drawn"), [(37, 37), (700, 700), (20_000, POOL)])
def test_draws_are_uniform(m, n_drawn):
    """Every vertex meets every point equally often: χ² over epochs of what the first and the last vertex draw."""
    coordinates = np.arange(m, dtype=np.float32)[None]
    counts = np.zeros((2, m))
    for epoch in range(400):
        pool, windows = draw_pool(coordinates, np.random.default_rng(epoch))
        drawn = pool[0].astype(int)
        assert len(drawn) == n_drawn + min(CHUNK, n_drawn)
        counts[0] += np.bincount(drawn[windows[0]], minlength=m)
        counts[1] += np.bincount(drawn[windows[-1] + (m - 1) % CHUNK], minlength=m)
    expected = 400 * DRAWS / m
    assert (((counts - expected) ** 2 / expected).sum(axis=1) < m - 1 + 5 * np.sqrt(2 * m)).all()


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e3, 1e9])
def test_tables_are_within_a_percent(scale):
    """Within a table's range every coefficient is off by at most 0.5 %; beyond, it stays finite."""
    from featmap.kernels.layout import FIRST_OCTAVE, OCTAVES

    curve = Curve.fit(0.1, 1.0)
    s = scale * np.random.default_rng(0).uniform(0.5, 2, 200)
    places = np.array([table_place(np.float32(value)) for value in s])
    tables = {
        "pull": (curve.pull, 2 * curve.a * curve.b * s ** (curve.b - 1) / (1 + curve.a * s**curve.b)),
        "push": (curve.push, 2 * curve.b / ((SOFTENING + s) * (1 + curve.a * s**curve.b))),
        "similarity": (curve.similarity, 1 / (1 + curve.a * s**curve.b)),
    }
    inside = (s > 2.0**FIRST_OCTAVE) & (s < 2.0 ** (FIRST_OCTAVE + OCTAVES))
    for table, exact in tables.values():
        assert np.isfinite(table).all()
        np.testing.assert_allclose(table[places][inside], exact[inside], rtol=1e-2)


def test_curve_is_umaps(umap):
    for min_dist, spread in [(0.1, 1.0), (0.0, 1.0), (0.5, 1.0), (0.25, 2.0)]:
        curve = Curve.fit(min_dist, spread)
        assert (curve.a, curve.b) == pytest.approx(umap.umap_.find_ab_params(spread, min_dist), rel=1e-6)


@pytest.mark.parametrize("spread", [1e-5, 1e-2, 1e2, 1e5])
def test_curve_fits_at_any_spread(spread):
    curve, unit = Curve.fit(0.1 * spread, spread), Curve.fit(0.1, 1.0)
    s = np.array([0.01, 0.1, 1.0])
    found = 1 / (1 + curve.a * (s * spread**2) ** curve.b)
    np.testing.assert_allclose(found, 1 / (1 + unit.a * s**unit.b), rtol=1e-6)


def awkward_maps():
    """Coincident points, all points at one place, a point without edges, a far outlier."""
    Y, P, frames, radii, _, _ = random_configuration(1, m=12)
    Y[1] = Y[0]
    yield "coincident", Y, P, frames, radii
    yield "all at one place", np.zeros_like(Y), P, frames, radii
    lonely = P.copy()
    lonely[3] = lonely[:, 3] = 0
    yield "empty neighbourhood", Y, lonely, frames, radii
    yield "no edges", Y, np.zeros_like(P), frames, radii
    far = Y.copy()
    far[0] = 1e15
    yield "far outlier", far, P, frames, radii
    yield "constant data radii", Y, P, frames, np.ones_like(radii)


@pytest.mark.parametrize("case", list(awkward_maps()), ids=lambda case: case[0])
def test_values_and_gradients_stay_finite(case, run):
    _, Y, P, frames, radii = case
    graph, curve = as_graph(P), Curve.fit(0.1, 1.0)
    columns = Y.T.astype(np.float32)
    for force in (
        Attraction(graph, sort_into_slots(graph), curve),
        Repulsion(graph, curve, 0),
        Density(graph, sort_into_slots(graph), curve, Frames(frames), radii, 0.5),
    ):
        assert np.isfinite(gradient_of(force, columns, run)).all()
    assert np.isfinite(Density(graph, sort_into_slots(graph), curve, Frames(frames), radii, 0.5).value(columns))
    assert np.isfinite(Attraction(graph, sort_into_slots(graph), curve).value(columns))
    assert np.isfinite(Repulsion(graph, curve, 0).value(columns))


def test_constant_data_radii_give_no_force(run):
    Y, P, frames, radii, _, _ = random_configuration(1)
    graph = as_graph(P)
    force = Density(graph, sort_into_slots(graph), Curve.fit(0.1, 1.0), Frames(frames), np.ones_like(radii), 0.5)
    assert (gradient_of(force, Y.T, run) == 0).all()


def test_radius_floor_is_relative_to_the_median():
    radii = np.array([[0.0, 2.0], [4.0, 0.0], [8.0, 0.0]])
    np.testing.assert_allclose(radius_floor(radii), [4.0 * FLOOR, FLOOR])
