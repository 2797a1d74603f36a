"""Taking important features from a point moves it; taking others does not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from featmap import FeatMAP, InvalidParameterError, explain
from featmap.explanation.perturbation import Perturbation
from featmap.explanation.placement import place_rows
from featmap.kernels.placement import weighted_means
from featmap.metrics import perturbation
from featmap.run import Run


@pytest.fixture(scope="module")
def model(digits):
    return FeatMAP(random_state=0, n_epochs=200).fit(digits)


def test_important_features_move_points_furthest(model):
    moves = perturbation(model)
    assert (moves.most > moves.random).all()
    assert (moves.random >= moves.least).all()
    assert (moves.floor > moves.random).all()
    assert moves.area > 0.1
    assert (np.diff(moves.most) >= -0.02).all()


@pytest.mark.parametrize("fraction", [0.25, 1.0])
def test_moves_equal_their_twin(digits, model, fraction):
    """The most important features of a row are replaced by their means over its neighbours, and it is placed anew."""
    rows = [3, 900, 40]
    embedding, importance = model.embedding_, model.feature_importance(rows)
    changed = digits[rows]
    for row, near, weights in zip(changed, model._points.tangents.neighbors[rows], importance, strict=True):
        taken = np.argsort(-weights, kind="stable")[: int(fraction * 64)]
        row[taken] = digits[near][:, taken].mean(axis=0)
    links = model.graph_[rows].tocoo()
    link_length = np.linalg.norm(embedding[links.col] - embedding[rows][links.row], axis=1).mean()
    with Run(1) as run:
        placed = place_rows(changed, model._points.mapped.manifold, embedding, run, weighted_means)
    expected = np.linalg.norm(placed - embedding[rows], axis=1).mean() / link_length
    found = perturbation(model, rows, fractions=[0.1, fraction])
    assert found.most[-1] == pytest.approx(expected, rel=1e-3)


def test_the_floor_equals_its_twin(digits, model):
    """As many random features as important ones, of those that differ from the neighbours, changed by as much."""
    rows = np.array([3, 900, 40])
    importance, neighbors = model.feature_importance(rows), model._points.tangents.neighbors[rows]
    at_random = np.random.default_rng(7).random(importance.shape)
    changed = digits[rows].astype(np.float64)
    for row, near, weights, order in zip(changed, neighbors, importance, at_random, strict=True):
        change = digits[near].mean(axis=0) - row
        taken = np.argsort(-weights, kind="stable")[:16]
        others = [feature for feature in np.argsort(order) if change[feature] != 0][:16]
        row[others] += change[others] * np.linalg.norm(change[taken]) / np.linalg.norm(change[others])
    links = model.graph_[rows].tocoo()
    link_length = np.linalg.norm(model.embedding_[links.col] - model.embedding_[rows][links.row], axis=1).mean()
    with Run(1) as run:
        placed = place_rows(changed, model._points.mapped.manifold, model.embedding_, run, weighted_means)
    expected = np.linalg.norm(placed - model.embedding_[rows], axis=1).mean() / link_length
    found = perturbation(model, rows, fractions=[0.1, 0.25], random_state=7)
    assert found.floor[-1] == pytest.approx(expected, rel=1e-3)


def test_where_features_are_alike_important_ones_are_at_the_floor(rng):
    """Independent features of one spread: it does not matter which of them are taken."""
    moves = perturbation(FeatMAP(random_state=0, n_epochs=20).fit(rng.normal(size=(1000, 60))), range(400))
    assert abs(moves.area) < 0.1


def test_features_without_variance_move_nothing_and_are_not_in_the_floor(rng):
    """Three features of thirty vary: the floor has all three, as the most important ones are."""
    X = np.column_stack([rng.normal(size=(200, 3)), np.ones((200, 27))])
    model = FeatMAP(random_state=0, n_epochs=20).fit(X[:150])
    for explained in (model, model.explain(X[150:160])):
        moves = perturbation(explained, [0, 5, 9], fractions=[0.1, 0.5])
        np.testing.assert_allclose(moves.floor, moves.most, rtol=1e-5)
        assert (moves.least < 1e-5).all()
        assert (moves.most > 0.005).all()


def test_on_a_map_without_extent_nothing_moves(rng):
    moves = perturbation(explain(rng.normal(size=(60, 5)), np.zeros((60, 2))), [0, 1])
    assert (moves.most == 0).all()


def test_any_map_can_be_perturbed(digits, model):
    """Rows are placed on a map of any origin by the same rule."""
    ours, other = perturbation(model, [1, 2, 3]), perturbation(explain(digits, model.embedding_), [1, 2, 3])
    np.testing.assert_allclose(other.most, ours.most, rtol=1e-5)


def test_moves_are_measured_in_steps_to_neighbors(digits, model):
    larger = perturbation(explain(digits, 100 * model.embedding_), [1, 2, 3])
    np.testing.assert_allclose(larger.most, perturbation(model, [1, 2, 3]).most, rtol=1e-4)


def test_one_seed_one_result(model):
    first, second, other = (perturbation(model, np.arange(20), random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.random, second.random)
    assert not np.array_equal(first.random, other.random)
    np.testing.assert_array_equal(first.most, other.most)


def test_area_is_relative_to_the_floor():
    fractions = np.array([0.1, 0.3, 0.5])
    same = Perturbation(fractions, np.ones(3), np.zeros(3), np.zeros(3), np.ones(3))
    assert same.area == 0
    assert Perturbation(fractions, 3 * np.ones(3), np.zeros(3), np.zeros(3), np.ones(3)).area == pytest.approx(2)
    assert "area 0.000" in repr(same)


@pytest.mark.parametrize("fractions", [[0.1], [0, 0.5], [0.5, 0.1], [0.5, 1.5], 0.3])
def test_wrong_fractions(model, fractions):
    with pytest.raises(InvalidParameterError, match="fractions"):
        perturbation(model, [0], fractions=fractions)


def test_what_is_no_model_is_refused(digits):
    with pytest.raises(InvalidParameterError, match=r"perturbation\(model=…\): .*Explanation.*got ndarray"):
        perturbation(digits)
    with pytest.raises(NotFittedError):
        perturbation(FeatMAP())
