"""Tangent spaces and frames: a map needs none. The first question makes them, once, and the same whoever asks."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, InvalidParameterError, explain, in_original_units, neighbors, pipeline
from featmap.checks import settings
from featmap.explanation import geometry
from featmap.pipeline import find_geometry
from featmap.run import Run
from waiting import PATIENCE

QUICK = {"n_neighbors": 8, "n_epochs": 5, "random_state": 0, "n_jobs": 1}
X = np.random.default_rng(0).normal(size=(120, 5))
NEW = X[:9] * 1.5

can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def fit(rows=X, **parameters):
    return FeatMAP(**{**QUICK, **parameters}).fit(rows)


def made(model):
    """Tangent spaces and frames, if a question has made them."""
    return model._points.mapped.deferred.made


def bytes_of(model):
    arrays = model.frames_, model.intrinsic_dim_, model.singular_values_, model.feature_importance(), model.loadings()
    return [(array.dtype.str, array.shape, array.tobytes()) for array in arrays]


PICKLED = pickle.dumps(fit())


@pytest.fixture
def model():
    """A model that was not asked anything."""
    model = pickle.loads(PICKLED)
    assert made(model) is None
    return model


@pytest.fixture(scope="module")
def expected():
    return bytes_of(pickle.loads(PICKLED))


def in_another_thread(ask):
    """What another thread is answered, unless it waits for ever."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(ask()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert answers, "it waits"
    return answers[0]


@pytest.fixture
def calls(monkeypatch):
    """The threads that have begun to make tangent spaces and frames."""
    calls = []

    def counted(*arguments):
        calls.append(threading.current_thread())
        return find_geometry(*arguments)

    monkeypatch.setattr(geometry, "find_geometry", counted)
    return calls


# Who makes them.


