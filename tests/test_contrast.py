"""Groups against each other: planted differences are found, random ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import binom, false_discovery_control, hypergeom, mannwhitneyu, permutation_test, ttest_ind
from sklearn.datasets import load_digits

import reference
from featmap import FeatMAP, InvalidDataError, InvalidParameterError, explain
from featmap.explanation.comparison import GroupComparison
from featmap.explanation.permutations import strata_of
from featmap.explanation.table import GroupMoments, Table
from featmap.run import Run


def noise_with(planted, rng, n_rows=300, n_features=40, size=1.0):
    """Two groups that differ in some features only, whose features have very different spreads."""
    labels = np.where(rng.random(n_rows) < 0.4, "left", "right")
    X = rng.normal(size=(n_rows, n_features)) * 10.0 ** rng.uniform(-2, 2, n_features)
    X[:, planted] += size * (labels == "left")[:, None] * X[:, planted].std(axis=0)
    return X, labels


def explained(X, rng):
    return explain(X, rng.normal(size=(len(X), 2)))


@pytest.fixture(scope="module")
def planted():
    """Two groups of noise that differ in one feature: data, labels and an explanation."""
    rng = np.random.default_rng(0)
    X, labels = noise_with([3], rng)
    return X, labels, explained(X, rng)


def compared(X, in_a, n_permutations=None, seed=0):
    """The rows of a against the others, without a map."""
    codes = np.where(in_a, 0, 1).astype(np.int32)
    rows = X.astype(np.float32) if sp.issparse(X) else np.asarray(X, np.float32)
    described = [np.flatnonzero(codes == group).astype(np.int32) for group in range(2)]
    with Run(1) as run:
        return GroupComparison.of(rows, codes, described, n_permutations, seed, run).difference(0, run)


def discoveries(X, in_a, n_permutations=None, seed=0):
    return false_discovery_control(compared(X, in_a, n_permutations, seed).p_values) <= 0.05


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


def test_q_values_are_benjamini_and_hochbergs(planted):
    _, labels, explanation = planted
    result = explanation.contrast("left", labels=labels)
    p_values = np.sort(result.p_values)
    of_rank = p_values * len(p_values) / np.arange(1, len(p_values) + 1)
    expected = np.minimum.accumulate(of_rank[::-1])[::-1]
    np.testing.assert_allclose(np.sort(result.q_values), np.minimum(expected, 1), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.* of the variance of X:featmap.FeatmapWarning")
@pytest.mark.parametrize("units", [[1.0, 1.0, 1.0], [1000.0, 1.0, 1e-3]])
def test_of_equally_sure_features_the_largest_effect_comes_first(units, rng):
    """All three tell the groups apart without exception, and no permutation does. Units do not matter."""
    in_a = np.arange(60) < 30
    X = np.where(in_a[:, None], [1.0, -3.0, 2.0], 0.0) + 0.1 * rng.normal(size=(60, 3))
    result = explained(X / X.std(axis=0) * units, rng).contrast(in_a)
    assert np.ptp(result.p_values) == 0
    assert result.top().tolist() == [1, 2, 0]


def test_blank_pixels_of_four_images_come_after_those_that_differ_more():
    """Sevens against eights: pixels that are empty in the four sevens have the largest statistics."""
    digits = load_digits()
    rows = np.flatnonzero(digits.target == 7)[:4]
    found = explain(digits.data, digits.data[:, :2]).contrast(rows, np.flatnonzero(digits.target == 8))
    sizes = np.abs(found.effect_size[found.order])
    n_found = len(found.significant())
    assert (np.diff(sizes[:n_found]) <= 0).all()
    assert (np.diff(sizes[n_found:]) <= 0).all()
    assert sizes[n_found : n_found + 5].min() > 1.5


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


def test_permutations_that_differ_as_much_as_the_groups_count(rng):
    """Eight rows, of which all three that are not 0 are in a: so they are in 1 of 14 permutations."""
    rows = np.float32([[2], [2], [1], [0], [0], [0], [0], [0]])
    p = compared(rows, np.arange(8) < 4, 20_000).p_values
    assert p[0] == pytest.approx(2 / 14, abs=8 * np.sqrt(1 / 14 * 13 / 14 / 20_000))


@pytest.mark.parametrize(("n_a", "n_rows"), [(30, 300), (40, 100), (200, 250)])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_p_values_of_binary_features_are_those_of_fisher(make, n_a, n_rows, rng):
    """Two values of any size, rare and common ones together, and a feature with three values among them."""
    ones = rng.random(size=(n_rows, 40)) < np.linspace(0.01, 0.9, 40)
    ones[:2] = [[False], [True]]
    X = np.where(ones, 0.1, 0.0)  # not a number that float32 can add exactly
    X[:, 5] = rng.integers(0, 3, size=n_rows)
    in_a = np.arange(n_rows) < n_a
    found = explain(make(X), rng.normal(size=(n_rows, 2))).contrast(np.flatnonzero(in_a), random_state=0)
    for h in range(40):
        tails = hypergeom(n_rows, ones[:, h].sum(), n_a)
        n_in_a = ones[in_a, h].sum()
        exact = min(1.0, 2 * min(tails.cdf(n_in_a), tails.sf(n_in_a - 1)))
        assert h == 5 or found.p_values[h] == pytest.approx(exact, rel=1e-9)


def test_importance_is_the_mean_over_each_group(planted, monkeypatch):
    """Taken block by block."""
    _, labels, explanation = planted
    whole = explanation.contrast(labels == "left")
    monkeypatch.setattr("featmap.explanation.groups.BLOCK", 50)
    by_blocks = explanation.contrast(labels == "left")
    for group, name in (("left", "importance_a"), ("right", "importance_b")):
        expected = explanation.feature_importance(labels == group).mean(axis=0)
        np.testing.assert_allclose(getattr(whole, name), expected, rtol=1e-5)
        np.testing.assert_allclose(getattr(by_blocks, name), getattr(whole, name), rtol=1e-12)


def test_rows_and_labels_name_the_same_groups(planted):
    _, labels, explanation = planted
    by_label = explanation.contrast("left", "right", labels=labels)
    for a, b in ((labels == "left", labels == "right"), (np.flatnonzero(labels == "left"), None)):
        other = explanation.contrast(a, b)
        np.testing.assert_array_equal(other.p_values, by_label.p_values)
        np.testing.assert_array_equal(other.difference, by_label.difference)


def most_discoveries(n_trials, rate=0.05):
    """The 99.9 % quantile of the binomial distribution: how many of the trials may find something."""
    return binom(n_trials, rate).ppf(0.999)


def test_shuffled_labels_make_few_discoveries(rng):
    """At a rate of 0.05, when there is nothing to find, at most one analysis in twenty may find something."""
    X, _ = noise_with([], rng)
    found = 0
    for seed in range(200):
        in_a = np.random.default_rng(seed).permutation(300) < 120
        found += discoveries(X, in_a, 20, seed).any()
    assert found <= most_discoveries(200)


@pytest.mark.parametrize(
    ("n_a", "spread_a", "n_b", "spread_b"), [(20, 3, 500, 1), (20, 1, 500, 3), (20, 1, 500, 1), (60, 3, 60, 1)]
)
def test_groups_of_one_mean_and_any_spread_make_few_discoveries(n_a, spread_a, n_b, spread_b, rng):
    """Student's statistic finds something in every trial of the first kind."""
    in_a, spread = np.arange(n_a + n_b) < n_a, np.repeat([spread_a, spread_b], [n_a, n_b])
    found = sum(
        discoveries(spread[:, None] * rng.normal(size=(n_a + n_b, 50)), in_a, seed=seed).any() for seed in range(60)
    )
    assert found <= most_discoveries(60)


