"""Levels of groups, the start of the coarsest map, and the descent from coarse to fine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import FeatMAP
from featmap.checks import settings
from featmap.checks.settings import BETWEEN, COARSE, COARSE_ABOVE, COARSE_OF_MANY, FULL, REFINING, Plan
from featmap.data.scaling import scale_data
from featmap.layout import levels as levels_module
from featmap.layout.coarse import coarsen, spread
from featmap.layout.descent import State, descend
from featmap.layout.forces import Attraction, Repulsion
from featmap.layout.levels import CoarseStart, coarse_start, coarser_graphs, descend_by_levels, points_at_centers
from featmap.layout.order import order_along_map
from featmap.layout.similarity import Curve
from featmap.layout.start import SIZE
from featmap.layout.units import Units
from stages import as_graph, neighbors_and_graph

CURVE = Curve.fit(0.1, 1.0)


@pytest.fixture
def along():
    """Places on a curve."""
    return np.sort(np.random.default_rng(0).uniform(0, 10, 1500))


@pytest.fixture
def on_a_curve(along, run):
    """Data along the curve, and their graph."""
    X = np.column_stack([along, np.random.default_rng(1).normal(0, 0.02, (len(along), 4))])
    data, _, graph = neighbors_and_graph(X, run)
    return data, graph


def graph_of(first, second, n_points):
    """A graph with these edges, all of weight 1."""
    weights = sp.coo_matrix((np.ones(len(first), np.float32), (first, second)), (n_points, n_points))
    return as_graph((weights + weights.T).tocsr())


@pytest.fixture(params=[10_000, 60, 30])
def few(request, monkeypatch):
    """How many groups are few."""
    monkeypatch.setattr(levels_module, "FEW", request.param)
    return request.param


def test_groups_are_joined_until_they_are_few(few, on_a_curve, run):
    _, graph = on_a_curve
    found = coarser_graphs(graph, 0, run)
    sizes = [len(level.centers) for level in found]
    assert sizes[-1] <= few
    assert all(size > few for size in sizes[:-1])
    for level in found:
        expected = coarsen(graph, 0, run)
        np.testing.assert_array_equal(level.groups, expected.groups)
        graph = expected.graph
        np.testing.assert_array_equal(level.graph.weights.toarray(), graph.weights.toarray())


def test_centers_of_the_coarsest_groups_are_points(on_a_curve, run, monkeypatch):
    """Each is a centre of every level."""
    monkeypatch.setattr(levels_module, "FEW", 30)
    found = coarser_graphs(on_a_curve[1], 0, run)
    assert len(found) > 2
    names = np.arange(1500)
    for level in found:
        names = names[level.centers]
    np.testing.assert_array_equal(points_at_centers(found), names)


@pytest.mark.usefixtures("few")
def test_the_coarse_start_shows_the_order_of_the_data(along, on_a_curve, run):
    start = coarse_start(*on_a_curve, 2, 0, run)
    assert start.embedding.shape == (len(start.levels[-1].centers), 2)
    assert np.abs(start.embedding).max() == pytest.approx(SIZE, rel=0.01)
    assert abs(np.corrcoef(start.embedding[:, 0], along[points_at_centers(start.levels)])[0, 1]) > 0.95


@pytest.mark.usefixtures("few")
def test_groups_of_one_coarser_group_are_side_by_side(on_a_curve, run):
    """The coarsest are in the order of their map. But for the numbers of groups the levels are as they were."""
    data, graph = on_a_curve
    start, plain = coarse_start(data, graph, 2, 0, run), coarser_graphs(graph, 0, run)
    assert np.array_equal(order_along_map(start.embedding).rows, np.arange(len(start.embedding)))
    numbers = np.arange(1500)  # of the points of a level, for those of the plain one
    for found, expected in zip(start.levels, plain, strict=True):
        assert np.array_equal(found.groups, np.sort(found.groups)) or found is start.levels[0]
        groups = np.empty(len(expected.centers), int)
        groups[expected.groups] = found.groups[numbers]
        assert np.array_equal(groups[expected.groups], found.groups[numbers])
        assert np.array_equal(found.centers[groups], numbers[expected.centers])
        weights = found.graph.weights.toarray()
        assert np.array_equal(weights[np.ix_(groups, groups)], expected.graph.weights.toarray())
        numbers = groups


@pytest.mark.parametrize("n_pairs", [0, 30])
def test_groups_without_edges_are_not_joined_for_ever(n_pairs, run, monkeypatch):
    """More groups than are few, none of them connected to another."""
    monkeypatch.setattr(levels_module, "FEW", 50)
    graph = graph_of(2 * np.arange(n_pairs), 2 * np.arange(n_pairs) + 1, 200)
    X = np.random.default_rng(0).normal(size=(200, 5))
    start = coarse_start(scale_data(X), graph, 2, 0, run)
    assert len(start.embedding) == 200 - n_pairs
    assert np.isfinite(start.embedding).all()


def test_groups_around_a_hub_are_not_joined_one_by_one(run, monkeypatch):
    """All points of a star but its middle are centres, and of each coarser graph as well."""
    monkeypatch.setattr(levels_module, "FEW", 50)
    found = coarser_graphs(graph_of(np.zeros(199, int), np.arange(1, 200), 200), 0, run)
    assert [len(level.centers) for level in found] == [199]


def by_hand(start: CoarseStart, epochs, run):
    """Each level descends from the map of the one before."""
    embedding = start.embedding
    for number in range(len(start.levels) - 1, -1, -1):
        level, state = start.levels[number], State.start(embedding)
        known = level.graph, CURVE, Units.equal(level.graph)
        descend(state, [Attraction(*known), Repulsion(*known, 0)], epochs[number], epochs[number], run)
        embedding = state.embedding
        if number:
            embedding = spread(embedding, level.groups, start.levels[number - 1].graph, 0, run)
    return embedding


@pytest.mark.parametrize(("few", "epochs"), [(10_000, [7]), (60, [5, 7]), (30, [5, 6, 7]), (30, [0, 6, 7])])
def test_levels_descend_one_after_another(few, epochs, on_a_curve, run, monkeypatch):
    monkeypatch.setattr(levels_module, "FEW", few)
    data, graph = on_a_curve
    start = coarse_start(data, graph, 2, 0, run)
    assert len(start.levels) == len(epochs)
    found = descend_by_levels(State.start(start.embedding), start, CURVE, epochs, 0, run)
    np.testing.assert_array_equal(found, by_hand(start, epochs, run))


@pytest.mark.parametrize("few", [10_000, 2])
@pytest.mark.parametrize(
    "X",
    [np.zeros((20, 3)), np.eye(3), np.repeat(np.eye(4), 30, axis=0), np.arange(2.0)[:, None]],
    ids=["equal rows", "tiny", "parts of equal rows", "two rows"],
)
def test_maps_of_hard_data_are_finite(X, few, run, monkeypatch):
    monkeypatch.setattr(levels_module, "FEW", few)
    data, _, graph = neighbors_and_graph(X, run)
    start = coarse_start(data, graph, 2, 0, run)
    found = descend_by_levels(State.start(start.embedding), start, CURVE, [3] * len(start.levels), 0, run)
    assert found.shape == (len(start.levels[0].centers), 2)
    assert np.isfinite(found).all()


MANY = COARSE_ABOVE + 1


def plan_of(n_epochs, init, n_rows):
    usual = settings.fit_settings("FeatMAP", FeatMAP().get_params(), (100, 2), seed=0)
    return replace(usual, init=init, n_epochs=n_epochs).plan(n_rows)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((None, "auto", COARSE_ABOVE), Plan(0, FULL)),
        ((None, "auto", MANY), Plan(COARSE, REFINING)),
        ((None, "auto", settings.MANY), Plan(COARSE, REFINING)),
        ((None, "auto", settings.MANY + 1), Plan(COARSE_OF_MANY, REFINING)),
        ((None, "spectral", MANY), Plan(0, FULL)),
        ((None, np.zeros((MANY, 2)), MANY), Plan(0, FULL)),
        ((200, "auto", MANY), Plan(0, 200)),
        ((7, "auto", 10), Plan(0, 7)),
    ],
)
def test_plans(asked, expected):
    """A number means that many full epochs; None begins with groups where rows are many and no start is given."""
    assert plan_of(*asked) == expected


def test_the_coarsest_level_has_most_epochs():
    chosen = plan_of(None, "auto", MANY)
    assert chosen.of_levels(1) == [COARSE]
    assert chosen.of_levels(3) == [BETWEEN, BETWEEN, COARSE]
