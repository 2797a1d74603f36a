"""Fits that are interrupted and started again: the same bytes, never those of two fits mixed."""

from __future__ import annotations

import os
import shutil
import signal
import time
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from featmap import FeatMAP, FeatmapWarning, FitStopped, InvalidDataError, InvalidParameterError, StoreError, pipeline
from featmap import neighbors as neighbors_stage
from featmap.checks import settings
from featmap.layout import descent, levels
from featmap.run.progress import COARSE_LAYOUT
from featmap.store import checkpoints, replacing
from featmap.store.container import read_file
from files import fail, mutated, rewritten, wait_for_writes, with_array, with_entry

EPOCHS = 16
SETTING = {"n_neighbors": 8, "n_epochs": EPOCHS, "random_state": 0, "n_jobs": 1}
STAGES = ["scaling", "neighbors", "graph", "start"]
N_ROWS = 90
POINTS = [
    *((stage, done) for stage in STAGES for done in (0, N_ROWS if stage == "neighbors" else 1)),
    *(("layout", epoch) for epoch in (0, 1, 5, 13, EPOCHS)),
]
NORMAL = np.random.default_rng(0).normal(size=(N_ROWS, 5))
NEXT = (np.arange(N_ROWS)[:, None] + np.arange(1, 16)) % N_ROWS
KINDS = {
    "dense": (NORMAL, {}),
    "sparse, three dimensions": (
        sp.csr_matrix(np.random.default_rng(0).poisson(0.8, (90, 9)).astype(float)),
        {"n_components": 3},
    ),
    "cosine, paper's frames": (NORMAL, {"metric": "cosine", "frames": "paper"}),
    "another metric": (NORMAL, {"metric": "manhattan"}),
    "parameters of a metric": (NORMAL, {"metric": "minkowski", "metric_kwds": {"p": 3}}),
    "no density": (NORMAL, {"density": 0.0}),
    "larger tangents": (NORMAL, {"n_tangent_neighbors": 12}),
    "neighbours given": (NORMAL, {"precomputed_knn": (NEXT, np.linalg.norm(NORMAL[NEXT] - NORMAL[:, None], axis=2))}),
}
DATA = NORMAL
USUAL = {name: getattr(checkpoints, name) for name in ("SECONDS_BETWEEN", "MOST_OF_THE_TIME")}

pytestmark = pytest.mark.usefixtures("at_every_chance")


@pytest.fixture
def as_usual(at_every_chance, monkeypatch):
    """Checkpoints are written as often as they are for users."""
    for name, value in USUAL.items():
        monkeypatch.setattr(checkpoints, name, value)


class Stopped(Exception):
    pass


def stopping_at(stage, done):
    def callback(*heard):
        if heard[:2] == (stage, done):
            raise Stopped

    return callback


def heard_by(calls):
    """A callback that writes down what it is told."""
    return lambda *heard: calls.append(heard[:2]) and None


def bytes_of(model, X):
    """All that a fit leaves behind, but the times it took."""
    new = X[:9] * 2
    values = [value for name, value in sorted(vars(model).items()) if isinstance(value, np.ndarray)]
    graph = model.graph_
    values += [graph.data, graph.indices, graph.indptr, model.transform(new), model.arrows([3]), model.loadings()]
    return [(value.dtype.str, value.shape, value.tobytes()) for value in values]


@cache
def uninterrupted(kind):
    X, parameters = KINDS[kind]
    return bytes_of(FeatMAP(**{**SETTING, **parameters}).fit(X), X)


def interrupt(path, stage="layout", done=11, X=DATA, **parameters):
    """Leave a checkpoint behind."""
    with pytest.raises(Stopped):
        fit(path, X, stopping_at(stage, done), **parameters)


def fit(path, X=DATA, callback=None, **parameters):
    """Begin a fit, or go on with the one in the checkpoint."""
    return FeatMAP(**{**SETTING, **parameters}).fit(X, callback=callback, checkpoint=path)


