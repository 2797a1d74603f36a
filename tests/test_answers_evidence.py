"""Evidence, typical values, associations and groups: equal to slow twins, blind to gaps, noise and units."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from answers_cases import asked, evidence_twin, level_twin, two_groups
from featmap import InvalidParameterError
from featmap.answers.associations import cramers_v, rank_correlations
from featmap.answers.differences import Sources, true_sides
from featmap.answers.evidence import REST
from featmap.answers.features import coded_columns
from featmap.answers.groups import group_features
from featmap.answers.ranks import in_order, middle_ranks
from featmap.answers.table import Table


@pytest.fixture
def with_gaps(rng):
    X, Y, labels = two_groups()
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.1] = np.nan
    return X, gaps, Y, labels


def test_evidence_of_numbers_equals_its_twin(with_gaps):
    X, gaps, Y, labels = with_gaps
    answers = asked(X, Y, labels, Table.of_array(gaps))
    evidence, rows = answers.compared.evidence, np.array([0, 5, 17, 70, 111])
    own = answers.labels.codes[rows]
    for other in (REST, 1):
        found = evidence.against(rows, own, np.where(own == other, REST, other))
        for at, row in enumerate(rows):
            name = None if other == REST or own[at] == other else "right"
            for column in range(X.shape[1]):
                if np.isnan(gaps[row, column]):
                    assert found[at, column] == 0
                else:
                    twin = evidence_twin(gaps, labels, row, column, name)
                    assert found[at, column] == pytest.approx(twin, rel=1e-4, abs=1e-4)


def test_few_values_are_bins_of_their_own():
    X, Y, labels = two_groups()
    counts = np.rint(np.clip(X, -1, 5))
    counts[:, 0] = labels == "right"
    answers = asked(X, Y, labels, Table.of_array(counts))
    rows = np.array([0, 3, 70, 111])
    found = answers.compared.evidence.against(rows, answers.labels.codes[rows], np.full(4, REST))
    expected = [[evidence_twin(counts, labels, row, column) for column in range(6)] for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_evidence_of_levels_equals_its_twin(rng):
    X, Y, labels = two_groups()
    codes = np.where(labels == "left", rng.integers(0, 2, len(labels)), rng.integers(1, 4, len(labels))).astype(float)
    codes[rng.random(len(codes)) < 0.1] = np.nan
    table = Table(np.column_stack([X[:, 0], codes]), ("a", "kind"), (None, ("k", "l", "m", "n")))
    answers = asked(X, Y, labels, table)
    rows = np.flatnonzero(np.isfinite(codes))[:20]
    found = answers.compared.evidence.against(rows, answers.labels.codes[rows], np.full(len(rows), REST))
    expected = [level_twin(codes, labels, row) for row in rows]
    np.testing.assert_allclose(found[:, 1], expected, rtol=1e-6)


def test_groups_of_fewer_than_ten_rows_say_nothing():
    X, Y, labels = two_groups()
    labels = labels.copy()
    labels[:9] = "few"
    answers = asked(X, Y, labels)
    rows = np.arange(9)
    assert not answers.compared.evidence.against(rows, answers.labels.codes[rows], np.full(9, REST)).any()
    assert not answers.rows.differences(3)


def test_evidence_does_not_depend_on_units():
    X, Y, labels = two_groups()
    rows = np.arange(20)
    found = []
    for table in (X, np.exp(X) * 1e6):
        answers = asked(X, Y, labels, Table.of_array(table))
        found.append(answers.compared.evidence.against(rows, answers.labels.codes[rows], np.full(20, REST)))
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_typical_values_are_medians_of_known_values(with_gaps):
    X, gaps, Y, labels = with_gaps
    typical = asked(X, Y, labels, Table.of_array(gaps)).compared.typical
    for code, name in enumerate(("left", "right")):
        np.testing.assert_allclose(typical.inside[code], np.nanmedian(gaps[labels == name], axis=0))
        np.testing.assert_allclose(typical.outside[code], np.nanmedian(gaps[labels != name], axis=0))


def test_typical_values_that_most_rows_have_are_means():
    X, Y, labels = two_groups()
    values = np.column_stack([X[:, 0], np.where(np.arange(len(X)) % 3 == 0, X[:, 1], 0)])
    typical = asked(X, Y, labels, Table.of_array(values)).compared.typical
    assert typical.inside[1, 1] == pytest.approx(values[labels == "right", 1].mean())


def test_rank_correlations_equal_those_of_scipy(rng):
    values = np.round(rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)), 1)
    found = rank_correlations(middle_ranks(values, in_order(values)))
    np.testing.assert_allclose(found, spearmanr(values).statistic, atol=1e-6)


def test_rank_correlations_use_rows_that_have_both_values(rng):
    values = rng.normal(size=(200, 2))
    values[:, 1] += values[:, 0]
    values[::3, 0] = np.nan
    values[1::3, 1] = np.nan
    found = rank_correlations(middle_ranks(values, in_order(values)))
    both = np.isfinite(values).all(axis=1)
    assert found[0, 1] == pytest.approx(spearmanr(values[both]).statistic[()], abs=0.05)


def test_cramers_v_knows_copies_and_independence(rng):
    kind = rng.integers(0, 3, 500).astype(float)
    values = np.column_stack([kind, (kind + 1) % 3, rng.integers(0, 4, 500), kind * 10 + rng.normal(size=500)])
    found = cramers_v(values, np.array([True, True, True, False]))
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] < 0.1
    assert found[0, 3] > 0.8  # fifths of a number do not have the bounds of three levels


def test_groups_are_features_that_all_go_together(rng):
    factors = rng.normal(size=(300, 2))
    values = np.column_stack([factors[:, 0], -factors[:, 0], factors[:, 1], rng.normal(size=300), np.ones(300)])
    values[:, :3] += 0.05 * rng.normal(size=(300, 3))
    association = rank_correlations(middle_ranks(values, in_order(values)))
    groups = group_features(association, np.array([True, True, True, True, False]), 0.8)
    assert sorted(tuple(sorted(members.tolist())) for members in groups.members) == [(0, 1), (2,), (3,)]
    assert groups.group[4] == -1


def test_features_at_both_ends_of_a_chain_are_not_in_one_group():
    association = np.array([[1, 0.9, 0.5], [0.9, 1, 0.85], [0.5, 0.85, 1]])
    groups = group_features(association, np.ones(3, bool), 0.8)
    assert groups.group[0] == groups.group[1] != groups.group[2]
    assert groups.leaders[groups.group[0]] in (0, 1)


def test_a_value_is_like_the_group_that_it_is_nearer_to():
    """In its units and by its rank; groups that hardly differ, and levels of both, have no side."""
    X, Y, labels = two_groups()
    values = np.column_stack([X[:, 0], np.exp(4 * X[:, 1]), X[:, 2] % 1, np.where(labels == "left", 0.0, 1.0)])
    values[0, :2] = np.median(X[:, 0]), np.exp(4 * np.median(X[labels == "left", 1])) * 100
    values[1, 3] = 1
    table = Table(values, tuple("abcd"), (None, None, None, ("k", "l")))
    answers = asked(X, Y, labels, table)
    features, typical, codes = answers.ground.features, answers.compared.typical, answers.labels.codes
    rows = np.arange(120)
    own, around = true_sides(features, typical, Sources.of(features, rows, None), codes, np.full(120, REST))
    for row in rows:
        for column in range(3):
            mine, theirs = (np.median(values[(labels == labels[row]) == same, column]) for same in (True, False))
            x, everything = values[row, column], np.sort(values[:, column])
            rank = [
                np.searchsorted(everything, v, "left") + np.searchsorted(everything, v, "right")
                for v in (x, mine, theirs)
            ]
            nearer = abs(x - mine) < abs(x - theirs) and abs(rank[0] - rank[1]) < abs(rank[0] - rank[2])
            farther = abs(x - mine) > abs(x - theirs) and abs(rank[0] - rank[1]) > abs(rank[0] - rank[2])
            tells = abs(mine - theirs) >= 0.05 * values[:, column].std()
            assert (own[row, column], around[row, column]) == (tells and nearer, tells and farther)
    assert (own[2, 3], around[2, 3]) == (True, False)
    assert (own[1, 3], around[1, 3]) == (False, True)


def test_far_values_are_clipped_and_gaps_filled_before_backing(rng):
    rows = rng.normal(size=(500, 2))
    rows[0, 0], rows[1, 0] = 1e6, np.nan
    coded, owner = coded_columns(rows, (None, None), share_unit=True)
    assert owner.tolist() == [0, 1]
    known = rows[np.isfinite(rows[:, 0]), 0]
    low, high = np.quantile(known, [0.01, 0.99])
    mean = np.clip(known, 2 * low - high, 2 * high - low).mean()
    assert coded[0, 0] == pytest.approx(2 * high - low - mean, rel=1e-5)
    assert coded[1, 0] == pytest.approx(np.median(known) - mean, abs=1e-5)
    alone = coded_columns(rows[:, 1:], (None,), share_unit=False)[0]
    assert alone.std() == pytest.approx(1, abs=1e-3)


def test_groups_may_be_given():
    X, Y, labels = two_groups()
    table = Table.of_array(X, names="abcdef", alike=(("a", "f"),))
    features = asked(X, Y, labels, table).ground.features
    assert features.companions(0)[0] == ("f",)
    with pytest.raises(InvalidParameterError, match="no column 'x'"):
        _ = asked(X, Y, labels, Table.of_array(X, names="abcdef", alike=(("a", "x"),))).ground


def test_features_that_go_the_other_way_are_told_apart():
    X, Y, labels = two_groups()
    X[:, 1] = -X[:, 0]
    features = asked(X, Y, labels, Table.of_array(X, names="abcdef")).ground.features
    alike, against = features.companions(0)
    assert "b" in against
    assert "b" not in alike


def test_only_few_of_many_features_are_named(rng):
    factor = np.repeat(rng.normal(size=(120, 30)), 5, axis=1)
    X = np.column_stack([rng.normal(size=(120, 600)), 4 * factor])
    features = asked(X, factor[:, ::5][:, :2]).ground.features
    assert len(features.names) == 500
    assert np.isin(np.arange(600, 750), [columns[0] for columns in features.columns]).mean() > 0.95
