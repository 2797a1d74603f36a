"""Moves: placed as transform places rows, accepted if both neighbourhoods agree, silent where nothing is known."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from answers_cases import asked, nearest, two_groups
from featmap import FeatMAP, InvalidParameterError, explain
from featmap.answers.asking import MapAnswers
from featmap.answers.making import drawn_by_another, drawn_by_model
from featmap.answers.moving import Moved, place_changed
from featmap.answers.table import Table
from featmap.answers.values import Move
from featmap.run import SERIAL

LETTERS = list("abcdef")


@pytest.fixture(scope="module")
def model():
    """Row 0 has two columns of the other group, and lies there."""
    X, _, labels = two_groups(80)
    X[0, :2] = X[80:, :2].mean(axis=0) * 2
    return FeatMAP(random_state=0, n_epochs=100).fit(X), X, labels


@pytest.fixture(scope="module")
def answers(model):
    fitted, X, labels = model
    return MapAnswers(Table.of_array(X, names=LETTERS), drawn_by_model(fitted, X=X), labels, n_jobs=1)


def test_changed_rows_are_placed_as_transform_places_them(model, answers):
    """A far row of the fit has no part in the place of a new row, so both must agree."""
    fitted, X, _ = model
    rows = X[[20, 30]] + 0.05
    moved = place_changed(answers.drawn, rows, 150, 14, SERIAL)
    np.testing.assert_allclose(moved.places, fitted.transform(rows), atol=1e-5)


def test_the_row_itself_is_left_out(answers, model):
    X = model[1]
    moved = place_changed(answers.drawn, X[[7]], 7, 14, SERIAL)
    assert 7 not in moved.on_map
    assert set(moved.in_data[0]) == set(nearest(X, 7, 14))


def test_a_move_takes_back_what_was_planted(answers, model):
    X, labels = model[1:]
    move = answers.counterfactual(0, target="left")
    features = {name for change in move.changes for name in (change.feature, *change.alike)}
    assert features & {"a", "b"}
    assert (np.flatnonzero(move.row != X[0]) < 2).any()
    assert min(move.on_map, move.in_data) >= 0.8 * move.n
    placed = place_changed(answers.drawn, np.asarray(move.row)[None], 0, 14, SERIAL)
    assert (labels[placed.on_map[0]] == "left").sum() == move.on_map
    assert (labels[placed.in_data[0]] == "left").sum() == move.in_data
    assert move.place == pytest.approx(placed.places[0])


def test_no_smaller_change_is_accepted(answers):
    """The move is the first of all ways in the order of their sizes."""
    move = answers.counterfactual(0, target="left")
    mover, is_left = answers.mover, answers.labels.codes == 0
    target = mover._target(0, is_left, "left")
    candidates = mover._candidates(0, target)
    ways = mover._ways(candidates, target)
    costs = [way.cost for way in ways]
    assert costs == sorted(costs)
    n = len(candidates)
    assert len(ways) == n + n * (n - 1) // 2 + n * (n - 1) * (n - 2) // 6
    accepted = []
    for way in ways:
        changed = mover._changed(0, [candidates[one] for one in way.chosen], target)[None]
        moved = place_changed(answers.drawn, changed, 0, 14, SERIAL)
        if mover._is_accepted(moved, target)[0]:
            accepted.append(changed[0])
    assert len(accepted) == move.others + 1
    np.testing.assert_array_equal(accepted[0], move.row)


def test_moves_need_most_of_both_neighborhoods_and_an_ordinary_row(answers):
    """Rows up to 80 are left: 12 of 14 are enough, 11 are not, on the map and in the data; and no unusual row."""
    mover, is_left = answers.mover, answers.labels.codes == 0
    target = mover._target(0, is_left, "left")

    def near(n_left):
        return np.r_[1 : 1 + n_left, 81 : 81 + 14 - n_left]

    on_map = np.array([near(12), near(11), near(14), near(14)])
    in_data = np.array([near(12), near(14), near(11), near(14)])
    outlier = np.array([mover.unusual, 0, 0, 2 * mover.unusual])
    accepted = mover._is_accepted(Moved(np.zeros((4, 2), np.float32), on_map, in_data, outlier), target)
    assert accepted.tolist() == [True, False, False, False]


def test_new_maps_verify_a_move(answers):
    move = answers.counterfactual(0, target="left", verify=True)
    assert [seed for seed, _ in move.refits] == [1, 2]
    assert all(0 <= count <= 14 for _, count in move.refits)
    assert "on new maps" in str(move)


def test_whole_numbers_stay_whole_and_gaps_and_noise_are_not_changed(model):
    fitted, X, labels = model
    rng = np.random.default_rng(0)
    values = np.column_stack([np.rint(3 * X[:, :2]), X[:, 2:], rng.normal(size=len(X))])
    values[0, 3] = np.nan
    drawn = drawn_by_model(fitted, lambda rows: np.column_stack([rows[:, :2] / 3, np.nan_to_num(rows[:, 2:6])]))
    answers = MapAnswers(Table.of_array(values, names=[*LETTERS, "noise"]), drawn, labels, n_jobs=1)
    target = answers.mover._target(0, labels == "left", "left")
    assert (target.to[:2] % 1 == 0).all()
    changeable = np.concatenate(answers.mover._candidates(0, target))
    assert not {3, 6} & set(changeable.tolist())


def test_shuffled_tables_have_no_moves():
    X = two_groups(60)[0]
    shuffled = np.random.default_rng(0).permuted(X, axis=0)
    fitted = FeatMAP(random_state=0, n_epochs=50).fit(shuffled)
    answers = MapAnswers(Table.of_array(shuffled), drawn_by_model(fitted), n_jobs=1)
    assert "too little" in answers.mover.hindrance
    assert not any(isinstance(answers._move(row, None, False), Move) for row in range(0, 120, 10))


def test_maps_of_other_methods_say_why_there_is_no_move():
    X, Y, labels = two_groups()
    Y[0] = Y[60:].mean(axis=0)
    answers = asked(X, Y, labels)
    why = answers.why(0)
    assert why.move is None
    assert "another method" in why.no_move
    with pytest.raises(InvalidParameterError, match="another method"):
        answers.counterfactual(0)


def test_targets_are_labels_or_regions(answers):
    assert answers.counterfactual(100, target="left") is None or isinstance(answers.counterfactual(100), Move | None)
    with pytest.raises(InvalidParameterError, match="no such label"):
        answers.counterfactual(0, target="nowhere")


def test_counts_are_not_moved():
    counts = sp.csr_matrix(np.random.default_rng(0).poisson(1.0, (60, 12)).astype(np.float32))
    fitted = FeatMAP(random_state=0, n_epochs=20).fit(counts)
    answers = MapAnswers(Table.of_array(counts), drawn_by_model(fitted), n_jobs=1)
    assert "too noisy" in answers.mover.hindrance
    with pytest.raises(InvalidParameterError, match="too noisy"):
        answers.counterfactual(0)


def test_drawn_maps_know_whether_rows_can_move(model):
    fitted, X, _ = model
    assert drawn_by_model(fitted).can_move
    assert not drawn_by_another(explain(X, fitted.embedding_)).can_move