def test_permutations_alone_are_too_sure_of_a_small_wide_group(rng):
    """So p-values are at least Welch's, except where half of the rows have one value."""
    in_a = np.arange(120) < 8
    X = np.where(in_a[:, None], 5, 1) * rng.normal(size=(120, 200))
    welch = ttest_ind(X[in_a], X[~in_a], equal_var=False).pvalue
    p = compared(X, in_a).p_values
    moved = np.abs(np.log(p / welch)) < 0.7  # the correction for skewness
    assert (p > 0.98 * welch).all()
    assert moved.mean() > 0.5


def test_p_values_equal_scipys_for_one_feature(rng):
    """With a single feature the reference is that feature's own permutations."""
    x = np.round(rng.normal(size=60), 1)
    x *= rng.random(60) < 0.45  # zero in half of the rows: Welch's own p is no bound
    x[:25] += 0.5 * (x[:25] != 0)
    in_a = np.arange(60) < 25
    p = compared(x[:, None], in_a, 20_000).p_values
    expected = permutation_test(
        (x[in_a], x[~in_a]),
        reference.welch_as_normal,
        n_resamples=20_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue
    assert p[0] == pytest.approx(expected, abs=6 * np.sqrt(expected / 20_000) + 1e-4)


def test_the_statistic_equals_its_twin(rng):
    X = rng.gamma(1.0, size=(80, 6)) * [1, 10, 1e-3, 1, 1, 1]
    in_a = np.arange(80) < 17
    found = compared(X, in_a, 5)
    np.testing.assert_allclose(found.statistic, reference.welch_as_normal(X[in_a], X[~in_a], 0), rtol=1e-5)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_effect_sizes(make, rng):
    """Cohen's d with the mean of both variances, and the probability that Mann and Whitney's U counts."""
    X = rng.integers(-2, 4, size=(90, 8)) * (rng.random((90, 8)) < 0.6) * 1.0
    in_a = rng.random(90) < 0.3
    a, b = X[in_a], X[~in_a]
    found = compared(make(X), in_a, 5)
    spread = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 2)
    np.testing.assert_allclose(found.effect_size, (a.mean(axis=0) - b.mean(axis=0)) / spread, rtol=1e-5)
    np.testing.assert_allclose(found.auc, mannwhitneyu(a, b).statistic / (len(a) * len(b)), rtol=1e-12)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_ranks_equal_their_twin(make, rng):
    X = rng.integers(-2, 3, size=(50, 7)) * (rng.random((50, 7)) < 0.5) * 1.0
    codes, weights = rng.integers(3, size=50).astype(np.int32), np.array([1.0, 2.5, 4.0])
    with Run(1) as run:
        sums, commonest = Table(make(X.T.astype(np.float32))).rank_sums(codes, weights, run)
    expected = [reference.weighted_ranks(x, weights[codes]) for x in X.T]
    np.testing.assert_allclose(sums, [np.bincount(codes, weights[codes] * ranks) for ranks in expected], rtol=1e-12)
    np.testing.assert_allclose(
        commonest, [max(weights[codes][x == value].sum() for value in x) for x in X.T], rtol=1e-12
    )


