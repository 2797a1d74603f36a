"""A fit on a cluster ends: with the map, or with an error that says what is missing. Workers are threads here."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from dask.delayed import delayed
from distributed import Client, KilledWorker, LocalCluster, Status, default_client, wait

import featmap
from featmap import ClusterError
from featmap.dask import FeatMAP, cluster
from featmap.store import checkpoints
from test_dask import time_limit  # noqa: F401 - a fixture for all tests

SETTINGS = {"random_state": 3, "n_epochs": 5, "n_jobs": 1}
X = np.random.default_rng(0).normal(size=(200, 4))


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS_BETWEEN_LOOKS", 0.01)


@pytest.fixture
def workers():
    """A cluster of one worker, which is a thread, and its client."""
    with (
        LocalCluster(n_workers=1, processes=False, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers),
    ):
        yield workers


@pytest.fixture
def fit(tmp_path):
    def fit(**options):
        blocks = da.from_array(X, chunks=(60, 4))
        return FeatMAP(**SETTINGS).fit(blocks, path=tmp_path / "a.featmap", force=True, **options)

    return fit


def without_patience():
    return dask.config.set({cluster.PATIENCE_KEY: 0})


def test_a_fit_without_workers_ends_and_names_the_last(workers, fit):
    (worker,) = workers.workers.values()
    default_client().log_event("all", "a message of the user, among events of the scheduler")
    workers.sync(workers.scale_down, [0])
    with without_patience(), pytest.raises(ClusterError, match=f"no worker; the last that left is {worker.address}"):
        fit()
    with without_patience(), pytest.raises(ClusterError, match="start workers and call fit"):
        FeatMAP(**SETTINGS).fit(dd.from_pandas(pd.DataFrame(X), npartitions=2))  # of unknown length


def test_workers_that_are_paused_are_told(workers, fit):
    (worker,) = workers.workers.values()

    async def pause():
        worker.memory_manager.memory_pause_fraction = False  # or it would go on as soon as its memory is looked at
        worker.status = Status.paused

    workers.sync(pause)
    with without_patience(), pytest.raises(ClusterError, match=f"memory is full: {worker.address}"):
        fit()


def test_the_cluster_is_asked_for_a_worker_that_it_gave_up(workers, fit):
    """As a nanny gives up a worker that is killed while it starts."""
    (worker,) = workers.workers.values()
    workers.sync(worker.close)
    np.testing.assert_array_equal(fit().embedding_, featmap.FeatMAP(**SETTINGS).fit(X).embedding_)


def test_a_worker_that_comes_late_is_waited_for(workers, fit, monkeypatch):
    looks = []

    def come_at_the_fifth(cluster):
        looks.append(cluster)
        if len(looks) == 5:
            cluster.scale(1)

    workers.sync(workers.scale_down, [0])
    monkeypatch.setattr(cluster, "_ask_again", come_at_the_fifth)
    with dask.config.set({cluster.PATIENCE_KEY: None}):  # for ever
        assert fit().embedding_.shape == (200, 2)
    assert looks[0] is workers


def test_a_paused_worker_ends_what_it_has_begun():
    for status, counts, can in (("running", {}, True), ("paused", {}, False), ("paused", {"executing": 1}, True)):
        assert cluster._can_work({"status": status, "metrics": {"task_counts": counts}}) is can


def test_workers_that_are_not_ready_are_told_with_their_status():
    workers = {name: {"status": status} for name, status in (("a", "init"), ("b", "paused"), ("c", "init"))}
    message = cluster._without_workers(600, workers, [])
    assert "for 10 minutes workers were paused, since their memory is full: b, and workers had" in message
    assert "the status 'init': a, c." in message


def test_a_scheduler_that_does_not_answer_is_waited_for_and_then_told(workers, fit, monkeypatch):
    async def frozen(**message):
        await asyncio.Event().wait()

    monkeypatch.setattr(cluster, "SECONDS_FOR_ANSWER", 0.01)
    for question in ("identity", "events"):
        monkeypatch.setitem(workers.scheduler.handlers, question, frozen)
    assert fit().embedding_.shape == (200, 2)
    workers.sync(workers.scale_down, [0])
    with without_patience(), pytest.raises(ClusterError, match="the scheduler did not answer"):
        fit()


@pytest.mark.parametrize("at", ["neighbors", "alignment"])
@pytest.mark.parametrize("of_cluster", [True, False], ids=["client of a cluster", "client of an address"])
def test_a_lost_connection_is_told(fit, of_cluster, at):
    """A client that was made from its cluster closes with it. Others try to connect again."""
    with (
        LocalCluster(n_workers=1, processes=False, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers if of_cluster else workers.scheduler_address, timeout=0.2),
        pytest.raises(ClusterError, match=r"connection to the scheduler was lost.*checkpoint resumes"),
    ):
        fit(callback=lambda stage, done, total: workers.close() if stage == at else None)


def test_a_future_that_a_closed_client_has_not_cancelled_is_not_waited_for(workers, monkeypatch):
    workers.sync(workers.scale_down, [0])
    (task,) = cluster.persisted([delayed(len)("abc")])
    with monkeypatch.context() as closed:
        closed.setattr(default_client(), "status", "closed")
        with pytest.raises(ClusterError, match="connection to the scheduler was lost"):
            cluster._fetched(task)


def test_a_task_that_the_user_cancels_ends_the_fit_as_cancelled(workers):
    (task,) = cluster.persisted([delayed(len)("abc")])
    default_client().cancel(task)
    with pytest.raises(CancelledError):
        cluster._fetched(task)  # `results` would start it anew, and may find what it has computed


def test_a_task_whose_workers_die_again_and_again_ends_the_fit(workers, tmp_path, monkeypatch):
    """Also if the scheduler tells of the next failure before it answers that the task was started again."""
    tries = tmp_path / "tries"

    def die():
        with tries.open("a") as file:
            file.write(".")
        raise KilledWorker("task", SimpleNamespace(address="tcp://there"), 3)

    async def late(keys, **names):
        await start_again(keys=keys, **names)
        for before in (True, False):  # the failure before this, and the next
            while (client.futures[keys[0]].status == "error") is before:
                await asyncio.sleep(0)

    client = default_client()
    start_again = client.scheduler.retry
    monkeypatch.setattr(client.scheduler, "retry", late, raising=False)
    monkeypatch.setattr(cluster, "MOST_RESTARTS", 2)
    after = delayed(len)(delayed(die)())  # what is waited for is a task after the one that fails
    with pytest.raises(ClusterError, match=r"again 2 times.*tcp://there.*n_partitions"):
        next(cluster.results([after]))
    assert tries.read_text() == "..."


def test_tasks_before_one_that_failed_are_all_run_again(workers, tmp_path):
    """Where only one of them is, the scheduler lets the task wait for the other for ever."""

    def die_once(name):
        if not (tmp_path / name).exists():
            (tmp_path / name).touch()
            raise KilledWorker(name, SimpleNamespace(address="tcp://there"), 3)
        return name

    first, second = cluster.persisted([delayed(die_once)("a"), delayed(die_once)("b")])
    wait([first, second])
    assert list(cluster.results([delayed(list)([second]), delayed(list)([first, second])])) == [["b"], ["a", "b"]]


def test_a_failure_whose_exception_was_deleted_is_one_of_dead_workers(workers):
    """Dask's client raises an error of its own for it. An error of the same kind in a task ends the fit."""
    with pytest.raises(AttributeError) as failure:
        None.with_traceback(None)
    assert cluster._is_of_dead_workers(failure.value)
    with pytest.raises(AttributeError, match="with_traceback"):
        next(cluster.results([delayed(lambda: None)().with_traceback()]))


def test_after_the_error_a_fit_resumes_from_its_checkpoint(workers, fit, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)  # so that every stage is kept
    monkeypatch.setattr(checkpoints, "MOST_OF_THE_TIME", 1e9)
    before, after = [], []

    def lose_the_worker(stage, done, total):
        before.append((stage, done))
        if stage == "alignment":
            workers.sync(workers.scale_down, [0])

    with without_patience(), pytest.raises(ClusterError):
        fit(callback=lose_the_worker, checkpoint=tmp_path / "a.checkpoint")
    workers.scale(1)
    model = fit(callback=lambda stage, done, total: after.append((stage, done)), checkpoint=tmp_path / "a.checkpoint")
    in_parts = [step for step in before if step[0] == "neighbors" and 0 < step[1] < len(X)]
    assert in_parts
    assert not set(in_parts) & set(after), "the neighbours are searched again"
    np.testing.assert_array_equal(model.embedding_, featmap.FeatMAP(**SETTINGS).fit(X).embedding_)
