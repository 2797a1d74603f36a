"""The radii and groups that the experiment on density measures with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from experiments.density.radii import Neighborhoods, correlation, radii_along_frames
from experiments.density.subgroups import Subgroups, mean_distance
from featmap import FeatMAP


@pytest.fixture(scope="module")
def ones():
    """Without the ties that whole numbers have, which two searches may break in two ways."""
    X, y = load_digits(return_X_y=True)
    return X[y == 1] + np.random.default_rng(0).normal(scale=0.01, size=(np.sum(y == 1), 64))


@pytest.fixture(scope="module")
def model(ones):
    return FeatMAP.paper(random_state=0, n_epochs=60).fit(ones)


@pytest.mark.usefixtures("umap")
def test_radii_along_frames_are_those_of_the_model(model):
    ours = radii_along_frames(model.embedding_, model.frames_, model.neighbors_[0])
    np.testing.assert_allclose(ours, model.embedding_radii_, atol=1e-4)


def test_a_map_that_is_the_data_has_their_radii_and_a_larger_one_larger_radii(ones):
    near = Neighborhoods.of(ones)
    np.testing.assert_allclose(near.on_map(ones), near.in_data)
    np.testing.assert_allclose(near.on_map(3 * ones), near.in_data + np.log(3))


def test_radii_are_weighted_means_of_squares(ones):
    near = Neighborhoods.of(ones)
    distances = np.sort(np.linalg.norm(ones - ones[7], axis=1))[1:16]
    weights = np.exp(-(distances - distances[0]) / (distances - distances[0]).mean())
    assert near.in_data[7] == pytest.approx(np.log(weights @ distances**2 / weights.sum()) / 2)
    assert correlation(near.in_data, 3 - 2 * near.in_data) == pytest.approx(-1)


@pytest.mark.filterwarnings("ignore:the number of connected components:UserWarning")  # as it should be here
def test_the_sparsest_group_is_the_widest_that_is_large_enough():
    rng = np.random.default_rng(0)
    sizes, spreads = [400, 200, 60, 8], [1.0, 0.1, 3.0, 9.0]
    truth = np.repeat(np.arange(4), sizes)
    X = rng.normal(size=(len(truth), 5)) * np.array(spreads)[truth, None] + 100 * truth[:, None]
    groups = Subgroups.among(X, Neighborhoods.of(X).in_data)
    assert (truth[groups.labels == groups.sparsest] == 2).all()
    assert (truth[groups.labels == groups.densest] == 1).all()
    assert groups.sparsest in groups.mean_distance
    assert (np.diff(np.bincount(groups.labels)[1:]) <= 0).all()


def test_the_mean_distance_is_that_of_different_rows():
    assert mean_distance(np.array([[0.0], [3.0], [6.0]])) == pytest.approx(4.0)
