"""What sets points apart: equal to the formulas, in the user's units, true on planted data, and blind to noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import t as student

import reference
from featmap import FeatMAP, InvalidParameterError, explain
from featmap.explanation.apart import Comparison
from featmap.explanation.around import capped_weights, local_moments, together, widely_around
from featmap.explanation.ordering import ORDERS
from featmap.explanation.walk import walk_weights
from featmap.explanation.winsor import winsorised
from featmap.kernels.neighborhoods import weighted_moments
from featmap.run import Run
from lab.data.planted import TABLES, clusters_with_own_features, with_noise

N_ROWS, K = 200, 40


def compared(explanation, scale="spread"):
    with Run(1) as run:
        return Comparison.of(explanation._points.mapped, run, scale)


def rows(*numbers):
    return np.array(numbers, np.int32)


@pytest.fixture
def table(rng):
    """Three groups in six features of several units, a constant one, noise with far values, and rare counts.

    Every fifth row has a value of its own, some of them too near to be worth a word.
    """
    group = rng.integers(3, size=N_ROWS)
    known = rng.normal(0, 3, (3, 6))[group] + rng.normal(size=(N_ROWS, 6))
    noise = rng.standard_t(1.5, N_ROWS)
    counts = rng.poisson(0.1, N_ROWS)
    changed = np.arange(0, N_ROWS, 5)
    known[changed, changed % 6] += rng.choice([-1, 1], len(changed)) * rng.uniform(3, 16, len(changed))
    return np.column_stack([known * [1, 2, 5, 1, 1, 3] + 20, np.full(N_ROWS, 4.0), noise, counts]), known[:, :2]


@pytest.fixture
def explanation(table):
    return explain(*table)


def weights_of(explanation, row, k):
    """Capped weights of all rows around one of them, from the walk: (m,)."""
    points = explanation._points
    near = points.nearest_on_map(rows(row), k)
    weights = np.zeros(N_ROWS)
    weights[near[0]] = reference.capped(walk_weights(points, rows(row), near)[0])
    return weights


@pytest.mark.parametrize("n_near", [5, 29, 30, 31, 100])
@pytest.mark.parametrize("power", [0, 1, 6])
def test_capped_weights_equal_their_twin(n_near, power, rng):
    weights = rng.uniform(size=(20, n_near)) ** power
    weights[rng.uniform(size=weights.shape) < 0.3] = 0
    found = capped_weights(weights)
    np.testing.assert_allclose(found, [reference.capped(row) for row in weights], atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.max() <= 1 / min(30, n_near) + 1e-12
    for row, before in zip(found, weights, strict=True):
        if np.count_nonzero(before) >= 30:
            uncut = (row > 0) & (row < 1 / 30 - 1e-9)
            ratios = row[uncut] / before[uncut]
            assert np.ptp(ratios) < 1e-9 * ratios.max(initial=1)
            assert not row[before == 0].any()


def test_rows_without_weight_are_filled_up_by_the_nearest():
    weights = np.zeros((1, 50))
    weights[0, [7, 45]] = [1.0, 0.1]
    expected = np.zeros(50)
    expected[[*range(29), 45]] = 1 / 30  # the first 28 others, which come in the order of distance
    np.testing.assert_allclose(capped_weights(weights)[0], expected)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_z_means_and_masks_equal_their_twins(table, make):
    X, Y = table
    explanation = explain(make(X), Y)
    comparison = compared(explanation)
    chosen = np.arange(N_ROWS, dtype=np.int32)
    found = comparison.apart(explanation._points, chosen, 3 * K)
    inside, factors = reference.winsorised(X), comparison.backing.factors
    reliability = factors * comparison.backing.values
    by_chance = 0  # values that are far enough, but not beyond chance
    assert (factors == 0).any()
    for p, row in enumerate(chosen):
        w = weights_of(explanation, row, 3 * K)
        n_effective = 1 / (w**2).sum()
        np.testing.assert_allclose(found.n_effective[p], n_effective)
        np.testing.assert_allclose(found.mean[p], w @ X, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(found.own[p], X[row], rtol=1e-5, atol=1e-5)
        mean, sd = w @ inside, inside.std(axis=0)
        variance = w @ (inside - mean) ** 2 * n_effective / (n_effective - 1)
        for h in range(X.shape[1]):
            z = (mean[h] - inside[:, h].mean()) / sd[h] if sd[h] > 0 else 0
            np.testing.assert_allclose(found.z[p, h], z, atol=1e-4)
            np.testing.assert_allclose(found.score[p, h], z * factors[h], atol=1e-4)
            error = max(np.sqrt(variance[h] / n_effective) / sd[h], n_effective**-0.5) if sd[h] > 0 else np.inf
            assert found.said[p, h] == (abs(z) > 2 * error and abs(z) * factors[h] >= 0.3)
            assert found.alone[p, h] == (abs(z) > 2 * error and abs(z) >= 0.3 and factors[h] == 0)
            away = (inside[row, h] - mean[h]) / sd[h] if sd[h] > 0 else 0
            np.testing.assert_allclose(found.away[p, h], away, atol=1e-4)
            np.testing.assert_allclose(found.away_score[p, h], away * reliability[h], atol=1e-4)
            r = reliability[h]
            around = np.sqrt(max(variance[h] / sd[h] ** 2, (1 - r) / r) * (1 + 1 / n_effective)) if r > 0 else np.inf
            p_value = 2 * student.sf(abs(away) / around, n_effective - 1)
            assert found.unlike[p, h] == (p_value < 0.05 / X.shape[1] and abs(away) * r >= 1)
            by_chance += abs(away) * r >= 1 and p_value >= 0.05 / X.shape[1]
    np.testing.assert_allclose(found.overall, X.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.spread, inside.std(axis=0), rtol=1e-5, atol=1e-7)
    assert found.said.any()
    assert found.unlike.any()
    assert by_chance


def test_a_noise_column_that_differs_is_listed_as_alone():
    """Neighbours share the noise that made them neighbours: it passes all rules but that of backing.

    Far values of it are no row's own.
    """
    X = with_noise("wine", seed=0).data
    X[3, -1], X[4, -2] = 9, -9
    explanation = FeatMAP(n_epochs=100, random_state=0).fit(X)
    found = compared(explanation).apart(explanation._points, np.arange(len(X), dtype=np.int32), 30)
    assert found.alone[:, -5:].any()
    assert not found.said[:, -5:].any()
    assert not found.alone[:, :-5].any()
    assert not found.unlike[:, -5:].any()
    assert found.unlike.any()


def test_a_value_that_was_changed_sets_its_row_apart(table):
    X, Y = table
    X[6, 0] = 99
    explanation = explain(X, Y)
    found = compared(explanation).apart(explanation._points, rows(6), K)
    assert np.flatnonzero(found.unlike[0]).tolist() == [0]
    assert found.own[0, 0] == pytest.approx(99)
    assert found.away[0, 0] > 3
    assert not compared(explanation).together(explanation._points, rows(6, 7), K).unlike.any()


@pytest.mark.parametrize(("change", "is_said"), [(0.8, False), (1.3, True)])
def test_a_value_of_its_own_is_worth_a_word_from_one_spread_on(change, is_said, rng):
    """Features that follow the map hardly differ from row to row, so that a small change is far beyond chance."""
    Y = rng.uniform(-1, 1, (600, 2))
    X = np.column_stack([Y, Y, Y]) + 0.01 * rng.normal(size=(600, 6))
    row = np.abs(Y).sum(axis=1).argmin()
    X[row, 3] += change * X[:, 3].std()
    explanation = explain(X, Y)
    found = compared(explanation).apart(explanation._points, rows(row), K)
    assert (found.away[0, 3] > 1) == is_said
    assert np.array_equal(found.unlike[0], (np.arange(6) == 3) & is_said)


@pytest.mark.parametrize("n_features", [6, 60])
def test_of_independent_columns_hardly_any_row_has_a_value_of_its_own(n_features, rng):
    """No feature is judged. With values that are normal, no more than 0.05 of the rows are unlike the others."""
    X = rng.normal(size=(400, n_features))
    explanation = explain(X, rng.normal(size=(400, 2)))
    comparison = compared(explanation)
    assert not comparison.backing.is_judged
    found = comparison.apart(explanation._points, np.arange(400, dtype=np.int32), K)
    assert found.unlike.any(axis=1).mean() <= 0.05
    X[7, 3] = 12
    explanation = explain(X, explanation.embedding_)
    assert compared(explanation).apart(explanation._points, rows(7), K).unlike[0, 3]


def test_rare_counts_are_no_news():
    """A count that few rows have is many spreads from rows without it. That others know it a little is not enough."""
    rng = np.random.default_rng(3)
    group = rng.choice(4, 800, p=[0.04, 0.32, 0.32, 0.32])
    marked = rng.poisson(np.array([0.2, 4.0])[np.eye(4, dtype=int)[group]])
    rare = rng.poisson(np.where(group[:, None] == 0, 0.4, 0.008), (800, 60))
    X = np.log1p(np.column_stack([np.repeat(marked, 4, axis=1) + rng.poisson(0.5, (800, 16)), rare]))
    explanation = explain(X, rng.normal(size=(4, 2))[group] * 20 + rng.normal(size=(800, 2)))
    comparison = compared(explanation)
    found = comparison.apart(explanation._points, np.arange(800, dtype=np.int32), 80)
    assert (np.abs(found.away_score[:, 16:]) >= 1).any(axis=1).mean() > 0.05
    assert found.unlike[:, 16:].any(axis=1).mean() < 0.01


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_scores_of_a_group_are_the_means_of_its_rows(table, make):
    X, Y = table
    explanation, chosen = explain(make(X), Y), np.arange(0, 60, dtype=np.int32)
    comparison = compared(explanation)
    one_by_one = comparison.apart(explanation._points, chosen, K)
    group = comparison.together(explanation._points, chosen, K)
    for name in ("z", "score", "mean", "own"):
        expected = getattr(one_by_one, name).mean(axis=0, keepdims=True)
        np.testing.assert_allclose(getattr(group, name), expected, rtol=1e-6, atol=1e-9)
    assert group.n_effective[0] > one_by_one.n_effective.max()


def test_with_one_unit_features_of_larger_spread_count_more(explanation):
    points, chosen = explanation._points, rows(3, 8)
    found, in_units = (compared(explanation, scale).apart(points, chosen, K) for scale in ("spread", "units"))
    np.testing.assert_allclose(in_units.score, found.score * np.sqrt(found.spread))
    np.testing.assert_allclose(in_units.away_score, found.away_score * np.sqrt(found.spread))
    assert np.array_equal(in_units.said, found.said)
    assert np.array_equal(in_units.unlike, found.unlike)


def test_copies_count_once(table):
    X, Y = table
    copies = explain(np.repeat(X, 4, axis=0), np.repeat(Y, 4, axis=0))
    around = widely_around(copies._points, rows(0), 4 * K)
    of_originals = np.bincount(around.near[0] // 4, around.weights[0])
    np.testing.assert_allclose(around.n_effective, 1 / (of_originals**2).sum())
    assert around.n_effective[0] < 0.5 / (around.weights**2).sum()


def test_values_are_measured_from_the_first_row_with_weight(rng):
    """The first has none, and lies so far away that differences from it would leave rounding behind."""
    matrix = np.append(1e6, np.full(50, 1 / 3)).astype(np.float32)[:, None]
    weights = np.column_stack([np.zeros(20), rng.dirichlet(np.ones(50), 20)])
    found = [np.empty((20, 1)) for _ in range(3)]
    limit = np.full(1, np.inf, np.float32)
    weighted_moments(matrix, np.tile(np.arange(51), (20, 1)), weights, -limit, limit, *found)
    for value, expected in zip(found, (np.float32(1 / 3), np.float32(1 / 3), 0), strict=True):
        assert (value == expected).all()


def test_a_locally_constant_feature_has_no_variance(table):
    X, Y = table
    X[:, 0] = np.where(Y[:, 0] > np.median(Y[:, 0]), 1 / 3, 20.1)
    explanation = explain(X, Y)
    around = widely_around(explanation._points, np.arange(N_ROWS, dtype=np.int32), 30)
    with Run(1) as run:
        moments = local_moments(around, winsorised(explanation._points.mapped, run))
    is_constant = np.array([len(set(X[near, 0])) == 1 for near in around.rows_with_weight])
    assert is_constant.any()
    assert not moments.variance[is_constant, 0].any()
    found = compared(explanation).apart(explanation._points, np.flatnonzero(is_constant).astype(np.int32), 30)
    is_same = np.abs(X[is_constant, 0] - found.mean[:, 0]) < 0.1
    assert is_same.any()
    assert not found.unlike[is_same, 0].any()


@pytest.mark.parametrize("by", sorted(ORDERS))
def test_top_features_follow_their_order(explanation, by, monkeypatch):
    factors = explanation.backing().factors
    scores = {
        "apart": lambda: np.abs(
            compared(explanation).apart(explanation._points, np.arange(N_ROWS, dtype=np.int32), 30).score
        ),
        "shown": lambda: explanation.explained_variance() * factors,
        "varies": explanation.feature_importance,
    }[by]()
    expected = np.argsort(-scores, axis=1, kind="stable")
    monkeypatch.setattr("featmap.explanation.answers.BLOCK", 70)
    assert np.array_equal(explanation.top_features(k=4, by=by), expected[:, :4])
    assert np.array_equal(explanation.top_features([9, 2], k=99, by=by), expected[[9, 2]])
    is_default = np.array_equal(explanation.top_features([9, 2], k=99), expected[[9, 2]])
    assert is_default == (by == "apart")


def test_same_bytes_on_any_number_of_threads_and_in_any_batch(table):
    X, Y = table
    for make in (np.asarray, sp.csr_matrix):
        one, two = (explain(make(X), Y, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert np.array_equal(one.top_features(), two.top_features())
        chosen = np.arange(N_ROWS, dtype=np.int32)
        whole = compared(one).apart(one._points, chosen, K).score
        alone = [compared(two).apart(two._points, chosen[[row]], K).score[0] for row in (0, 7, 50)]
        assert whole[[0, 7, 50]].tobytes() == np.array(alone).tobytes()


def test_new_rows_are_set_apart_by_the_rows_around_them(table):
    X, _ = table
    model = FeatMAP(n_epochs=50, random_state=0).fit(X)
    new = X[:20] + 0.01
    explained = model.explain(new)
    found = compared(explained).apart(explained._points, rows(3), 30)
    np.testing.assert_allclose(found.own[0], new[3], rtol=1e-5)
    tops = explained.top_features(k=3), model.top_features(range(20), k=3)
    assert np.mean([len(set(a) & set(b)) / 3 for a, b in zip(*tops, strict=True)]) > 0.9
    again = model.explain(X[:20])
    assert np.array_equal(again.top_features(), model.top_features(range(20)))


@pytest.mark.filterwarnings("ignore:1 of 60 rows have no neighbours:featmap.FeatmapWarning")
def test_a_row_without_neighbours_is_not_set_apart(rng):
    X = rng.poisson(2, (60, 8)).astype(float)
    X[:, 0] += 1
    X[1:, 7] = 0
    X[0] = np.arange(8) == 7
    explanation = explain(X, rng.normal(size=(60, 2)), metric="braycurtis")
    found = compared(explanation).apart(explanation._points, rows(0), 30)
    assert found.n_effective[0] == 0
    assert not found.z.any()
    assert not (found.said | found.alone | found.unlike).any()
    np.testing.assert_allclose(found.mean[0], found.overall)


@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.parametrize("n_rows", [2, 3, 20])
@pytest.mark.parametrize("by", sorted(ORDERS))
def test_a_handful_of_rows_has_answers(n_rows, by, rng):
    explanation = explain(rng.normal(size=(n_rows, 3)), rng.normal(size=(n_rows, 2)))
    assert explanation.top_features(k=2, by=by).shape == (n_rows, 2)
    found = compared(explanation).apart(explanation._points, np.arange(n_rows, dtype=np.int32), n_rows - 1)
    assert all(np.isfinite(value).all() for value in vars(found).values())


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_of_any_size_give_finite_answers(table, unit):
    X, Y = table
    explanation = explain(X * unit, Y)
    found = compared(explanation, "units").apart(explanation._points, rows(0, 1), K)
    assert all(np.isfinite(value).all() for value in vars(found).values())
    np.testing.assert_allclose(found.own[0], X[0] * unit, rtol=1e-5)


def test_cosine_has_finite_answers(table):
    X, Y = table
    explanation = explain(X, Y, metric="cosine")
    assert np.isfinite(compared(explanation).apart(explanation._points, rows(0), K).score).all()
    assert explanation.top_features([0], k=3).shape == (1, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "important"}, r"top_features\(by='important'\): by must be one of 'apart', 'shown', 'varies'"),
        ({"by": None}, r"top_features\(by=None\)"),
        ({"k": 0}, r"top_features\(k=0\)"),
    ],
)
def test_bad_questions_are_refused_by_name(explanation, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        explanation.top_features(**options)


@pytest.fixture(scope="module")
def clusters():
    planted = clusters_with_own_features(seed=100, shift=4.0)
    return planted, FeatMAP(random_state=0).fit(planted.data)


def found_in_top(top, planted):
    """The part of the features that set each row's cluster apart among the first as many."""
    own = planted.own[planted.target]
    return np.array([np.isin(row, wanted).mean() for row, wanted in zip(top, own, strict=True)])


