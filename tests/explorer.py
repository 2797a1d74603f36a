"""The explorer's answers, of file, server, notebook and Python, and how they are compared."""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from featmap.explorer import answers as python
from featmap.explorer.desk import desk_of
from featmap.explorer.wire import packed, unpacked
from needed import tool

ASK_FILE = Path(__file__).parent.parent / "web" / "ask_file.mjs"


def head_of_file(path):
    """The head of the record in an HTML file."""
    _, _, after = path.read_text(encoding="utf-8").partition('id="featmap-head">')
    return json.loads(after.partition("</script>")[0])


def ask_page(page, questions):
    """The answers of the worker in an HTML file."""
    folder = page.parent
    (folder / "questions.json").write_text(json.dumps(questions))
    files = [str(page), str(folder / "questions.json"), str(folder / "answers.json")]
    subprocess.run([tool("node"), str(ASK_FILE), *files], check=True)
    _, *found = json.loads((folder / "answers.json").read_text(), object_hook=_decoded)
    return [one["answer"] if "answer" in one else RuntimeError(one["error"]) for one in found]


def _decoded(value):
    if value.keys() == {"array", "bytes"}:
        return np.frombuffer(base64.b64decode(value["bytes"]), value["array"])
    return value


def ask_file(model, questions, folder):
    """The answers of the file that `to_html` writes."""
    model.to_html(folder / "page.html")
    return ask_page(folder / "page.html", questions)


def ask_server(model, questions, folder):
    """The answers of the local server."""
    server = pytest.importorskip("featmap.explorer.server", reason="the local server needs the extra explore")
    with server.LocalServer(desk_of(model, "explore")) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=120)
        with closing(connection):
            return [_served(connection, running.token, question) for question in questions]


def _served(connection, token, question):
    connection.request("POST", "/ask", packed(_with_arrays(question)), {"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    content = response.read()
    return unpacked(content) if response.status == 200 else RuntimeError(content.decode())


def ask_notebook(model, questions, folder):
    """The answers of the widget."""
    pytest.importorskip("anywidget", reason="the widget needs the extra widget")
    front_end = FrontEnd(model.explore())
    said = [front_end.say(packed(_with_arrays(question)), kind="ask", id=0) for question in questions]
    return [unpacked(buffers[0]) if buffers else RuntimeError(message["error"]) for message, buffers in said]


class FrontEnd:
    """Sends messages to a widget, as its page does, and keeps what the widget sends."""

    def __init__(self, widget, view="1-2"):
        self.widget, self.view, self.heard = widget, view, []
        self.comm_id = view
        widget.comm = self

    # What a widget does with its comm.
    def send(self, data=None, buffers=None, metadata=None):
        if data["method"] == "custom":
            self.heard.append((data["content"], [bytes(buffer) for buffer in buffers or []]))

    def close(self, *arguments, **given):
        """There is nothing to close."""

    def on_msg(self, callback):
        """The widget listens; `say` calls it directly."""

    def say(self, *buffers, **message):
        content = {"method": "custom", "content": {"view": self.view, **message}}
        buffers = [memoryview(buffer) for buffer in buffers]
        self.widget._handle_msg({"content": {"data": content}, "buffers": buffers})
        return self.heard[-1] if self.heard else None


def _with_arrays(question):
    return {name: np.array(value, np.int32) if isinstance(value, list) else value for name, value in question.items()}


def ask_python(model, question):
    """The answer of the library to the same question."""
    given = _with_arrays(question)
    return getattr(python, given.pop("kind"))(model._answers, **given)


def compare_around(model, found, expected):
    """What is told of the features around a point or a group is the same."""
    for name in ("mean", "own", "z", "score", "away"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["importance"], expected["importance"], rtol=0, atol=1e-6)
    longest = np.abs(expected["arrows"]).max(initial=0)
    np.testing.assert_allclose(found["arrows"], expected["arrows"].ravel(), rtol=0, atol=1e-6 * longest)
    np.testing.assert_allclose(found["explained"], expected["explained"], rtol=0, atol=1e-9)
    spread = np.ptp([expected["low"], expected["high"]], axis=0)
    for name in ("low", "high"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, atol=1e-5 * max(spread.max(), 1e-9))
    np.testing.assert_array_equal(found["isShown"], expected["isShown"])
    compare_orders(model, found, expected)
    assert found["nAround"] == pytest.approx(expected["nAround"], rel=1e-9)


def compare_orders(model, found, expected):
    """The lists have the same features in the same order, but for those with equal scores."""
    backing = model.backing()
    factors = backing.factors
    scores = {
        "apart": np.abs(expected["score"]),
        "unlike": np.abs(expected["away"]) * backing.reliability,
        "alone": np.abs(expected["score"]),
        "changes": expected["explained"] * factors,
        "hidden": expected["importance"] * factors,
    }
    for name, score in scores.items():
        assert sorted(found[name]) == sorted(expected[name])
        assert (np.diff(score[found[name]]) <= 1e-6).all()


def compare_point(model, found, expected):
    compare_around(model, found, expected)
    np.testing.assert_array_equal(found["near"], expected["near"])
    np.testing.assert_allclose(found["weights"], expected["weights"], rtol=1e-9, atol=1e-12)
    for name in ("fidelity", "fidelityOfRegression"):
        assert found[name] == pytest.approx(expected[name], abs=1e-7)
    for name in ("row", "intrinsicDim", "isConnected"):
        assert found[name] == expected[name]


def compare_contrast(found, expected):
    spread = np.abs(expected["difference"]).max()
    np.testing.assert_allclose(found["difference"], expected["difference"], rtol=1e-9, atol=1e-9 * spread)
    np.testing.assert_allclose(found["effectSize"], expected["effectSize"], rtol=1e-9, atol=1e-9)
    for name in ("meanA", "meanB"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, atol=1e-6 * spread)
    for name in ("statistic", "p", "q"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-6, atol=1e-9)
    for name in ("importanceA", "importanceB"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-6)
    assert found["sizes"] == expected["sizes"]
    assert found["nImportance"] == expected["nImportance"]
    assert sorted(found["order"]) == sorted(expected["order"])
    # Features of one effect size but for rounding may change places, and nothing else may.
    np.testing.assert_allclose(
        *(np.abs(expected["effectSize"])[one["order"]] for one in (found, expected)), atol=1e-9
    )
    is_undiscovered = expected["q"][found["order"]] > 0.05
    assert (is_undiscovered == np.sort(is_undiscovered)).all()


def compare_column(found, expected):
    assert found["width"] == expected["width"]
    assert (found["rows"] is None) == (expected["rows"] is None)
    if found["rows"] is not None:
        np.testing.assert_array_equal(found["rows"], expected["rows"])
    size = np.nanmax(np.abs(expected["values"]), initial=0)
    np.testing.assert_allclose(found["values"], expected["values"], rtol=1e-5, atol=1e-6 * max(size, 1e-9))


def compare_neighbours(found, expected):
    for name in ("onMap", "isInData", "inData", "isOnMap"):
        np.testing.assert_array_equal(found[name], expected[name])
    for name in ("distanceOnMap", "weightInData"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)
    assert found["kept"] == pytest.approx(expected["kept"])