@pytest.fixture
def left(tmp_path):
    """A checkpoint of a fit that was interrupted within its layout."""
    interrupt(tmp_path / "fit")
    return tmp_path / "fit"


def assert_refused(path, says=".*", **parameters):
    """The file cannot be a checkpoint of this fit, whatever is in it."""
    with pytest.raises(StoreError, match=rf"fit cannot be read: {says}; delete it to start again"):
        fit(path, **parameters)


@pytest.mark.parametrize(("stage", "done"), POINTS)
def test_an_interrupted_fit_goes_on_and_ends_with_the_same_bytes(stage, done, tmp_path):
    path, calls = tmp_path / "fit", []
    interrupt(path, stage, done)
    assert path.exists()
    model = fit(path, callback=heard_by(calls))
    assert bytes_of(model, DATA) == uninterrupted("dense")
    if stage == "layout":
        steps = range(done + 1, EPOCHS + 1) if done < EPOCHS else [1]  # a stage without steps is one step
        assert [n for name, n in calls if name == "layout"] == [0, *steps]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_fit_goes_on(kind, tmp_path):
    X, parameters = KINDS[kind]
    model = FeatMAP(**{**SETTING, **parameters})
    for stage, done in (("graph", 0), ("start", 0), ("layout", 6), ("layout", 12)):
        with pytest.raises(Stopped):
            model.fit(X, callback=stopping_at(stage, done), checkpoint=tmp_path / "fit")
    assert bytes_of(model.fit(X, checkpoint=tmp_path / "fit"), X) == uninterrupted(kind)


def test_with_lists_it_goes_on_too(tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors_stage, "EXACT_BELOW", 500)
    X = np.random.default_rng(0).normal(size=(700, 4))
    expected = bytes_of(FeatMAP(**SETTING).fit(X), X)
    interrupt(tmp_path / "fit", X=X)
    assert bytes_of(fit(tmp_path / "fit", X), X) == expected


def test_what_was_done_is_not_done_again(left, monkeypatch):
    expected = uninterrupted("dense")

    def again(*arguments, **options):
        raise AssertionError("done again")

    for stage in ("find_neighbors", "build_graph", "make_start"):
        monkeypatch.setattr(pipeline, stage, again)
    model = FeatMAP(**SETTING)
    embedding = model.fit_transform(DATA, checkpoint=left)
    assert embedding is model.embedding_
    assert bytes_of(model, DATA) == expected


@pytest.mark.parametrize("X", [DATA, np.asfortranarray(DATA)], ids=["as before", "in another order in memory"])
def test_other_threads_and_bars_may_go_on(X, left, capsys):
    model = fit(left, X, n_jobs=2, verbose=True)
    assert bytes_of(model, DATA) == uninterrupted("dense")
    assert "layout" in capsys.readouterr().err


def test_a_fit_with_a_checkpoint_is_the_fit_without(tmp_path):
    assert bytes_of(fit(tmp_path / "fit"), DATA) == uninterrupted("dense")
    assert list(tmp_path.iterdir()) == []


def test_a_drawn_seed_is_taken_up(tmp_path):
    interrupt(tmp_path / "one", random_state=None)
    shutil.copy(tmp_path / "one", tmp_path / "two")
    first, second, other = (bytes_of(fit(tmp_path / n, random_state=None), DATA) for n in ("one", "two", "one"))
    assert first == second != other


def test_a_drawn_seed_is_the_checkpoints_from_the_first_moment(tmp_path):
    interrupt(tmp_path / "fit", "neighbors", 0, random_state=None)
    seed = read_file(tmp_path / "fit", checkpoints.KIND, mapped=False).content["seed"]
    interrupt(tmp_path / "fit", "graph", 0, random_state=None)
    assert read_file(tmp_path / "fit", checkpoints.KIND, mapped=False).content["seed"] == seed


