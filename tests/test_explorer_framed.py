"""The widget in a real browser, on a page that stands for a notebook's: what it shows and what Python hears of it."""

from __future__ import annotations

import base64

import pytest

from explorer import FrontEnd
from pages import complaints_of
from waiting import wait_until

pytest.importorskip("anywidget", reason="the widget needs the extra widget")

from featmap.explorer.shell import static
from featmap.explorer.wire import unpacked

HOME = "http://notebook.invalid/"
HOST = """<!doctype html><title>A notebook</title><div id="cell"></div><script type="module">
import widget from "./widget.js";
const listeners = new Set();
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const text = (buffer) => btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""));
window.hear = (message, buffers) => {
  for (const listen of listeners) listen(message, buffers.map((one) => new DataView(bytes(one).buffer)));
};
const model = {
  get: () => 640,
  on: (_, listen) => listeners.add(listen),
  off: (_, listen) => listeners.delete(listen),
  send: (message, _, buffers = []) => window.toPython(message, buffers.map(text)),
};
widget.render({ model, el: document.getElementById("cell") });
</script>"""
TWO_FRAMES = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"


class Notebook:
    """Hands messages on between a widget and its page, as a notebook does while no cell is running."""

    def __init__(self, browser, widget):
        self.front_end, self.sent, self.asked, self.n_heard = FrontEnd(widget), [], [], 0
        self.page = browser.new_page(viewport={"width": 1200, "height": 800})
        self.complaints = complaints_of(self.page)
        self.page.expose_function("toPython", lambda *message: self.sent.append(message))
        self.page.route(f"{HOME}**", self._serve)
        self.page.goto(HOME)
        self.frame = self.page.frame_locator("iframe")

    def _serve(self, route):
        is_script = route.request.url.endswith("widget.js")
        route.fulfill(
            body=static("widget.js").decode() if is_script else HOST,
            content_type="text/javascript" if is_script else "text/html",
        )

    def hand_on(self):
        """Let Python hear what the page has said, and the page what Python has."""
        while self.sent:
            message, buffers = self.sent.pop(0)
            buffers = [base64.b64decode(buffer) for buffer in buffers]
            if message["kind"] == "ask":
                self.asked.append(unpacked(buffers[0]))
            self.front_end.say(*buffers, **message)
        for message, buffers in self.front_end.heard[self.n_heard :]:
            said = [message, [base64.b64encode(buffer).decode() for buffer in buffers]]
            self.page.evaluate("([message, buffers]) => window.hear(message, buffers)", said)
            self.page.frames[-1].evaluate(TWO_FRAMES)  # until what was heard is shown
        self.n_heard = len(self.front_end.heard)

    def wait(self, condition, what):
        def pause():
            self.hand_on()
            self.page.wait_for_timeout(20)

        wait_until(condition, what, pause)

    def wait_for(self, selector):
        self.wait(lambda: self.frame.locator(selector).count() > 0, selector)


@pytest.fixture
def widget(iris_model, iris):
    return iris_model.explore(labels=iris.target_names[iris.target], title="Iris")


@pytest.fixture
def showing(browser):
    """Shows widgets, and checks at the end that no page complained."""
    notebooks = []

    def show(widget):
        notebooks.append(Notebook(browser, widget))
        notebooks[-1].wait_for("#featmap-app[data-ready] .map")
        return notebooks[-1]

    yield show
    for notebook in notebooks:
        notebook.page.close()
        assert notebook.complaints == []


def test_a_selection_that_was_set_before_the_cell_is_shown_is_region_a(showing, widget):
    widget.selection = [3, 4, 60]
    notebook = showing(widget)
    notebook.wait_for(".chooser >> text=3 rows")
    notebook.wait_for("text=Region A, 3 rows, against all others")
    assert widget.selection.tolist() == [3, 4, 60]


def test_python_and_the_page_share_the_selection(showing, widget, iris):
    notebook = showing(widget)
    notebook.frame.get_by_role("tab", name="Regions").click()
    notebook.frame.get_by_label("Rows of region A").select_option(label="virginica")
    notebook.wait(lambda: len(widget.selection) == 50, "a selection in Python")
    assert (iris.target[widget.selection] == 2).all()
    widget.selection = [7, 8]
    notebook.wait_for("text=Region A, 2 rows, against all others")


@pytest.fixture
def colouring(showing, widget):
    """A notebook whose page has a third of a long colouring."""
    notebook = showing(widget)
    notebook.frame.locator(".colour-by select").select_option(label="how true the arrows are")
    notebook.wait_for(".legend .waiting >> text=33 %")
    return notebook


def test_a_long_colouring_says_how_far_it_is(colouring):
    colouring.wait_for(".legend .waiting >> text=67 %")
    colouring.wait_for(".legend .ramp")


def test_a_long_colouring_can_be_stopped(colouring):
    def parts():
        return [len(question["rows"]) for question in colouring.asked if question["kind"] == "column"]

    colouring.frame.locator(".legend").get_by_role("button", name="Stop").click()
    colouring.wait_for("text=Points are coloured by nothing.")
    colouring.wait(lambda: len(parts()) == 2, "the question that was on its way")
    search = colouring.frame.get_by_label("Search features, rows and labels")
    search.fill("7")
    search.press("Enter")
    colouring.wait_for("text=lies among")  # an answer that comes after those to all questions before
    assert parts() == [50, 50]