def test_large_groups_are_described_by_samples_of_them(rng, monkeypatch):
    """The rest has its groups in their true proportions, although the sample has equally many of each."""
    X = rng.normal(size=(900, 2)) + np.repeat([0.0, 1.0, 3.0], [100, 200, 600])[:, None]
    labels = np.repeat(["u", "v", "w"], [100, 200, 600])
    explanation = explained(X, rng)
    exact = explanation.rank_features(labels, n_permutations=2)
    monkeypatch.setattr("featmap.explanation.groups.DESCRIBED_ROWS", 90)
    sampled = explanation.rank_features(labels, n_permutations=2)
    for label in "uvw":
        assert not np.array_equal(sampled[label].auc, exact[label].auc)
        np.testing.assert_allclose(sampled[label].auc, exact[label].auc, atol=0.04)
        np.testing.assert_allclose(sampled[label].importance_b, exact[label].importance_b, atol=0.05)
        np.testing.assert_array_equal(sampled[label].effect_size, exact[label].effect_size)


def test_rare_features_do_not_take_the_power_of_dense_ones(rng):
    """A single value in a small group is an outlier for Student's statistic, and a thousand of them hide the rest."""
    n_rows, n_a = 800, 20
    in_a = np.arange(n_rows) < n_a
    rare = np.zeros((n_rows, 1000))
    rare[rng.integers(n_rows, size=1000), np.arange(1000)] = 1
    dense = rng.normal(size=(n_rows, 100))
    dense[in_a, :50] += 1.3
    together, alone = discoveries(np.hstack([dense, rare]), in_a), discoveries(dense, in_a)
    assert alone[:50].mean() >= 0.9
    assert together[:50].mean() >= 0.8
    assert together[50:].mean() < 0.02


