"""Groups against each other: planted differences are found, random ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import permutation_test

from featmap import FeatMAP, InvalidDataError, InvalidParameterError, explain
from featmap.explanation.contrast import difference_with_p_values


def noise_with(planted, rng, n_rows=300, n_features=40, size=1.0):
    """Two groups that differ in some features only, whose features have very different spreads."""
    labels = np.where(rng.random(n_rows) < 0.4, "left", "right")
    X = rng.normal(size=(n_rows, n_features)) * 10.0 ** rng.uniform(-2, 2, n_features)
    X[:, planted] += size * (labels == "left")[:, None] * X[:, planted].std(axis=0)
    return X, labels


def explained(X, rng):
    return explain(X, rng.normal(size=(len(X), 2)))


def test_planted_features_are_found(rng):
    planted = [3, 17, 39]
    X, labels = noise_with(planted, rng)
    result = explained(X, rng).contrast("left", "right", labels=labels)
    assert set(planted) <= set(result.significant().tolist())
    assert sorted(result.top(3).tolist()) == planted
    left, right = X[labels == "left"], X[labels == "right"]
    np.testing.assert_allclose(result.difference, left.mean(axis=0) - right.mean(axis=0), rtol=1e-3, atol=1e-4)
    assert repr(result).startswith("Contrast(left against right: 40 features, ")
    assert explained(X, rng).contrast("left", labels=labels, n_permutations=2).groups == ("left", "the rest")
    assert explained(X, rng).contrast(labels == "left", n_permutations=2).groups == ("a", "b")


def test_q_values_are_benjamini_and_hochbergs(rng):
    X, labels = noise_with([3], rng)
    result = explained(X, rng).contrast("left", labels=labels)
    p_values = np.sort(result.p_values)
    of_rank = p_values * len(p_values) / np.arange(1, len(p_values) + 1)
    expected = np.minimum.accumulate(of_rank[::-1])[::-1]
    np.testing.assert_allclose(np.sort(result.q_values), np.minimum(expected, 1), rtol=1e-12)


def test_of_equally_sure_features_the_largest_difference_comes_first(rng):
    """All three tell the groups apart without exception, and no permutation does."""
    in_a = np.arange(60) < 30
    X = np.where(in_a[:, None], [1.0, -3.0, 2.0], 0.0) + 1e-3 * rng.normal(size=(60, 3))
    result = explained(X, rng).contrast(in_a)
    assert np.ptp(result.p_values) == 0
    assert result.top().tolist() == [1, 2, 0]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_groups_far_from_the_middle_and_near_each_other(make, rng):
    """Among data that are mostly elsewhere."""
    in_a = np.arange(400) < 200
    far = 1000 + 0.01 * rng.normal(size=(400, 5)) + 0.005 * in_a[:, None] * (np.arange(5) < 2)
    X = np.vstack([far, rng.normal(size=(500, 5)) + 1])
    explanation = explain(make(X), rng.normal(size=(900, 2)))
    result = explanation.contrast(np.flatnonzero(in_a), np.arange(200, 400))
    expected = far[in_a].mean(axis=0) - far[~in_a].mean(axis=0)
    np.testing.assert_allclose(result.difference, expected, atol=3e-5)
    assert result.significant(0.01).tolist() == [0, 1]


def test_a_feature_that_is_the_same_in_all_rows_tells_nothing(rng):
    rows = np.full((30, 2), np.float32(0.1))
    rows[:, 1] = rng.normal(size=30)
    for form in (rows, sp.csr_matrix(rows)):
        difference, p = difference_with_p_values(form, np.arange(30) < 10, 50, 0)
        assert abs(difference[0]) < 1e-12
        assert p[0] == 1


def test_permutations_that_differ_as_much_as_the_groups_count(rng):
    """Two ones among eight rows, both in a: they are in one group in 3 of 7 permutations."""
    rows = np.zeros((8, 1), np.float32)
    rows[:2] = 1
    _, p = difference_with_p_values(rows, np.arange(8) < 4, 20_000, 0)
    assert p[0] == pytest.approx(3 / 7, abs=4 * np.sqrt(3 / 7 * 4 / 7 / 20_000))


def test_importance_is_the_mean_over_each_group(rng):
    X, labels = noise_with([0], rng)
    explanation = explained(X, rng)
    result = explanation.contrast(labels == "left")
    np.testing.assert_allclose(
        result.importance_a, explanation.feature_importance(labels == "left").mean(axis=0), rtol=1e-5
    )
    np.testing.assert_allclose(
        result.importance_b, explanation.feature_importance(labels == "right").mean(axis=0), rtol=1e-5
    )


def test_the_mean_importance_is_taken_block_by_block(rng, monkeypatch):
    X, labels = noise_with([0], rng)
    explanation = explained(X, rng)
    whole = explanation.contrast(labels == "left")
    monkeypatch.setattr("featmap.explanation.answers.BLOCK", 50)
    by_blocks = explanation.contrast(labels == "left")
    np.testing.assert_allclose(by_blocks.importance_a, whole.importance_a, rtol=1e-12)
    np.testing.assert_allclose(by_blocks.importance_b, whole.importance_b, rtol=1e-12)


def test_rows_and_labels_name_the_same_groups(rng):
    X, labels = noise_with([5], rng)
    explanation = explained(X, rng)
    by_label = explanation.contrast("left", "right", labels=labels)
    for a, b in ((labels == "left", labels == "right"), (np.flatnonzero(labels == "left"), None)):
        other = explanation.contrast(a, b)
        np.testing.assert_array_equal(other.p_values, by_label.p_values)
        np.testing.assert_array_equal(other.difference, by_label.difference)


def test_shuffled_labels_make_few_discoveries(rng):
    """At a rate of 0.05, when there is nothing to find, at most one analysis in twenty may find something."""
    X, _ = noise_with([], rng)
    explanation = explained(X, rng)
    found = 0
    for seed in range(200):
        group = np.random.default_rng(seed).permutation(300)[:120]
        found += len(explanation.contrast(group, n_permutations=20, random_state=seed).significant(0.05)) > 0
    assert found <= 10 + 3 * np.sqrt(10)


def test_p_values_equal_scipys_for_one_feature(rng):
    """With a single feature the reference is that feature's own permutations."""
    x = rng.normal(size=60)
    x[:25] += 0.5
    in_a = np.arange(60) < 25
    _, p = difference_with_p_values(x[:, None].astype(np.float32), in_a, 20_000, 0)
    expected = permutation_test(
        (x[in_a], x[~in_a]), lambda a, b: np.mean(a) - np.mean(b), n_resamples=20_000, rng=np.random.default_rng(1)
    ).pvalue
    assert p[0] == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000) + 1e-4)


