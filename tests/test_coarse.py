"""The coarse graph, and how a map of groups is spread over all points."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.layout import coarse
from featmap.layout.coarse import GROWTH, SPREADING_SWEEPS, coarsen, spread
from featmap.layout.order import members_of, order_by_groups
from featmap.layout.start import NOISE
from featmap.run import Run
from featmap.values import Order
from stages import as_graph


def random_graph(rng, m=120, density=0.06):
    """A graph in several parts, with many equal weights, two points of which have no edges."""
    P = np.triu(rng.integers(1, 5, (m, m)) / 4 * (rng.random((m, m)) < density), 1)
    P[m // 2 :, : m // 2] = P[: m // 2, m // 2 :] = 0
    P = P + P.T
    P[[3, 90]] = P[:, [3, 90]] = 0
    return as_graph(P)


@pytest.mark.parametrize("seed", range(10))
def test_the_coarse_graph_equals_its_twin(seed, run):
    graph = random_graph(np.random.default_rng(seed))
    found = coarsen(graph, seed, run)
    P = graph.weights.toarray().astype(np.float64)
    order = np.random.default_rng([seed, 2]).permutation(len(P))
    np.testing.assert_array_equal(found.centers, reference.greedy_centers(P, order))
    np.testing.assert_array_equal(found.groups, reference.strongest_centers(P, found.centers))
    expected = reference.sums_between(P, found.groups)
    np.testing.assert_allclose(found.graph.weights.toarray(), expected, rtol=1e-5)
    assert found.graph.weights.has_sorted_indices


@pytest.mark.parametrize("seed", range(10))
def test_centers_have_no_edges_between_them_and_every_point_has_one_to_its_center(seed, run):
    graph = random_graph(np.random.default_rng(seed))
    found, P = coarsen(graph, seed, run), graph.weights.toarray()
    assert not P[np.ix_(found.centers, found.centers)].any()
    others = np.setdiff1d(np.arange(len(P)), found.centers)
    assert (P[others, found.centers[found.groups[others]]] > 0).all()
    np.testing.assert_array_equal(found.graph.weights.toarray(), found.graph.weights.T.toarray())


@pytest.mark.parametrize("at_once", [1, 7, 10**6])
def test_sums_between_groups_are_exact(at_once, run, monkeypatch, rng):
    """Whole numbers of 2⁻³⁶ are added up, so neither blocks nor the end that a sum is made at change a bit of it."""
    monkeypatch.setattr(coarse, "GROUPS_AT_ONCE", at_once)
    P = np.triu(rng.random((90, 90)) * (rng.random((90, 90)) < 0.5), 1).astype(np.float32)
    groups = rng.permutation(np.arange(90) % 5).astype(np.int32)
    found = coarse.between_groups(as_graph(P + P.T), groups, 5, run).weights
    belongs = np.eye(5, dtype=np.int64)[groups]
    sums = belongs.T @ np.rint((P + P.T).astype(np.float64) * 2**36).astype(np.int64) @ belongs
    np.fill_diagonal(sums, 0)
    np.testing.assert_array_equal(found.toarray(), (sums / sums.max()).astype(np.float32))
    assert found.has_sorted_indices
    assert (np.diff(found.indices[found.indptr[1] : found.indptr[2]]) > 0).all()


def test_the_smallest_edge_between_groups_stays_an_edge(run):
    P = np.array([[0, 1e-30], [1e-30, 0]], np.float32)
    found = coarse.between_groups(as_graph(P), np.arange(2, dtype=np.int32), 2, run).weights
    np.testing.assert_array_equal(found.toarray(), [[0, 1], [1, 0]])


def test_points_of_each_group_are_in_rising_order(rng):
    groups = rng.integers(0, 7, 50).astype(np.int32)
    groups[groups == 3] = 4  # a group may have no points
    firsts, members = members_of(groups, 8)
    for group in range(8):
        np.testing.assert_array_equal(members[firsts[group] : firsts[group + 1]], np.flatnonzero(groups == group))


def test_an_order_by_groups_has_their_points_side_by_side(rng):
    groups, of_groups = rng.integers(0, 7, 50).astype(np.int32), Order.of(rng.permutation(7).astype(np.int32))
    order = order_by_groups(groups, of_groups)
    np.testing.assert_array_equal(order.rows, np.argsort(of_groups.positions[groups], kind="stable"))


def test_groups_on_any_number_of_threads_are_the_same(rng):
    graph = as_graph(sp.random(5000, 5000, 0.001, random_state=0) / 2)
    graph = as_graph(graph.weights + graph.weights.T)
    found = []
    for n_jobs in (1, 2, 3):
        with Run(n_jobs) as own:
            made = coarsen(graph, 0, own)
            found.append((made.groups.tobytes(), made.graph.weights.data.tobytes()))
    assert len(set(found)) == 1


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_spreading_equals_its_twin(dim, rng, run):
    graph = random_graph(rng)
    made = coarsen(graph, 0, run)
    Y = rng.normal(size=(len(made.centers), dim)).astype(np.float32)
    P = graph.weights.toarray().astype(np.float64)
    expected = reference.smoothed(Y[made.groups].astype(np.float64), P, SPREADING_SWEEPS, 0.0)
    found = spread(Y, made.groups, graph, 0, run)
    assert found.dtype == np.float32
    assert np.abs(found - GROWTH * expected).max() < 6 * NOISE
    assert len(np.unique(found, axis=0)) == len(found), "noise tells all points apart"


def test_a_graph_without_edges_is_its_own_coarse_graph(run):
    graph = as_graph(np.zeros((5, 5)))
    made = coarsen(graph, 0, run)
    np.testing.assert_array_equal(made.groups, np.arange(5))
    assert made.graph.weights.nnz == 0
