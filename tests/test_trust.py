"""Trust in a map and its arrows: figures in words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA

import reference
from featmap import FeatMAP, InvalidParameterError, explain, metrics
from featmap.explanation.told import CenteredRows, leading_directions, told_of_others
from featmap.explanation.trust import Trust
from featmap.explorer.part_of_model import of_features, of_rows
from featmap.run import Run


def test_trust_in_a_flat_map_of_a_plane_is_complete(rng):
    X = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 20))
    trust = explain(X, PCA(2).fit_transform(X)).trust()
    assert trust.word == "good"
    assert trust.share_of_flat > 0.95
    assert trust.share_of_all > 0.95
    assert trust.trustworthiness > 0.99
    assert trust.advice == ""
    assert trust.n_rows == 100


def test_a_map_of_shuffled_rows_is_not_to_be_trusted(digits, digits_model, rng):
    """By chance alone the share of 100 rows was up to 0.028 in four shuffles on two kinds of processors."""
    trust = explain(digits, digits_model.embedding_[rng.permutation(len(digits))]).trust()
    assert trust.word == "poor"
    assert trust.share_of_flat < 0.1 * digits_model.trust().share_of_flat
    assert "do not read them" in str(trust)
    assert "three dimensions" in str(trust)


def figures(share=0.2, n_components=2, **others):
    return Trust(share, 0.1, 0.1, 0.9, 0.5, 100, 500, n_components, True, **others)


@pytest.mark.parametrize(("n_components", "more"), [(2, "n_components=3, "), (3, "")])
def test_advice_about_a_map_of_ours_names_its_parameters(n_components, more):
    trust = figures(n_components=n_components)
    ways = f"{more}a map of a part of the rows, a smaller density, or min_dist=0."
    assert trust.advice.startswith(f"For better arrows try {ways}")


@pytest.mark.parametrize(("n_components", "more"), [(2, "a map with three dimensions, or "), (3, "")])
def test_advice_about_a_map_of_another_method_names_no_parameters_of_ours(n_components, more):
    trust = figures(n_components=n_components, by_another_method=True)
    told = "To tell groups apart use contrast, which needs no arrows."
    assert trust.advice == f"For better arrows try {more}a map of a part of the rows. {told}"


def test_whose_map_it_is_is_known_of_all_its_points(rng):
    X = rng.normal(size=(120, 4))
    ours, theirs = FeatMAP(n_epochs=5, random_state=0).fit(X), explain(X, X[:, :2])
    known = [one.trust().by_another_method for one in (ours, ours.explain(X[:9] + 1), theirs, theirs[:7])]
    assert known == [False, False, True, True]
    rows, features = np.arange(60, dtype=np.int32), np.arange(3, dtype=np.int32)
    with Run(1) as run:
        for model in (ours, theirs):
            points = model._points
            for part in (of_rows(points, rows, run), of_features(points, features, run)):
                assert part.mapped.by_another_method == points.mapped.by_another_method


def test_a_small_fidelity_beside_a_large_share_is_explained():
    said = str(Trust(0.97, 0.4, 0.04, 0.9, 0.5, 100, 500, 2, True))
    assert "nearly all" in said
    assert "Fidelity, the cosine of foretold and true changes, is 0.04 (0 is chance): it counts noise" in said


def test_figures_beside_arrows_are_those_of_the_metrics(digits, digits_model):
    trust = digits_model.trust()
    Y = digits_model.embedding_
    assert trust.trustworthiness == pytest.approx(metrics.trustworthiness(digits, Y, n_sample=None), abs=0.02)
    assert trust.density_correlation == pytest.approx(metrics.density_correlation(digits, Y, n_neighbors=14))
    assert trust.n_ranked_rows == 500


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.3, "poor on the whole map: they show 30% of"),
        (0.94, "good on the whole map: they show 94% of"),
        (0.95, "nearly all of"),
    ],
)
def test_the_share_of_a_plane_is_said_in_words(share, said):
    """It is estimated from some rows, so that none is called complete."""
    assert said in figures(share).sentence


@pytest.fixture(scope="module")
def some_digits(digits):
    return FeatMAP(n_epochs=20, random_state=0, n_jobs=2).fit(digits[:400])


def test_trust_is_kept_with_the_map_and_the_same_on_any_number_of_threads(some_digits, digits):
    model = some_digits
    assert model.trust() is model.trust()
    assert model.explain(digits[400:410]).trust() is model.trust()
    one = FeatMAP(n_epochs=20, random_state=0, n_jobs=1).fit(digits[:400])
    assert one.trust() == model.trust()
    assert model.trust(kind="tangent") != model.trust()
    assert model.trust(groups=np.arange(400)) == model.trust()


def test_data_of_few_features_have_trust_too():
    X, _ = make_swiss_roll(1000, random_state=0)
    trust = FeatMAP(n_epochs=200, random_state=0).fit(X).trust()
    assert trust.word == "good"


@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.parametrize("n_rows", [2, 3, 5, 12])
def test_a_handful_of_rows_has_finite_trust(n_rows, rng):
    trust = FeatMAP(n_epochs=3, random_state=0).fit(rng.normal(size=(n_rows, 9))).trust()
    figures = (trust.share_of_flat, trust.share_of_all, trust.fidelity, trust.trustworthiness)
    assert np.isfinite(figures).all()


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_what_features_tell_of_each_other_equals_its_twin(make, rng):
    weights = rng.dirichlet(np.ones(40), size=2)
    values = [rng.normal(size=(40, 3)) @ rng.normal(size=(3, 12)) + rng.normal(size=(40, 12)) for _ in range(2)]
    for rows in values:
        rows[rng.random((40, 12)) < 0.3] = 0
    fitted, scored = (CenteredRows.of(make(rows), part) for rows, part in zip(values, weights, strict=True))
    dense = [
        np.sqrt(part)[:, None] * reference.weighted_centered(rows, part)
        for rows, part in zip(values, weights, strict=True)
    ]
    directions = leading_directions(fitted, 5)
    expected = np.linalg.svd(dense[0])[2][:5].T
    np.testing.assert_allclose(np.abs(np.sum(directions * expected, axis=0)), 1, rtol=1e-9)
    known, spreads, numbers = np.arange(12) % 2 == 0, np.square(dense[1]).sum(axis=0), [1, 2, 3, 5]
    for q, told in zip(numbers, told_of_others(scored, spreads, directions, known, numbers), strict=True):
        both = [reference.told_by_half(dense[1], directions[:, :q], half) for half in (known, ~known)]
        assert told == pytest.approx(np.mean(both), rel=1e-9)


def test_sparse_data_have_the_same_trust(some_digits, digits):
    """Sparse rows are never centred: their mean is subtracted from products."""
    sparse = FeatMAP(n_epochs=20, random_state=0).fit(sp.csr_matrix(digits[:400]))
    for name in ("share_of_flat", "share_of_all", "fidelity"):
        assert getattr(sparse.trust(), name) == pytest.approx(getattr(some_digits.trust(), name), rel=1e-6)


def test_sparse_rows_that_are_equal_tell_nothing(rng):
    """They have no directions but for rounding."""
    for _ in range(20):
        rows = np.tile(rng.random(30).astype(np.float32), (12, 1))
        same = CenteredRows.of(sp.csr_matrix(rows), rng.dirichlet(np.ones(12)))
        assert not leading_directions(same, 3).any()


def test_words_follow_the_share_of_a_flat_map():
    words = [figures(share).word for share in (0.0, 0.39, 0.4, 0.69, 0.7, 1)]
    assert words == ["poor", "poor", "fair", "fair", "good", "good"]


def test_unknown_kinds_are_refused(digits_model):
    with pytest.raises(InvalidParameterError, match=r"trust\(kind='random'\)"):
        digits_model.trust(kind="random")