def test_what_no_reference_can_tell_from_0_is_equally_sure(rng):
    """Three features that no permutation separates as well: normal, skewed and rare. The statistic orders them."""
    in_a = np.arange(400) < 150
    noise = np.column_stack([rng.normal(size=(400, 60)), rng.random((400, 30)) < 0.01])
    split = in_a[:, None] * [5, 9, 0] + rng.normal(size=(400, 3)) * [1, 1, 0]
    split[:, 1] = np.exp(split[:, 1])
    split[:60, 2] = np.where(np.arange(60) % 2, 1.0, 1.1)  # with two values it would have an exact p-value
    found = compared(np.column_stack([split, noise]), in_a)
    assert np.ptp(found.p_values[:3]) == 0
    assert found.p_values.min() == found.p_values[0]


def test_the_side_of_the_skewness_does_not_matter(rng):
    """Features and their mirror images share a reference."""
    X, in_a = rng.exponential(size=(200, 30)), np.arange(200) < 20
    mirrored = X * np.where(np.arange(30) % 2, 1, -1)
    np.testing.assert_allclose(compared(mirrored, in_a).p_values, compared(X, in_a).p_values, rtol=1e-3)


def test_features_alike_share_a_reference(rng):
    X = np.column_stack([rng.normal(size=(500, 30)), rng.random((500, 20)) < 0.01, np.ones(500)])
    table = Table.of(X.astype(np.float32))
    whole = GroupMoments.of(500, table.sums(np.zeros(500, np.int32), 1)[:, :, 0])
    by_default = strata_of(table, whole, None)
    assert sorted(by_default[0].features) == list(range(30))
    assert sorted(np.concatenate([stratum.features for stratum in by_default[1:]])) == list(range(30, 50))
    assert all(stratum.size >= 10_000 or stratum.n_permutations == 4000 for stratum in by_default)
    assert len(strata_of(table, whole, 20)) == 1
    assert all(stratum.n_permutations == 200 for stratum in strata_of(table, whole, 200))


def test_one_seed_one_result_on_any_number_of_threads(rng):
    X, labels = noise_with([3], rng, n_features=300)
    Y = rng.normal(size=(300, 2))
    one, two = (explain(X, Y, n_jobs=n_jobs).contrast("left", labels=labels) for n_jobs in (1, 2))
    other = explain(X, Y).contrast("left", labels=labels, random_state=1)
    for name in ("p_values", "statistic", "auc", "importance_a"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.p_values, other.p_values)


def test_the_number_of_permutations_is_told(planted, monkeypatch):
    _, labels, explanation = planted
    assert explanation.contrast("left", labels=labels, n_permutations=33).n_permutations == 33
    assert explanation.contrast("left", labels=labels).n_permutations >= 200
    monkeypatch.setattr("featmap.explanation.permutations.MOST_MEMBERSHIPS", 30_000)
    monkeypatch.setattr("featmap.explanation.permutations.MOST_ADDITIONS", 10**6)
    assert 50 <= explanation.contrast("left", labels=labels).n_permutations <= 100


def test_progress_is_shown_if_the_model_is_verbose(rng, capsys):
    X, labels = noise_with([3], rng)
    quiet = explain(X, rng.normal(size=(300, 2)))
    quiet.contrast("left", labels=labels)
    assert capsys.readouterr().err == ""
    quiet.verbose = True
    quiet.rank_features(labels)
    shown = capsys.readouterr().err
    assert "importance" in shown
    assert "permutations" in shown