def test_a_map_needs_none(monkeypatch, tmp_path):
    """Nor do new rows, files and what a notebook shows."""

    def unwanted(*arguments, **options):
        pytest.fail("nobody has asked")

    for part in ("find_tangents", "connect", "make_frame_fitter"):
        monkeypatch.setattr(pipeline, part, unwanted)
    model = fit()
    model.transform(NEW)
    model.outlier_score(NEW)
    assert "FeatMAP" in repr(model) + model._repr_html_()
    assert len(model.neighbors_[0]) == model.graph_.shape[0] == len(model.fit_transform(X))
    model.save(tmp_path / "model")
    loaded = FeatMAP.load(tmp_path / "model")
    loaded.transform(NEW)
    explained = explain(X, model.embedding_, n_jobs=1)
    for one in (model, loaded, explained, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert made(one) is None


QUESTIONS = {
    "frames_": lambda asked: asked.frames_,
    "intrinsic_dim_": lambda asked: asked.intrinsic_dim_,
    "singular_values_": lambda asked: asked.singular_values_,
    "feature_importance": lambda asked: asked.feature_importance([3]),
    "loadings": lambda asked: asked.loadings([3]),
    "arrows": lambda asked: asked.arrows([3]),
    "arrows of frames": lambda asked: asked.arrows([3], kind="frame"),
    "fidelity": lambda asked: asked.fidelity([3]),
    "why": lambda asked: asked.why(3),
    "top_features": lambda asked: asked.top_features([3], by="varies"),
    "consistency": lambda asked: asked.consistency([3]),
    "trust": lambda asked: asked.trust(),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("kind", ["a map of ours", "a map of another method"])
def test_the_first_question_makes_them_and_the_next_ones_do_not(kind, name, calls, model):
    asked = model if kind == "a map of ours" else explain(X, model.embedding_, n_neighbors=8, n_jobs=1)
    QUESTIONS[name](asked)
    assert len(calls) == 1
    for again in (name, "frames_", "why"):
        QUESTIONS[again](asked)
    assert len(calls) == 1


def test_explanations_of_rows_and_of_new_rows_share_them(calls, model, expected):
    explained, rows = model.explain(NEW), model.explain(X[[7, 3]])
    assert explained.frames_.shape == (9, 2, 2)
    assert np.array_equal(rows.frames_, model.frames_[[7, 3]])
    assert np.array_equal(rows.intrinsic_dim_, model.intrinsic_dim_[[7, 3]])
    assert bytes_of(model) == expected
    assert len(calls) == 1


def test_answers_in_original_units_share_them(calls):
    pipeline_ = make_pipeline(StandardScaler(), FeatMAP(**QUICK)).fit(X)
    model, answers = pipeline_[-1], in_original_units(pipeline_)
    assert made(model) is None
    assert np.array_equal(answers.frames_, model.frames_)
    assert in_original_units(pipeline_, NEW).frames_.shape == (9, 2, 2)
    assert made(model) is answers._points.mapped.geometry is model._points.geometry
    assert len(calls) == 1


def test_a_map_of_distances_has_frames_but_no_directions():
    distances = np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    model = fit(distances, metric="precomputed")
    with pytest.raises(InvalidParameterError, match="cannot answer questions about features"):
        model.feature_importance()
    assert made(model) is None
    assert model.frames_.shape == (40, 2, 2)
    assert model.singular_values_.shape == (40, 0)
    assert not model.intrinsic_dim_.any()


def test_another_fit_has_its_own(model, expected):
    assert bytes_of(model) == expected
    model.fit(X[:80] + 1)
    assert made(model) is None
    assert bytes_of(model) == bytes_of(fit(X[:80] + 1)) != expected


@pytest.mark.parametrize("verbose", [False, True])
def test_a_bar_is_shown_if_the_model_is_verbose(verbose, capsys, tmp_path):
    model = fit(verbose=verbose)
    model.save(tmp_path / "model")
    of_fit = capsys.readouterr().err
    assert ("layout" in of_fit) == verbose
    assert "tangents" not in of_fit
    for one in (model, FeatMAP.load(tmp_path / "model"), explain(X, model.embedding_, verbose=verbose)):
        capsys.readouterr()
        one.frames_  # noqa: B018
        shown = capsys.readouterr()
        assert shown.out == ""
        assert all((stage in shown.err) == verbose for stage in ("tangents", "alignment", "frames"))
        one.frames_  # noqa: B018
        assert capsys.readouterr().err == ""
    assert "tangents" not in [stage.stage for stage in model.fit_report_]


# Whose bytes they have.


CASES = {
    "usual": (X, {}),
    "the paper's frames": (X, {"frames": "paper", "tangent_center": "point"}),
    "three components": (X, {"n_components": 3, "frames": "paper"}),
    "one component": (X, {"n_components": 1}),
    "cosine, larger neighbourhoods": (X, {"metric": "cosine", "n_tangent_neighbors": 20, "intrinsic_dim": 2}),
    "any metric": (X, {"metric": "manhattan"}),
    "sparse": (sp.csr_matrix(np.random.default_rng(1).poisson(0.8, (120, 9)).astype(float)), {}),
    "components": (X, {"pca": 3}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_bytes_do_not_depend_on_threads_copies_or_the_order_of_questions(case):
    rows, parameters = CASES[case]
    model = fit(rows, **parameters)
    on_two_threads = fit(rows, **{**parameters, "n_jobs": 2})
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), on_two_threads]
    asked_before = fit(rows, **parameters)
    asked_before.explain(rows[:9] * 1.5).arrows()
    asked_before.fidelity([3])
    mapped = others[0]._points.mapped
    with Run(2) as run:
        at_once = find_geometry(mapped.manifold, mapped.embedding, run)
    expected = bytes_of(model)
    assert all(bytes_of(other) == expected for other in (*others, asked_before))
    assert at_once.frames.axes.tobytes() == model.frames_.tobytes()
    assert at_once.tangents.leading is None, "it is as large as all else"


def test_many_blocks_and_lists_change_no_byte(monkeypatch):
    """Several blocks of points and slices of axes, lists for neighbours, and a map that begins with groups."""
    monkeypatch.setattr(neighbors, "EXACT_BELOW", 500)
    monkeypatch.setattr(settings, "COARSE_ABOVE", 500)
    monkeypatch.setattr("featmap.tangents.alignment.BYTES_OF_AXES", 2**17)
    rows = np.random.default_rng(0).normal(size=(2000, 70)) * 0.9 ** np.arange(70)
    models = [FeatMAP(random_state=0, n_jobs=n_jobs).fit(rows) for n_jobs in (1, 2, 3)]
    assert len({model.embedding_.tobytes() for model in models}) == 1
    assert bytes_of(models[0]) == bytes_of(models[1]) == bytes_of(models[2])


def test_they_are_drawn_from_the_seed_of_the_fit(monkeypatch):
    """Not from numpy's, nor from one that is drawn when they are asked for."""
    seeds, solver = [], pipeline.make_frame_fitter
    monkeypatch.setattr(pipeline, "make_frame_fitter", lambda *given: seeds.append(given[4]) or solver(*given))
    for drawn in (7, None):
        model = fit(random_state=drawn, frames="paper")
        again = pickle.loads(pickle.dumps(model))
        assert model.frames_.tobytes() == again.frames_.tobytes()
        np.random.seed(3)  # noqa: NPY002 - what scikit-learn's users do
        model.set_params(random_state=8)
        assert bytes_of(pickle.loads(pickle.dumps(again))) == bytes_of(model)
        assert set(seeds) == {model._points.mapped.manifold.seed}
        seeds.clear()


@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "given neighbours", "any metric", "components"])
def test_what_is_done_to_data_and_map_after_the_fit_does_not_matter(kind):
    rows = X.astype(np.float32) if kind == "float32" else X.copy()
    rows = sp.csr_matrix(np.maximum(rows, 0)) if kind == "sparse" else rows
    parameters = {"any metric": {"metric": "manhattan"}, "components": {"pca": 3}}.get(kind, {})
    if kind == "given neighbours":
        parameters["precomputed_knn"] = fit().neighbors_
    model = fit(rows, **parameters)
    expected = bytes_of(pickle.loads(pickle.dumps(model)))
    (rows.data if kind == "sparse" else rows)[:] = 0
    for given in parameters.get("precomputed_knn", ()):
        given[:] = 0
    model.embedding_[:] = 0
    model.set_params(n_neighbors=50, frames="paper", random_state=5, n_jobs=2)
    assert bytes_of(model) == expected


