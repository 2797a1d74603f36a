"""What users of the fit on a cluster give is refused or answered as by the local class. Threads are the workers."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("dask.array", reason="the extra dask is not installed")

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import pandas as pd
from dask.delayed import delayed

import featmap
from featmap.dask import FeatMAP
from featmap.dask.cluster import PATIENCE_KEY, results, sent_once
from featmap.dask.search import Candidates, nearest_of, shared_out
from featmap.errors import FeatmapWarning, InvalidDataError, InvalidDataTypeError, InvalidParameterError, StoreError

SETTINGS = {"random_state": 3, "n_epochs": 5, "n_jobs": 1}


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(0).normal(size=(200, 4))


@pytest.fixture(scope="module")
def frame(table):
    return pd.DataFrame(table, columns=list("abcd"))


@pytest.fixture
def fit(tmp_path):
    def fit(X, path=tmp_path / "a.featmap", n_partitions=2, **parameters):
        return FeatMAP(**SETTINGS, **parameters).fit(X, path=path, force=True, n_partitions=n_partitions)

    return fit


def blocks_of(table):
    return da.from_array(table, chunks=(60, table.shape[1]))


@pytest.mark.parametrize("sizes", [[10, 0, 10], [0, 0, 5], [5, 0, 0], [0, 7, 0, 0, 1, 0], [3]])
@pytest.mark.parametrize("n_partitions", [1, 2, 3, 64])
def test_every_partition_has_rows(sizes, n_partitions):
    owners = shared_out(np.array(sizes), n_partitions)
    assert (np.diff(owners) >= 0).all()
    assert (np.bincount(owners, weights=sizes) > 0).all()
    assert owners.max() < n_partitions


def test_what_many_tasks_take_is_not_part_of_each():
    large = np.arange(100_000)
    tasks = [delayed(np.add, pure=True)(sent_once(large), number) for number in range(3)]
    own = [task.__dask_graph__()[task.key] for task in tasks]
    assert max(len(cloudpickle.dumps(task)) for task in own) < large.nbytes / 10
    np.testing.assert_array_equal(tasks[2].compute(), large + 2)


def test_as_many_results_are_started_as_the_limit_of_the_moment():
    started, ahead, limits = [], [], [2, 2, 3, 3, 3, 3, 1, 1, 1, 1]
    with dask.config.set(scheduler="synchronous"):
        for number, _ in enumerate(results([delayed(started.append)(n) for n in range(9)], iter(limits).__next__)):
            ahead.append(len(started) - number - 1)
    assert sorted(started) == list(range(9))
    assert ahead == [2, 3, 3, 3, 3, 2, 1, 1, 0]


def test_many_candidates_of_many_partitions_take_little_memory(rng):
    """A search that had to be widened brings back hundreds of candidates from every partition."""
    n_queries, n_candidates, n_partitions = 512, 300, 4
    queries, found = np.arange(n_queries, dtype=np.int32), []
    for part in range(n_partitions):
        numbers = np.tile(np.arange(n_candidates, dtype=np.int32) * n_partitions + part, (n_queries, 1))
        squared = np.sort(rng.random((n_queries, n_candidates)), axis=1)
        found.append(Candidates(queries, (numbers, squared.astype(np.float32)), (numbers, squared)))
    tracemalloc.start()
    indices, _ = nearest_of(found, n_queries, n_candidates, 15)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n_queries * n_partitions * n_candidates**2 / 2
    everything = np.concatenate([part.ranked[1] for part in found], axis=1)
    numbers = np.concatenate([part.ranked[0] for part in found], axis=1)
    expected = np.take_along_axis(numbers, np.argsort(everything, axis=1)[:, :15], axis=1)
    np.testing.assert_array_equal(indices, expected)


def test_new_rows_need_the_columns_of_the_fit(fit, frame):
    model = fit(dd.from_pandas(frame, npartitions=2))
    new = frame + 0.01
    placed = model.transform(dd.from_pandas(new, npartitions=2)).compute()  # without a warning
    np.testing.assert_array_equal(placed, model.transform(new))
    with pytest.raises(InvalidDataError, match="in their order"):
        model.transform(dd.from_pandas(new[list("dcba")], npartitions=2))
    with pytest.raises(InvalidDataError, match="columns of the fit"):
        model.transform(dd.from_pandas(new[list("abc")], npartitions=2))


def test_columns_with_and_without_names_are_refused(fit, frame):
    with pytest.raises(InvalidDataTypeError, match="names that are strings"):
        fit(dd.from_pandas(frame.rename(columns={"b": 1}), npartitions=2))


def test_a_file_that_was_written_again_gives_no_answers(fit, table, tmp_path):
    X = blocks_of(table)
    first = fit(X)
    lazy = first.feature_importance()
    second = fit(X, n_neighbors=30)
    with pytest.raises(StoreError, match="written again"):
        lazy.compute()
    np.testing.assert_array_equal(second.feature_importance().compute(), second.feature_importance(range(200)))
    (tmp_path / "a.featmap").unlink()
    with pytest.raises(StoreError, match="cannot be opened"):
        second.arrows().compute()


def test_lazy_answers_have_the_type_that_they_tell_and_wrong_options_are_refused_at_once(fit, table):
    model = fit(blocks_of(table))
    placed = model.transform(blocks_of(table[:1] + 0.01))
    for lazy in (model.arrows(), model.arrows(kind="frame"), model.feature_importance(), placed):
        assert lazy.compute().dtype == lazy.dtype
    np.testing.assert_array_equal(placed, model.transform(table[:1] + 0.01))
    with pytest.raises(InvalidParameterError, match="kind"):
        model.arrows(kind="other")


def test_a_table_of_several_units_is_told(fit, frame):
    X = frame * [1, 1, 1, 1e4]
    with pytest.warns(FeatmapWarning, match="'d'"):
        fit(dd.from_pandas(X, npartitions=2))


def test_all_pairs_count_the_rows_that_travel(fit, table):
    exchanged = fit(blocks_of(table), n_partitions=2, n_neighbors=6).exchanged_bytes_["neighbors"]
    assert exchanged == 200 * (4 * 4 + 6 * (4 + 8))  # each row goes to the other partition, its six nearest come back


@pytest.mark.parametrize("n_partitions", [1, 3])
def test_any_number_of_partitions_has_the_bytes_of_the_local_fit(fit, table, n_partitions):
    model, local = fit(blocks_of(table), n_partitions=n_partitions), featmap.FeatMAP(**SETTINGS).fit(table)
    for name in ("embedding_", "frames_", "singular_values_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(local, name))
    assert bool(model.exchanged_bytes_["neighbors"]) is (n_partitions > 1)


def test_small_data_are_fitted_locally_with_a_word_and_saved_if_a_path_is_given(tmp_path, table):
    with pytest.warns(FeatmapWarning, match="the local fit is faster"):
        model = FeatMAP(**SETTINGS).fit(blocks_of(table), path=tmp_path / "a.featmap")
    saved = featmap.FeatMAP.load(tmp_path / "a.featmap")
    np.testing.assert_array_equal(saved.embedding_, featmap.FeatMAP(**SETTINGS).fit(table).embedding_)
    assert isinstance(model.feature_importance(), da.Array)


def test_a_wrong_time_to_wait_is_refused_before_any_row_is_read(fit):
    unread = da.from_delayed(delayed(lambda: 1 / 0)(), (200, 4), float)
    for wrong in ("soon", "", [1]):
        with dask.config.set({PATIENCE_KEY: wrong}), pytest.raises(InvalidParameterError, match=PATIENCE_KEY):
            fit(unread)


def test_a_fit_forgets_what_an_earlier_one_remembered(fit, table, tmp_path):
    model = fit(blocks_of(table))
    model.recipe_, model.row_names_in_ = "of an earlier fit", np.arange(200)
    model.fit(blocks_of(table), path=tmp_path / "a.featmap", force=True)
    assert not {"recipe_", "row_names_in_"} & vars(model).keys()


@pytest.mark.parametrize(
    ("path", "error"), [(3, InvalidParameterError), ("", StoreError), ("missing/a", StoreError), (None, ValueError)]
)
def test_wrong_paths_are_refused_before_any_row_is_read(fit, path, error):
    unread = da.from_delayed(delayed(lambda: 1 / 0)(), (200, 4), float)
    with pytest.raises(error, match="path"):
        fit(unread, path=path)


def test_a_folder_that_workers_do_not_see_is_refused(fit, table, monkeypatch):
    monkeypatch.setattr(Path, "touch", lambda path: None)  # what is made here does not reach the workers
    with pytest.raises(StoreError, match="all workers share"):
        fit(blocks_of(table))


def test_blocks_of_two_kinds_are_refused(fit, table):
    X = da.concatenate([blocks_of(table), blocks_of(table).map_blocks(sp.csr_matrix)])
    with pytest.raises(InvalidDataError, match="map_blocks"):
        fit(X)


@pytest.mark.parametrize("X", [delayed(1), dask.bag.from_sequence([1, 2]), np.ones((10, 3))])
def test_other_data_are_refused(fit, X):
    with pytest.raises(InvalidDataTypeError, match="Dask array or frame"):
        fit(X)


def test_an_unknown_number_of_features_is_refused(fit, table):
    X = blocks_of(table)
    with pytest.raises(InvalidDataError, match="compute_chunk_sizes"):
        fit(X[:, X[0] > 0])


def test_sparse_rows_without_entries(fit):
    X = sp.csr_matrix((40, 3))
    model = fit(da.from_array(X.toarray(), chunks=(15, 3)).map_blocks(sp.csr_matrix))
    np.testing.assert_array_equal(model.embedding_, featmap.FeatMAP(**SETTINGS).fit(X).embedding_)


@pytest.mark.parametrize("verbose", [False, True])
def test_the_bar_knows_all_stages(verbose, fit, table, capsys):
    """Those of tangent spaces and frames too, which a local fit has not."""
    model = fit(blocks_of(table), verbose=verbose)
    shown = capsys.readouterr()
    assert shown.out == ""
    stages = [stage.stage for stage in model.fit_report_]
    assert {"tangents", "layout", "alignment", "frames"} <= set(stages)
    assert all((stage in shown.err) == verbose for stage in stages)


def made(model):
    """Tangent spaces and frames, if a question or the fit has made them."""
    return model._points.mapped.deferred.made


@pytest.mark.parametrize("parameters", [{}, {"frames": "paper", "n_components": 3}, {"metric": "cosine"}], ids=str)
def test_tangent_spaces_and_frames_of_a_fit_are_those_that_a_local_model_makes(parameters, fit, table, tmp_path):
    """On the cluster they are made in the fit and kept in the file; here the first question makes them."""
    model, local = fit(blocks_of(table), **parameters), featmap.FeatMAP(**SETTINGS, **parameters).fit(table)
    loaded = featmap.FeatMAP.load(tmp_path / "a.featmap")
    assert made(local) is None
    for one in (model, loaded):
        assert made(one) is not None
        for name in ("frames_", "singular_values_", "intrinsic_dim_"):
            assert getattr(one, name).tobytes() == getattr(local, name).tobytes()
        assert made(one).frames.covariance_size == made(local).frames.covariance_size
        assert one.loadings([3]).tobytes() == local.loadings([3]).tobytes()


def test_a_fit_that_is_stopped_in_its_layout_has_frames_of_that_map(table, tmp_path):
    def stop(stage, done, total):
        return stage == "layout" and done >= 2

    model = FeatMAP(**SETTINGS).fit(blocks_of(table), path=tmp_path / "a", force=True, callback=stop)
    local = featmap.FeatMAP(**SETTINGS).fit(table, callback=stop)
    assert model.n_epochs_ == local.n_epochs_ == 2
    assert model.frames_.tobytes() == local.frames_.tobytes()


def test_a_fit_that_goes_on_after_a_stop_has_the_frames_of_its_last_map(table, tmp_path, monkeypatch):
    """Points have other places then, so nothing that was made in their order may be taken from the checkpoint."""
    monkeypatch.setattr("featmap.store.checkpoints.SECONDS_BETWEEN", 0.0)  # so that every stage is kept
    monkeypatch.setattr("featmap.store.checkpoints.MOST_OF_THE_TIME", 1e9)
    rows, setting = blocks_of(table), {**SETTINGS, "n_epochs": 40}
    given = {"path": tmp_path / "a", "force": True, "checkpoint": tmp_path / "kept"}
    stopped = FeatMAP(**setting).fit(rows, callback=lambda *at: at[0] == "layout" and at[1] >= 10, **given)
    assert (stopped.n_epochs_, (tmp_path / "kept").exists()) == (10, True)
    model, local = FeatMAP(**setting).fit(rows, **given), featmap.FeatMAP(**setting).fit(table)
    assert model.embedding_.tobytes() == local.embedding_.tobytes()
    assert model.frames_.tobytes() == local.frames_.tobytes()


def test_workers_have_the_geometry_of_the_file_or_make_it(table, tmp_path, capsys):
    """Of a local model that was saved before any question; silently, and with the thread that they have."""
    local = featmap.FeatMAP(**{**SETTINGS, "n_jobs": 2}, verbose=True).fit(table)
    capsys.readouterr()
    local.save(tmp_path / "a.featmap")
    model = FeatMAP.load(tmp_path / "a.featmap")
    importance = model.feature_importance().compute()
    opened = model._file.model()
    assert (opened._points.mapped.deferred.n_jobs, capsys.readouterr().err) == (None, "")
    assert made(opened) is not None
    assert importance.tobytes() == local.feature_importance().tobytes()
    assert model.arrows().compute().tobytes() == local.arrows().tobytes()


def test_a_file_of_rows_that_were_fitted_here_has_tangent_spaces_and_frames(table, tmp_path):
    """So that no worker has to make them."""
    with pytest.warns(FeatmapWarning, match="fitted here"):
        model = FeatMAP(**SETTINGS).fit(blocks_of(table), path=tmp_path / "a.featmap")
    assert made(featmap.FeatMAP.load(tmp_path / "a.featmap")) is not None
    assert model.frames_.tobytes() == featmap.FeatMAP(**SETTINGS).fit(table).frames_.tobytes()
