"""Our own SpaceMAP: its force, its similarities, and that it maps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from lab.peers.spacemap import (
    ETA,
    intrinsic_dimensions,
    log_scales,
    nearest_others,
    pull,
    push,
    similarities,
    spacemap,
)
from reference import finite_differences

pytestmark = pytest.mark.usefixtures("umap")  # the start is umap-learn's, which warns on import


@pytest.fixture(scope="module")
def clusters():
    """Two of 120 points in 8 dimensions, far apart."""
    rows = np.random.default_rng(0).normal(size=(240, 8))
    rows[120:] += 10
    return rows


@pytest.fixture(scope="module")
def fitted(clusters, umap):
    return spacemap(clusters, seed=0)


def similarity_on_map(y, other, radius, dimension):
    """Q as the method defines it."""
    return (1 - ETA) ** ((np.linalg.norm(y - other) / radius ** (2 / dimension)) ** (4 / dimension))


@pytest.mark.parametrize("dimension", [2.0, 4.5, 12.0])
@pytest.mark.parametrize("seed", range(5))
def test_force_is_the_gradient_of_the_loss(seed, dimension):
    rng = np.random.default_rng(seed)
    y, other, radius = rng.normal(size=(1, 2)), rng.normal(size=2), rng.uniform(0.2, 5)
    squared = np.sum((y - other) ** 2)
    scale = log_scales(np.array([radius]), dimension)[0]

    def attraction(y):
        return -np.log(similarity_on_map(y[0], other, radius, dimension))

    def repulsion(y):
        return -np.log1p(-similarity_on_map(y[0], other, radius, dimension))

    pulled = pull(squared, scale, 2 / dimension) * (y - other)
    pushed = -push(squared, scale, 2 / dimension) * (y - other)
    np.testing.assert_allclose(pulled, finite_differences(attraction, y), rtol=1e-6)
    np.testing.assert_allclose(pushed, finite_differences(repulsion, y), rtol=1e-6)


def test_neighbors_are_the_nearest_others(clusters):
    rows = clusters.astype(np.float32)
    rows[1] = rows[0]
    indices, distances = nearest_others(rows, 30)
    assert not (indices == np.arange(len(rows))[:, None]).any()
    expected = np.sort(cdist(rows, rows), axis=1)[:, 1:31]
    np.testing.assert_allclose(distances, expected, atol=1e-4)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_dimension_is_found(dimension):
    """Levina and Bickel's estimate with log2 is ln 2 times the dimension."""
    rows = np.random.default_rng(0).uniform(size=(4000, dimension)).astype(np.float32)
    found = 1 / np.mean(1 / intrinsic_dimensions(nearest_others(rows, 20)[1]))
    assert found == pytest.approx(np.log(2) * dimension, rel=0.1)


def test_similarities_have_their_sums(clusters):
    """1 − η at the border of the near field; the middle field adds up to (1 − η) log2 of its size."""
    n_near, n_middle = 10, 40
    indices, distances = nearest_others(clusters.astype(np.float32), n_near + n_middle)
    graph = similarities(indices, distances, n_near, 5.0, n_epochs=10**9)
    # Each undirected sum of the averaged graph is that of the directed one.
    near = (1 - ETA) ** (
        (distances[:, :n_near] / distances[:, n_near - 1 : n_near])
        ** (2 * intrinsic_dimensions(distances[:, :n_near]) / 5.0)[:, None]
    )
    expected = near.sum() + len(clusters) * (1 - ETA) * np.log2(n_middle)
    assert graph.sum() == pytest.approx(expected, rel=1e-4)
    assert abs(graph - graph.T).max() == 0
    np.testing.assert_allclose(near[:, -1], 1 - ETA, rtol=1e-6)


def test_map_is_the_same_for_the_same_seed_and_in_any_unit(clusters, fitted):
    assert np.isfinite(fitted).all()
    assert np.array_equal(fitted, spacemap(clusters, seed=0))
    assert np.array_equal(fitted, spacemap(clusters * 256, seed=0))
    assert not np.array_equal(fitted, spacemap(clusters, seed=1))


def test_clusters_and_neighbors_are_kept(clusters, fitted):
    nearest = nearest_others(fitted.astype(np.float32), 10)[0]
    assert ((nearest < 120) == (np.arange(240) < 120)[:, None]).mean() > 0.99
    in_data = nearest_others(clusters.astype(np.float32), 10)[0]
    kept = np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(nearest, in_data, strict=True)])
    assert kept > 3 * 10 / 119, "hardly more neighbours than by chance within a cluster"


def test_copies_do_no_harm():
    rows = np.random.default_rng(0).normal(size=(150, 4))
    rows[:15] = rows[0]
    indices, distances = nearest_others(rows.astype(np.float32), 20)
    assert np.isfinite(intrinsic_dimensions(distances[:, :10])).all()
    assert np.isfinite(similarities(indices, distances, 10, 3.0, n_epochs=200).data).all()
    assert np.isfinite(spacemap(rows, seed=0, n_near=10)).all()