# Copies.


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_has_them_if_they_are_there(duplicate, calls, model, expected):
    before = duplicate(model)
    assert bytes_of(before) == expected
    assert made(model) is None, "a copy is on its own"
    assert bytes_of(model) == expected
    assert len(calls) == 2
    after = duplicate(model)
    assert made(after) is not made(model)
    assert bytes_of(after) == expected
    assert len(calls) == 2


def test_a_shallow_copy_shares_them(calls, model, expected):
    shallow = copy.copy(model)
    assert bytes_of(shallow) == expected
    assert made(model) is made(shallow)
    assert len(calls) == 1


def test_a_model_can_be_copied_and_saved_while_they_are_made(model, expected, monkeypatch, tmp_path):
    """By another thread, which does not wait for them."""
    copies = []

    def copied_meanwhile(*arguments):
        copies.append(pickle.loads(in_another_thread(lambda: pickle.dumps(model))))
        copies.append(in_another_thread(lambda: copy.deepcopy(model)))
        in_another_thread(lambda: model.save(tmp_path / "model"))
        return find_geometry(*arguments)

    monkeypatch.setattr(geometry, "find_geometry", copied_meanwhile)
    assert bytes_of(model) == expected
    monkeypatch.undo()
    for one in (*copies, FeatMAP.load(tmp_path / "model")):
        assert made(one) is None
        assert bytes_of(one) == expected


# Threads, forks and interrupts.


