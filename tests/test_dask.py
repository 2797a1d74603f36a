"""The fit on a cluster: the bytes of the local fit, whatever happens to the workers."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("dask.array", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from dask.delayed import delayed
from distributed import Client, LocalCluster, Status

import featmap
from featmap import neighbors
from featmap.dask import FeatMAP, files, pipeline, search
from featmap.dask.blocks import Blocks
from featmap.errors import InvalidDataError, InvalidParameterError
from featmap.neighbors.large import build
from featmap.neighbors.list_search import ListSearch, Width
from lab.data.manifolds import curved_sheets
from waiting import wait_until

# Killed workers leave sockets of distributed open, which it notices when they are collected.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SETTINGS = {"random_state": 3, "n_epochs": 12, "n_jobs": 1}
FITTED = ("embedding_", "frames_", "singular_values_", "intrinsic_dim_")


@pytest.fixture(autouse=True)
def time_limit():
    """A fit that waits for ever ends the process."""
    faulthandler.dump_traceback_later(600, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def X():
    return curved_sheets(12_000, 20)[0]


@pytest.fixture(scope="module")
def local(X):
    return featmap.FeatMAP(**SETTINGS).fit(X)


@pytest.fixture(scope="module")
def on_cluster(client, X, tmp_path_factory):
    """The same fit on the cluster, and its file."""
    path = tmp_path_factory.mktemp("cluster") / "a.featmap"
    blocks = da.from_array(X, chunks=(5_000, 20))
    return FeatMAP(**SETTINGS).fit(blocks, path=path, force=True, n_partitions=2), path


def assert_same(model, local):
    """All that a fit makes has the same bytes, the index for new rows and the scaled data included."""
    for name in FITTED:
        np.testing.assert_array_equal(getattr(model, name), getattr(local, name), err_msg=name)
    for mine, other in zip(model.neighbors_, local.neighbors_, strict=True):
        np.testing.assert_array_equal(mine, other)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(model.graph_, part), getattr(local.graph_, part))


def test_the_fit_has_the_bytes_of_the_local_fit(on_cluster, X, local):
    model, path = on_cluster
    new = X[:50] + np.float32(0.01)
    np.testing.assert_array_equal(model.transform(new), local.transform(new))
    np.testing.assert_array_equal(model.feature_importance([0, 7]), local.feature_importance([0, 7]))
    assert_same(model, local)
    assert_same(featmap.FeatMAP.load(path), local)
    assert [file.name for file in path.parent.iterdir()] == ["a.featmap"]


def test_visits_are_bounded_and_change_nothing(X, local, tmp_path, monkeypatch):
    """Queries set out in rounds, so that none of the tasks is larger than it may be."""
    sizes, propose = [], search.candidates_of

    def noted(part, visit, quantizer, n_candidates):
        sizes.append((len(visit.queries), propose(part, visit, quantizer, n_candidates).n_bytes))
        return propose(part, visit, quantizer, n_candidates)

    limit = 2**20
    monkeypatch.setattr(search, "BYTES_OF_VISIT", limit)
    monkeypatch.setattr(search, "candidates_of", noted)
    with dask.config.set(scheduler="synchronous"):
        model = FeatMAP(**SETTINGS).fit(
            da.from_array(X, chunks=(5_000, 20)), path=tmp_path / "a.featmap", force=True, n_partitions=2
        )
    most_queries, most_bytes = np.max(sizes, axis=0)
    assert limit / 2 < most_bytes <= limit
    assert most_queries < 2_000
    assert_same(model, local)


def test_rows_whose_lists_are_too_short_are_completed_in_every_round(X, run, monkeypatch):
    """One list of some hundred rows does not hold a hundred neighbours of all rows."""
    monkeypatch.setattr(search, "BYTES_OF_VISIT", 2**20)
    matrix, width = X[:3_000], Width(1, 3.0)
    with dask.config.set(scheduler="synchronous"):
        blocks = Blocks([delayed(matrix[:2_000]), delayed(matrix[2_000:])], np.array([0, 2_000, 3_000]))
        listed = search.Workers(blocks, 20, 2).in_lists(64, run)
        on_cluster = listed.search(listed.quantizer, width)
        rounds = list(on_cluster.nearest_of_all(100))
    assert len(rounds) > 4
    expected = ListSearch(*build(matrix, 64, run), width)
    assert any(
        (expected.partition.lists.members[first:last] >= 0).sum() < 100
        for first, last in pairwise(expected.partition.lists.first_blocks)
    ), "no list is too short"
    indices, distances = expected.nearest(matrix, 100, run)
    assert sorted(np.concatenate([rows for rows, *_ in rounds])) == list(range(3_000))
    for rows, found, lengths, _ in rounds:
        np.testing.assert_array_equal(found, indices[rows])
        np.testing.assert_array_equal(lengths, distances[rows])


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "cosine", "n_tangent_neighbors": 25, "n_components": 3},
        {"pca": 5},
        {"pca": np.linalg.qr(np.random.default_rng(0).normal(size=(20, 3)))[0]},
    ],
    ids=["cosine and tangents", "pca", "directions"],
)
def test_other_settings(client, X, tmp_path, options, monkeypatch):
    for module in (neighbors, files, pipeline):
        monkeypatch.setattr(module, "EXACT_BELOW", 500)  # so that lists search these few rows, too
    X = X[::4]
    model = FeatMAP(**SETTINGS, **options)
    model.fit(da.from_array(X, chunks=(1_300, 9)), path=tmp_path / "a.featmap", force=True, n_partitions=3)
    assert "lists along" in model.fit_report_.search.way
    assert_same(model, featmap.FeatMAP(**SETTINGS, **options).fit(X))


def test_sparse_rows(client, tmp_path):
    X = sp.random(11_000, 60, 0.1, format="csr", random_state=0, dtype=np.float32)
    blocks = da.from_array(X.toarray(), chunks=(4_000, 60)).map_blocks(sp.csr_matrix)
    model = FeatMAP(**SETTINGS).fit(blocks, path=tmp_path / "a.featmap", force=True, n_partitions=3)
    assert_same(model, featmap.FeatMAP(**SETTINGS).fit(X))


def test_a_frame_with_blocks_of_unknown_lengths(client, tmp_path):
    X = curved_sheets(1_000, 4)[0]
    frame = pd.DataFrame(X, columns=list("abcd"))
    blocks = dd.from_pandas(frame, npartitions=3)
    model = FeatMAP(**SETTINGS).fit(blocks[blocks["a"] > -100], path=tmp_path / "a.featmap", force=True)
    assert_same(model, featmap.FeatMAP(**SETTINGS).fit(frame))
    assert list(model.feature_names_in_) == list("abcd")


def test_answers_about_all_rows_are_lazy(on_cluster, X, local):
    model, path = on_cluster
    blocks = da.from_array(X, chunks=(5_000, 20))
    importance, placed = model.feature_importance(), model.transform(blocks + np.float32(0.01))
    assert isinstance(importance, da.Array)
    assert isinstance(placed, da.Array)
    np.testing.assert_array_equal(importance[:300].compute(), local.feature_importance(np.arange(300)))
    np.testing.assert_array_equal(placed[:100].compute(), local.transform(X[:100] + np.float32(0.01)))
    arrows = model.arrows()
    assert arrows.shape == (12_000, 20, 2)
    np.testing.assert_array_equal(arrows[:20].compute(), local.arrows(np.arange(20)))
    loaded = FeatMAP.load(path)
    np.testing.assert_array_equal(loaded.feature_importance()[:9].compute(), importance[:9].compute())


def test_a_map_of_distances_has_no_answers_about_features(tmp_path):
    """It is refused here, before workers are asked."""
    distances = np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    featmap.FeatMAP(metric="precomputed", n_epochs=10).fit(distances).save(tmp_path / "a.featmap")
    loaded = FeatMAP.load(tmp_path / "a.featmap")
    for ask in (loaded.feature_importance, loaded.arrows):
        with pytest.raises(InvalidParameterError, match="cannot answer questions about features"):
            ask()


def test_the_report_has_bytes_stages_and_the_search_of_the_local_fit(on_cluster, local):
    model, _ = on_cluster
    assert {"neighbors", "tangents", "layout", "alignment", "frames"} <= {stage.stage for stage in model.fit_report_}
    assert model.exchanged_bytes_["neighbors"] > 0
    assert model.fit_report_.search == local.fit_report_.search
    assert "lists along" in model.fit_report_.search.way


@pytest.mark.parametrize(
    "parameters",
    [
        {"metric": "manhattan"},
        {"metric": lambda a, b: 0.0},
        {"n_neighbors": 1_001},
        {"precomputed_knn": (np.zeros((500, 5), int), np.zeros((500, 5)))},
    ],
)
def test_what_a_cluster_cannot_do_is_refused(parameters, tmp_path):
    X = da.ones((500, 5), chunks=(100, 5))
    with pytest.raises(InvalidParameterError, match=r"featmap\.FeatMAP"):
        FeatMAP(**SETTINGS, **parameters).fit(X, path=tmp_path / "a.featmap", force=True)


def test_a_block_with_nan_is_refused(client, tmp_path):
    X = np.ones((600, 3))
    X[550, 1] = np.nan
    with pytest.raises(InvalidDataError, match="NaN"):
        FeatMAP(**SETTINGS).fit(da.from_array(X, chunks=(200, 3)), path=tmp_path / "a.featmap", force=True)


def test_killed_workers_change_nothing(cluster, client, X, local, tmp_path):
    """A worker is killed early in each stage whose tasks are on workers, while the other may just be starting."""
    killed, choose = {}, random.Random(0).choice

    def running():
        """Workers whose end a nanny has not noticed yet are none of them."""
        workers = (nanny.process for nanny in cluster.workers.values())
        processes = [worker.pid for worker in workers if worker and worker.status == Status.running]
        return [process for process in processes if process not in killed.values()]

    def kill(stage, done, total):
        if stage in ("neighbors", "tangents", "alignment") and stage not in killed:
            wait_until(running, "the start of a worker")
            killed[stage] = choose(running())
            os.kill(killed[stage], signal.SIGKILL)

    blocks = da.from_array(X, chunks=(3_000, 20))
    model = FeatMAP(**SETTINGS)
    model.fit(blocks, path=tmp_path / "a.featmap", force=True, n_partitions=4, callback=kill)
    assert list(killed) == ["neighbors", "tangents", "alignment"]
    assert_same(model, local)


CLIENT = """
import sys, dask.array as da
from distributed import Client
from featmap.dask import FeatMAP
import featmap.store.checkpoints as checkpoint
from lab.data.manifolds import curved_sheets
if __name__ == "__main__":
    def tell(stage, done, total):
        if (stage, done) == ("layout", 6):
            print(flush=True)
            sys.stdin.read()  # until this process is killed
    checkpoint.SECONDS_BETWEEN, checkpoint.MOST_OF_THE_TIME = 0.0, 1e9  # so that every epoch is kept
    X = da.from_array(curved_sheets(12_000, 20)[0], chunks=(5_000, 20))
    with Client(sys.argv[1]):
        FeatMAP(**{settings!r}).fit(X, path=sys.argv[2], checkpoint=sys.argv[3], force=True, callback=tell)
"""


def test_a_client_that_is_killed_resumes_on_the_same_cluster(cluster, client, X, local, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(CLIENT.replace("{settings!r}", repr(SETTINGS)))
    paths = tmp_path / "a.featmap", tmp_path / "a.checkpoint"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, script, cluster.scheduler_address, *paths]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.kill()
    epochs = []
    FeatMAP(**SETTINGS).fit(
        da.from_array(X, chunks=(5_000, 20)),
        path=paths[0],
        checkpoint=paths[1],
        force=True,
        n_partitions=1,
        callback=lambda stage, done, total: epochs.append(done) if stage == "layout" and done else None,
    )
    assert epochs[0] >= 6, "the epochs before are not run again"
    assert_same(featmap.FeatMAP.load(paths[0]), local)
    assert not paths[1].exists()
