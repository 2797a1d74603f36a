"""How consistent neighbouring tangent spaces are."""

from __future__ import annotations

import numpy as np
import pytest

from featmap import FeatMAP, explain
from featmap.run import Run
from featmap.tangents.alignment import connect
from featmap.tangents.consistency import consistency
from featmap.values import Order


@pytest.fixture(scope="module")
def model():
    rows = np.random.default_rng(0).normal(size=(150, 5))
    return FeatMAP(n_epochs=1, random_state=0).fit(rows)


def test_consistency_ignores_signs_and_rotations(rng):
    V, W = (np.linalg.qr(rng.normal(size=(9, 3)))[0] for _ in range(2))
    expected = consistency(W.T @ V)
    assert consistency(V.T @ V) == pytest.approx(1)
    for _ in range(10):
        rotation, other = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
        assert consistency((W @ other).T @ (V @ rotation)) == pytest.approx(expected)
        # the maximum over all rotations of ⟨V, W O⟩/d
        assert (V * (W @ rotation)).sum() / 3 <= expected + 1e-12


def test_it_is_the_weighted_mean_over_the_edges_of_the_graph(model):
    mapped = model._points.mapped
    manifold = mapped.manifold
    with Run(1) as run:
        known = manifold.data, mapped.tangents, manifold.graph
        connection = connect(*known, 2, "mean", "paper", Order.of_the_rows(150), run)
    cosines, weights = model.graph_.copy(), model.graph_
    cosines.data = weights.data * consistency(connection.products)
    expected = np.ravel(cosines.sum(axis=1)) / np.ravel(weights.sum(axis=1))
    assert np.allclose(model.consistency(), expected, atol=1e-5)
    assert np.allclose(model.consistency([7, 3]), expected[[7, 3]], atol=1e-5)


def test_a_plane_is_consistent_and_a_sphere_less_so(rng):
    plane = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6))
    sphere = rng.normal(size=(300, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    assert np.allclose(explain(plane, plane[:, :2]).consistency(), 1, atol=1e-4)
    on_sphere = explain(sphere, sphere[:, :2]).consistency()
    assert 0.5 < on_sphere.mean() < 0.99


def test_new_rows_have_one_too(model, rng):
    X = model._points.mapped.manifold.data
    new = X.restore(X.rows(np.arange(4, dtype=np.int32))) + 1e-7
    assert model.explain(new).consistency().shape == (4,)
    assert ((model.explain(new).consistency() > 0) & (model.explain(new).consistency() <= 1 + 1e-6)).all()


def test_the_batch_of_a_new_row_does_not_matter(model, rng):
    new = rng.normal(size=(5, 5))
    np.testing.assert_array_equal(model.explain(new).consistency()[[3]], model.explain(new[[3]]).consistency())


def test_a_line_on_a_map_of_two_dimensions_is_consistent(rng):
    assert np.allclose(explain(rng.normal(size=(60, 1)), rng.normal(size=(60, 2))).consistency(), 1, atol=1e-5)


def test_a_row_without_directions_has_none():
    rows = np.random.default_rng(0).normal(size=(60, 4))
    rows[:30] = rows[0]
    model = FeatMAP(n_neighbors=8, n_epochs=1, random_state=0).fit(rows)
    found, has_directions = model.consistency(), model.intrinsic_dim_ > 0
    assert not has_directions[:30].any()
    assert has_directions[30:].sum() > 20  # the others have only copies of the first row as neighbours
    assert np.array_equal(np.isfinite(found), has_directions)