OTHERS = {
    "n_neighbors": 9,
    "n_components": 3,
    "metric": "cosine",
    "min_dist": 0.2,
    "spread": 1.5,
    "n_epochs": EPOCHS + 1,
    "density": 0.5,
    "intrinsic_dim": 2,
    "n_tangent_neighbors": 10,
    "tangent_center": "point",
    "frames": "paper",
    "init": "pca",
    "precomputed_knn": (np.tile(np.arange(90), (90, 1)), np.tile(np.arange(90.0), (90, 1))),
    "random_state": 1,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_parameters_are_refused(name, left):
    before = left.read_bytes()
    with pytest.raises(StoreError, match=rf"fit is the checkpoint of another fit, with other .*{name}.*; delete it"):
        fit(left, **{name: OTHERS[name]})
    assert left.read_bytes() == before


def test_other_data_or_versions_are_refused(left, monkeypatch):
    before = left.read_bytes()
    nearly = DATA.copy()
    nearly[17, 3] = np.nextafter(nearly[17, 3], 1)
    for other in (nearly, DATA[::-1], DATA[:, ::-1], DATA[:80], DATA.astype(np.float32), sp.csr_matrix(DATA)):
        with pytest.raises(StoreError, match=r"with other data; delete it to start again, or choose another path"):
            fit(left, other)
    with pytest.raises(StoreError, match="other random_state"):
        fit(left, random_state=None)
    monkeypatch.setattr(checkpoints, "__version__", "0.0.1")
    with pytest.raises(StoreError, match="with other featmap"):
        fit(left)
    assert left.read_bytes() == before


@pytest.mark.usefixtures("as_usual")
def test_a_fit_that_got_nowhere_is_no_obstacle(tmp_path):
    interrupt(tmp_path / "fit", "neighbors", 0)
    fit(tmp_path / "fit", DATA[:60], min_dist=0.3)


def test_a_function_for_a_metric_is_refused_at_once(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"fit\(checkpoint=…\): metric=.* is a function"):
        FeatMAP(**{**SETTING, "metric": lambda a, b: 0.0}).fit(DATA, checkpoint=tmp_path / "fit")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "given",
    [
        ([[1], [2, 3]], [[1.0], [1.0, 2.0]]),
        (np.tile(np.arange(16), (len(DATA), 1)).astype(object), np.ones((len(DATA), 16))),
        (3, 4),
    ],
    ids=["ragged", "objects", "numbers"],
)
def test_neighbours_that_are_no_arrays_are_refused_as_without_a_checkpoint(given, tmp_path):
    model = FeatMAP(**{**SETTING, "precomputed_knn": given})
    with pytest.raises(InvalidDataError, match=r"^precomputed_knn: ") as without:
        model.fit(DATA)
    with pytest.raises(InvalidDataError) as caught:
        model.fit(DATA, checkpoint=tmp_path / "fit")
    assert str(caught.value) == str(without.value)
    assert list(tmp_path.iterdir()) == []


def test_other_files_are_refused_and_stay(tmp_path):
    path = tmp_path / "file"
    FeatMAP(**SETTING).fit(DATA).save(path)
    for data, says in (
        (path.read_bytes(), "holds a fitted model, not a checkpoint"),
        (b"a,b,c\n1,2,3\n", "not a featmap file"),
        (b"", "not a featmap file"),
    ):
        path.write_bytes(data)
        with pytest.raises(StoreError, match=f"file cannot be read: it.*{says}; delete it"):
            fit(path)
        assert path.read_bytes() == data
    interrupt(tmp_path / "fit")
    with pytest.raises(StoreError, match="holds a checkpoint, not a fitted model"):
        FeatMAP.load(tmp_path / "fit")


def test_a_damaged_checkpoint_is_refused(left):
    data, rng = left.read_bytes(), np.random.default_rng(0)
    for _ in range(40):
        altered = mutated(data, rng)
        if altered != data:
            left.write_bytes(altered)
            assert_refused(left)


