"""The explorer in a notebook: the messages between its page and Python, with a front end that is made up."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from explorer import FrontEnd

pytest.importorskip("anywidget", reason="the widget needs the extra widget")

from featmap.errors import InvalidRowsError
from featmap.explorer.wire import packed, unpacked

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def widget(iris_model, iris):
    return iris_model.explore(labels=iris.target, title="Iris", height=500)


@pytest.fixture
def front_end(widget):
    return FrontEnd(widget)


def test_the_page_and_its_parts_come_by_message(front_end, iris_model):
    message, (page, head, *parts) = front_end.say(kind="open")
    assert (message["kind"], message["view"]) == ("open", "1-2")
    assert b'content="notebook"' in page
    assert json.loads(head)["nRows"] == 150
    places = next(part for name, part in zip(message["names"], parts, strict=True) if name == "places")
    assert b"unsafe" not in page[:2000]

    import gzip

    np.testing.assert_array_equal(np.frombuffer(gzip.decompress(places), "<f4").reshape(-1, 2), iris_model.embedding_)


def test_a_question_is_answered_to_the_view_that_asked(front_end, iris_model):
    message, (answer,) = front_end.say(packed({"kind": "point", "row": 7}), kind="ask", id=3)
    assert message == {"kind": "answer", "view": "1-2", "id": 3}
    np.testing.assert_allclose(unpacked(answer)["importance"], iris_model.feature_importance([7])[0], rtol=1e-6)


@pytest.mark.parametrize("question", [b"", packed({"kind": "point", "row": 150}), packed({"kind": "shutdown"})])
def test_a_wrong_question_is_refused_in_words(front_end, question):
    message, buffers = front_end.say(question, kind="ask", id=4)
    assert (message["kind"], message["id"], buffers) == ("error", 4, [])
    assert message["error"].endswith(".")


def test_the_selection_is_shared(widget, front_end):
    seen = []
    widget.observe(lambda change: seen.append(change["new"].tolist()), "selection")
    front_end.say(packed(np.array([4, 9], np.int32)), kind="selected")
    assert widget.selection.tolist() == [4, 9]
    assert widget.selection.dtype == np.int32
    # The view that told it must not be told again: it would fall behind its own clicks.
    assert front_end.heard[-1][0] == {"kind": "select", "view": "1-2"}
    widget.selection = [30, 2, 2]
    message, (rows,) = front_end.heard[-1]
    assert message == {"kind": "select", "view": None}
    assert unpacked(rows).tolist() == [2, 30]
    assert seen == [[4, 9], [2, 30]]
    widget.selection = []
    assert unpacked(front_end.heard[-1][1][0]).tolist() == []


def test_a_new_view_learns_the_selection(widget):
    widget.selection = [5]
    front_end = FrontEnd(widget)
    front_end.say(kind="open")
    assert [message["kind"] for message, _ in front_end.heard] == ["open", "select"]


@pytest.mark.parametrize("rows", [[150], [-1], [0.5], "abc", [[1], [2, 3]]])
def test_rows_that_are_not_there_cannot_be_selected(widget, rows):
    widget.selection = [1]
    with pytest.raises(InvalidRowsError, match="from 0 to 149"):
        widget.selection = rows
    assert widget.selection.tolist() == [1]


def test_nothing_of_the_data_is_in_what_a_notebook_saves(widget):
    widget.selection = np.arange(150)
    state = widget.get_state()
    assert {"height", "_esm"} <= set(state)
    assert "selection" not in state
    assert len(json.dumps(state)) < 5000
    assert state["height"] == 500


def test_viewers_without_widgets_see_a_picture(widget):
    pytest.importorskip("matplotlib")
    data, _ = widget._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    picture = base64.b64decode(data["image/png"])
    assert picture.startswith(PNG)
    assert len(picture) < 60_000
