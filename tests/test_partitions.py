"""Rows in several partitions: the same lists, and the same neighbours as in one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from featmap.data.pca import fixed_sample
from featmap.data.scaling import scale_data
from featmap.data.sparse import dense_rows
from featmap.neighbors import quantizer
from featmap.neighbors.exact import ExactSearch, exact_neighbors, squared_sizes
from featmap.neighbors.large import build
from featmap.neighbors.list_search import ListSearch, Partition, Width
from featmap.neighbors.quantizer import Quantizer, centers_in_cells, coordinates_along, make_quantizer
from featmap.neighbors.search import among, merged

WIDTH = Width(6, 3.0)


def blobs(n_rows, n_features, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(8, n_features))
    return (
        (centers[rng.integers(8, size=n_rows)] + 0.5 * rng.normal(size=(n_rows, n_features)))
        * 0.98 ** np.arange(n_features)
    ).astype(np.float32)


def in_partitions(matrix, made, n_partitions, run):
    """Rows where their lists are: each partition has some of the lists, in no order."""
    coordinates = coordinates_along(made.directions, matrix, run)
    homes = made.homes(coordinates, run)
    owner = np.random.default_rng(0).integers(n_partitions, size=made.n_lists)[homes]
    for number in range(n_partitions):
        rows = np.flatnonzero(owner == number).astype(np.int32)
        yield Partition.fill(matrix[rows], coordinates[rows], homes[rows], made.n_lists, run, rows)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_features", [10, 90])
def test_partitions_together_find_what_one_finds(make, n_features, run):
    X = blobs(3000, n_features)
    X[::7] = X[0]  # copies
    matrix = scale_data(make(X)).matrix
    made, whole = build(matrix, 64, run)
    indices, distances = ListSearch(made, whole, WIDTH).nearest(matrix, 12, run)
    parts = list(in_partitions(matrix, made, 3, run))
    assert sorted(np.concatenate([part.numbers for part in parts])) == list(range(3000))
    points = made.as_queries(coordinates_along(made.directions, matrix, run))
    n_candidates, lists = WIDTH.n_candidates(made, 12), made.lists_near(points, WIDTH.n_probes)
    candidates, _ = merged([part.lists.nearest(points, lists, n_candidates) for part in parts], n_candidates)
    found, squared = merged([part.rank(dense_rows(matrix), candidates, 12) for part in parts], 12)
    assert np.array_equal(found, indices)
    assert np.array_equal(np.sqrt(squared), distances)


def test_partitions_together_are_exact_where_one_is(rng, run):
    matrix = rng.integers(0, 3, (800, 5)).astype(np.float32)  # ties everywhere
    owner, sizes = rng.integers(3, size=800), squared_sizes(matrix)
    parts = [np.flatnonzero(owner == number).astype(np.int32) for number in range(3)]
    found = merged([exact_neighbors(matrix[:50], matrix, rows, sizes, 9) for rows in parts], 9)
    true, distances = ExactSearch(matrix).nearest(matrix[:50], 9, run)
    assert np.array_equal(found[0], true)
    assert np.array_equal(np.sqrt(found[1]), distances)


def test_merging_goes_by_distance_then_index():
    first = np.array([[4, 2, -1]], np.int32), np.array([[1.0, 3.0, np.inf]])
    second = np.array([[3, 1, 0]], np.int32), np.array([[1.0, 2.0, 3.0]])
    indices, distances = merged([first, second], 5)
    assert indices.tolist() == [[3, 4, 1, 0, 2]]
    assert distances.tolist() == [[1, 1, 2, 3, 3]]
    assert merged([first, second], 6)[0][0, -1] == -1


def test_indices_among_others_are_those_of_their_own_row(rng):
    indices, others = (rng.integers(-1, 12, (50, width)).astype(np.int32) for width in (7, 4))
    expected = [[index in others_of_row for index in row] for row, others_of_row in zip(indices, others, strict=True)]
    assert np.array_equal(among(indices, others), expected)
    large = np.array([[2**31 - 1, -1], [0, -1]], np.int32)
    assert among(large, large[::-1]).tolist() == [[False, True], [False, True]]


def test_a_quantizer_is_a_function_of_a_sample_of_rows(run):
    """Drawn by their numbers, whoever holds the rows."""
    matrix = blobs(5000, 80)
    n_lists = -(-5000 // quantizer.ROWS_PER_LIST)
    rows = fixed_sample(5000, quantizer.SAMPLED_PER_LIST * n_lists)
    again = Quantizer.of_sample(matrix[rows].copy(), 64, n_lists, run)
    made = make_quantizer(matrix.shape[0], matrix.__getitem__, 64, run)
    for name in ("cells", "centers"):
        for part in ("blocks", "first_blocks", "members"):
            assert np.array_equal(getattr(getattr(made, name), part), getattr(getattr(again, name), part))
    assert np.array_equal(made.directions, again.directions)


def test_the_nearest_lists_are_those_with_the_nearest_centers(run):
    """Of all cells, the same as by sorting; of few, nearly always."""
    matrix = blobs(6000, 20)
    made = make_quantizer(matrix.shape[0], matrix.__getitem__, 64, run)
    points = coordinates_along(made.directions, matrix, run)[:500]
    all_centers = np.empty((made.n_lists, points.shape[1]), np.float32)
    all_centers[made.centers.members.ravel()[made.centers.places]] = made.centers.points_at(made.centers.places)
    squared = ((points[:, None] - all_centers) ** 2).sum(axis=2)
    by_cells = np.take_along_axis(squared, made.lists_near(points, made.n_lists), axis=1)
    np.testing.assert_allclose(by_cells, np.sort(squared, axis=1), rtol=1e-5)
    assert (made.lists_near(points, 1)[:, 0] == squared.argmin(axis=1)).mean() > 0.95


def test_a_crowded_list_is_split(rng, monkeypatch):
    """Without splitting, k-means from random points leaves more than three shares in some list."""
    points = (rng.normal(size=(4000, 8)) * 10 ** rng.uniform(-4, 1, (4000, 1))).astype(np.float32)

    def largest_share():
        _, middle, cells = centers_in_cells(points, 60)
        assert len(cells) == len(middle)
        nearest = ((points[:, None] - middle) ** 2).sum(axis=2).argmin(axis=1)
        return np.bincount(nearest).max() / (len(points) / 60)

    split = largest_share()
    monkeypatch.setattr(quantizer, "LARGEST_SHARE", np.inf)
    assert split < largest_share()
    assert split < 4


def test_equal_points_are_one_center():
    points = np.repeat(np.arange(6, dtype=np.float32), 50)[:, None] * np.ones(8, np.float32)
    points[:25] *= -1  # −0 is 0
    cells, middle, cell_of_list = centers_in_cells(points, 20)
    assert np.array_equal(np.unique(middle, axis=0), np.unique(points, axis=0))
    assert len(cells) <= len(middle) == len(cell_of_list) == 6


def test_estimated_distances_are_true_on_average(run):
    """With the cosine that remainders share, for neighbours and up to a constant of the query."""
    matrix = scale_data(blobs(4000, 300, seed=2)).matrix
    made, _ = build(matrix, 64, run)
    near, distances = ExactSearch(matrix).nearest(matrix[:200], 12, run)
    own = coordinates_along(made.directions, matrix, run)
    rest = matrix - own[:, :-1] @ made.directions[:, :-1].T
    np.testing.assert_allclose(own[:, -1], np.linalg.norm(rest, axis=1), rtol=1e-3)
    unit = rest / np.linalg.norm(rest, axis=1, keepdims=True)
    shared = np.einsum("qh,qkh->qk", unit[:200], unit[near[:, 1:]]).mean()
    queries = Quantizer(made.directions, made.cells, made.centers, float(shared)).as_queries(own[:200])
    estimates = ((queries[:, None] - own[near[:, 1:]]) ** 2).sum(axis=2)
    constant = (1 - shared**2) * own[:200, -1:] ** 2
    ratio = (estimates + constant) / distances[:, 1:] ** 2
    assert abs(ratio.mean() - 1) < 0.02
    assert abs(((own[:200, None] - own[near[:, 1:]]) ** 2).sum(axis=2) / distances[:, 1:] ** 2).mean() < 0.9
