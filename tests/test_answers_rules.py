"""Rules: as good as the best of all, honest for other rows, silent for chance, and the same in any table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from answers_cases import asked, best_conjunction, two_groups
from featmap import InvalidParameterError
from featmap.answers.cuts import Cuts
from featmap.answers.numbers import decimals, plain, written
from featmap.answers.rules import folds, precision_and_recall, sample
from featmap.answers.search import best_rule
from featmap.answers.table import Table
from featmap.answers.values import Condition, Rule


@pytest.fixture
def blocks(rng):
    """Four independent columns, whose rows in a corner are wanted."""
    X = rng.uniform(size=(400, 4))
    return X, (X[:, 0] > 0.6) & (X[:, 2] <= 0.3)


def cuts_of(X):
    features = asked(X, X[:, :2].copy()).ground.features
    return Cuts.of(features, np.arange(X.shape[1]))


def test_the_search_finds_the_best_of_all_rules(blocks):
    X, wanted = blocks
    cuts = cuts_of(X)
    found = best_rule(cuts, wanted, np.ones(len(X)), np.arange(len(X)))
    met = cuts.meets(found)
    f = 2 * (met & wanted).sum() / (met.sum() + wanted.sum())
    assert f == pytest.approx(best_conjunction(X, wanted, cuts.thresholds), abs=1e-9) or f > 0.97
    assert {int(cuts.features[cut.feature]) for cut in found} == {0, 2}


def test_weights_stand_for_rows_that_are_not_there(blocks):
    X, wanted = blocks
    cuts, rng = cuts_of(X), np.random.default_rng(1)
    weights = rng.integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    again = cuts_of(X[repeated])
    by_weight = best_rule(cuts, wanted, weights.astype(float), np.arange(len(X)))
    met = cuts.meets(by_weight)
    expected = precision_and_recall(met[repeated], wanted[repeated], np.ones(len(repeated)))
    assert precision_and_recall(met, wanted, weights.astype(float)) == pytest.approx(expected)
    assert len(again.features) == 4


def test_a_rule_says_how_often_it_is_right(blocks):
    X, wanted = blocks
    rule = asked(X, X[:, :2].copy(), names=list("abcd")).rule(wanted)
    promise = f"right for {round(100 * rule.precision)} of 100, finds {round(100 * rule.recall)} of 100"
    assert str(rule) == f"{rule.text} ({promise})"


def test_other_rows_keep_what_rules_promise():
    """A corner with blurred edges: within the rows that chose the rules, they would be right more often."""
    promised, kept = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, other = rng.uniform(size=(2, 1500, 4))
        wanted, wanted_there = (
            (rows[:, 0] > 0.5) & (rows[:, 2] <= 0.6) ^ (rng.random(1500) < 0.05) for rows in (X, other)
        )
        rule = asked(X[:300], X[:300, :2].copy()).rule(wanted[:300])
        promised.append(rule.precision)
        kept.append(wanted_there[rule.matches(other)].mean())
    assert np.mean(promised) == pytest.approx(np.mean(kept), abs=0.03)


@pytest.mark.parametrize("seed", range(10))
def test_random_selections_have_no_rule(seed):
    rng = np.random.default_rng(seed)
    X, Y, _ = two_groups()
    assert asked(X, Y).rule(rng.choice(len(X), rng.integers(10, 60), replace=False)) is None


def test_a_large_part_of_all_rows_has_no_rule_for_nothing(rng):
    X, Y, _ = two_groups()
    assert asked(X, Y).rule(rng.random(len(X)) < 0.9) is None


def test_a_column_that_no_other_goes_with_may_be_a_rule(rng):
    X, Y, _ = two_groups()
    alone = np.zeros(len(X))
    alone[:20] = rng.uniform(1, 2, 20)
    answers = asked(X, Y, table=Table.of_array(np.column_stack([X, alone]), names=[*"abcdef", "alone"]))
    rule = answers.rule(np.arange(20))
    assert [condition.feature for condition in rule.conditions] == ["alone"]


def test_promises_are_counted_in_rows_that_chose_nothing(blocks):
    X, wanted = blocks
    wanted = wanted ^ (np.random.default_rng(2).random(400) < 0.1)
    finder = asked(X, X[:, :2].copy()).finder
    rows, weights = np.arange(400), np.ones(400)
    fold = folds(finder.together, wanted)
    both = met = 0
    for number in range(5):
        cuts = best_rule(finder.cuts, wanted, weights, rows[fold != number])
        test = rows[fold == number]
        meets = finder.cuts.meets(cuts, test)
        both, met = both + (meets & wanted[test]).sum(), met + meets.sum()
    found = finder._by_folds(wanted, weights, rows)
    assert found == pytest.approx((both / met, both / wanted.sum()))
    in_sample = finder._counted(best_rule(finder.cuts, wanted, weights, rows), wanted, weights, rows)
    assert found != pytest.approx(in_sample)


@pytest.mark.parametrize(
    ("precision", "recall", "is_said"), [(0.95, 0.5, False), (0.6, 0.99, False), (0.9, 0.9, True)]
)
def test_rules_are_said_if_other_rows_keep_them(blocks, monkeypatch, precision, recall, is_said):
    X = blocks[0]
    finder = asked(X, X[:, :2].copy()).finder
    monkeypatch.setattr(type(finder), "_by_folds", lambda *given: (precision, recall))
    half = X[:, 0] > 0.5
    assert (finder.find(half) is not None) == is_said


def test_copies_of_a_row_are_in_one_fold():
    together = np.repeat(np.arange(40), 3)
    fold = folds(together, np.arange(120) < 60)
    assert all(len(set(fold[together == number])) == 1 for number in range(40))
    assert set(fold) == set(range(5))


def test_copies_do_not_make_promises(rng):
    """Thirty random rows, three times each: a rule could learn them by heart."""
    X = np.repeat(rng.normal(size=(60, 5)), 3, axis=0) + 1e-9 * rng.normal(size=(180, 5))
    wanted = np.repeat(rng.random(60) < 0.5, 3)
    assert asked(X, X[:, :2].copy()).rule(wanted) is None


def test_large_tables_are_sampled_with_weights():
    wanted = np.arange(50_000) < 10_000
    rows, weights = sample(wanted)
    assert len(rows) == 6000
    assert weights[wanted].sum() == pytest.approx(10_000)
    assert weights[~wanted].sum() == pytest.approx(40_000)


def test_features_that_go_together_are_not_in_one_rule(rng):
    """The best rule would have both, a > 0.3 and b ≤ 0.5."""
    first = rng.uniform(size=800)
    X = np.column_stack([first, first + 0.15 * rng.normal(size=800), rng.uniform(size=800)])
    cuts, wanted = cuts_of(X), (X[:, 0] > 0.3) & (X[:, 1] <= 0.5)
    assert cuts.is_alike[0, 1]
    found = best_rule(cuts, wanted, np.ones(800), np.arange(800))
    assert len({int(cuts.features[cut.feature]) for cut in found} & {0, 1}) == 1


def test_thresholds_are_what_is_printed(blocks):
    """Three digits, as numbers elsewhere in an answer; and no digit is lost in print."""
    X, _ = blocks
    thresholds = cuts_of(1000 * X).thresholds
    spreads = (1000 * X).std(axis=0)
    for spread, values in zip(spreads, thresholds, strict=True):
        assert [written(value) for value in values] == [plain(value, spread) for value in values]
        assert [float(written(value)) for value in values] == values.tolist()


def test_rules_match_frames_arrays_and_queries():
    rule = Rule(
        (Condition("bill length", 40.0, 50.0, columns=(1,)), Condition("isle", levels=("Dream",), columns=(0,))), 1, 1
    )
    frame = pd.DataFrame({"isle": ["Dream", "Dream", "Torgersen", None], "bill length": [45.0, np.nan, 45.0, 45.0]})
    assert rule.matches(frame).tolist() == [True, False, False, False]
    assert frame.query(rule.query).index.tolist() == [0]
    assert rule.text == "40 < bill length ≤ 50 and isle is Dream"
    assert (
        Rule(rule.conditions[:1], 1, 1)
        .matches(frame[["bill length"]].assign(isle="x")[["isle", "bill length"]])
        .sum()
        == 3
    )


def test_patches_of_images_match_but_have_no_query():
    rule = Rule((Condition("patch 1–2 down, 1–2 across", low=0.5, columns=(0, 1, 3, 4)),), 1, 1)
    images = np.zeros((2, 9))
    images[1, [0, 1, 3]] = 1
    assert rule.matches(images).tolist() == [False, True]
    with pytest.raises(InvalidParameterError, match="patch"):
        _ = rule.query


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (97_560, 20_000, "97,560"),
        (2007, 0.8, "2007"),
        (17.4321, 3.5, "17.4"),
        (0.03712, 0.08, "0.0371"),
        (1013.25, 0.5, "1013.25"),
        (-0.5, 1, "-0.5"),
        (0, 1, "0"),
        (132.2, 24, "132"),
        (3.2e-7, 1e-7, "3.20e-07"),
    ],
)
def test_numbers_are_as_people_write_them(value, spread, text):
    assert plain(value, spread) == text


def test_numbers_have_the_digits_that_tell_them_apart():
    assert decimals(1013.0, 0.5) == 2
    assert decimals(5.0, 0.0) == 2
