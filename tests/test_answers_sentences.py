"""Every sentence says what is true: its numbers are counted again by hand, and words stay within their limits."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from answers_cases import asked, nearest, two_groups
from featmap.answers.numbers import plain
from featmap.answers.values import Change, Condition, Difference, Move, Place, Region, Rule, Why

LETTERS = list("abcdef")
MOST_WORDS, MOST_WORDS_OF_SENTENCE = 60, 30


@pytest.fixture(scope="module")
def world():
    """Row 0 is parted, row 1 resembles, row 2 is between, row 3 is far in its own group."""
    X, Y, labels = two_groups(100)
    middle = Y[100:].mean(axis=0)
    Y[0], Y[1] = middle, middle + 0.1
    X[1] = X[100:].mean(axis=0)
    X[1, 4] = X[1, 5] = X[:100, 4].mean()
    Y[2] = (5, 20)
    Y[4:9] = Y[2] + 0.01 * np.arange(1, 6)[:, None]
    Y[100:115] = Y[2] + 0.1 + 0.01 * np.arange(15)[:, None]
    X[3, 0] = X[:100, 0].mean() - 40
    return asked(X, Y, labels, names=LETTERS, unit="tumour"), X, Y.astype(np.float32), labels


def of_14(text):
    return [int(count) for count in re.findall(r"(\d+) of (?:14|its 14)", text)]


def test_a_parted_row_has_its_kin_in_the_data(world):
    answers, X, Y, labels = world
    sentence = answers.why(0).sentence
    assert sentence.startswith("Left, drawn among right (")
    assert sentence.endswith("nearest are left: the map parts it from its kin.")
    around = (labels[nearest(Y, 0, 14)] == "right").sum()
    assert of_14(sentence) == [around, (labels[nearest(X, 0, 14)] == "left").sum()]


def test_a_row_that_resembles_others_has_their_value(world):
    answers, X, _, labels = world
    why = answers.why(1)
    assert why.sentence.startswith("Left, but it measures like right: ")
    first = why.differences[0]
    column = LETTERS.index(first.feature)
    left, right = (np.median(X[labels == name, column]) for name in ("left", "right"))
    assert (first.value, first.around, first.own_group) == pytest.approx((X[1, column], right, left))
    assert abs(first.value - right) < abs(first.value - left)
    spread = X[:, column].std()
    values = (
        f"{first.feature} {plain(X[1, column], spread)} (right {plain(right, spread)}; left {plain(left, spread)})"
    )
    assert values in why.sentence
    assert of_14(why.sentence) == [(labels[nearest(X, 1, 14)] == "left").sum()]


def test_its_own_side_is_told_as_well(world):
    answers, X, _, labels = world
    own = [one for one in answers.why(1).differences if one.side == "own"]
    assert {one.feature for one in own} & {"e", "f"}
    column = LETTERS.index(own[0].feature)
    left, right = (np.median(X[labels == name, column]) for name in ("left", "right"))
    assert abs(X[1, column] - left) < abs(X[1, column] - right)
    assert f"Like left: {own[0].feature}" in str(replace(answers.why(1), rule=None))


def test_a_row_between_has_both_counts(world):
    answers, _, Y, labels = world
    sentence = answers.why(2).sentence
    around = labels[nearest(Y, 2, 14)]
    assert sentence.startswith(
        f"Between left ({(around == 'left').sum()} of 14) and right ({(around == 'right').sum()})"
    )
    assert "like left: " in sentence


def test_an_outlying_row_has_its_rank_and_the_mean_around(world):
    answers, X, Y, _ = world
    sentence = answers.why(3).sentence
    around = X[nearest(Y, 3, 14), 0].mean()
    spread = X[:, 0].std()
    parts = (plain(X[3, 0], spread), plain(around, spread), plain(X[:, 0].mean(), spread))
    assert sentence.startswith("The most unusual of 200 tumours: a {}; the 14 around it {}, all {}.".format(*parts))
    assert sentence.endswith("Among left (14 of 14).")


def test_a_typical_row_is_unlike_all_others(world):
    answers, X, Y, labels = world
    why = answers.why(50)
    first = why.differences[0]
    column = LETTERS.index(first.feature)
    usual = np.median(X[labels == "right", column])
    spread = X[:, column].std()
    own = (labels[nearest(Y, 50, 14)] == "left").sum()
    values = f"{plain(X[50, column], spread)}, usually {plain(usual, spread)}"
    assert why.sentence == f"Left among left ({own} of 14): {first.feature} (and 1 that goes with it) {values}."


def test_without_labels_kept_neighbors_are_counted(world):
    _, X, Y, _ = world
    answers = asked(X, Y, None, names=LETTERS, unit="tumour")
    kept = len(set(nearest(X, 50, 14)) & set(nearest(Y, 50, 30)))
    assert answers.why(50).sentence.startswith(f"{kept} of its 14 nearest tumours in the data are near it on the map")


def test_a_value_above_all_around_is_above_all_around():
    rng = np.random.default_rng(3)
    X, Y, _ = two_groups(100)
    X[20] += 0.1 * rng.normal(size=6)
    X[20, :2] += 4
    why = asked(X, Y, None, names=LETTERS).why(20)
    assert {one.feature for one in why.differences} & {"a", "b"}
    first = why.differences[0]
    column = LETTERS.index(first.feature)
    around = X[nearest(Y.astype(np.float32), 20, 14), column]
    assert first.n_below == (around < X[20, column]).sum() == 14
    assert first.around == pytest.approx(around.mean())
    assert f"{first.feature} {plain(X[20, column], first.spread)}" in str(why)


def test_without_labels_a_parted_row_names_the_other_island():
    X, Y, _ = two_groups()
    Y[0] = Y[60:].mean(axis=0)
    answers = asked(X, Y, None, names=LETTERS)
    why = answers.why(0)
    region = answers.ground.regions.region
    in_other = (region[nearest(X, 0, 14)] != region[0]).sum()
    assert why.sentence.startswith(f"{in_other} of its 14 nearest rows in the data lie in ")
    assert ", 0 near it" in why.sentence


def test_labels_that_the_map_does_not_follow_are_said(rng):
    X, Y, labels = two_groups(100)
    mixed = labels.copy()
    mixed[rng.choice(200, 60, replace=False)] = "spread"
    answers = asked(X, Y, mixed, names=LETTERS)
    rows = np.flatnonzero((mixed == "spread") & (answers.compared.places.on_map < 7))
    row = int(next(row for row in rows if answers.record.kind[row] == 4))
    around = mixed[nearest(Y.astype(np.float32), row, 14)]
    commonest = max({"left", "right"}, key=lambda name: (around == name).sum())
    counts = f"{(around == 'spread').sum()} of 14 around, {(around == commonest).sum()} are {commonest}"
    assert answers.why(row).sentence.startswith(f"The map does not follow spread: {counts}")
    assert "spread" in answers.findings().not_followed


def test_a_row_that_breaks_the_rule_of_its_region_says_so(world):
    answers, X, _, _ = world
    for row in range(0, 200, 3):
        why = answers.why(row)
        if why.rule is not None:
            assert why.meets_rule == why.rule.matches(X[[row]])[0]
            assert ("this tumour breaks it" in str(why)) <= (not why.meets_rule)


def test_the_map_that_keeps_few_neighbors_says_so(world):
    answers, _, Y, _ = world
    shuffled = Y[np.random.default_rng(0).permutation(200)]
    labels = np.where(shuffled[:, 0] > 5, "right", "left")
    again = asked(answers.table.values, shuffled, labels, names=LETTERS)
    row = int(np.flatnonzero((again.ground.places.kept <= 3) & (again.record.kind == 4))[0])
    assert f"Only {again.ground.places.kept[row]} of its 14 nearest rows in the data are near it" in str(
        again.why(row)
    )


def test_nothing_is_longer_than_its_limit(world):
    answers = world[0]
    for one in (answers, asked(world[1], world[2], None, names=LETTERS)):
        for row in range(200):
            why = one.why(row)
            assert len(why.sentence.split()) <= MOST_WORDS_OF_SENTENCE
            assert len(str(why).split()) <= MOST_WORDS
            assert str(why).startswith(why.sentence)


def test_features_of_one_part_are_not_alike(world):
    answers = world[0]
    association = np.abs(answers.ground.features.association)
    for row in range(0, 200, 5):
        for side in ("own", "around"):
            named = [LETTERS.index(one.feature) for one in answers.why(row).differences if one.side == side]
            assert (association[np.ix_(named, named)] - np.eye(len(named)) <= 0.5 + 1e-9).all()


LONG = "the mean of all concave portions of the contour of every nucleus that was seen"
PLACE = Place(14, 9, 31, 342, "benign", (("benign", 14),), "malignant", 1, 5, "benign", 13, True)
CHANGED = Difference(LONG, 3.0, 2.0, 9.0, "around", 5.0, 2.0, ("other",), ("third",))


@pytest.mark.parametrize("kind", ["parted", "resembles", "between", "outlying", "typical"])
def test_long_names_shorten_the_sentence(kind):
    why = Why(0, "0", "cell", kind, PLACE, differences=(CHANGED,))
    short = replace(CHANGED, feature="area")
    assert len(why.sentence.split()) <= MOST_WORDS_OF_SENTENCE + 4
    assert len(Why(0, "0", "cell", kind, PLACE, differences=(short,)).sentence.split()) <= MOST_WORDS_OF_SENTENCE


def test_values_beyond_their_group_say_so():
    why = Why(
        0, "0", "cell", "resembles", PLACE, differences=(Difference("area", 1.0, 4.0, 9.0, "around", 5.0, 2.0),)
    )
    assert "area 1, even lower (benign 4; malignant 9)" in why.sentence
    higher = Difference("area", 13.0, 4.0, 9.0, "own", 5.0, 2.0)
    between = replace(PLACE, on_map=5, n_around=9)
    assert (
        "like malignant: area 13, even higher (malignant 9; benign 4)"
        in Why(0, "0", "cell", "between", between, differences=(higher,)).sentence
    )


def test_companions_are_counted_by_their_sign():
    typical = replace(PLACE, on_map=14, n_around=0)
    difference = Difference("area", 9.0, 4.0, 8.0, "own", 5.0, 2.0, ("radius", "perimeter"), ("smoothness",))
    sentence = Why(0, "0", "cell", "typical", typical, differences=(difference,)).sentence
    assert "area (and 2 that go with it, 1 that goes the other way) 9, usually 4" in sentence


def test_moves_say_what_is_changed_and_what_proves_it():
    changes = (Change("area", 9.0, 4.5, 2.0, ("radius",)), Change("isle", "Dream", "Biscoe"))
    move = Move(changes, "benign", 13, 12, 14, None, (0.0, 0.0), 2, ("area",), ((1, 14), (2, 11)))
    expected = "area (and 1 more) 9 → 4.5, isle Dream → Biscoe (13 of 14; on new maps 14 and 11)"
    assert str(move) == f"One way to lie among benign: {expected}."
    assert str(move) in str(Why(0, "0", "cell", "parted", PLACE, move=move))


def test_regions_say_their_size_and_rule_or_that_nothing_sets_them_apart():
    rows = np.arange(40)
    rule = Rule((Condition("area", low=3.25),), 0.912, 0.887)
    assert str(Region("benign", rows, "cell", (("benign", 38), ("malignant", 2)), rule)) == (
        "benign (40 cells, 38 of them benign): area > 3.25 (right for 91 of 100, finds 89 of 100)"
    )
    assert (
        str(Region("area > 3.25", rows, "cell", (), rule))
        == "area > 3.25 (40 cells): right for 91 of 100, finds 89 of 100"
    )
    assert str(Region("upper left", rows, "cell")).endswith("nothing sets these rows apart")
    difference = Difference("area", 9.0, 4.0, None, "around", 1.2, 2.0)
    assert str(Region("upper left", rows, "cell", differences=(difference,))).endswith("area usually 9, elsewhere 4")


def test_names_that_end_in_a_number_are_told_from_values():
    assert str(Difference("column 12", 7.0, 0.0, None, "around", 1.0)) == "column 12 = 7"
    assert str(Difference("CD14", 7.0, 0.0, None, "around", 1.0)) == "CD14 7"


def test_gaps_are_named_as_such():
    assert str(Difference("area", None, 4.0, None, "around", 1.0)) == "area not given"
