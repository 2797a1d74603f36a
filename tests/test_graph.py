"""The graph: its defining equations, and umap-learn's on the same neighbours."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap.graph import (
    build_graph,
    connected_entries,
    mean_distance,
    neighbor_memberships,
    symmetrize,
    weights_of_neighbors,
)
from featmap.values import Neighbors
from stages import CONNECT_ALL


def neighbors_of(X, k=14):
    indices, distances = reference.nearest_others(X, k)
    return Neighbors(indices.astype(np.int32), distances.astype(np.float32))


@pytest.mark.parametrize("n_neighbors", [3, 5, 15, 50])
def test_memberships_sum_to_log2(n_neighbors, rng, run):
    near = neighbors_of(rng.normal(size=(300, 5)), n_neighbors - 1)
    strengths = neighbor_memberships(near, n_neighbors, CONNECT_ALL, run)
    np.testing.assert_allclose(strengths.sum(axis=1), np.log2(n_neighbors), atol=1e-4)
    assert (strengths[:, 0] == 1).all()


@pytest.mark.parametrize("n_neighbors", [3, 15])
def test_memberships_equal_their_twin(n_neighbors, rng, run):
    X = rng.integers(0, 4, (200, 4)).astype(float)  # ties and duplicates: some rows have no solution
    near = neighbors_of(X, n_neighbors - 1)
    strengths = neighbor_memberships(near, n_neighbors, CONNECT_ALL, run)
    for row, distances in zip(strengths, near.distances, strict=True):
        np.testing.assert_allclose(row, reference.memberships(distances, n_neighbors), atol=1e-6)


def test_scale_of_distances_does_not_matter(rng, run):
    near = neighbors_of(rng.normal(size=(100, 5)))
    for power in (-60, 60):
        scaled = Neighbors(near.indices, near.distances * np.float32(2.0**power))
        assert np.array_equal(
            neighbor_memberships(scaled, 15, CONNECT_ALL, run), neighbor_memberships(near, 15, CONNECT_ALL, run)
        )


def test_symmetric_within_zero_and_one(rng, run):
    graph = build_graph(neighbors_of(rng.normal(size=(300, 5))), 15, CONNECT_ALL, run)
    weights = graph.weights
    assert (weights != weights.T).nnz == 0
    assert weights.data.min() > 0
    assert weights.data.max() == 1
    assert weights.has_sorted_indices
    assert weights.diagonal().max() == 0


def test_union_equals_its_twin(rng, run):
    near = neighbors_of(rng.normal(size=(120, 5)))
    strengths = np.array([reference.memberships(row, 15) for row in near.distances])
    expected = reference.fuzzy_union(near.indices, strengths)
    np.testing.assert_allclose(build_graph(near, 15, CONNECT_ALL, run).weights.toarray(), expected, atol=1e-6)


@pytest.mark.parametrize("density", [0.02, 0.3, 1.0])
def test_the_union_has_the_weights_of_sparse_sums(density, rng, run):
    """In float64, rounded once. Points without edges and strengths that vanish in float32 are among them."""
    directed = sp.random(200, 200, density, random_state=0, format="csr")
    directed.setdiag(0)
    directed.eliminate_zeros()
    directed.data[::5] *= 1e-60
    found = symmetrize(directed, run).weights
    reverse = directed.T.tocsr()
    expected = (directed + reverse - directed.multiply(reverse)).tocsr().astype(np.float32)
    expected.eliminate_zeros()
    assert (found != expected).nnz == 0
    assert found.nnz == expected.nnz
    assert all((np.diff(row.indices) > 0).all() for row in found)


def test_a_hub_has_all_its_edges(run):
    """Every point names point 0, which names the first three."""
    targets = np.array([[1, 2, 3], *([0, max(i - 1, 1), i % 3 + 1] for i in range(1, 50))])
    rows = np.repeat(np.arange(50), 3)
    keep = rows != targets.ravel()
    directed = sp.csr_matrix((np.ones(keep.sum()) / 2, (rows[keep], targets.ravel()[keep])), (50, 50))
    graph = symmetrize(directed, run)
    assert np.array_equal(graph.weights[0].indices, np.arange(1, 50))
    dense = directed.toarray()
    np.testing.assert_allclose(graph.weights.toarray(), dense + dense.T - dense * dense.T)


def test_numbers_of_edges_may_take_64_bits(rng, run, monkeypatch):
    near = neighbors_of(rng.normal(size=(100, 5)))
    expected = build_graph(near, 15, CONNECT_ALL, run)
    monkeypatch.setattr("featmap.values.BEYOND_INT32", 100)
    found = build_graph(near, 15, CONNECT_ALL, run)
    assert (found.weights.indptr.dtype, found.weights.indices.dtype) == (np.int64, np.int32)
    assert expected.weights.indptr.dtype == np.int32
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(found.weights, name), getattr(expected.weights, name))


def test_the_mean_distance_counts_each_point_and_what_is_connected(rng):
    distances = np.sort(rng.random((50, 6)), axis=1).astype(np.float32)
    connected = distances < 0.7
    expected = distances[connected].sum(dtype=np.float64) / (connected.sum() + 50)
    assert mean_distance(distances.ravel(), *connected_entries(distances, 0.7)) == pytest.approx(expected, rel=1e-12)


def test_all_duplicates_are_fully_connected(run):
    graph = build_graph(neighbors_of(np.ones((20, 3))), 15, CONNECT_ALL, run)
    assert np.isfinite(graph.weights.data).all()
    assert (graph.weights.data == 1).all()


@pytest.mark.parametrize("kind", ["normal", "ties", "duplicates", "outliers", "digits"])
def test_equals_umap_learns(kind, rng, run, umap, digits):
    X = {
        "normal": rng.normal(size=(400, 6)),
        "ties": rng.integers(0, 5, (400, 3)).astype(float),
        "duplicates": np.repeat(rng.normal(size=(40, 4)), 10, axis=0),
        "outliers": np.concatenate([rng.normal(size=(390, 3)), 1e6 * rng.normal(size=(10, 3))]),
        "digits": digits[:1000],
    }[kind]
    near = neighbors_of(X)
    own = np.arange(len(X))
    expected, _, _ = umap.umap_.fuzzy_simplicial_set(
        X,
        15,
        np.random.RandomState(0),
        "euclidean",
        knn_indices=np.column_stack([own, near.indices]),
        knn_dists=np.column_stack([np.zeros(len(X)), near.distances]).astype(np.float32),
    )
    found = build_graph(near, 15, CONNECT_ALL, run).weights
    assert abs(found - expected).max() < 2e-5


def test_weights_of_neighbors(rng, run):
    near = neighbors_of(rng.normal(size=(200, 5)))
    graph = build_graph(near, 15, CONNECT_ALL, run)
    dense = graph.weights.toarray()
    expected = np.take_along_axis(dense, near.indices.astype(np.int64), axis=1)
    assert np.array_equal(weights_of_neighbors(graph, near.indices, run), expected)