class Watched:
    """A lock that tells when so many threads have come to it, before they wait for it."""

    def __init__(self, lock, n_threads):
        self.lock, self.left = lock, threading.Semaphore(n_threads - 1)
        self.all_are_here = threading.Event()

    def __enter__(self):
        if not self.left.acquire(blocking=False):
            self.all_are_here.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def asked_by_threads(model, n_threads, monkeypatch, fails_first=False):
    """What threads that ask at one moment get, and how often tangent spaces were made. The first may fail."""
    deferred, calls = model._points.mapped.deferred, []
    deferred._lock = watched = Watched(deferred._lock, n_threads)

    def made_when_all_are_here(*arguments):
        calls.append(threading.current_thread())
        assert watched.all_are_here.wait(PATIENCE)
        if fails_first and len(calls) == 1:
            raise MemoryError("the first fails")
        return find_geometry(*arguments)

    monkeypatch.setattr(geometry, "find_geometry", made_when_all_are_here)
    with ThreadPoolExecutor(n_threads) as pool:
        asked = [pool.submit(lambda: model._points.mapped.geometry) for _ in range(n_threads)]
    failed = [one for one in asked if one.exception() is not None]
    return [one.result() for one in asked if one not in failed], failed, len(calls)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_that_ask_at_one_moment_get_the_same(n_threads, model, expected, monkeypatch):
    answers, failed, n_calls = asked_by_threads(model, n_threads, monkeypatch)
    assert (len(answers), failed, n_calls) == (n_threads, [], 1)
    assert all(answer is made(model) for answer in answers)
    assert bytes_of(model) == expected


def test_questions_about_another_map_do_not_wait(model, expected, monkeypatch):
    """A lock of all maps would make each wait for the other."""
    other, answered = fit(X[:80]), threading.Event()

    def made_after_the_other(*arguments):
        if len(arguments[1]) == len(X):
            assert answered.wait(PATIENCE)
        return find_geometry(*arguments)

    monkeypatch.setattr(geometry, "find_geometry", made_after_the_other)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(bytes_of, model)
        pool.submit(bytes_of, other).add_done_callback(lambda done: answered.set())
        assert waiting.result() == expected


def test_if_the_first_thread_fails_the_next_one_makes_them(model, expected, monkeypatch):
    answers, failed, n_calls = asked_by_threads(model, 3, monkeypatch, fails_first=True)
    assert (len(answers), len(failed), n_calls) == (2, 1, 2)
    assert isinstance(failed[0].exception(), MemoryError)
    assert all(answer is made(model) for answer in answers)
    assert bytes_of(model) == expected


@pytest.mark.parametrize("part", ["find_tangents", "connect", "make_frame_fitter"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_leaves_a_model_that_can_be_asked_again(part, n_jobs, expected, monkeypatch):
    """A real signal in each of the stages."""
    model = fit(n_jobs=n_jobs)
    before = {thread for thread in threading.enumerate() if thread.name.startswith("featmap_")}
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, part, lambda *arguments, **options: signal.raise_signal(signal.SIGINT))
        # A process that was started in the background ignores the signal unless it is told otherwise.
        usual = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                model.arrows()
        finally:
            signal.signal(signal.SIGINT, usual)
    assert made(model) is None
    assert {thread for thread in threading.enumerate() if thread.name.startswith("featmap_")} <= before
    # Which could not take a lock that the interrupt had left.
    assert in_another_thread(lambda: bytes_of(model)) == expected
    assert bytes_of(model) == expected


def in_a_fork(answer):
    """The bytes that a forked process answers. One that hangs is ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(int(PATIENCE))
            with os.fdopen(writer, "wb") as pipe:
                pickle.dump(answer(), pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answered = pipe.read()
    _, status = os.waitpid(child, 0)
    assert not os.WIFSIGNALED(status), "it hangs"
    return pickle.loads(answered)


@can_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_a_thread_makes_them_does_not_hang(model, expected, monkeypatch):
    """There the lock stays held for ever, since the thread that holds it is not there."""
    begun, forked, process = threading.Event(), threading.Event(), os.getpid()

    def waiting_in_the_parent(*arguments):
        if os.getpid() == process:
            begun.set()
            assert forked.wait(PATIENCE)
        return find_geometry(*arguments)

    monkeypatch.setattr(geometry, "find_geometry", waiting_in_the_parent)
    with ThreadPoolExecutor(1) as other:
        asked = other.submit(bytes_of, model)
        assert begun.wait(PATIENCE)
        try:
            in_child = in_a_fork(lambda: bytes_of(model))
        finally:
            forked.set()
        assert asked.result(timeout=PATIENCE) == in_child == expected


@can_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_after_the_first_question_has_them(model, expected, calls):
    assert bytes_of(model) == expected
    assert in_a_fork(lambda: (bytes_of(model), len(calls))) == (expected, 1)
