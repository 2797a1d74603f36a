"""Density of a map by own neighbours, and the scale bar: measured against slow twins, told in the right unit."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import reference
from featmap import FeatMAP, Prepare, explain, in_original_units, metrics
from featmap.data.scaling import scale_data
from featmap.explanation import map_scale
from featmap.explanation.map_scale import is_standardised, own_distances_of, pairs_within, scale_bar_of

WINE = StandardScaler().fit_transform(load_wine().data)
IRIS = load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def plane():
    """400 rows that lie in a plane of five features, dense in its middle, and the plane: a map with a scale."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(400, 2)) * np.exp(rng.normal(size=(400, 1)) / 2)
    return Y @ np.linalg.qr(rng.normal(size=(5, 5)))[0][:2] * 3, Y


@pytest.fixture(scope="module")
def wine():
    return FeatMAP(random_state=0).fit(WINE)


def bar_of(explanation, share=0.1):
    mapped = explanation._points.mapped
    return scale_bar_of(mapped, share * np.ptp(mapped.embedding[:, 0]))


# Density


def test_density_is_that_of_loops_by_the_neighbours_of_the_model(wine):
    x, y = (np.log(reference.distances_to(rows.astype(float), 14)) for rows in (WINE, wine.embedding_))
    assert wine.density_correlation_ == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-5)
    assert wine.density_slope_ == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-5)
    assert wine.density_correlation_ == pytest.approx(
        metrics.density_correlation(WINE, wine.embedding_, n_neighbors=14)
    )
    assert wine.density_slope_ == pytest.approx(metrics.density_slope(WINE, wine.embedding_, n_neighbors=14))
    assert wine.trust().density_correlation == wine.density_correlation_


def test_the_slope_follows_the_parameter(wine):
    slopes = [FeatMAP(density=p, random_state=0).fit(WINE).density_slope_ for p in (0, 1)]
    assert slopes[0] + 0.15 < slopes[1] < wine.density_slope_ - 0.05


def test_density_is_measured_when_it_is_asked_for_and_once(plane, monkeypatch):
    measured = []
    monkeypatch.setattr(map_scale, "OwnDistances", counted(map_scale.OwnDistances, measured))
    explanation = explain(*plane)
    assert not measured
    known = explanation.density_correlation_, explanation.density_slope_
    kept = pickle.loads(pickle.dumps(explanation))
    for same in (explanation[:9], kept):
        assert (same.density_correlation_, same.density_slope_) == known
    assert len(measured) == 1


def counted(kind, calls):
    class Counted(kind):
        @classmethod
        def of(cls, *given):
            calls.append(given)
            return kind.of(*given)

    return Counted


def test_there_is_no_density_before_a_fit():
    assert not hasattr(FeatMAP(), "density_correlation_")
    with pytest.raises(NotFittedError):
        FeatMAP().density_slope_  # noqa: B018


def test_a_saved_model_has_the_same_density(wine, tmp_path):
    wine.save(tmp_path / "wine.featmap")
    loaded = FeatMAP.load(tmp_path / "wine.featmap")
    assert (loaded.density_correlation_, loaded.density_slope_) == (wine.density_correlation_, wine.density_slope_)


def test_of_a_large_map_the_same_sample_is_measured_against_all_points(plane, monkeypatch):
    whole = own_distances_of(explain(*plane)._points.mapped)
    monkeypatch.setattr(map_scale, "MOST_ROWS", 100)
    some, again = (own_distances_of(explain(*plane)._points.mapped) for _ in range(2))
    assert len(some.rows) == 100
    assert np.array_equal(some.rows, again.rows)
    assert np.array_equal(some.on_map, whole.on_map[some.rows])
    assert np.array_equal(some.in_data, whole.in_data[some.rows])


@pytest.mark.parametrize("metric", ["cosine", "manhattan"])
def test_distances_are_those_of_the_neighbours_in_their_metric(metric, digits):
    model = FeatMAP(metric=metric, n_neighbors=9, n_epochs=20, random_state=0).fit(digits[:300])
    own = own_distances_of(model._points.mapped)
    np.testing.assert_allclose(np.exp(own.in_data), model.neighbors_[1][:, 7])
    np.testing.assert_allclose(np.exp(own.on_map), reference.distances_to(model.embedding_.astype(float), 8))


def test_more_neighbours_for_tangent_spaces_change_nothing(plane):
    wide, usual = (explain(*plane, n_tangent_neighbors=k) for k in (40, None))
    assert wide.density_correlation_ == usual.density_correlation_


