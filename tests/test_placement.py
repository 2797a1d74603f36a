"""Where new rows are placed: at the geometric median of their neighbours' places, and what that promises."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import reference
from featmap import FeatMAP
from featmap.explanation.placement import placement_weights
from featmap.kernels.placement import geometric_medians, weighted_means
from featmap.values import Neighbors

QUICK = {"n_epochs": 20, "random_state": 0}


def medians(embedding, indices, weights):
    placed = np.empty((len(indices), embedding.shape[1]))
    geometric_medians(embedding, indices, weights, 0, len(indices), placed)
    return placed


def drawn(rng, dim, n_rows=40, k=9):
    embedding = rng.normal(size=(60, dim)).astype(np.float32)
    indices = np.array([rng.permutation(60)[:k] for _ in range(n_rows)], np.int32)
    return embedding, indices, rng.exponential(size=(n_rows, k)) ** 3


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_kernel_equals_its_twin(dim, rng):
    embedding, indices, weights = drawn(rng, dim)
    weights[0] = np.eye(9)[4]
    weights[1, 3:] = 0
    embedding[indices[2]] = embedding[indices[2, 0]]
    expected = [reference.geometric_median(*pair) for pair in zip(embedding[indices], weights, strict=True)]
    placed = medians(embedding, indices, weights)
    np.testing.assert_allclose(placed, expected, rtol=1e-9, atol=1e-12)
    assert np.array_equal(placed[0], embedding[indices[0, 4]])
    means = np.empty_like(placed)
    weighted_means(embedding, indices, weights, 0, len(indices), means)
    expected = [np.average(places, axis=0, weights=w) for places, w in zip(embedding[indices], weights, strict=True)]
    np.testing.assert_allclose(means, expected, rtol=1e-9, atol=1e-12)
    weights[3] = 0
    assert (medians(embedding, indices, weights)[3] == 0).all()


@pytest.mark.parametrize("dim", [2, 3])
def test_no_other_place_is_nearer_to_the_neighbours_by_their_weights(dim, rng):
    embedding, indices, weights = drawn(rng, dim)
    for y, places, w in zip(medians(embedding, indices, weights), embedding[indices], weights, strict=True):
        steps = np.concatenate([places - y, 0.05 * rng.normal(size=(50, dim)), [w @ places / w.sum() - y]])
        sums = np.linalg.norm(y + steps[:, None] - places, axis=2) @ w
        assert np.linalg.norm(y - places, axis=1) @ w <= 1.005 * sums.min()


def test_rows_lie_in_the_cluster_with_more_weight_not_between(rng):
    centers = np.repeat([[0, 0], [10, 0]], [8, 6], axis=0)
    embedding = rng.normal(centers, 0.1).astype(np.float32)
    placed = medians(embedding, np.arange(14, dtype=np.int32)[None], np.ones((1, 14)))
    assert np.linalg.norm(placed[0]) < 0.2
    assert embedding.mean(axis=0)[0] > 4


def test_the_last_neighbour_counts_hardly_and_equal_ones_count_equally():
    near = Neighbors(np.arange(4, dtype=np.int32)[None], np.array([[1, 2, 3, 4]], np.float32))
    weights = placement_weights(near, np.array([[1.0, 0.8, 0.6, 0.4]]))[0]
    np.testing.assert_allclose(weights, np.array([1, 0.8 / 4, 0.6 / 9, 0.4 / 16]) - 0.999 * 0.4 / 16)
    equal = Neighbors(near.indices, np.full((1, 4), 2, np.float32))
    weights = placement_weights(equal, np.ones((1, 4)))[0]
    assert (weights == weights[0]).all()
    assert weights[0] > 0


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(0)
    return (rng.normal(0, 3, (6, 10))[rng.integers(6, size=400)] + rng.normal(size=(400, 10))).astype(np.float32)


@pytest.fixture(scope="module")
def model(clusters):
    return FeatMAP(n_epochs=100, random_state=0).fit(clusters)


def test_a_walk_between_two_rows_has_no_jumps(model, clusters):
    """The longest step of a walk is divided again and again, and its part that moves most becomes ever shorter."""
    extent = np.ptp(model.embedding_, axis=0).max()
    near = model.neighbors_[0]
    for begin, end in [(0, near[0, 3]), (5, near[5, 13]), (0, 1), (2, 3), (10, 20), (30, 50), (7, 300), (8, 200)]:
        low, high, steps = 0.0, 1.0, []
        for _ in range(4):
            shares = np.linspace(low, high, 51)[:, None]
            walked = (1 - shares) * clusters[begin].astype(float) + shares * clusters[end]
            moves = np.linalg.norm(np.diff(model.transform(walked), axis=0), axis=1)
            longest = int(moves.argmax())
            steps.append(moves[longest])
            low, high = shares[longest : longest + 2, 0]
        assert steps[0] > 0
        assert steps[-1] < 2e-3 * extent


FORMS = {
    "euclidean": (lambda X: X, "euclidean"),
    "cosine": (lambda X: X, "cosine"),
    "manhattan": (lambda X: X, "manhattan"),
    "sparse": (sp.csr_matrix, "euclidean"),
    "sparse cosine": (sp.csr_matrix, "cosine"),
    "sparse manhattan": (sp.csr_matrix, "manhattan"),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_placed_alone_and_training_rows_on_themselves(form, rng):
    make, metric = FORMS[form]
    dense = rng.normal(size=(150, 6)) * (rng.random((150, 6)) < 0.7) + 0.01
    X, new = make(dense), make(dense + rng.normal(0, 0.3, dense.shape) * (dense != 0.01))
    model = FeatMAP(metric=metric, **QUICK).fit(X)
    assert np.array_equal(model.transform(X), model.embedding_)
    together = model.transform(new)
    assert not np.array_equal(together, model.embedding_)
    for rows in ([0], [9, 4], np.arange(149, -1, -2)):
        assert np.array_equal(model.transform(new[rows]), together[rows])
    assert np.array_equal(model.set_params(n_jobs=1).transform(new), together)


@pytest.mark.parametrize("dim", [1, 3])
def test_maps_of_other_dimensions(dim, clusters):
    model = FeatMAP(n_components=dim, **QUICK).fit(clusters)
    assert np.array_equal(model.transform(clusters[:9]), model.embedding_[:9])
    placed = model.transform(clusters[:50] + 0.3)
    assert ((placed >= model.embedding_.min(axis=0)) & (placed <= model.embedding_.max(axis=0))).all()
