"""The rows around a point on the map: their weights, how they are halved, and which of them depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap import FeatMAP, InvalidDataError, explain
from featmap.explanation.dependence import copies_of_rows, joined_with_groups
from featmap.explanation.neighborhoods import Neighborhoods
from featmap.explanation.walk import walk_weights
from featmap.kernels.neighborhoods import take_turns
from featmap.values import Neighbors


def around(explanation, rows, k):
    points = explanation._points
    return Neighborhoods.around(points, np.array(rows, np.int32), k, points.mapped.copies)


def graph_of(explanation):
    return explanation._points.mapped.manifold.graph.weights.toarray()


@pytest.mark.parametrize("k", [12, 40, 100])
def test_weights_of_a_walk_equal_their_twin(k, digits_model):
    points, P = digits_model._points, graph_of(digits_model)
    rows = np.array([0, 3, 1000], np.int32)
    near = points.nearest_on_map(rows, k)
    for row, others, found in zip(rows, near, walk_weights(points, rows, near), strict=True):
        np.testing.assert_allclose(found, reference.walk_weights(P, P[row], others, row), rtol=1e-9, atol=1e-15)


def test_a_walk_from_a_new_row_does_not_come_back_to_it(digits_model, digits):
    new = digits_model.explain(digits[:4] + 0.4)
    points, P, rows = new._points, graph_of(digits_model), np.arange(4, dtype=np.int32)
    near = points.nearest_on_map(rows, 80)
    for row, others, found in zip(rows, near, walk_weights(points, rows, near), strict=True):
        links = points.links[row].toarray().ravel()
        np.testing.assert_allclose(found, reference.walk_weights(P, links, others, -1), rtol=1e-9, atol=1e-15)


def test_a_walk_stays_in_its_group(rng):
    """Two groups that lie on the same place of the map and far from each other in the data."""
    X = rng.normal(size=(200, 5))
    X[100:] += 50
    found = around(explain(X, rng.normal(size=(200, 2))), [0, 150], 80)
    is_other = (found.near < 100) != (np.array([0, 150]) < 100)[:, None]
    assert is_other.any(axis=1).all()
    assert (found.weights[is_other] == 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)


def test_where_the_walk_reaches_too_few_rows_the_nearest_count(rng):
    """Pairs of rows, which have no edge to anything else among the nearest on the map."""
    X = np.repeat(np.arange(100.0)[:, None] * 1000, 3, axis=1) + rng.normal(size=(100, 3))
    found = around(explain(X, rng.normal(size=(100, 2)), n_neighbors=3), range(100), 50)
    few = (found.weights > 0).sum(axis=1)
    assert (few >= 16).all()
    assert (few == 30).any()
    assert (found.weights[few == 30][:, 30:] == 0).all()


def test_halves_take_turns_in_the_order_of_distance(digits_model):
    found = around(digits_model, [0, 7], 60)
    for p, halves in enumerate(zip(*(half.weights for half in found.halves), strict=True)):
        for half, expected in zip(halves, reference.halves(found.weights[p], found.units[p]), strict=True):
            np.testing.assert_allclose(half, expected, rtol=1e-12)
        assert not (halves[0] * halves[1]).any()


def test_copies_are_in_the_same_half(rng):
    X = np.repeat(rng.normal(size=(120, 6)), 3, axis=0)
    X += 1e-3 * rng.normal(size=X.shape)
    Y = np.repeat(rng.normal(size=(120, 2)), 3, axis=0)
    explanation = explain(X, Y + 1e-3 * rng.normal(size=Y.shape))
    assert np.array_equal(explanation._points.mapped.copies, np.repeat(np.arange(120), 3))
    found = around(explanation, [0, 100], 90)
    sides = np.where(found.halves[0].weights > 0, 0, np.where(found.halves[1].weights > 0, 1, -1))
    for near, side in zip(found.near // 3, sides, strict=True):
        assert all(len(set(side[(near == number) & (side >= 0)])) <= 1 for number in set(near))


def test_rows_count_as_copies_below_a_tenth_of_the_usual_distance():
    indices = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [2, 1, 0]], np.int32)
    distances = np.array([[0.09, 1, 2], [0.09, 1, 2], [1, 1, 1], [1, 2, 2]], np.float32)
    assert copies_of_rows(Neighbors(indices, distances), "euclidean").tolist() == [0, 0, 1, 2]
    missing = np.array([[0.0, np.inf, np.inf], [0.0, 2, 3], [3, 3, np.inf], [1, 2, 2]], np.float32)
    assert copies_of_rows(Neighbors(indices, missing), "euclidean").tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("options", [{}, {"n_neighbors": 60}, {"n_tangent_neighbors": 80}])
def test_neighbours_along_a_curve_are_not_copies(metric, options, rng):
    """Chains of near rows would make the whole curve one unit, whose halves are empty."""
    t = np.sort(rng.uniform(0, 3, size=800))
    X = np.column_stack([np.cos(k * t) for k in range(1, 9)]) + 0.01 * rng.normal(size=(800, 8)) + 3
    explanation = explain(X, np.column_stack([t, rng.uniform(0, 0.1, size=800)]), metric=metric, **options)
    assert len(np.unique(explanation._points.mapped.copies)) > 700
    assert np.median(explanation.fidelity(range(0, 800, 20))) > 0.5


def test_a_row_joins_the_first_that_it_equals_and_chains_are_cut():
    """Rows 0 to 3 in a chain of near steps: 1 joins 0, 2 does not, and 3 joins 2. Rows 4 and 5 are equal."""
    indices = np.array([[1, 4], [0, 2], [1, 3], [2, 4], [5, 3], [4, 3]], np.int32)
    distances = np.array([[0.1, 9], [0.1, 0.1], [0.1, 0.1], [0.1, 9], [0, 9], [0, 9]], np.float32)
    distances = np.column_stack([distances, np.full((6, 12), 9.0)]).astype(np.float32)
    others = np.column_stack([indices, np.tile(np.arange(12) % 6, (6, 1))]).astype(np.int32)
    assert copies_of_rows(Neighbors(others, distances), "euclidean").tolist() == [0, 0, 1, 1, 2, 2]


def test_groups_join_copies():
    joined = joined_with_groups(np.array([0, 1, 1, 2, 3]), np.array([0, 0, 1, 2, 2]))
    assert joined.tolist() == [0, 0, 0, 1, 1]


def test_the_effective_number_of_rows_counts_copies_once(rng):
    once = rng.normal(size=(100, 4)), rng.normal(size=(100, 2))
    twice = [np.repeat(part, 2, axis=0) for part in once]
    found = around(explain(*twice), range(0, 200, 20), 60)
    by_unit = [np.bincount(units, weights) for units, weights in zip(found.units, found.weights, strict=True)]
    np.testing.assert_allclose(found.n_effective, [1 / (sums**2).sum() for sums in by_unit])
    assert (found.n_effective <= 30).all()


def test_a_neighborhood_of_one_group_has_no_score(rng):
    Y = rng.normal(size=(60, 2))
    explanation = explain(Y @ rng.normal(size=(2, 4)), Y)
    assert np.median(explanation.fidelity()) > 0.5
    assert (explanation.fidelity(groups=np.zeros(60)) == 0).all()
    assert (explanation.explained_variance(groups=["one"] * 60) == 0).all()


@pytest.mark.parametrize("groups", [np.zeros(59), [None] * 60, np.zeros((60, 2))])
def test_groups_must_be_labels_of_all_rows(groups, model_with_copies):
    explanation = model_with_copies
    for ask in (explanation.fidelity, explanation.explained_variance, explanation.trust):
        with pytest.raises(InvalidDataError, match=r"\(groups=…\): "):
            ask(groups=groups)


def test_weights_do_not_depend_on_the_batch(digits_model):
    together, alone = around(digits_model, [5, 9], 100), around(digits_model, [9], 100)
    assert np.array_equal(together.weights[1:], alone.weights)


def test_maps_with_unconnected_rows_have_finite_weights():
    X = np.vstack([np.eye(30, dtype=bool), np.eye(30, dtype=bool)])
    model = FeatMAP(metric="jaccard", n_neighbors=4, n_epochs=5, random_state=0).fit(np.hstack([X, X]))
    found = around(model, range(60), 59)
    assert np.isfinite(found.weights).all()


def test_units_take_turns(rng):
    weights = rng.random((6, 40)) * (rng.random((6, 40)) < 0.7)
    weights[5] = 0
    units = rng.integers(12, size=(6, 40)).astype(np.int32)
    sides = np.empty((6, 40), np.int8)
    take_turns(weights, units, 12, sides)
    assert np.array_equal(sides < 0, weights == 0)
    for row, found, of_row in zip(weights, sides, units, strict=True):
        for side, expected in enumerate(reference.halves(row, of_row)):
            assert np.array_equal(found == side, expected > 0)
