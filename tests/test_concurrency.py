"""Fits in threads, forks, pools and servers: the same bytes. Fits that are interrupted: nothing is left running."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

from featmap import FeatMAP
from featmap.run import threads
from featmap.run.threads import one_library_thread
from waiting import PATIENCE

QUICK = {"n_neighbors": 6, "n_epochs": 10, "random_state": 0}

can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
# Python warns of forks beside threads; those here are of the test itself.
forks = pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")


def table(seed):
    """The 20 models differ in rows, features and values."""
    return np.random.default_rng(seed).normal(size=(50 + 7 * seed, 3 + seed % 4))


def digest(seed, n_jobs=1):
    """Of a fit and of placing new rows."""
    X = table(seed)
    model = FeatMAP(**QUICK, n_jobs=n_jobs).fit(X)
    arrays = (model.embedding_, model.frames_, model.feature_importance(), model.transform(X[:9] + 0.1))
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


@pytest.fixture(scope="module")
def alone():
    return [digest(seed) for seed in range(20)]


def test_eight_threads_fit_twenty_models_at_once(alone):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda seed: digest(seed, n_jobs=2), range(20))) == alone


def test_threads_fit_beside_limits_on_blas_of_others():
    """So large that principal components have other bits on two threads of BLAS, which the main thread asks for."""
    X = np.random.default_rng(0).normal(size=(1500, 100))

    def fit(n_epochs):
        model = FeatMAP(n_epochs=n_epochs, random_state=0, init="pca", n_jobs=1).fit(X)
        return [array.tobytes() for array in (model.embedding_, model.frames_, model.transform(X[:9] + 0.1))]

    lengths = (2, 30, 8)  # end one after the other
    with threadpool_limits(1):
        one_by_one = list(map(fit, lengths))
    with threadpool_limits(2), ThreadPoolExecutor(3) as pool:
        assert list(pool.map(fit, lengths)) == one_by_one


def library_threads():
    """As the calling thread sees them. BLAS by OpenMP has those of OpenMP, whatever threadpoolctl before 3.8 says."""
    pools = [pool for pool in threadpool_info() if pool.get("threading_layer") != "openmp"]
    return {pool["filepath"]: pool["num_threads"] for pool in pools}


@pytest.mark.parametrize("main_ends_first", [True, False])
def test_fits_that_overlap_leave_the_threads_of_libraries_as_they_were(main_ends_first):
    """As seen from both threads, each with its own limit on OpenMP, whichever ends first."""
    both = threading.Barrier(2, timeout=60)
    first_has_ended = threading.Event()

    def fit_beside_another(ends_first):
        within = []

        def meet_and_end_in_turn(stage, done, total):
            if within:
                return
            both.wait()
            assert ends_first or first_has_ended.wait(60)
            within.append(library_threads())

        before = library_threads()
        both.wait()
        FeatMAP(**QUICK, n_jobs=2).fit(table(0), callback=meet_and_end_in_turn)
        if ends_first:
            first_has_ended.set()
        both.wait()
        return before, within[0], library_threads()

    def fit_in_other_thread():
        with threadpool_limits(3, "openmp"):
            return fit_beside_another(not main_ends_first)

    with threadpool_limits(2), ThreadPoolExecutor(1) as pool:
        other = pool.submit(fit_in_other_thread)
        of_main, of_other = fit_beside_another(main_ends_first), other.result()
    assert set(of_main[0].values()) == {2}
    assert 3 in of_other[0].values()
    for before, within, after in (of_main, of_other):
        assert set(within.values()) == {1}
        assert after == before


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_inside_joblib(backend, alone):
    together = Parallel(n_jobs=2, backend=backend)(delayed(digest)(seed, -1) for seed in range(4))
    assert together == alone[:4]


def in_a_forked_child(task):
    """What a child of this process writes before it ends, which it does in time."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(int(PATIENCE))  # ends the child, should it hang
        try:
            os.write(writer, task().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return text


@can_fork
@forks
def test_a_fork_after_a_fit_fits_and_places(alone):
    """Its threads have not survived, and no lock of theirs may be waited for."""
    X = table(0)
    model = FeatMAP(**QUICK, n_jobs=2).fit(X)
    expected = model.transform(X + 0.1).tobytes().hex()
    assert in_a_forked_child(lambda: model.transform(X + 0.1).tobytes().hex()) == expected
    assert in_a_forked_child(lambda: digest(1, n_jobs=2)) == alone[1]


@can_fork
@forks
def test_a_fork_while_others_hold_the_lock_on_library_threads(alone):
    """It waits for them. The other thread lets go when a fork that did not wait would be over."""
    has_it, asked, forked = threading.Event(), threading.Event(), threading.Event()
    os.register_at_fork(before=asked.set, after_in_parent=forked.set)

    def hold():
        with threads._limits_lock:
            has_it.set()
            assert asked.wait(PATIENCE)
            assert not forked.wait(0.5)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        assert has_it.wait(PATIENCE)
        assert in_a_forked_child(lambda: digest(0)) == alone[0]
        holding.result()


@can_fork
@forks
def test_a_fork_while_another_thread_is_inside_gets_its_library_threads_back():
    """With its first fit: the other thread is not in the child, and will never leave."""
    with threadpool_limits(2), ThreadPoolExecutor(1) as pool:
        before = library_threads()
        held = one_library_thread()
        pool.submit(held.__enter__).result()

        def fit_in_child():
            FeatMAP(**QUICK).fit(table(0))
            return str(library_threads() == before)

        answer = in_a_forked_child(fit_in_child)
        pool.submit(held.__exit__, None, None, None).result()
    assert answer == "True"


@pytest.mark.parametrize("method", ["fork", "spawn"])
@forks
def test_pools_of_processes(method, alone):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not {method}")
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(digest, range(3)).get(timeout=120) == alone[:3]


def test_a_server_places_rows_in_its_threads():
    """Eight clients at once get what they would get one after the other."""
    X = table(3)
    model = FeatMAP(**QUICK).fit(X)
    new = X[:16] + 0.1

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            place = model.transform(new[[int(self.path[1:])]])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(place.tobytes())

        def log_message(self, *arguments):
            pass

    def ask(row):
        connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
        connection.request("GET", f"/{row}")
        answer = connection.getresponse().read()
        connection.close()
        return np.frombuffer(answer, np.float32)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        with ThreadPoolExecutor(8) as clients:
            placed = np.array(list(clients.map(ask, range(16))))
        server.shutdown()
        serving.join()
    np.testing.assert_array_equal(placed, model.transform(new))


def test_rows_can_be_placed_while_the_estimator_is_fitted_anew():
    """Until the new map is there, the old one answers."""
    X = table(2)
    model = FeatMAP(**QUICK, n_jobs=1).fit(X)
    before = model.transform(X[:5])
    answers = []
    model.fit(np.ones((40, 9)), callback=lambda *step: answers.append(model.transform(X[:5])) and None)
    assert len(answers) > 10
    assert all(np.array_equal(answer, before) for answer in answers)
    assert model.n_features_in_ == 9


def test_any_number_of_threads_may_be_asked_for(alone):
    assert digest(0, n_jobs=10_000) == alone[0]


INTERRUPTED = """
    import itertools, os, signal, sys, threading
    import numpy as np
    from threadpoolctl import threadpool_info
    import featmap.pipeline  # with the libraries that a fit uses
    from featmap import FeatMAP

    def library_threads():
        return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}

    signal.signal(signal.SIGINT, signal.default_int_handler)
    X = np.random.default_rng(0).normal(size=(2000, 20))
    libraries = library_threads()
    model = FeatMAP(n_epochs=5, random_state=0).fit(X[:, :4])
    before = model.transform(X[:3, :4])
    model.set_params(n_epochs=10**9)  # only the signal ends the fit
    stages = ("scaling", "neighbors", "graph", "start", "layout")
    for moment in [None, *itertools.product(stages, (False, True))]:
        reached, pressed, after = threading.Event(), threading.Event(), []

        def press():
            if not reached.wait(120):
                print(f"the fit did not come to {moment}", file=sys.stderr, flush=True)
                os._exit(3)
            signal.raise_signal(signal.SIGINT)
            pressed.set()

        def listen(stage, done, total):
            if (stage, done > 0) == moment:
                reached.set()
            if pressed.is_set():
                after.append((stage, done))
                assert len(after) < 3, f"went on with {after} when interrupted at {moment}"

        try:
            threading.Thread(target=press, daemon=True).start()
            if moment is None:
                reached.set()
            model.fit(X, callback=listen)
        except KeyboardInterrupt:
            pass
        for thread in set(threading.enumerate()) - {threading.current_thread()}:
            thread.join(60)
        assert threading.active_count() == 1, threading.enumerate()
        assert libraries.items() <= library_threads().items(), moment
        assert np.array_equal(model.transform(X[:3, :4]), before)
    assert np.isfinite(model.set_params(n_epochs=3).fit(X).embedding_).all()
    print("usable")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_at_any_moment_leaves_a_usable_estimator():
    """A real signal in a process of its own, from a thread that waits for the begin and the first step of each stage.

    Another thread raises it, so that it comes somewhere in the code that follows.
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED)], capture_output=True, text=True, timeout=300, check=False
    )
    assert result.stdout.strip() == "usable", result.stderr[-2000:]