def test_arrays_that_kernels_could_not_trust_are_refused(left):
    """Indices beyond the rows, and numbers that are not finite."""
    whole = left.read_bytes()
    numbers = (
        *(("neighbors", "distances"), ("graph", "weights", "data"), ("start",)),
        *(("layout", name) for name in ("embedding", "gradient_mean", "gradient_square")),
    )
    for place, value in ((("neighbors", "indices"), 10**6), *((place, np.nan) for place in numbers)):
        left.write_bytes(whole)
        rewritten(left, checkpoints.KIND, with_array("stages", *place, made=with_entry(value)))
        assert_refused(left)


@pytest.fixture
def left_by_the_paper(tmp_path):
    """A checkpoint of a fit that makes tangent spaces and frames itself, interrupted while density acts."""
    with pytest.raises(Stopped):
        fit_as_printed(tmp_path / "fit", callback=stopping_at("layout", 14))
    return tmp_path / "fit"


def fit_as_printed(path, X=DATA, callback=None):
    model = FeatMAP.paper(n_neighbors=8, n_epochs=EPOCHS, random_state=0, n_jobs=1)
    return model.fit(X, callback=callback, checkpoint=path)


def test_tangent_spaces_and_frames_that_kernels_could_not_trust_are_refused(left_by_the_paper):
    whole = left_by_the_paper.read_bytes()
    indices = [("tangents", "neighbors"), ("tangents", "intrinsic_dim")]
    numbers = [("tangents", "weights"), ("tangents", "singular_values"), ("alignment", "steps"), ("frames", "axes")]
    numbers += [("alignment", "rotations"), ("alignment", "kept_products")]
    cases = [with_array("stages", *place, made=with_entry(10**6)) for place in indices]
    cases += [with_array("stages", *place, made=with_entry(np.nan)) for place in numbers if place[1] != "rotations"]
    cases += [with_array("stages", *place, made=lambda array: array[:-1]) for place in (*indices, *numbers)]
    for change in cases:
        left_by_the_paper.write_bytes(whole)
        rewritten(left_by_the_paper, checkpoints.KIND, change)
        with pytest.raises(StoreError, match=r"fit cannot be read: .*; delete it to start again"):
            fit_as_printed(left_by_the_paper)


@pytest.mark.parametrize("stage", ["tangents", "alignment", "frames"])
def test_tangent_spaces_and_frames_of_another_size_are_refused(stage, left_by_the_paper, tmp_path):
    with pytest.raises(Stopped):
        fit_as_printed(tmp_path / "small", DATA[:80], stopping_at("layout", 14))
    smaller = read_file(tmp_path / "small", checkpoints.KIND, mapped=False)

    def change(content, arrays):
        content["stages"][stage] = renumbered(smaller.content["stages"][stage], len(arrays))
        arrays.extend(smaller.arrays)

    rewritten(left_by_the_paper, checkpoints.KIND, change)
    with pytest.raises(StoreError, match=r"fit cannot be read: .*; delete it to start again"):
        fit_as_printed(left_by_the_paper)


@pytest.mark.parametrize("stage", ["neighbors", "graph", "start", "layout"])
def test_stages_of_another_size_are_refused(stage, left, tmp_path):
    interrupt(tmp_path / "small", X=DATA[:80])
    smaller = read_file(tmp_path / "small", checkpoints.KIND, mapped=False)

    def change(content, arrays):
        content["stages"][stage] = renumbered(smaller.content["stages"][stage], len(arrays))
        arrays.extend(smaller.arrays)

    rewritten(left, checkpoints.KIND, change)
    says = "the graph" if stage == "graph" else stage
    assert_refused(left, f"{says} cannot belong to the rest of it")


def renumbered(node, offset):
    """A stage of another file, whose arrays now come after others."""
    if isinstance(node, int):
        return node + offset
    if not isinstance(node, dict):
        return node
    plain = ("epoch", "shape", "class", "center", "covariance_size", "solver")
    return {key: value if key in plain else renumbered(value, offset) for key, value in node.items()}