def test_what_sets_clusters_apart_is_found_and_noise_is_never_first(clusters):
    planted, model = clusters
    top = model.top_features(k=5)
    found = found_in_top(top, planted)
    assert found.mean() >= 0.95
    is_small = planted.target == planted.target.max()
    assert is_small.mean() == pytest.approx(0.01)
    assert found[is_small].mean() >= 0.95
    assert not planted.is_noise[top].any()
    # The order by importance puts noise first, and has hardly any of these features.
    varying = model.top_features(k=5, by="varies")
    assert planted.is_noise[varying[:, 0]].mean() > 0.5
    assert found_in_top(varying, planted).mean() < 0.3


def test_clusters_nearer_to_each_other_are_told_apart_too():
    planted = clusters_with_own_features(seed=101, shift=3.0)
    top = FeatMAP(random_state=0).fit(planted.data).top_features(k=5)
    assert found_in_top(top, planted).mean() >= 0.95
    assert not planted.is_noise[top[:, 0]].any()


@pytest.mark.parametrize("name", TABLES)
def test_noise_added_to_a_table_is_in_no_rows_top_five_and_last_on_the_map(name):
    table = with_noise(name, seed=100)
    model = FeatMAP(random_state=0).fit(table.data)
    assert not table.is_noise[model.top_features(k=5)].any()
    assert table.is_noise[model.map_variance().order[-5:]].all()
    assert table.is_noise[model.top_features(k=5, by="varies")].any(axis=1).mean() > 0.9


def test_the_neighbourhood_of_a_group_is_that_of_its_rows_together(explanation):
    around = widely_around(explanation._points, rows(0, 1, 2), K)
    group = together(around)
    np.testing.assert_allclose(group.weights.sum(), 1)
    dense = np.zeros((3, N_ROWS))
    np.put_along_axis(dense, around.near, around.weights, axis=1)
    np.testing.assert_allclose(group.weights[0], dense.mean(axis=0)[group.near[0]])
    assert not together(replace(around, weights=np.zeros_like(around.weights))).weights.any()
