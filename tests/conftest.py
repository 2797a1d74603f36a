"""Fixtures: threads for stages, small data, and the real data sets where FEATMAP_DATA names their folder."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from featmap import FeatMAP
from featmap.run import Run
from featmap.run.progress import Progress
from pages import chromium
from versions import is_chosen


def pytest_collection_modifyitems(items):
    for item in items:
        if is_chosen(item.path.name, getattr(item, "originalname", item.name)):
            item.add_marker(pytest.mark.versions)


@pytest.fixture
def run():
    with Run(2) as run:
        yield run


@pytest.fixture(scope="session")
def digits():
    return load_digits().data


@pytest.fixture(scope="session")
def digits_model(digits):
    return FeatMAP(random_state=0, n_epochs=200).fit(digits)


@pytest.fixture(scope="session")
def model():
    """A map of 300 digits, for pictures."""
    return FeatMAP(n_epochs=50, random_state=0).fit(load_digits().data[:300])


@pytest.fixture(scope="session")
def labels():
    """Which digits they are."""
    return load_digits().target[:300]


@pytest.fixture(scope="session")
def iris():
    return load_iris(as_frame=True)


@pytest.fixture(scope="session")
def iris_model(iris):
    return FeatMAP(n_epochs=50, random_state=0).fit(iris.data)


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def model_with_copies():
    """Half of its rows are equal."""
    rows = np.random.default_rng(0).normal(size=(60, 4))
    rows[:30] = rows[0]
    return FeatMAP(n_neighbors=8, n_epochs=5, random_state=0).fit(rows)


@pytest.fixture(scope="session")
def umap():
    """The real umap-learn. It warns on import and at every seeded fit; that is not ours to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield pytest.importorskip("umap", reason="needs umap-learn: pip install 'featmap[peers]'")


@pytest.fixture
def flip_singular_vectors(monkeypatch):
    """Call it: from then on singular vectors come with other signs."""
    from featmap.tangents import svd

    find = svd.eigenvectors

    def flipped(matrices, n_axes):
        values, vectors = find(matrices, n_axes)
        odd = np.abs(vectors).argmax(axis=2, keepdims=True) % 2 == 1
        return values, np.where(odd, -vectors, vectors)

    return lambda: monkeypatch.setattr(svd, "eigenvectors", flipped)


@pytest.fixture
def stages_begun(monkeypatch):
    """The stages that fits have begun since: none if data or parameters are refused at once."""
    begun = []
    stage = Progress.stage
    monkeypatch.setattr(Progress, "stage", lambda self, name: begun.append(name) or stage(self, name))
    return begun


@pytest.fixture
def at_every_chance(monkeypatch):
    """Checkpoints are written whenever they could be."""
    monkeypatch.setattr("featmap.store.checkpoints.SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr("featmap.store.checkpoints.MOST_OF_THE_TIME", np.inf)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def data_set():
    """Load a file of the folder FEATMAP_DATA by its name."""
    folder = os.environ.get("FEATMAP_DATA")

    def load(name: str):
        if not folder:
            pytest.skip("FEATMAP_DATA is not set: it names the folder with the real data sets")
        path = Path(folder) / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"{path} is absent")
        return np.load(path)

    return load