def test_constant_features_and_a_perfect_split(rng):
    X = np.column_stack([np.ones(50), np.arange(50) < 20, rng.normal(size=50)])
    result = explained(X, rng).contrast(np.arange(20))
    assert result.p_values[0] == 1
    assert result.top(1).tolist() == [1]
    assert np.isfinite(result.q_values).all()


def test_every_group_against_the_rest(rng):
    labels = rng.integers(3, size=300)
    X = rng.normal(size=(300, 12))
    for group in range(3):
        X[labels == group, group] += 3
    results = explained(X, rng).rank_features(labels)
    assert list(results) == [0, 1, 2]
    for group, result in results.items():
        assert result.difference[group] > 2
        assert result.top(1)[0] in range(3)


def test_as_a_frame_of_pandas(rng):
    X, labels = noise_with([1], rng, n_features=3)
    data = pd.DataFrame(X / X.std(axis=0), columns=["a", "b", "c"])
    contrast = explained(data, rng).contrast("left", labels=labels)
    table = contrast.to_frame()
    assert list(table.columns) == ["feature", "importance_a", "importance_b", "difference", "p_value", "q_value"]
    assert table["feature"].tolist() == contrast.top().tolist()
    assert table["feature"][0] == contrast.significant()[0] == "b"
    assert table["q_value"].is_monotonic_increasing
    by_name = table.set_index("feature").loc[["a", "b", "c"]]
    for column, values in (
        ("importance_a", contrast.importance_a),
        ("importance_b", contrast.importance_b),
        ("difference", contrast.difference),
        ("p_value", contrast.p_values),
        ("q_value", contrast.q_values),
    ):
        np.testing.assert_array_equal(by_name[column], values)


