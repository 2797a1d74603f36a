"""Backing and what the map shows as a whole: equal to slow twins, blind to noise, copies and threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine, make_swiss_roll
from sklearn.decomposition import PCA

import reference
from featmap import FeatMAP, InvalidParameterError, explain
from featmap.explanation import backing as backing_module
from featmap.explanation import map_variance as map_variance_module
from featmap.explanation.backing import judged, mutual_prediction
from featmap.run import Run


def explained(X, n_jobs=1, **options):
    """The data on their first two principal components."""
    dense = X.toarray() if sp.issparse(X) else X
    return explain(X, PCA(2, svd_solver="full").fit_transform(dense), n_jobs=n_jobs, **options)


def predicted(X, n_jobs=1):
    with Run(n_jobs) as run:
        return mutual_prediction(X, run)


@pytest.fixture
def factors(rng):
    """Eight features of two factors, with noise, and two that are noise alone."""
    known = np.repeat(rng.normal(size=(300, 2)), 4, axis=1)
    return np.column_stack([known, np.zeros((300, 2))]) + 0.5 * rng.normal(size=(300, 10))


def test_backing_equals_its_twin(factors):
    expected = reference.backing(reference.winsorised(factors))
    found = explained(factors).backing()
    np.testing.assert_allclose(found.values, expected, atol=1e-5)
    assert (expected[:8] > 0.3).all()
    np.testing.assert_allclose(found.factors, np.clip((found.values - 1.2 / np.sqrt(300)) / 0.07, 0, 1))
    assert found.factors[8:].tolist() == [0, 0]
    assert found.alone.tolist() == [8, 9]


def test_many_features_are_known_by_their_principal_components(rng):
    """Signal in five directions: the 30 components of the twin and of the subspace iteration hold it alike."""
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 120)) + 1e-4 * rng.normal(size=(200, 120))
    np.testing.assert_allclose(predicted(X.astype(np.float32)), reference.backing(X, n_components=30), atol=2e-3)


def test_noise_is_backed_by_nothing(rng):
    """Its backing is 0 with a standard deviation near 0.4/√m, however many features there are."""
    for n_features in (10, 60, 300):
        values = predicted(rng.normal(size=(400, n_features)).astype(np.float32))
        spread = 0.4 / np.sqrt(400)
        assert abs(values.mean()) < 4 * spread / np.sqrt(n_features)
        assert 0.5 * spread < values.std() < 1.5 * spread


def test_independent_features_are_not_judged(rng):
    found = explained(rng.normal(size=(300, 5))).backing()
    assert not found.is_judged
    assert (found.factors == 1).all()
    assert len(found.alone) == 0
    assert repr(found) == "Backing(5 features, not judged: they know too little of each other, on 300 rows)"
    assert not explained(make_swiss_roll(1000, random_state=0)[0]).backing().is_judged


def test_few_rows_need_more_backing():
    """Of 25 rows noise may have 0.24: a best backing of 0.25 cannot judge."""
    assert not judged(np.array([0.25, 0.0]), 25).is_judged
    assert judged(np.array([0.35, 0.0]), 25).factors.tolist() == [1, 0]
    assert not judged(np.array([0.19, 0.0]), 10_000).is_judged


@pytest.mark.parametrize("jitter", [0.0, 1e-4])
def test_copies_of_rows_do_not_back_noise(factors, rng, jitter):
    copies = np.tile(factors, (4, 1))
    copies = copies + jitter * rng.normal(size=copies.shape)
    known = predicted(copies.astype(np.float32))
    assert (known[8:] > 0.2).all()  # if copies were not left out
    found = explained(copies)
    assert found.backing().n_rows == 300
    np.testing.assert_allclose(found.backing().values, explained(factors).backing().values, atol=0.01)
    shown = found.map_variance().explained
    np.testing.assert_allclose(shown, explained(factors).map_variance().explained, atol=0.01)


def test_rows_that_are_equal_in_one_half_have_neighbours_of_their_own(rng):
    """Most rows are zero in all features of a half. With the same ten neighbours for all, noise had up to 0.09."""
    X = (rng.uniform(size=(1500, 12)) < 0.02).astype(np.float32)
    assert abs(predicted(X)).max() < 4 * 0.4 / np.sqrt(1500)


def test_sparse_data_have_the_answers_of_dense_ones(rng):
    X = rng.poisson(np.exp(rng.normal(size=(200, 2)) @ rng.uniform(-1, 1, (2, 30)) - 1)).astype(float)
    X[:, 3] += 5  # no zero is left
    dense, sparse = explained(X), explained(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse.backing().values, dense.backing().values, atol=1e-5)
    np.testing.assert_allclose(sparse.map_variance().explained, dense.map_variance().explained, atol=1e-5)
    assert np.array_equal(sparse.map_variance().order, dense.map_variance().order)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_same_bytes_on_any_number_of_threads(rng, make):
    X = make(rng.poisson(1, (400, 130)).astype(float))
    (one, shown), (two, as_shown) = ((e.backing(), e.map_variance()) for e in (explained(X, 1), explained(X, 2)))
    assert one.values.tobytes() == two.values.tobytes()
    assert shown.explained.tobytes() == as_shown.explained.tobytes()


def test_features_in_other_units_are_backed_alike(factors):
    one, other = (explain(unit * factors, factors[:, :2]) for unit in (1.0, 2.0**300))
    assert one.backing().values.tobytes() == other.backing().values.tobytes()
    assert one.map_variance().explained.tobytes() == other.map_variance().explained.tobytes()


@pytest.mark.filterwarnings("ignore:n_neighbors=:featmap.FeatmapWarning")
@pytest.mark.parametrize("shape", [(2, 1), (2, 3), (5, 1), (5, 2), (12, 3)])
def test_the_smallest_data_have_a_finite_backing(shape, rng):
    found = explain(rng.normal(size=shape), rng.normal(size=(shape[0], 2)))
    backing, shown = found.backing(), found.map_variance()
    assert np.isfinite(backing.values).all()
    assert np.isfinite(shown.explained).all()
    assert len(shown.order) == shape[1]


def test_constant_features_have_none(factors, rng):
    factors[:, 0] = 3.0
    found = explained(factors)
    assert found.backing().values[0] == found.backing().factors[0] == found.map_variance().explained[0] == 0
    found = explain(np.ones((40, 3)), rng.normal(size=(40, 2)))
    assert found.backing().values.tolist() == found.map_variance().explained.tolist() == [0, 0, 0]


def test_what_the_map_shows_equals_its_twin(factors, rng):
    Y = rng.normal(size=(300, 2)).astype(np.float32)
    factors[:, 9] = Y[:, 0] ** 2
    near = reference.nearest_others(Y, 15)[0]
    found = explain(factors, Y).map_variance().explained
    np.testing.assert_allclose(found, reference.part_told_by(reference.winsorised(factors), near), atol=1e-5)
    assert found[9] > 0.8
    assert abs(found[:9]).max() < 0.15  # nothing to do with this map


def test_wide_data_are_compared_a_few_columns_at_a_time(rng, monkeypatch):
    X = rng.normal(size=(100, 30))
    expected = explained(X).map_variance().explained
    monkeypatch.setattr(map_variance_module, "COLUMNS_AT_ONCE", 7)
    assert np.array_equal(explained(X).map_variance().explained, expected)


def test_the_order_of_the_whole_map_is_by_what_is_shown_and_backed(factors):
    found = explained(factors).map_variance()
    shown = np.maximum(found.explained, 0) * found.backing.factors
    assert (np.diff(shown[found.order]) <= 0).all()
    assert set(found.order[-2:]) == {8, 9}
    frame = found.to_frame()
    assert frame.columns.tolist() == ["feature", "explained", "backing"]
    assert frame["feature"].tolist() == found.top(99).tolist()
    assert found.top(3).tolist() == found.order[:3].tolist()
    with pytest.raises(InvalidParameterError, match=r"top\(k=0\)"):
        found.top(0)


def test_results_name_the_features():
    wine = load_wine(as_frame=True).data
    model = FeatMAP(n_epochs=5, random_state=0).fit((wine - wine.mean()) / wine.std())
    shown = model.map_variance()
    first = shown.top(1)[0]
    assert first in wine.columns
    assert repr(shown).startswith(f"MapVariance(13 features; the map shows most of: {first} 0.")
    backing = model.backing()
    assert backing.to_frame()["backing"].is_monotonic_decreasing
    assert set(backing.to_frame()["feature"]) == set(wine.columns)
    assert repr(backing) == "Backing(13 features, 13 known by others, on 178 rows)"


def test_it_is_computed_once_also_for_new_rows_and_loaded_models(factors, tmp_path, monkeypatch):
    calls = []
    compute = backing_module.mutual_prediction
    monkeypatch.setattr(
        backing_module, "mutual_prediction", lambda *arguments: calls.append(1) or compute(*arguments)
    )
    model = FeatMAP(n_epochs=5, random_state=0).fit(factors)
    expected = model.backing().values
    model.top_features([0])
    model.map_variance()
    model.explain(factors[:5] + 1).backing()
    assert len(calls) == 1
    model.save(tmp_path / "model.featmap")
    loaded = FeatMAP.load(tmp_path / "model.featmap")
    assert loaded.backing().values.tobytes() == loaded.backing().values.tobytes() == expected.tobytes()
    assert len(calls) == 2


def test_at_most_three_thousand_rows_are_compared(rng, monkeypatch):
    monkeypatch.setattr(backing_module, "MOST_ROWS", 100)
    assert explained(rng.normal(size=(300, 4))).backing().n_rows == 100