# What ends a fit, and what does not.


@pytest.mark.parametrize("epoch", [3, 12])
def test_an_interrupt_within_an_epoch_goes_on(epoch, tmp_path, monkeypatch):
    """Half of the state is then of the next epoch: what counts is the last whole one."""
    run = descent._run_epoch

    def interrupted(state, *rest):
        run(state, *rest)
        if state.epoch == epoch:
            raise KeyboardInterrupt

    monkeypatch.setattr(descent, "_run_epoch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "fit")
    monkeypatch.setattr(descent, "_run_epoch", run)
    model = fit(tmp_path / "fit")
    assert bytes_of(model, DATA) == uninterrupted("dense")


@pytest.fixture
def from_groups(monkeypatch):
    """All data are so many that their map begins with one of groups of groups."""
    monkeypatch.setattr(settings, "COARSE_ABOVE", 0)
    monkeypatch.setattr(settings, "COARSE", 7)
    monkeypatch.setattr(settings, "BETWEEN", 5)
    monkeypatch.setattr(settings, "REFINING", 9)
    monkeypatch.setattr(levels, "FEW", 10)
    return {**SETTING, "n_epochs": None}


@pytest.mark.parametrize(
    ("stage", "done"), [("start", 0), ("start", 1), *((COARSE_LAYOUT, n) for n in (0, 1, 6, 7, 8, 12)), ("layout", 4)]
)
def test_a_fit_that_begins_with_groups_goes_on_too(stage, done, tmp_path, from_groups):
    expected = bytes_of(FeatMAP(**from_groups).fit(DATA), DATA)
    interrupt(tmp_path / "fit", stage, done, **from_groups)
    calls = []
    model = fit(tmp_path / "fit", callback=heard_by(calls), **from_groups)
    assert bytes_of(model, DATA) == expected
    heard = [n for name, n in calls if name == COARSE_LAYOUT]
    if stage == COARSE_LAYOUT:
        assert heard == [0, *(range(done + 1, 13) if done < 12 else [1])]
    assert list(tmp_path.iterdir()) == []


def without_levels(content, arrays):
    content["stages"]["start"]["levels"] = []


def with_level_of_single_points(content, arrays):
    """A last level whose groups are those of the level before."""
    start = content["stages"]["start"]
    groups = np.arange(len(arrays[start["embedding"]]), dtype=np.int32)
    start["levels"].append({**start["levels"][-1], "centers": len(arrays), "groups": len(arrays) + 1})
    arrays += [groups, groups.copy()]


def with_state_of_no_level(content, arrays):
    """The last point of the level is missing."""
    for name in ("embedding", "gradient_mean", "gradient_square"):
        with_array("stages", COARSE_LAYOUT, name, made=lambda array: array[:-1])(content, arrays)


def test_a_map_of_groups_that_kernels_could_not_trust_is_refused(tmp_path, from_groups):
    path = tmp_path / "fit"
    interrupt(path, COARSE_LAYOUT, 8, **from_groups)
    whole = path.read_bytes()
    places = (
        (("start", "levels", 0, "groups"), 10**6),
        (("start", "levels", 0, "centers"), -1),
        (("start", "levels", 1, "groups"), 10**6),
        (("start", "levels", 1, "centers"), -1),
        (("start", "embedding"), np.nan),
        ((COARSE_LAYOUT, "embedding"), np.nan),
    )
    entries = [with_array("stages", *place, made=with_entry(entry)) for place, entry in places]
    for change in (*entries, without_levels, with_level_of_single_points, with_state_of_no_level):
        path.write_bytes(whole)
        rewritten(path, checkpoints.KIND, change)
        assert_refused(path, **from_groups)


def test_a_map_ended_early_can_be_ended_later(tmp_path):
    path = tmp_path / "fit"
    with pytest.raises(FitStopped):
        FeatMAP(**SETTING).fit(DATA, callback=lambda stage, done, total: stage == "start", checkpoint=path)
    model = FeatMAP(**SETTING)
    model.fit(DATA, callback=lambda stage, done, total: stage == "layout" and done == 10, checkpoint=path)
    assert model.n_epochs_ == 10
    assert path.exists()
    assert bytes_of(model.fit(DATA, checkpoint=path), DATA) == uninterrupted("dense")
    assert not path.exists()


def test_a_full_disk_does_not_end_a_fit(tmp_path, monkeypatch):
    path = tmp_path / "fit"
    left = []

    def full_from_here(stage, done, total):
        if stage == "graph":
            left[:] = [path.read_bytes()]
            monkeypatch.setattr(replacing.os, "fsync", fail)
        if (stage, done) == ("layout", EPOCHS):
            assert path.read_bytes() == left[0]

    with pytest.warns(FeatmapWarning, match="checkpoint: .*No space left.* the fit continues") as warned:
        model = FeatMAP(**SETTING).fit(DATA, callback=full_from_here, checkpoint=path)
    assert [warning.filename for warning in warned] == [__file__]
    assert bytes_of(model, DATA) == uninterrupted("dense")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_said_before_the_fit(tmp_path):
    calls = []
    with pytest.raises(StoreError, match="nowhere"):
        FeatMAP(**SETTING).fit(DATA, callback=heard_by(calls), checkpoint=tmp_path / "nowhere" / "fit")
    with pytest.raises(StoreError):
        FeatMAP(**SETTING).fit(DATA, callback=heard_by(calls), checkpoint=tmp_path)
    assert calls == []


def times_of_writing(monkeypatch, path, seconds_to_write):
    """When a fit whose epochs take a second each writes its checkpoint."""
    clock, times = SimpleNamespace(now=1000.0), []  # where time passes only if it is told to
    clock.monotonic = lambda: clock.now

    def write(*arguments):
        times.append(clock.now - 1000)
        clock.now += seconds_to_write

    def tick(stage, done, total):
        clock.now += stage == "layout" and done > 0

    monkeypatch.setattr(checkpoints, "time", clock)
    monkeypatch.setattr(checkpoints, "write_file", write)
    FeatMAP(**{**SETTING, "n_epochs": 60}).fit(DATA, callback=tick, checkpoint=path)
    return times


@pytest.mark.usefixtures("as_usual")
def test_checkpoints_are_written_every_few_seconds(monkeypatch, tmp_path):
    assert times_of_writing(monkeypatch, tmp_path / "fit", 0) == list(range(0, 60, 5))


@pytest.mark.usefixtures("as_usual")
def test_checkpoints_that_take_long_are_written_seldom(monkeypatch, tmp_path):
    first, second, *others = times_of_writing(monkeypatch, tmp_path / "fit", 1)
    assert (first, second) == (0, 6)
    assert np.diff([second, *others]).min() >= 20


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_twenty_kills_and_still_the_same_bytes(tmp_path):
    path = tmp_path / "fit"
    X = np.random.default_rng(0).normal(size=(400, 10))
    model = FeatMAP(**{**SETTING, "n_epochs": 200})
    expected = bytes_of(model.fit(X), X)
    rng, epochs = np.random.default_rng(0), []
    for _ in range(200):  # a fit may end before it is killed
        child = os.fork()
        if child == 0:
            try:
                model.fit(X, checkpoint=path)
            finally:
                os._exit(0)
        wait_for_writes(path, rng.integers(1, 10), child)
        time.sleep(rng.uniform(0, 0.005))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and path.exists():
            stages = read_file(path, checkpoints.KIND, mapped=False).content["stages"]
            epochs.append(stages["layout"]["epoch"] if "layout" in stages else 0)
        if len(epochs) == 20:
            break
    assert len(epochs) == 20
    print("killed after epochs", epochs)
    assert len(set(epochs)) > 5, "kills at different moments"
    assert bytes_of(model.fit(X, checkpoint=path), X) == expected
