"""Arrows that have the right length, only where they beat chance, and scores that see nothing that was fitted."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.decomposition import PCA

from featmap import FeatMAP, InvalidParameterError, explain
from featmap.explanation.blend import Agreement
from featmap.explanation.chance import arrow_p_values
from featmap.explanation.neighborhoods import Neighborhoods


@pytest.fixture(scope="module")
def gradients():
    """How features grow on a flat map of which half of twenty features are linear functions."""
    rng = np.random.default_rng(3)
    return np.column_stack([rng.normal(size=(2, 10)), np.zeros((2, 10))])


def noisy_plane(gradients, noise, seed, n_rows=1500):
    rng = np.random.default_rng(seed)
    Y = rng.uniform(-1, 1, size=(n_rows, 2))
    return Y @ gradients + noise * rng.normal(size=(n_rows, 20)), Y


@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_arrows_have_the_right_length(noise, gradients):
    """The slope of drawn arrows on true gradients. Tangent arrows are half as long as they should be at noise 0.2."""
    slopes = {"blend": [], "tangent": []}
    for seed in (0, 1):
        explanation = explain(*noisy_plane(gradients, noise, seed))
        for kind, found in slopes.items():
            arrows = explanation.arrows(range(0, 1500, 15), kind=kind).transpose(0, 2, 1)
            found.append((arrows * gradients).sum() / (np.square(gradients).sum() * len(arrows)))
    assert all(0.85 <= slope <= 1.1 for slope in slopes["blend"])
    if noise == 0.2:
        assert all(slope < 0.85 for slope in slopes["tangent"])


def plane_of_components(noise, seed, n_loaded=100, n_others=20):
    """A noisy plane whose last features had no part in the four principal components, and the true gradients."""
    gradients = np.random.default_rng(3).normal(size=(2, n_loaded + n_others))
    rng = np.random.default_rng(seed)
    Y = rng.uniform(-1, 1, size=(1500, 2))
    X = Y @ gradients + noise * rng.normal(size=(1500, n_loaded + n_others))
    directions = np.zeros((n_loaded + n_others, 4))
    directions[:n_loaded] = PCA(4).fit(X[:, :n_loaded]).components_.T
    return X, Y, directions, gradients


@pytest.mark.parametrize("n_neighbors", [None, 40])
def test_arrows_of_features_without_loadings_have_the_right_length(n_neighbors):
    """With the mixture of the others, most of which is of the tangent spaces, they have 0.80 and 0.59 of it."""
    X, Y, directions, gradients = plane_of_components(0.2, 0)
    arrows = explain(X, Y, pca=directions).arrows(range(0, 1500, 15), n_neighbors=n_neighbors).transpose(0, 2, 1)
    for chosen in (slice(100), slice(100, None)):
        found, true = arrows[:, :, chosen], gradients[:, chosen]
        assert 0.85 <= (found * true).sum() / (np.square(true).sum() * len(found)) <= 1.1
        assert 0.95 <= (found * true).sum() / np.square(found).sum() <= 1.1


def test_a_single_feature_without_loadings_has_no_arrow():
    model = FeatMAP(n_epochs=10, pca=1, random_state=0).fit(np.zeros((120, 1)))
    assert not model.arrows().any()
    assert model.why(0).changes == ()


@pytest.mark.parametrize("n_neighbors", [None, 40])
def test_arrows_of_features_without_loadings_know_nothing_of_the_others(n_neighbors):
    """The same map and neighbours: twice the other features are twice the components."""
    X, Y, directions, _ = plane_of_components(0.5, 1)
    twice = np.concatenate([2 * X[:, :100], X[:, 100:]], axis=1)
    found, expected = (
        explain(values, Y, pca=directions).arrows(range(0, 1500, 50), n_neighbors=n_neighbors)
        for values in (twice, X)
    )
    np.testing.assert_allclose(found[:, 100:], expected[:, 100:], rtol=1e-4)
    np.testing.assert_allclose(found[:, :100], 2 * expected[:, :100], rtol=1e-4, atol=1e-6)


def test_features_independent_of_the_map_have_short_arrows(rng):
    X, Y = rng.normal(size=(800, 15)), rng.normal(size=(800, 2))
    lengths = {kind: np.square(explain(X, Y).arrows(range(100), kind=kind)).sum() for kind in ("blend", "map")}
    assert lengths["blend"] < 0.25 * lengths["map"]


@pytest.mark.parametrize("seed", range(2))
def test_a_mixture_has_the_least_error_without_negative_parts(seed):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(40, 2, 2))
    M, c = roots @ roots.transpose(0, 2, 1), rng.normal(size=(40, 2))
    M[0], M[1], c[2] = 0, [[1, 1], [1, 1]], [-1, -1]
    c[0] = 0
    for (u, v), signal, total in zip(Agreement(c, M).mixtures(), c, M, strict=True):

        def error(t, signal=signal, total=total):
            return t @ total @ t - 2 * signal @ t

        best = minimize(error, [1.0, 1.0], bounds=[(0, None)] * 2, tol=1e-12)
        assert u >= 0 <= v
        assert error(np.array([u, v])) <= best.fun + 1e-6 * (1 + abs(best.fun))


def test_a_mixture_of_a_sample_is_that_of_the_summed_agreement(rng):
    c, M = rng.random((5, 2)), rng.random((5, 2, 2))
    pooled = Agreement(c, M).pooled()
    assert pooled.signal.shape == (1, 2)
    np.testing.assert_allclose(pooled.signal[0], c.sum(axis=0))
    np.testing.assert_allclose(pooled.total[0], M.sum(axis=0))


def repeated(X, Y, n_copies, spread, rng):
    """Every row several times, exactly or nearly."""
    parts = [np.repeat(part, n_copies, axis=0) for part in (X, Y)]
    return [part + spread * rng.normal(size=part.shape) for part in parts]


@pytest.mark.parametrize("spread", [0, 1e-3])
@pytest.mark.parametrize("n_copies", [1, 2, 4])
@pytest.mark.parametrize("kind", ["blend", "tangent", "map"])
def test_independent_features_have_no_fidelity_whatever_is_copied(kind, n_copies, spread, rng):
    """Copies in both halves would score 0.26 and more."""
    X, Y = repeated(rng.normal(size=(600, 20)), rng.normal(size=(600, 2)), n_copies, spread, rng)
    assert abs(np.mean(explain(X, Y).fidelity(range(0, len(X), 3 * n_copies), kind))) < 0.02


def test_time_series_in_blocks_have_no_fidelity_with_groups(rng):
    """Independent random walks for features and map, cut into blocks: neighbours in time are alike in both."""
    X, Y = (np.cumsum(rng.normal(size=(60, 20, n)), axis=1).reshape(1200, n) for n in (20, 2))
    blocks = np.repeat(np.arange(60), 20)
    explanation, rows = explain(X, Y), range(0, 1200, 6)
    assert np.mean(explanation.fidelity(rows)) > 0.05
    assert abs(np.mean(explanation.fidelity(rows, groups=blocks))) < 0.02


@pytest.mark.parametrize("n_neighbors", [30, 120])
def test_p_values_of_independent_features_are_not_too_small(n_neighbors, rng):
    X, Y = rng.normal(size=(900, 60)), rng.normal(size=(900, 2))
    points = explain(X, Y)._points
    rows = np.arange(0, 900, 18, dtype=np.int32)
    p_values = arrow_p_values(points, rows, Neighborhoods.around(points, rows, n_neighbors, points.mapped.copies))
    for level in (0.05, 0.01):
        assert 0 < (p_values <= level).mean() < level + 3 * np.sqrt(level / p_values.size)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_arrows_that_beat_chance_are_those_of_features_on_the_map(n_components, metric, rng):
    Y = rng.uniform(-1, 1, size=(1000, n_components))
    X = 0.3 * rng.normal(size=(1000, 30))
    signs = np.array([rng.permutation(np.repeat([-1, 1], 5)) for _ in range(n_components)])
    X[:, :10] += Y @ signs  # which sum to 0, so that rows of unit length know nothing of it elsewhere
    found = explain(X + 5, Y, metric=metric).significant_arrows(range(50), n_neighbors=400)
    assert found.dtype == bool
    assert found[:, :10].mean() > 0.9
    assert found[:, 10:].mean() < 0.05


@pytest.mark.parametrize("kind", ["normal", "counts"])
def test_few_rows_have_an_arrow_by_chance(kind, rng):
    """Shuffled features: at most 5 % of the rows have any, and sampling errors of three standard deviations."""
    X = rng.normal(size=(800, 100)) if kind == "normal" else rng.poisson(0.1, size=(800, 100)) * 1.0
    found = explain(sp.csr_matrix(X) if kind == "counts" else X, rng.normal(size=(800, 2))).significant_arrows(
        range(200)
    )
    assert found.any(axis=1).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_new_rows_have_arrows_that_predict_them(rng):
    Y = rng.uniform(-1, 1, size=(600, 2))
    X = Y @ rng.normal(size=(2, 12)) + 0.05 * rng.normal(size=(600, 12))
    new = FeatMAP(n_epochs=100, random_state=0).fit(X[:500]).explain(X[500:])
    assert np.median(new.fidelity()) > 0.8
    assert new.significant_arrows().any(axis=1).all()
    assert (new.explained_variance().mean(axis=1) > 0.5).mean() > 0.8


@pytest.mark.parametrize("rate", [-0.1, 1.5, "a", None])
def test_impossible_rates_are_refused(rate, model):
    with pytest.raises(InvalidParameterError, match=r"significant_arrows\(rate="):
        model.significant_arrows([0], rate=rate)
