"""Lower bounds of distances: they rule out rows, never a neighbour."""

from __future__ import annotations

import numpy as np
import pytest

from featmap.kernels.bounds import bounding_coordinates
from featmap.neighbors.bounds import MOST_ROWS, N_COORDINATES, Bounds, worth_trying
from featmap.neighbors.exact import ExactSearch, exact_neighbors, squared_sizes


def sheets(rng, n_rows, n_features):
    """Rows near a space of few dimensions."""
    plane = rng.normal(size=(5, n_features))
    return (rng.normal(size=(n_rows, 5)) @ plane + 0.05 * rng.normal(size=(n_rows, n_features))).astype(np.float32)


def in_a_space(rng, n_rows, n_features):
    """Rows of which the directions leave nothing over but rounding."""
    return (rng.normal(size=(n_rows, 9)) @ rng.normal(size=(9, n_features))).astype(np.float32)


def far_from_zero(rng, n_rows, n_features):
    """Distances are lost in the rounding of products."""
    return (sheets(rng, n_rows, n_features) + 1000).astype(np.float32)


def many_ties(rng, n_rows, n_features):
    rows = np.zeros((n_rows, n_features), np.float32)
    rows[:, :3] = rng.integers(0, 3, (n_rows, 3))
    return rows


def noise(rng, n_rows, n_features):
    return rng.normal(size=(n_rows, n_features)).astype(np.float32)


ALL_KINDS = [sheets, in_a_space, far_from_zero, many_ties, noise]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_bounded_search_finds_what_all_pairs_find(kind, rng):
    rows, k = kind(rng, 400, 150), 12
    queries = np.concatenate([rows[:30], kind(rng, 30, 150)])
    (indices, squared), _ = Bounds.of(rows).search(queries, k)
    true, true_squared = exact_neighbors(queries, rows, np.arange(400, dtype=np.int32), squared_sizes(rows), k)
    assert np.array_equal(indices, true)
    np.testing.assert_allclose(squared, true_squared, rtol=1e-12)


def test_only_some_rows_count(rng):
    rows, some = sheets(rng, 300, 150), np.arange(0, 300, 7, dtype=np.int32)
    (indices, _), _ = Bounds.of(rows).among(some).search(rows[:20], 5)
    squares = ((rows[:20, None].astype(np.float64) - rows[some]) ** 2).sum(axis=2)
    assert np.array_equal(indices, some[np.argsort(squares, axis=1, kind="stable")[:, :5]])


def test_too_few_rows_leave_entries_free(rng):
    rows = sheets(rng, 300, 150)
    (indices, squared), _ = Bounds.of(rows).among(np.arange(3, dtype=np.int32)).search(rows[:4], 5)
    assert (np.sort(indices[:, :3], axis=1) == np.arange(3)).all()
    assert (indices[:, 3:] == -1).all()
    assert np.isinf(squared[:, 3:]).all()


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_no_bound_is_above_the_distance(kind, rng):
    rows = kind(rng, 200, 150)
    found = Bounds.of(rows)
    both = found.sizes[:, None] + found.sizes
    lower = both - 2 * found.coordinates @ found.coordinates.T - found._error * both
    exactly = ((rows[:, None].astype(np.float64) - rows) ** 2).sum(axis=2)
    assert (lower <= exactly).all()


def test_coordinates_and_remainders_equal_their_twin(rng):
    rows, directions = sheets(rng, 40, 20), np.linalg.qr(rng.normal(size=(20, 6)))[0]
    rows[0] = 0
    rows[1] = directions[:, 0]  # nothing but rounding is left over
    found = np.empty((40, 7), np.float32)
    bounding_coordinates(rows, directions, np.empty(6), found)
    coordinates = rows.astype(np.float64) @ directions
    np.testing.assert_allclose(found[:, :6], coordinates, atol=1e-6)
    left_over = np.linalg.norm(rows - coordinates @ directions.T, axis=1)
    np.testing.assert_allclose(found[:, 6], left_over, atol=1e-6)


def test_few_rows_are_compared_where_the_data_have_few_dimensions(rng):
    rows = sheets(rng, 2000, 150)
    _, n_compared = Bounds.of(rows).search(rows[:50], 10)
    assert n_compared < 0.02 * 50 * 2000


@pytest.mark.parametrize(("kind", "bounded"), [(sheets, True), (noise, False)])
def test_bounds_are_used_where_they_save_time(kind, bounded, rng, run):
    rows = kind(rng, 7000, 300)
    search = ExactSearch(rows)
    assert (search._bounds is not None) is bounded
    indices, distances = search.nearest(rows[:20], 6, run)
    squares = ((rows[:20, None].astype(np.float64) - rows) ** 2).sum(axis=2)
    assert np.array_equal(indices, np.argsort(squares, axis=1, kind="stable")[:, :6])
    np.testing.assert_allclose(distances, np.sqrt(np.sort(squares, axis=1)[:, :6]), atol=1e-9)


@pytest.mark.parametrize("shape", [(100, 500), (MOST_ROWS, 2 * N_COORDINATES), (MOST_ROWS + 1, 4 * N_COORDINATES)])
def test_few_rows_or_features_and_many_rows_have_no_bounds(shape):
    assert not worth_trying(*shape)
    assert worth_trying(MOST_ROWS, 4 * N_COORDINATES)


@pytest.mark.parametrize("size", [1e-19, 3e-22, 1e-23, 1e-30])
@pytest.mark.parametrize("search", ["bounds", "all pairs"])
def test_squares_that_underflow_rule_out_no_neighbor(search, size, rng):
    """One row is large, so that the others are tiny in units of the data."""
    rows = (size * sheets(rng, 300, 150)).astype(np.float32)
    rows[0] = 1
    if search == "bounds":
        (indices, squared), _ = Bounds.of(rows).search(rows, 6)
    else:
        indices, squared = exact_neighbors(rows, rows, np.arange(300, dtype=np.int32), squared_sizes(rows), 6)
    squares = ((rows[:, None].astype(np.float64) - rows) ** 2).sum(axis=2)
    assert np.array_equal(indices, np.argsort(squares, axis=1, kind="stable")[:, :6])
    np.testing.assert_allclose(squared, np.sort(squares, axis=1)[:, :6], rtol=1e-9)