def test_a_comparison_can_be_interrupted(planted, monkeypatch):
    _, labels, explanation = planted
    before = explanation.contrast("left", labels=labels).p_values

    def interrupt(self, done, total):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Run, "step", interrupt)
        with pytest.raises(KeyboardInterrupt):
            explanation.contrast("left", labels=labels)
    np.testing.assert_array_equal(explanation.contrast("left", labels=labels).p_values, before)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_groups_without_spread_are_compared_as_well(make, rng):
    """A perfect split, a constant group, single values, a constant feature, and groups of two rows."""
    X = np.zeros((40, 7))
    in_a = np.arange(40) < 15
    X[:, 0], X[in_a, 1], X[~in_a, 2], X[3, 3], X[30, 4] = in_a, rng.normal(size=15), rng.normal(size=25), 1, 1
    X[:, 5], X[:, 6] = np.where(in_a, 1e6, 1e6 + 1), 0.1
    for group in (in_a, np.arange(40) < 2, np.arange(40) >= 2):
        found = compared(make(X), group)
        for name in ("means", "effect_size", "auc", "statistic", "p_values"):
            assert np.isfinite(getattr(found, name)).all()
        assert ((found.p_values > 0) & (found.p_values <= 1)).all()
        assert (np.abs(found.effect_size) < 500).all()
    found = compared(make(X), in_a)
    assert found.auc[0] == 1
    assert found.p_values[0] < 0.001
    assert [found.means[6], found.effect_size[6], found.auc[6], found.p_values[6]] == [0, 0, 0.5, 1]
    contrast = explained(X, rng).contrast(in_a)
    assert contrast.top(1).tolist() == [0]
    assert contrast.p_values[6] == 1
    assert np.isfinite(contrast.q_values).all()
    assert found.p_values[3] == pytest.approx(2 * 15 / 40, abs=0.05)


def test_every_group_against_the_rest(rng):
    labels = rng.integers(3, size=300)
    X = rng.normal(size=(300, 12))
    for group in range(3):
        X[labels == group, group] += 3
    explanation = explained(X, rng)
    results = explanation.rank_features(labels)
    assert list(results) == [0, 1, 2]
    for group, result in results.items():
        assert result.difference[group] > 2
        assert result.top(1)[0] in range(3)
        assert result.sizes == ((labels == group).sum(), (labels != group).sum())
        alone = explanation.contrast(group, labels=labels)
        for name in ("difference", "p_values", "effect_size", "auc", "statistic", "importance_a", "importance_b"):
            np.testing.assert_allclose(getattr(result, name), getattr(alone, name), rtol=1e-6, atol=1e-12)


def test_as_a_frame_of_pandas(rng):
    X, labels = noise_with([1], rng, n_features=3)
    data = pd.DataFrame(X / X.std(axis=0), columns=["a", "b", "c"])
    contrast = explained(data, rng).contrast("left", labels=labels)
    table = contrast.to_frame()
    assert list(table.columns[:6]) == ["feature", "difference", "effect_size", "auc", "p_value", "q_value"]
    assert list(table.columns[6:]) == ["statistic", "importance_a", "importance_b"]
    assert table["feature"].tolist() == contrast.top().tolist()
    assert table["feature"][0] == contrast.significant()[0] == "b"
    assert table["q_value"].is_monotonic_increasing
    by_name = table.set_index("feature").loc[["a", "b", "c"]]
    for column in table.columns[1:]:
        values = getattr(contrast, column.replace("_value", "_values"))
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


def test_groups_can_be_named_by_their_rows(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 3)), index=[f"cell {i}" for i in range(40)], columns=["a", "b", "c"])
    explanation = explained(frame, rng)
    by_name = explanation.contrast(frame.index[:9], ["cell 20", "cell 30"])
    np.testing.assert_array_equal(by_name.p_values, explanation.contrast(range(9), [20, 30]).p_values)


@pytest.mark.filterwarnings("ignore:rank_features:featmap.FeatmapWarning")
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
        (lambda e: e.rank_features(np.arange(300)), r"rank_features\(labels=…\): no label has at least 2 rows"),
    ],
)
def test_wrong_groups(ask, message, planted):
    with pytest.raises(InvalidParameterError, match=message):
        ask(planted[2])


def test_labels_of_other_rows_are_refused(planted):
    with pytest.raises(InvalidDataError, match=r"contrast\(labels=…\): .*one label per row, shape \(300,\)"):
        planted[2].contrast(0, labels=np.zeros(299))


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
