"""The command line: columns of files, errors in one sentence, and an end that nothing holds up."""

from __future__ import annotations

import http.client
import re
import signal
import socket
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris

pytest.importorskip("click", reason="the command needs the extra explore")
pytest.importorskip("polars", reason="columns of files need the extra io")

from featmap import FeatMAP
from featmap.cli import main
from featmap.errors import FeatmapError
from featmap.explorer.wire import packed
from featmap.tables.files import read_column
from waiting import PATIENCE, ending, lasting_port


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with files about its rows."""
    folder, iris = tmp_path_factory.mktemp("cli"), load_iris(as_frame=True)
    model = FeatMAP(n_epochs=30, random_state=0).fit(iris.data)
    model.save(folder / "iris.featmap")
    model.trust()  # what the page states of it is compiled here, so that the commands say nothing of compiling
    names = iris.target_names[iris.target]
    lines = "".join(f"{name},{row}\n" for row, name in enumerate(names))
    (folder / "y.csv").write_text(f"species,number\n{lines}")
    return folder


@pytest.fixture
def failed(folder, monkeypatch, capsys):
    """Runs a wrong command; the one line that it ends with."""

    def run(*arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["featmap", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        errors = capsys.readouterr().err
        assert ended.value.code == 2
        assert errors.startswith("featmap: ")
        assert errors.count("\n") == 1
        return errors

    return run


def test_wrong_use_is_told_in_one_sentence(failed):
    explore = partial(failed, "explore")
    assert "Missing command" in failed()
    assert "No such command 'fly'" in failed("fly")
    assert "Missing argument 'MODEL'" in explore()
    assert "'nothing' does not exist" in explore("nothing")
    assert "it is not a featmap file" in explore("y.csv")
    explore = partial(explore, "iris.featmap")
    assert "such as 28x28" in explore("--image", "28")
    assert "one pixel for each of the 4 features" in explore("--image", "28x28")
    assert "no.csv: No such file" in explore("--labels", "no.csv")
    assert "its columns are 'species', 'number'" in explore("--labels", "y.csv:label")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "the port cannot be used" in explore("--port", str(taken.getsockname()[1]))


def test_the_extra_is_named_where_a_package_is_missing(failed, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for module in ("server", "connections"):
        monkeypatch.delitem(sys.modules, f"featmap.explorer.{module}", raising=False)
    assert "serve needs starlette and uvicorn: pip install 'featmap[explore]'" in failed("explore", "iris.featmap")
    monkeypatch.setitem(sys.modules, "click", None)
    assert failed() == "featmap: the command needs click: pip install 'featmap[cli]'\n"


HELD = """
import signal, sys, threading
from concurrent.futures import ThreadPoolExecutor
from featmap.explorer import desk
made = desk.desk_of
def wait_for_ever():
    print("A question is being answered.", flush=True)
    threading.Event().wait()
def held(*arguments, **given):
    found = made(*arguments, **given)
    return desk.Desk(found.head, found.parts, lambda question: ThreadPoolExecutor().submit(wait_for_ever).result())
desk.desk_of = held
signal.signal(signal.SIGINT, signal.default_int_handler)  # where tests run in the background Ctrl-C is ignored
from featmap.cli import main
main()
"""


def test_explore_serves_until_ctrl_c_and_leaves_the_port_free(folder):
    """Neither a connection that is open nor a question that is never answered holds up the end."""
    port = lasting_port()
    arguments = ["--labels", "y.csv:species", "--column", "y.csv:number", "--no-browser", "--port", str(port)]
    started = subprocess.Popen(
        [sys.executable, "-c", HELD, "explore", "iris.featmap", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with ending(started) as process:
        assert process.stdout.readline() == "The map of 150 rows is being opened.\n"
        opened = process.stdout.readline()
        token = re.fullmatch(rf"It is at http://127.0.0.1:{port}/#token=(\S+)\n", opened)[1]
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        asking, open_still = (http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE) for _ in range(2))
        open_still.request("GET", "/head", headers={"Authorization": f"Bearer {token}"})
        head = open_still.getresponse().read().decode()
        assert '"title":"iris"' in head
        assert '"name":"species","kind":"category","categories":["setosa","versicolor","virginica"]' in head
        assert '"name":"number","kind":"number"' in head
        asking.request("POST", "/ask", packed({"kind": "point", "row": 1}), {"Authorization": f"Bearer {token}"})
        assert process.stdout.readline() == "A question is being answered.\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
    asking.close()
    open_still.close()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a\n1\n2\n", [1, 2]),
        ("1\n2\n", [1, 2]),
        ("a\n1\n2\n\n\n", [1, 2]),
        ("a\n\nx\n", [None, "x"]),
        ("\ufeffa\nx\ny\n", ["x", "y"]),
        ('a\n"x, y"\n"z\nw"\n', ["x, y", "z\nw"]),
    ],
)
def test_a_single_column_is_read(tmp_path, text, values):
    (tmp_path / "y.csv").write_text(text, encoding="utf-8")
    assert read_column(str(tmp_path / "y.csv"), 2).values.tolist() == values


def test_a_named_column_is_read(tmp_path):
    (tmp_path / "y.tsv").write_text("a\tb\n1\tx\n\t\n3\tz\n")
    first, second = (read_column(f"{tmp_path / 'y.tsv'}:{name}", 3).values for name in "ab")
    np.testing.assert_array_equal(first, [1, np.nan, 3])
    assert second.tolist() == ["x", None, "z"]


def test_an_array_is_read_without_running_anything(tmp_path):
    np.save(tmp_path / "y.npy", np.array(["a", "b"]))
    assert read_column(str(tmp_path / "y.npy"), 2).values.tolist() == ["a", "b"]
    np.save(tmp_path / "objects.npy", np.array([{}, {}]), allow_pickle=True)
    with pytest.raises(FeatmapError, match="array"):
        read_column(str(tmp_path / "objects.npy"), 2)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("y.csv", "several columns"),
        ("y.csv:a", "2 values"),
        ("y.txt2", "must be a .csv"),
        ("y.csv:c", "no single column 'c'"),
        ("pipes.csv", "put the whole value in quotes"),
        ("ragged.csv", "more values than the first"),
    ],
)
def test_columns_that_do_not_fit_are_refused(tmp_path, said, words):
    (tmp_path / "y.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "y.txt2").write_text("1\n2\n3\n")
    (tmp_path / "pipes.csv").write_text('a\n5" pipe\nx\ny\n')
    (tmp_path / "ragged.csv").write_text("a\nb,c\nd\ne\n")
    with pytest.raises(FeatmapError, match=words):
        read_column(str(tmp_path / said), 3)