def test_all_groups_as_one_frame_of_pandas(rng):
    X = rng.normal(size=(60, 3))
    labels = np.repeat(["u", "v", "w"], 20)
    X[labels == "v", 2] += 5
    ranking = explained(pd.DataFrame(X, columns=["a", "b", "c"]), rng).rank_features(labels)
    table = ranking.to_frame()
    assert list(table.columns[:3]) == ["group", "rank", "feature"]
    assert table["group"].tolist() == np.repeat(["u", "v", "w"], 3).tolist()
    assert table["rank"].tolist() == [1, 2, 3] * 3
    for group, contrast in ranking.items():
        pd.testing.assert_frame_equal(
            table[table["group"] == group].drop(columns=["group", "rank"]).reset_index(drop=True), contrast.to_frame()
        )
    assert table.query("group == 'v' and rank == 1")["feature"].item() == "c"


def test_without_names_features_are_numbers(rng):
    contrast = explained(rng.normal(size=(40, 3)), rng).contrast(np.arange(20))
    assert contrast.top().tolist() == contrast.order.tolist()
    assert sorted(contrast.to_frame()["feature"]) == [0, 1, 2]


def test_groups_can_be_named_by_their_rows(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 3)), index=[f"cell {i}" for i in range(40)], columns=["a", "b", "c"])
    explanation = explained(frame, rng)
    by_name = explanation.contrast(frame.index[:9], ["cell 20", "cell 30"])
    np.testing.assert_array_equal(by_name.p_values, explanation.contrast(range(9), [20, 30]).p_values)


@pytest.mark.filterwarnings("ignore:rank_features:featmap.FeatmapWarning")
def test_labels_of_which_none_has_two_rows_are_refused(rng):
    with pytest.raises(InvalidParameterError, match=r"rank_features\(labels=…\): no label has at least 2 rows"):
        explained(rng.normal(size=(40, 3)), rng).rank_features(np.arange(40))


def test_labels_of_other_rows_are_refused(rng):
    with pytest.raises(InvalidDataError, match=r"contrast\(labels=…\): .*one label per row, shape \(300,\)"):
        explained(rng.normal(size=(300, 3)), rng).contrast(0, labels=np.zeros(299))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda e: e.contrast([0, 1, 2], [2, 3]), "no row in common"),
        (lambda e: e.contrast([0]), "at least 2 rows"),
        (lambda e: e.contrast([3, 3]), "at least 2 rows"),
        (lambda e: e.contrast("x", labels=np.zeros(300)), "at least 2 rows; the label 'x' has 0; .* labels 0.0"),
        (lambda e: e.contrast("x"), "'x' is not a name of a row.*if it is a label"),
        (lambda e: e.contrast(slice(None)), "at least 2 other rows"),
        (lambda e: e.contrast([0, 1], n_permutations=0), r"contrast\(n_permutations=0\)"),
    ],
)
def test_wrong_groups(ask, message, rng):
    explanation = explained(rng.normal(size=(300, 3)), rng)
    with pytest.raises(InvalidParameterError, match=message):
        ask(explanation)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("pca", [None, 3])
def test_under_cosine_differences_are_in_units_of_the_data(make, pca, rng):
    """Rows of a are longer, so the first feature is larger there, although it is a smaller part of them."""
    in_a = np.arange(120) < 40
    X = rng.uniform(50, 60, size=(120, 5))
    X[in_a] += [43, 200, 0, 0, 0]
    model = FeatMAP(metric="cosine", pca=pca, n_epochs=5, random_state=0).fit(make(X))
    expected = X[in_a].mean(axis=0) - X[~in_a].mean(axis=0)
    np.testing.assert_allclose(model.contrast(in_a).difference, expected, rtol=1e-4, atol=1e-4)
    new = model.explain(make(3 * X[30:60] + rng.uniform(size=(30, 5))))
    expected = 3 * (X[30:40].mean(axis=0) - X[40:60].mean(axis=0))
    np.testing.assert_allclose(new.contrast(range(10)).difference, expected, atol=1.5)
