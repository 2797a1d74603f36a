"""Projections onto the tangent spaces around points, without their axes, against plain matrices."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import reference
from featmap import FeatMAP, explain
from featmap.explanation import arrows as drawing
from featmap.explanation.points import points_of_data
from featmap.explanation.projection import projections
from featmap.explanation.spaces import PartOfSpaces, SpacesOfFit, SpacesWithout
from featmap.kernels.projection import project_lines, room_for_projection
from featmap.tangents.axes import axes


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize(("n_lines", "n_mixed"), [(3, 1), (3, 2), (6, 4), (9, 7)])
def test_projected_lines_equal_their_twin(n_lines, n_mixed, size, rng):
    X = rng.normal(size=(40, 9)).astype(np.float32)
    members = np.array([rng.choice(40, 6, replace=False) for _ in range(5)], np.int32)
    factors = rng.normal(size=(5, 6, 3))
    factors -= factors.mean(axis=1, keepdims=True)  # so that B X is the same whatever X is measured from
    pairs = factors @ factors.transpose(0, 2, 1)
    spaces = np.array([[0, 1, -1], [2, 3, 4], [4, -1, -1]])
    lines, mixes = rng.normal(size=(3, n_lines, 9)), size * rng.normal(size=(3, n_mixed, n_lines))
    products, found = np.empty((3, n_lines, n_lines)), np.empty((3, n_mixed, 9))
    room = room_for_projection(X, spaces, members, lines, mixes)
    project_lines(X, X[:3], spaces, members, pairs, lines, mixes, room, products, found)
    for p, numbers in enumerate(spaces):
        counted = numbers[numbers >= 0]
        P = reference.mean_projection(X, members[counted], pairs[counted])
        expected = lines[p] @ P @ lines[p].T
        np.testing.assert_allclose(products[p], expected, atol=1e-12 * np.abs(expected).max())
        expected = mixes[p] @ lines[p] @ P
        np.testing.assert_allclose(found[p], expected, atol=1e-12 * np.abs(expected).max())


def onto_axes(points, tangents, row):
    """V Vᵀ of the tangent space at one row."""
    n_axes = max(tangents.intrinsic_dim[row], points.embedding.shape[1])
    V = axes(points.mapped.space, tangents, np.array([row], np.int32), n_axes)[0].astype(float)
    return V.T @ V


def mean_of_projections(points, row):
    """P from the axes of the tangent spaces of a row and its neighbours, which are rows of the data."""
    tangents, neighbors = points.mapped.tangents, points.tangents.neighbors[row]
    parts = [onto_axes(points, tangents, neighbor) for neighbor in neighbors]
    return np.mean([onto_axes(points, points.tangents, row), *parts], axis=0)


@pytest.mark.parametrize("tangent_center", ["mean", "point"])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_projections_are_those_onto_the_axes(n_components, tangent_center, rng):
    X, Y = rng.normal(size=(120, 8)), rng.normal(size=(120, n_components))
    points = explain(X, Y, tangent_center=tangent_center)._points
    chosen = np.array([3, 50, 3], np.int32)
    lines, mixes = rng.normal(size=(3, 3, 8)), rng.normal(size=(3, 1, 3))
    products, found = projections(lines, mixes, SpacesOfFit(points, chosen))
    for p, row in enumerate(chosen):
        P = mean_of_projections(points, row)
        np.testing.assert_allclose(products[p], lines[p] @ P @ lines[p].T, atol=1e-5)
        np.testing.assert_allclose(found[p], mixes[p] @ lines[p] @ P, atol=1e-5)


def test_a_thin_tangent_space_is_projected_onto(rng):
    """Nearly on a line: the second of its two axes is a thousandth as long, and is one all the same."""
    X = np.linspace(0, 1, 100)[:, None] + 1e-3 * rng.normal(size=(100, 5))
    points = explain(X, rng.normal(size=(100, 2)))._points
    lines = rng.normal(size=(1, 2, 5))
    found = projections(lines, np.eye(2)[None], SpacesOfFit(points, np.array([50], np.int32)))[1]
    np.testing.assert_allclose(found[0], lines[0] @ mean_of_projections(points, 50), atol=1e-3)


def test_new_rows_have_spaces_of_their_own(rng):
    model = FeatMAP(n_epochs=5, random_state=0).fit(rng.normal(size=(100, 6)))
    points, chosen = model.explain(rng.normal(size=(4, 6)))._points, np.arange(4, dtype=np.int32)
    lines = rng.normal(size=(4, 2, 6))
    found = projections(lines, np.broadcast_to(np.eye(2), (4, 2, 2)), SpacesOfFit(points, chosen))[1]
    for p in chosen:
        np.testing.assert_allclose(found[p], lines[p] @ mean_of_projections(points, p), atol=1e-5)


def test_spaces_without_rows_that_are_far_are_those_of_the_fit(digits_model):
    points, chosen = points_of_data(digits_model._points.mapped), np.array([5, 9], np.int32)
    near = np.unique(points.tangents.neighbors[np.unique(points.tangents.neighbors[chosen])])
    far = np.setdiff1d(np.arange(len(points)), np.append(near, chosen))
    lines, mixes = np.ones((2, 2, 64)), np.broadcast_to(np.eye(2), (2, 2, 2))
    expected = projections(lines, mixes, SpacesOfFit(points, chosen))[1]
    found = projections(lines, mixes, SpacesWithout(points, chosen, [far, far]))[1]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_part_of_the_spaces_has_the_same_bits(digits_model, rng):
    points, chosen = digits_model._points, np.array([5, 900, 7, 30], np.int32)
    lines, mixes = rng.normal(size=(4, 2, 64)), np.broadcast_to(np.eye(2), (4, 2, 2))
    whole = SpacesOfFit(points, chosen)
    together, part = projections(lines, mixes, whole), slice(1, 3)
    for spaces in (PartOfSpaces(whole, part), SpacesOfFit(points, chosen[part])):
        for found, expected in zip(projections(lines[part], mixes[part], spaces), together, strict=True):
            np.testing.assert_array_equal(found, expected[part])


@pytest.mark.parametrize("kind", drawing.KINDS)
def test_arrows_do_not_depend_on_how_many_are_drawn_together(kind, digits_model, monkeypatch):
    """Neither on the rows asked for, nor on their order, nor on how many tangent spaces are held at a time."""
    rows = [1700, 3, 5, 40, 41, 3]
    together = digits_model.arrows(rows, kind)
    assert all(
        np.array_equal(digits_model.arrows([row], kind)[0], one) for row, one in zip(rows, together, strict=True)
    )
    monkeypatch.setattr(drawing, "BYTES_OF_SPACES", 1)
    assert drawing.points_with_spaces(digits_model._points) == 1
    np.testing.assert_array_equal(digits_model.arrows(rows, kind), together)


def test_scores_hold_the_tangent_spaces_of_few_points_at_a_time(rng, monkeypatch):
    """They are made without the rows that are scored, so points have none in common."""
    X = rng.normal(size=(300, 4))
    explained = explain(X, X[:, :2], n_tangent_neighbors=30, n_jobs=1)
    together = explained.fidelity(range(300))
    monkeypatch.setattr(drawing, "BYTES_OF_SPACES", 2**20)
    tracemalloc.start()
    found = explained.fidelity(range(300))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(found, together)
    assert peak < 2**24 < 300 * 30 * 8 * 30**2


def test_no_rows_have_no_arrows(digits_model):
    for kind in drawing.KINDS:
        assert digits_model.arrows([], kind).shape == (0, 64, 2)
        assert digits_model.fidelity([], kind).shape == (0,)
    assert digits_model.explained_variance([]).shape == (0, 64)
