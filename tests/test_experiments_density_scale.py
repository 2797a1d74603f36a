"""The measures, margins and pictures of the study of density as a change of variables, and its data."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from experiments.density_scale import experiment
from experiments.density_scale.maps import DEFAULT, METHODS
from experiments.density_scale.pictures import curves, side_by_side
from experiments.density_scale.scores import MEASURES, DataSide, farthest, nearest_on
from lab.data.purchases import purchases


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] + np.random.default_rng(0).normal(scale=0.01, size=(400, 64)), y[:400]


@pytest.fixture(scope="module")
def side(digits):
    X, y = digits
    distances, near = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    return DataSide.of(X, np.array(list("abcdefghij"))[y], near, distances)


def test_a_map_that_is_the_data_keeps_everything_whatever_its_size(digits, side):
    scores = side.scores(3 * digits[0])
    kept = ("trustworthiness", "neighbors_kept", "density_a", "density_b", "density_c", "slope")
    np.testing.assert_allclose([scores[measure] for measure in kept], 1, atol=1e-9)


def test_trustworthiness_and_accuracy_are_sklearns(digits, side):
    X, y = digits
    Y = X[:, 20:22] + np.random.default_rng(1).normal(size=(400, 2))
    scores = side.scores(Y)
    assert scores["trustworthiness"] == pytest.approx(trustworthiness(X, Y, n_neighbors=15), abs=1e-6)
    near = NearestNeighbors(n_neighbors=10).fit(Y).kneighbors(return_distance=False)
    expected = [np.bincount(y[others]).argmax() == own for others, own in zip(near, y, strict=True)]
    assert scores["accuracy"] == pytest.approx(np.mean(expected))
    assert KNeighborsClassifier(10).fit(Y, y).score(Y, y) > scores["accuracy"]  # it counts the row itself


def test_squared_distances_have_the_slope_two_and_the_same_ranks(digits, side):
    """A map on a line whose gaps are the squares of those of the data."""
    gaps = np.random.default_rng(0).lognormal(sigma=1, size=300)
    smooth = np.repeat(gaps, 40)  # neighbourhoods of one gap, but at their ends
    X, Y = (np.cumsum(each)[:, None] for each in (smooth, smooth**2))
    distances, near = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    scores = DataSide.of(X, np.zeros(len(X), int), near, distances).scores(np.hstack([Y, 0 * Y]))
    assert scores["slope"] == pytest.approx(2, abs=0.25)
    assert scores["density_b"] > 0.9


def test_points_at_one_place_are_not_their_own_neighbours():
    near, distances = nearest_on(np.zeros((30, 2)), 15)
    assert near.shape == (30, 15)
    assert (distances == 0).all()
    near, _ = nearest_on(np.random.default_rng(0).normal(size=(30, 2)), 15)
    assert (near != np.arange(30)[:, None]).all()


def test_the_farthest_point_is_counted_in_median_distances():
    angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    assert farthest(circle) == pytest.approx(1)
    assert farthest(5 * np.vstack([circle, [[0, 7]]]) + 3) == pytest.approx(7, rel=0.1)


def test_purchases_have_heavy_tails_copies_and_kinds_that_can_be_told():
    counts, kinds = purchases()
    distances, near = NearestNeighbors(n_neighbors=15).fit(counts.astype(float)).kneighbors()
    squares = (distances**2).mean(axis=1)
    assert np.log(squares + 1e-3 * np.median(squares)).std() > 2
    assert (distances == 0).any()
    votes = [np.bincount(kinds[others]).argmax() for others in near]
    assert 0.8 < np.mean(votes == kinds) < 0.95


def equal_rows(**better):
    """All methods alike in all measures, and ours better in some."""
    table = {method: dict.fromkeys(MEASURES, 0.5) for method in METHODS}
    table[DEFAULT] |= {measure: 0.5 + lead for measure, lead in better.items()}
    return table


def test_the_rules_hold_for_a_tie_and_not_where_a_measure_is_further_below():
    verdicts = [claim.holds for claim in experiment.claims("choice", {"one": equal_rows()})]
    assert all(verdicts)
    claims = experiment.claims("choice", {"one": equal_rows(accuracy=-0.004), "two": equal_rows(accuracy=0.01)})
    assert all(claim.holds for claim in claims)
    claims = experiment.claims("choice", {"one": equal_rows(accuracy=-0.006), "two": equal_rows(accuracy=0.01)})
    assert [claim.claim for claim in claims if not claim.holds] == [
        f"choice: none of them is more than 0.005 below that of {rival}" for rival in ("featMAP p=0", "UMAP")
    ]
    claims = experiment.claims("choice", {"one": equal_rows(density_b=-0.1)})
    assert {claim.claim for claim in claims if not claim.holds} == {
        "choice: density (b) is above that of UMAP",
        "choice: density (b) is above that of densMAP",
    }


def test_pictures_have_a_panel_for_every_map_and_every_set_and_price():
    table = {name: equal_rows(density_b=0.1) for name in ("one", "two")}
    prices = experiment.without("trustworthiness")
    figure = curves(table, experiment.FAMILIES, ("density_b", "density"), prices)
    assert [ax.get_title() for ax in figure.axes if ax.axison] == ["one", "two"] * len(prices)
    Y = np.random.default_rng(0).normal(size=(50, 2))
    figure = side_by_side(
        {"one": {"a": Y, "b": Y}, "two": {"b": Y}}, dict.fromkeys(("one", "two"), Y[:, 0] > 0), "ab"
    )
    drawn = [len(ax.collections) for ax in figure.axes]
    assert drawn == [1, 1, 0, 1]
    plt.close("all")
