"""Every force: its gradient against finite differences of its value, its kernel against its slow twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reference
from featmap.kernels.layout import CHUNK, table_entry
from featmap.layout.density import AttractionWithDensity, Target
from featmap.layout.edges import Edges
from featmap.layout.forces import DRAWS, NEGATIVES_PER_EDGE, POOL, Attraction, Repulsion, draw_pool
from featmap.layout.moments import MapMoments
from featmap.layout.radii import radius_floor
from featmap.layout.similarity import SOFTENING, Curve
from featmap.layout.terms import Terms
from featmap.values import Radii
from stages import as_graph

# What the tables (7 bits of mantissa) and float32 cost: relative to the size of the whole gradient.
KERNEL_ERROR = 5e-3


KINDS = [("shape", 0.1), ("shape", 0.6), ("directions", 0.1), ("directions", 1.0)]


def random_configuration(seed, m=9, dim=2, apart=1e-3):
    """Points no two of which have s < apart, a symmetric graph, orthogonal frames, radii of data, and a curve."""
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
    radii = np.exp(rng.normal(size=(m, 1 + 2 * dim)))
    return Y, P + P.T, frames, Radii(radii[:, 0], radii[:, 1 : 1 + dim], radii[:, 1 + dim :]), a, b


def random_neighbors(P, seed=0):
    """Every edge leads to a neighbour of one end or of both: N[i, j] says whether j is a neighbour of i."""
    rng = np.random.default_rng(seed)
    first = np.triu(rng.random(P.shape) < 0.7, 1)
    second = np.triu(~first | (rng.random(P.shape) < 0.4), 1)
    neighbors = (first | second.T) & (P > 0)
    alone = ~neighbors.any(axis=1)
    neighbors[alone] = P[alone] > 0
    return neighbors


def edges_of(P, curve, run, N=None):
    """Edges of which all, or those in N, lead to neighbours."""
    graph = as_graph(P)
    N = P > 0 if N is None else N
    return Edges.of(graph, N[graph.sources, graph.weights.indices].astype(np.uint8), curve)


def density_of(edges, frames, radii, run, kind="shape", kappa=0.1, weight=0.7):
    """Attraction with density at its full weight, which it has in its last epoch."""
    target = Target.of(radii, Terms.of(kind, kappa, frames.shape[1]), edges, run)
    return AttractionWithDensity(edges, frames.astype(np.float32), target, weight, 0, 1)


def data_logs(radii, kind):
    """The logarithms of the radii of the data, as the twins take them."""
    rows = Terms.of(kind, 0.5, radii.along.shape[1]).rows(radii).T
    return np.log(rows + floor_of(rows))


def gradient_of(force, Y, run, epoch=0):
    """The whole gradient, block by block."""
    gradient = np.zeros(Y.shape, np.float32)
    add_gradient = force.prepare(Y.astype(np.float32), epoch, run)
    run.over_rows(len(Y), lambda start, stop: add_gradient(start, stop, gradient), CHUNK)
    return gradient


def floor_of(radii):
    """ε where all points are connected."""
    return radius_floor(radii, np.ones(len(radii), bool))


def relative_error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_attraction_gradient_is_that_of_its_value(dim):
    Y, P, _, _, a, b = random_configuration(dim, dim=dim)
    numeric = reference.finite_differences(lambda Y: reference.attraction_value(Y, P, a, b), Y)
    assert relative_error(reference.attraction_gradient(Y, P, a, b), numeric) < 1e-6


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_repulsion_gradient_is_that_of_its_value(dim):
    Y, _, _, _, a, b = random_configuration(dim, dim=dim)

    def value(y):
        moved = Y.copy()
        moved[0] = y[0]
        return reference.repulsion_value(moved, 0, a, b)

    numeric = reference.finite_differences(value, Y[:1], step=1e-5)
    assert relative_error(reference.repulsion_gradient(Y, 0, a, b)[None], numeric) < 1e-6


@pytest.mark.parametrize(("kind", "kappa"), KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_density_gradient_is_that_of_its_value(dim, kind, kappa):
    Y, P, frames, radii, a, b = random_configuration(dim, dim=dim)
    N, logs = random_neighbors(P), data_logs(radii, kind)
    given = (P, N, frames, logs, a, b, floor_of(reference.map_radii(Y, N, frames, a, b, kind)), kind, kappa)
    numeric = reference.finite_differences(lambda Y: reference.density_value(Y, *given), Y)
    assert relative_error(reference.density_gradient(Y, *given), numeric) < 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_values_equal_their_twins(seed, run):
    Y, P, frames, radii, a, b = random_configuration(seed)
    N = random_neighbors(P, seed)
    edges = edges_of(P, Curve(a, b), run, N)
    P = edges.graph.weights.toarray().astype(np.float64)
    assert Attraction(edges).value(Y) == pytest.approx(reference.attraction_value(Y, P, a, b))
    repulsion = sum(5 * P[i].sum() / len(Y) * reference.repulsion_value(Y, i, a, b) for i in range(len(Y)))
    assert Repulsion(edges, 0).value(Y) == pytest.approx(repulsion)
    kind, kappa = KINDS[seed % len(KINDS)]
    frames = frames.astype(np.float32)
    on_map = reference.map_radii(Y, N, frames, a, b, kind)
    found = MapMoments.exact(Y, edges, run).radii(frames, run)
    np.testing.assert_allclose(Terms.of(kind, kappa, 2).rows(found).T, on_map, rtol=1e-5, atol=1e-12)
    agreement = reference.density_value(Y, P, N, frames, data_logs(radii, kind), a, b, floor_of(on_map), kind, kappa)
    density = 0.7 * P.sum() * agreement
    assert density_of(edges, frames, radii, run, kind, kappa).value(Y) == pytest.approx(
        reference.attraction_value(Y, P, a, b) + density, abs=1e-6 * P.sum()
    )


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_attraction_kernel_is_close_to_its_twin(seed, dim, run):
    Y, P, _, _, a, b = random_configuration(seed, m=40, dim=dim)
    found = gradient_of(Attraction(edges_of(P, Curve(a, b), run)), Y, run)
    assert relative_error(found, reference.attraction_gradient(Y, P, a, b)) < KERNEL_ERROR


@pytest.mark.parametrize(("kind", "kappa"), KINDS)
@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
def test_density_kernels_are_close_to_their_twin(seed, dim, kind, kappa, run):
    Y, P, frames, radii, a, b = random_configuration(seed, m=40, dim=dim)
    N = random_neighbors(P, seed)
    found = gradient_of(density_of(edges_of(P, Curve(a, b), run, N), frames, radii, run, kind, kappa), Y, run)
    floor = floor_of(reference.map_radii(Y, N, frames, a, b, kind))
    expected = reference.density_gradient(Y, P, N, frames, data_logs(radii, kind), a, b, floor, kind, kappa)
    pulled = reference.attraction_gradient(Y, P, a, b)
    assert relative_error(found, 0.7 * P.sum() * expected + pulled) < 2 * KERNEL_ERROR


def pairs_of_nearly_equal_points(seed, n_pairs=8, n_others=24, n_alone=30):
    """Pairs whose squared radii are about ε, other points, whose radii are the median, and points without edges."""
    Y, P, frames, radii, a, b = random_configuration(seed, m=n_others + 2 * n_pairs + n_alone)
    Y, N = Y / Y.std(), P > 0
    firsts = n_others + 2 * np.arange(n_pairs)
    P[n_others:] = P[:, n_others:] = N[n_others:] = N[:, n_others:] = 0
    P[firsts, firsts + 1] = P[firsts + 1, firsts] = N[firsts, firsts + 1] = N[firsts + 1, firsts] = 1
    Y[firsts + 1] = Y[firsts] + np.random.default_rng(seed).normal(0, 0.03, (n_pairs, 2))
    return Y, P, N, frames, radii, a, b


@pytest.mark.parametrize(("kind", "kappa"), KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_floor_of_radii_is_a_thousandth_of_their_median(seed, kind, kappa, run):
    """Where radii are about ε, the force tells its size. Points without edges have no part in the median."""
    Y, P, N, frames, radii, a, b = pairs_of_nearly_equal_points(seed)
    has_edges = N.any(axis=1)
    counted = np.ix_(has_edges, has_edges)
    force = density_of(edges_of(P, Curve(a, b), run, N), frames, radii, run, kind, kappa)
    found = gradient_of(force, Y, run)[has_edges] - reference.attraction_gradient(Y, P, a, b)[has_edges]

    Y, P, N, frames, logs = Y[has_edges], P[counted], N[counted], frames[has_edges], data_logs(radii[has_edges], kind)
    on_map = np.sort(reference.map_radii(Y, N, frames, a, b, kind), axis=0)
    floor = 1e-3 * on_map[len(on_map) // 2]
    assert on_map[4, 0] < 2 * floor[0], "the case does not tell the size of ε"
    expected = 0.7 * P.sum() * reference.density_gradient(Y, P, N, frames, logs, a, b, floor, kind, kappa)
    assert relative_error(found, expected) < 2 * KERNEL_ERROR


def test_the_weight_of_density_rises_to_its_full_size(run):
    Y, P, frames, radii, a, b = random_configuration(0)
    whole = density_of(edges_of(P, Curve(a, b), run), frames, radii, run)
    rising = replace(whole, first_epoch=350, n_epochs=150)
    pulled = gradient_of(Attraction(whole.edges), Y, run)
    full = gradient_of(whole, Y, run) - pulled
    size = np.abs(full).max()
    np.testing.assert_allclose(gradient_of(rising, Y, run, epoch=350) - pulled, full / 150, atol=1e-6 * size)
    np.testing.assert_allclose(gradient_of(rising, Y, run, epoch=499) - pulled, full, atol=1e-6 * size)


def tabulated_gradient(Y, P, curve):
    """2Σ_j P_ij pull z − (5 deg_i/m) Σ_j push z over all pairs, with the coefficients that the kernels look up."""
    gradient = np.zeros_like(Y)
    rates = NEGATIVES_PER_EDGE * P.sum(axis=1) / len(Y)
    for i, j in zip(*np.nonzero(~np.eye(len(Y), dtype=bool)), strict=True):
        z = Y[j] - Y[i]
        entry = table_entry(np.float32(z @ z))
        gradient[i] += (2 * P[i, j] * curve.pull[entry] - rates[i] * curve.push[entry]) * z
    return gradient


def test_kernels_cross_the_borders_of_chunks(run):
    """600 points are more than two chunks; their gradients in one piece and by the twin."""
    Y, P, frames, radii, a, b = random_configuration(0, m=600, apart=1e-7)
    P[np.random.default_rng(0).random(P.shape) < 0.97] = 0
    P = np.maximum(P, P.T)
    N = random_neighbors(P)
    edges = edges_of(P, Curve(a, b), run, N)
    found = gradient_of(Attraction(edges), Y, run)
    assert relative_error(found, reference.attraction_gradient(Y, P, a, b)) < KERNEL_ERROR
    found = gradient_of(density_of(edges, frames, radii, run), Y, run)
    floor = floor_of(reference.map_radii(Y, N, frames, a, b, "shape"))
    expected = reference.density_gradient(Y, P, N, frames, data_logs(radii, "shape"), a, b, floor, "shape", 0.1)
    pulled = reference.attraction_gradient(Y, P, a, b)
    assert relative_error(found, 0.7 * P.sum() * expected + pulled) < 2 * KERNEL_ERROR


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_sampled_gradient_is_unbiased(dim, run):
    """Over seeds: 2ΣP log Q + (5 deg/m) Σ log(1 − Q), as tabulated, within three standard errors; and the tables
    within their stated error of the softened formulas."""
    n_seeds = 16_000
    Y, P, _, _, _, _ = random_configuration(3, m=6, dim=dim, apart=0.3)  # so far apart that no force is clipped
    curve = Curve.fit(0.1, 1.0)
    edges = edges_of(P, curve, run)
    pulled = gradient_of(Attraction(edges), Y, run)
    draws = np.array([pulled + gradient_of(Repulsion(edges, seed), Y, run, epoch=7) for seed in range(n_seeds)])
    expected = tabulated_gradient(Y, P, curve)
    error = draws.std(axis=0) / np.sqrt(n_seeds)
    assert (np.abs(draws.mean(axis=0, dtype=np.float64) - expected) < 3 * error).all()
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
    repulsion = Repulsion(edges_of(P, Curve.fit(0.1, 1.0), run), 0)
    gradients = [gradient_of(repulsion, Y, run, epoch) for epoch in (0, 1)]
    assert not np.array_equal(gradients[0], gradients[1])


@pytest.mark.parametrize(("m", "n_drawn"), [(37, 37), (700, 700), (20_000, POOL)])
def test_draws_are_uniform(m, n_drawn):
    """Every vertex meets every point equally often: χ² over epochs of what the first and the last vertex draw."""
    numbers = np.arange(m, dtype=np.float32)[:, None]
    counts = np.zeros((2, m))
    for epoch in range(400):
        pool, windows = draw_pool(numbers, np.random.default_rng(epoch))
        drawn = pool[0].astype(int)
        assert len(drawn) == n_drawn + min(CHUNK, n_drawn)
        counts[0] += np.bincount(drawn[windows[0]], minlength=m)
        counts[1] += np.bincount(drawn[windows[-1] + (m - 1) % CHUNK], minlength=m)
    expected = 400 * DRAWS / m
    assert (((counts - expected) ** 2 / expected).sum(axis=1) < m - 1 + 5 * np.sqrt(2 * m)).all()


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
    yield "constant data radii", Y, P, frames, constant_radii(12)


def constant_radii(m):
    return Radii(np.ones(m), np.ones((m, 2)), np.ones((m, 2)))


@pytest.mark.parametrize("case", list(awkward_maps()), ids=lambda case: case[0])
def test_values_and_gradients_stay_finite(case, run):
    _, Y, P, frames, radii = case
    edges = edges_of(P, Curve.fit(0.1, 1.0), run)
    Y = Y.astype(np.float32)
    forces = [Attraction(edges), Repulsion(edges, 0)]
    if edges.graph.weights.nnz:  # the pipeline leaves density out where no point has edges
        forces.append(density_of(edges, frames, radii, run))
    for force in forces:
        assert np.isfinite(gradient_of(force, Y, run)).all()
        assert np.isfinite(force.value(Y))


def test_constant_data_radii_leave_attraction_alone(run):
    Y, P, frames, _, _, _ = random_configuration(1)
    edges = edges_of(P, Curve.fit(0.1, 1.0), run)
    found = gradient_of(density_of(edges, frames, constant_radii(len(Y)), run), Y, run)
    np.testing.assert_allclose(found, gradient_of(Attraction(edges), Y, run), rtol=1e-5, atol=1e-6)


def test_points_without_edges_have_no_part_in_density(run):
    """The force on the others is what it is without them, and there is none on them."""
    Y, P, frames, radii, a, b = random_configuration(2, m=40)
    alone = np.array([3, 17, 39])
    P[alone] = P[:, alone] = 0
    others = np.setdiff1d(np.arange(40), alone)
    whole = density_of(edges_of(P, Curve(a, b), run), frames, radii, run)
    part = density_of(edges_of(P[np.ix_(others, others)], Curve(a, b), run), frames[others], radii[others], run)
    found, expected = gradient_of(whole, Y, run), gradient_of(part, Y[others], run)
    assert (found[alone] == 0).all()
    np.testing.assert_allclose(found[others], expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    assert whole.value(Y) == pytest.approx(part.value(Y[others]), rel=1e-6)
