"""Units: the length of every edge in the data, normalised and bounded, and the radius of every point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

import reference
from featmap import FeatMAP
from featmap.layout.units import (
    BOUND,
    FLOOR,
    MOST_SPREAD,
    USUAL_POWER,
    Units,
    chosen_power,
    lengths_of_edges,
    root_mean_squares,
    usual_distance,
)
from featmap.run import Run
from featmap.values import Neighbors, Order
from stages import CONNECT_ALL, as_graph, neighbors_and_graph


def shuffled(m, rng):
    return Order.of(rng.permutation(m).astype(np.int32))


def in_an_order(X, run, rng):
    """Neighbours in the order of the rows, and their graph in another one."""
    _, near, graph = neighbors_and_graph(X, run)
    order = shuffled(len(X), rng)
    return near, order, order.graph_into_layout(graph)


def pair_distances(near):
    """The distance from each row to each of its neighbours, by pairs of rows."""
    return {
        (i, int(j)): float(d)
        for i, (indices, distances) in enumerate(zip(near.indices, near.distances, strict=True))
        for j, d in zip(indices, distances, strict=True)
    }


def test_lengths_are_the_distances_between_the_rows_of_an_edge(rng, run):
    near, order, graph = in_an_order(rng.normal(size=(300, 4)), run, rng)
    known = pair_distances(near)
    lengths = lengths_of_edges(graph, near, order, CONNECT_ALL, run)
    for i, j, length in zip(graph.sources, graph.weights.indices, lengths, strict=True):
        here, there = int(order.rows[i]), int(order.rows[j])
        assert length == np.float32(max(known.get((here, there), 0.0), known.get((there, here), 0.0)))


def test_an_edge_has_one_length_even_if_its_ends_were_given_two(run):
    """Neighbours that a user gives need not be symmetric; a neighbour at the limit is missing."""
    near = Neighbors(
        np.array([[1, 2], [0, 2], [0, 1]], np.int32),
        np.array([[1.0, np.inf], [3.0, 5.0], [2.0, 4.0]], np.float32),
    )
    graph = as_graph(np.ones((3, 3)) - np.eye(3))
    lengths = lengths_of_edges(graph, near, Order.of_the_rows(3), np.inf, run)
    expected = {(0, 1): 3.0, (0, 2): 2.0, (1, 2): 5.0}
    for i, j, length in zip(graph.sources, graph.weights.indices, lengths, strict=True):
        assert length == expected[min(i, j), max(i, j)]


@pytest.mark.parametrize("density", [0.5, 1.0, 2.0, 10.0])
def test_units_equal_their_twin(density, rng, run):
    near, order, graph = in_an_order(np.exp(rng.normal(size=(400, 3))), run, rng)
    usual = usual_distance(near, CONNECT_ALL)
    found = Units.of(graph, near, order, density, CONNECT_ALL, run)
    lengths = lengths_of_edges(graph, near, order, CONNECT_ALL, run).astype(np.float64) / usual
    of_edges = reference.units_of_lengths(lengths, graph.weights.data.astype(float), density, FLOOR, BOUND)
    np.testing.assert_allclose(1 / found.of_edges, of_edges, rtol=1e-4)
    radii = np.sqrt((near.distances.astype(np.float64) ** 2).mean(axis=1)) / usual
    of_points = reference.units_of_lengths(radii, np.ones(len(radii)), density, FLOOR, BOUND)
    np.testing.assert_allclose(1 / found.of_points**2, of_points[order.rows], rtol=1e-4)


def test_without_density_all_units_are_one(rng, run):
    near, order, graph = in_an_order(rng.normal(size=(100, 3)), run, rng)
    units = Units.of(graph, near, order, 0, CONNECT_ALL, run)
    assert (units.of_edges == 1).all()
    assert (units.of_points == 1).all()


def test_units_are_bounded_whatever_the_tails(rng, run):
    """Incomes and counts reach over ten decades, units over exp(±BOUND)."""
    near, order, graph = in_an_order(np.exp(rng.normal(0, 8, size=(400, 2))), run, rng)
    assert np.ptp(np.log(near.distances[:, -1])) > 20, "the case has no heavy tails"
    units = Units.of(graph, near, order, 2.0, CONNECT_ALL, run)
    assert np.abs(np.log(units.of_edges)).max() <= BOUND * (1 + 1e-6)
    assert np.abs(np.log(units.of_points**2)).max() <= BOUND * (1 + 1e-6)


def test_the_choice_of_density_is_by_the_bulk_of_the_radii_and_not_by_a_few(rng):
    logs = rng.normal(size=2000).astype(np.float32)
    assert chosen_power(logs * np.float32(0.2)) == USUAL_POWER
    assert chosen_power(logs) == pytest.approx(2 * MOST_SPREAD, rel=0.1)
    assert chosen_power(logs * np.float32(2)) == pytest.approx(MOST_SPREAD, rel=0.1)
    logs[:100] = 30
    assert chosen_power(logs) == pytest.approx(2 * MOST_SPREAD, rel=0.15)
    assert chosen_power(np.zeros(0, np.float32)) == chosen_power(np.zeros(5, np.float32)) == USUAL_POWER


@pytest.mark.parametrize("exponent", [-60, -3, 5, 60])
def test_data_in_another_unit_have_the_same_units(exponent, rng, run):
    near, order, graph = in_an_order(rng.normal(size=(300, 4)), run, rng)
    scaled = Neighbors(near.indices, np.ldexp(near.distances, exponent).astype(np.float32))
    expected, found = (Units.of(graph, given, order, 1.5, CONNECT_ALL, run) for given in (near, scaled))
    assert np.array_equal(found.of_edges, expected.of_edges)
    assert np.array_equal(found.of_points, expected.of_points)


def test_copies_and_lonely_rows_have_finite_units(rng, run):
    """Copies are at distance 0, and a row without neighbours has the unit 1."""
    X = np.repeat(rng.normal(size=(20, 3)), 20, axis=0)
    near, order, graph = in_an_order(X, run, rng)
    assert (near.distances == 0).all()
    units = Units.of(graph, near, order, 1.5, CONNECT_ALL, run)
    assert (units.of_edges == 1).all()
    assert (units.of_points == 1).all()
    distances = near.distances + np.float32(1)
    distances[7] = np.inf
    units = Units.of(graph, Neighbors(near.indices, distances), order, 1.5, np.inf, run)
    assert np.isfinite(units.of_edges).all()
    assert units.of_points[order.positions[7]] == 1


def test_the_usual_distance_is_the_median_of_what_is_there():
    indices = np.zeros((4, 2), np.int32)
    distances = np.array([[1, 2], [3, np.inf], [0, 9], [2, 4]], np.float32)
    assert usual_distance(Neighbors(indices, distances), np.inf) == 2  # of 0, 1, 2, 2, 3, 4, 9
    mostly_zero = np.array([[0, 0], [0, 0], [0, 0], [0, 8]], np.float32)
    assert usual_distance(Neighbors(indices, mostly_zero), np.inf) == 1  # their mean
    assert usual_distance(Neighbors(indices, np.zeros((4, 2), np.float32)), np.inf) == 1
    assert usual_distance(Neighbors(indices, np.full((4, 2), np.inf, np.float32)), np.inf) == 1


def test_radii_are_over_the_neighbours_that_are_there(run):
    near = Neighbors(np.zeros((2, 2), np.int32), np.array([[3, np.inf], [6, 8]], np.float32))
    radii, has_neighbors = root_mean_squares(near, 2.0, np.inf, run)
    np.testing.assert_allclose(radii, [1.5, np.sqrt(12.5)])
    assert has_neighbors.tolist() == [True, True]


def test_units_on_any_number_of_threads_have_the_same_bytes(rng):
    found = set()
    X = rng.normal(size=(5000, 5))
    for n_jobs in (1, 2, 3):
        with Run(n_jobs) as run:
            near, order, graph = in_an_order(X, run, np.random.default_rng(0))
            units = Units.of(graph, near, order, 1.5, CONNECT_ALL, run)
            found.add(units.of_edges.tobytes() + units.of_points.tobytes())
    assert len(found) == 1


def blobs_of_different_sizes(rng):
    """Four blobs in ten dimensions, each twice as wide as the one before."""
    widths = np.repeat([1.0, 2.0, 4.0, 8.0], 150)
    centers = np.repeat(200 * np.eye(4, 10), 150, axis=0)
    return centers + widths[:, None] * rng.normal(size=(600, 10)), widths


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_wide_groups_are_drawn_wide_in_proportion(dim, rng):
    """The slope of log width on the map against log width in the data is about p, and 0 without density."""
    X, widths = blobs_of_different_sizes(rng)
    slopes = {}
    for density in (0.0, 1.0):
        model = FeatMAP(n_components=dim, density=density, random_state=0, n_epochs=200).fit(X)
        on_map = [_width(model.embedding_[widths == width]) for width in np.unique(widths)]
        slopes[density] = np.polyfit(np.log(np.unique(widths)), np.log(on_map), 1)[0]
    assert abs(slopes[0.0]) < 0.25
    assert 0.6 < slopes[1.0] < 1.6


def _width(Y):
    """The median distance from the middle, which single points do not move."""
    return np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1))


def test_tails_do_not_tear_the_map(rng):
    """Counts and incomes: no row is far from the others, and groups that are there are seen."""
    groups = np.repeat(np.arange(3), 200)
    X = np.exp(rng.normal(0, 1.5, size=(600, 6)))
    X[:, :3] += 30 * np.eye(3)[groups] * np.exp(rng.normal(0, 1, size=(600, 1)))
    for density in (1.0, 2.0):
        Y = FeatMAP(density=density, random_state=0, n_epochs=200).fit_transform(X)
        distances = np.linalg.norm(Y - np.median(Y, axis=0), axis=1)
        assert distances.max() < 8 * np.median(distances)


def test_the_default_depends_on_the_number_of_components_and_on_the_data(rng):
    """It is the usual one where local scales are alike, less for heavy tails, and none for more than three."""
    setting, X = {"random_state": 0, "n_epochs": 20}, rng.normal(size=(200, 6))
    in_space = FeatMAP(n_components=3, **setting).fit(X)
    assert in_space.density_ == USUAL_POWER
    same = FeatMAP(n_components=3, density=USUAL_POWER, **setting).fit(X)
    assert np.array_equal(in_space.embedding_, same.embedding_)
    assert 0 < FeatMAP(**setting).fit(np.exp(rng.normal(0, 4, size=(200, 6)))).density_ < 1
    many = FeatMAP(n_components=4, **setting).fit(X)
    assert many.density_ == 0
    assert np.array_equal(many.embedding_, FeatMAP(n_components=4, density=0, **setting).fit_transform(X))


def test_units_begin_with_the_second_quarter_of_the_epochs(rng, run):
    """Until then the map is the one without density."""
    X = rng.normal(size=(300, 4))
    maps = {}
    for density in (0.0, 2.0):
        for last in (10, 11):

            def stop(stage, done, total, last=last):
                return stage == "layout" and done == last

            model = FeatMAP(density=density, random_state=0, n_epochs=40).fit(X, callback=stop)
            maps[density, last] = model.embedding_
            assert model.density_ == (density if last == 11 else 0)
    assert np.array_equal(maps[0.0, 10], maps[2.0, 10])
    assert not np.array_equal(maps[0.0, 11], maps[2.0, 11])


@pytest.mark.parametrize("metric", ["cosine", "manhattan", "precomputed", "given"])
def test_density_follows_the_distances_of_the_neighbours_in_any_metric(metric, rng):
    X = 400 + blobs_of_different_sizes(rng)[0]
    kind, given = {"metric": metric}, None
    if metric == "precomputed":
        X = np.linalg.norm(X[:, None] - X[None], axis=2)
    if metric == "given":
        kind, given = {}, FeatMAP(random_state=0, n_epochs=5).fit(X).neighbors_
    model = FeatMAP(random_state=0, n_epochs=200, density=2.0, precomputed_knn=given, **kind).fit(X)
    to_neighbors = model.neighbors_[1].mean(axis=1)
    steps = model.embedding_[model.neighbors_[0]] - model.embedding_[:, None]
    on_map = np.linalg.norm(steps, axis=2).mean(axis=1)
    assert spearmanr(to_neighbors, on_map)[0] > 0.5