def test_a_map_of_distances_has_a_density_too(plane):
    X, _ = plane
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    model = FeatMAP(metric="precomputed", n_epochs=100, random_state=0).fit(distances)
    same = FeatMAP(n_epochs=100, random_state=0).fit(X)
    assert model.density_slope_ == pytest.approx(same.density_slope_, abs=0.2)
    assert model.density_correlation_ > 0.5
    assert bar_of(model) is None


def test_rows_that_miss_neighbours_or_are_copies_do_not_count(plane):
    X, Y = plane
    exact = np.linalg.norm(X[:, None] - X, axis=2)
    distances, indices = np.sort(exact)[:, :6], np.argsort(exact)[:, :6]
    indices[:50, 5], distances[:50, 5] = -1, np.inf
    distances[50:60, 1:] = 0
    given = explain(X, Y, n_neighbors=6, precomputed_knn=(indices, distances))
    assert np.array_equal(own_distances_of(given._points.mapped).rows, np.arange(60, 400))
    x, y = np.log(distances[60:, 5]), np.log(reference.distances_to(Y, 5)[60:])
    assert given.density_correlation_ == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-5)


DEGENERATE = {
    "three rows": (np.eye(3), np.eye(3)[:, :2]),
    "copies": (np.ones((20, 3)), np.random.default_rng(0).normal(size=(20, 2))),
    "one place": (np.random.default_rng(0).normal(size=(200, 3)), np.ones((200, 2))),
    "all distances equal": (np.eye(150), np.random.default_rng(0).normal(size=(150, 2))),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_nothing_to_measure_is_zero_without_warnings(case):
    X, Y = (np.asarray(part, float) for part in DEGENERATE[case])
    explanation = explain(X, Y, n_neighbors=min(15, len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (explanation.density_correlation_, explanation.density_slope_) == (0, 0)
        assert bar_of(explanation) is None
        assert metrics.density_slope(X, Y, n_neighbors=1) == 0


# The scale bar


def test_the_bar_is_what_rows_within_its_length_differ_by(plane):
    X, Y = plane
    bar = bar_of(explain(X, Y), 0.05)
    assert bar.length == pytest.approx(0.05 * np.ptp(Y[:, 0]), rel=1e-6)
    differing = reference.differences_within(X, Y, bar.length)
    drawn = np.concatenate([np.quantile(each, np.linspace(0, 1, 200)) for each in differing])  # each row counts alike
    for share, found in ((1 / 6, bar.low), (1 / 2, bar.typical), (5 / 6, bar.high)):
        # a third of the pairs is 130: their quantiles have errors of about four hundredths
        assert np.mean(drawn <= found) == pytest.approx(share, abs=0.06)
    assert bar.typical < 3 * bar.length
    assert (bar.unit, bar.n_features) == ("in units of the data", 5)


def test_rows_that_have_no_distance_are_not_in_the_bar(plane):
    """Fifty copies come first, far from all others in the data and on the map."""
    X, Y = plane
    with_copies = explain(np.vstack([np.full((50, 5), 40.0), X]), np.vstack([np.full((50, 2), 40.0), Y]))
    length = 0.1 * np.ptp(Y[:, 0])
    found, expected = (scale_bar_of(one._points.mapped, length) for one in (with_copies, explain(X, Y)))
    assert (found.low, found.typical, found.high) == pytest.approx((expected.low, expected.typical, expected.high))


def test_pairs_are_within_the_length_and_any_of_them(rng):
    places = rng.normal(size=(300, 2))
    pairs = pairs_within(places, 0.3)
    assert np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1).max() <= 0.3
    assert (pairs[:, 0] != pairs[:, 1]).all()
    assert len(np.unique(pairs[:, 0])) == len(pairs)
    alone = np.array([not len(found) for found in neighbours_within(places, 0.3)])
    assert set(pairs[:, 0]) == set(np.flatnonzero(~alone))
    star = np.concatenate([[[0, 0]], np.full((200, 2), 5.0), rng.normal(size=(200, 2)) / 1e3])
    of_star = pairs_within(star, 0.1)
    assert of_star.shape == (401, 2)
    assert len(np.unique(of_star[:, 1])) > 200  # not the first, nor the nearest, for all
    assert pairs_within(np.arange(20.0)[:, None], 0.5).shape == (0, 2)


def neighbours_within(places, length):
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    return [np.flatnonzero((row <= length) & (np.arange(len(row)) != i)) for i, row in enumerate(distances)]


def test_only_maps_that_carry_a_scale_have_a_bar(wine, plane, rng):
    X, Y = plane
    assert bar_of(wine) is not None
    assert bar_of(FeatMAP(density=0, random_state=0).fit(WINE)) is None
    assert bar_of(explain(X, rng.normal(size=Y.shape))) is None  # no correlation
    flattened = Y / np.linalg.norm(Y, axis=1, keepdims=True) ** 0.75
    flat = explain(X, flattened)
    assert flat.density_correlation_ > map_scale.LEAST_CORRELATION
    assert flat.density_slope_ < map_scale.LEAST_SLOPE
    assert bar_of(flat) is None
    other_metric = explain(X, Y, metric="manhattan")
    assert other_metric.density_correlation_ > 0.9
    assert bar_of(other_metric) is None
    assert bar_of(explain(X[:99], Y[:99])) is None
    assert bar_of(explain(X[:101], Y[:101])) is not None


def test_the_default_has_a_bar_and_umaps_objective_has_none(digits):
    for density, expected in ((0, False), (None, True)):
        model = FeatMAP(density=density, random_state=0).fit(digits)
        assert (bar_of(model) is not None) == expected


def test_the_bar_is_of_the_two_dimensions_that_are_drawn(plane):
    X, Y = plane
    deep = explain(X, np.column_stack([Y, Y[::-1, 0] / 2]))
    assert deep.density_correlation_ < explain(X, Y).density_correlation_ - 0.01
    assert bar_of(deep) == bar_of(explain(X, Y))
    on_a_line = explain(np.abs(X[:, :1]) * [1, 2], np.abs(X[:, :1]))
    assert bar_of(on_a_line).typical == pytest.approx(5**0.5 * bar_of(on_a_line).length / 2, rel=0.3)


# Units


def test_scaled_features_are_told_in_standard_deviations(wine):
    assert bar_of(wine).unit == "standard deviations"
    by_pandas = explain(pd.DataFrame(WINE) / (1 - 1 / len(WINE)) ** -0.5, wine.embedding_)  # n − 1 in the variance
    assert bar_of(by_pandas).unit == "standard deviations"
    assert bar_of(explain(WINE * 1.05, wine.embedding_)).unit == "in units of the data"


def test_yes_and_no_may_stand_beside_scaled_numbers(rng):
    numbers = StandardScaler().fit_transform(rng.normal(size=(200, 3)))
    flags = rng.integers(2, size=(200, 2))
    three = rng.integers(3, size=(200, 1))
    assert is_standardised(scale_data(np.column_stack([numbers, flags, np.ones(200)])))
    assert not is_standardised(scale_data(np.column_stack([numbers, three])))
    assert not is_standardised(scale_data(flags.astype(float)))


def test_tables_are_told_in_their_own_unit_where_there_is_one():
    """A centimetre of iris is a centimetre; behind a common scale it is found again."""
    in_cm = in_original_units(make_pipeline(Prepare(scale=False), FeatMAP(random_state=0)).fit(IRIS))
    bar = bar_of(in_cm)
    assert bar.unit == "in units of the data"
    smaller = explain(IRIS.to_numpy() / 10, in_cm.embedding_)
    assert bar_of(smaller).typical == pytest.approx(bar.typical / 10, rel=1e-4)
    units = replace(in_cm._points.mapped.data.units, factor=np.full(4, 10.0))
    assert scale_bar_of(smaller._points.in_units(units).mapped, bar.length).typical == pytest.approx(
        bar.typical, rel=1e-4
    )


def test_tables_of_several_units_are_told_in_standard_deviations():
    frame = IRIS.assign(kind=np.repeat(["a", "b", "c"], 50))
    pipeline = make_pipeline(Prepare(), FeatMAP(random_state=0)).fit(frame)
    prepared, table = bar_of(pipeline[-1]), bar_of(in_original_units(pipeline))
    assert prepared.unit == table.unit == "standard deviations"
    assert prepared.typical == table.typical
    assert (prepared.n_features, table.n_features) == (7, 5)


def test_components_are_named_and_cosine_distances_too(plane, digits):
    by_components = bar_of(explain(*plane, pca=2))
    assert (by_components.n_features, by_components.of_components) == (2, True)
    assert by_components.typical == pytest.approx(bar_of(explain(*plane)).typical, rel=1e-4)
    mapped = explain(digits[:600] + 1, digits[:600, :2], metric="cosine")._points.mapped
    rows = np.array([[0, 1], [5, 9]])
    expected = [1 - np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in digits[rows] + 1]
    np.testing.assert_allclose(map_scale.differences(mapped, rows), expected, atol=1e-6)
    assert map_scale.unit_of(mapped) == (1.0, "in cosine distance")
