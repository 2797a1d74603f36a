"""Neither the type of the numbers nor the threads of other libraries matter; wrong calls fail before any work."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from featmap import FeatMAP, FeatmapError, explain
from featmap import neighbors as neighbors_stage

QUICK = {"n_epochs": 20, "random_state": 0}


def digest(model, X):
    return [
        array.tobytes()
        for array in (model.embedding_, model.frames_, model.feature_importance(), model.transform(X[:9]))
    ]


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(0).normal(size=(300, 20))


@pytest.fixture(scope="module")
def fitted(table):
    return FeatMAP(**QUICK).fit(table)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_values_that_float32_has_give_the_same_bytes_in_float64(table, metric):
    single = table.astype(np.float32)
    models = [FeatMAP(**QUICK, metric=metric).fit(X) for X in (single, single.astype(np.float64))]
    assert digest(models[0], single) == digest(models[1], single)


def test_values_rounded_to_float32_have_nearly_the_same_graph(table, fitted):
    """Maps are chaotic: rounding moves points, after many epochs by much. What they are made from hardly changes."""
    rounded = FeatMAP(**QUICK).fit(table.astype(np.float32))
    assert abs(fitted.graph_ - rounded.graph_).max() < 1e-4
    np.testing.assert_allclose(fitted.singular_values_, rounded.singular_values_, rtol=1e-4)


@pytest.mark.parametrize("exact_below", [10_000, 100])
def test_threads_of_blas_do_not_matter(exact_below, monkeypatch):
    """By all pairs and by lists. So large that principal components have other bits on two threads of BLAS."""
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", exact_below)
    X = np.random.default_rng(0).normal(size=(1500, 100))
    digests = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            digests.append(digest(FeatMAP(n_epochs=5, random_state=0, init="pca", n_jobs=1).fit(X), X))
    assert digests[0] == digests[1]


IN_A_PROCESS = """
    import hashlib
    import numpy as np
    from featmap import FeatMAP, explain
    X = np.random.default_rng(0).normal(size=(1500, 100))
    model = FeatMAP(n_epochs=5, random_state=0, init="pca").fit(X)
    other = explain(X, X[:, :2])
    answers = (model.arrows([0, 5]), model.fidelity([0, 5]), model.transform(X[:9] + 0.1), other.arrows([0, 5]))
    arrays = (model.embedding_, model.frames_, *answers)
    print(hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest())
"""


def test_threads_that_the_environment_sets_do_not_matter():
    digests = set()
    for n_threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        result = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(IN_A_PROCESS)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **dict.fromkeys(names, n_threads)},
        )
        digests.add(result.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """200,000 × 50 on disk. Sparse in its file, as nothing is written."""
    path = tmp_path_factory.mktemp("large") / "X.dat"
    return np.memmap(path, np.float32, "w+", shape=(200_000, 50))


@pytest.fixture
def nothing_may_begin(monkeypatch):
    """No stage, no work on blocks of rows, and no scaling of training data or new rows."""

    def begun(*arguments, **options):
        pytest.fail("work had begun")

    monkeypatch.setattr("featmap.run.progress.Progress.stage", begun)
    monkeypatch.setattr("featmap.run.threads.Threads.over_rows", begun)
    monkeypatch.setattr("featmap.pipeline.scale_data", begun)
    monkeypatch.setattr("featmap.data.scaling.ScaledData.prepare", begun)


def test_a_right_call_begins_what_may_not_begin(table, nothing_may_begin):
    with pytest.raises(pytest.fail.Exception, match="work had begun"):
        FeatMAP(**QUICK).fit(table)


WRONG = [
    *({"n_neighbors": 1}, {"n_components": 0}, {"metric": "seuclidean"}, {"metric": lambda a, b: None / 2}),
    *({"min_dist": 2.0}, {"density": -1}, {"n_tangent_neighbors": 5}, {"frames": "wooden"}),
    *({"init": np.zeros((3, 2))}, {"init": "somewhere"}),
    {"precomputed_knn": (np.zeros((3, 3), int), np.zeros((3, 3)))},
    *({"precomputed_knn": (np.full((200_000, 3), -1), np.zeros((200_000, 3)))}, {"random_state": "seed"}),
    *({"n_jobs": 0}, {"n_components": 10**6}),
]


@pytest.mark.parametrize("parameters", WRONG, ids=lambda parameters: next(iter(parameters)))
def test_wrong_parameters_of_large_data_are_answered_before_any_work(parameters, large, nothing_may_begin):
    with pytest.raises(FeatmapError):
        FeatMAP(**parameters).fit(large)


WRONG_CALLS = {
    "callback": lambda model, large, table: FeatMAP().fit(large, callback="bell"),
    "rows of the map": lambda model, large, table: explain(large, table[:, :2]),
    "frames": lambda model, large, table: explain(large, large[:, :2], frames="wooden"),
    "transform": lambda model, large, table: model.transform(large),
    "explain": lambda model, large, table: model.explain(large),
}


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_other_wrong_calls_on_large_data_are_answered_before_any_work(name, fitted, large, table, nothing_may_begin):
    with pytest.raises(FeatmapError):
        WRONG_CALLS[name](fitted, large, table)
