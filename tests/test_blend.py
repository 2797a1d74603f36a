"""What arrows are mixed of: lines of the halves around a point, their products and mixtures."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from featmap import explain
from featmap.explanation.blend import blended, slopes_and_agreement
from featmap.explanation.neighborhoods import Neighborhoods
from featmap.explanation.spaces import SpacesOfFit
from featmap.kernels.arrows import mix_lines, place_lines, products_of_lines


@pytest.mark.parametrize("n_lines", [3, 6, 9])
def test_products_of_lines_equal_their_twin(n_lines, rng):
    lines = rng.normal(size=(4, n_lines, 37))
    found = np.full((4, n_lines, n_lines), np.nan)
    products_of_lines(lines, found)
    np.testing.assert_allclose(found, lines @ lines.transpose(0, 2, 1), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.transpose(0, 2, 1))


@pytest.mark.parametrize("n_sets", [1, 2])
@pytest.mark.parametrize("n_lines", [3, 6])
def test_mixed_lines_equal_their_twin(n_lines, n_sets, rng):
    lines, combinations = rng.normal(size=(4, n_lines, 37)), rng.normal(size=(4, 2, n_lines))
    others, mixtures = rng.normal(size=(4, 2, 37)), rng.random((4, n_sets, 2))
    sets = np.zeros(1, np.int32) if n_sets == 1 else rng.integers(0, 2, 37).astype(np.int32)
    found = np.full((4, 2, 37), np.nan)
    mix_lines(lines, combinations, others, mixtures, sets, found)
    for p in range(4):
        expected = reference.mixed_lines(lines[p], combinations[p], others[p], mixtures[p], sets)
        np.testing.assert_allclose(found[p], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_lines_are_placed_as_arrows_of_their_rows(dim, rng):
    lines, rows = rng.normal(size=(3, dim, 5)), np.array([6, 0, 2])
    found = np.zeros((7, 5, dim))
    place_lines(lines, rows, found)
    np.testing.assert_array_equal(found[rows], lines.transpose(0, 2, 1))
    assert (found[[1, 3, 4, 5]] == 0).all()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_slopes_of_all_rows_follow_from_those_of_the_halves(dim, rng):
    """Also where a half is empty, as it is for the last point: all rows near it are one unit."""
    X = rng.normal(size=(150, 7))
    points = explain(X, rng.normal(size=(150, dim)))._points
    chosen, units = np.array([3, 50, 149], np.int32), np.arange(150, dtype=np.int32)
    around = Neighborhoods.around(points, chosen, 60, units)
    around.units[2] = 0
    assert [(half.weights.sum(axis=1) > 0).tolist() for half in around.halves] == [[True] * 3, [True, True, False]]
    slopes = slopes_and_agreement(around, SpacesOfFit(points, chosen))[0]
    only_G = np.broadcast_to([1.0, 0.0], (1, 1, 2))
    found = blended(slopes, only_G, np.zeros(1, np.int32))
    expected = around.moments.slopes()
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
