"""The explorer's page in a real browser, as the local server hands it out."""

from __future__ import annotations

import csv
import io
import threading
from pathlib import Path

import numpy as np
import pytest

from pages import complaints_of
from waiting import PATIENCE

pytest.importorskip("starlette", reason="the local server needs the extra explore")

from featmap.explorer.desk import Desk, desk_of
from featmap.explorer.server import LocalServer

READY = "#featmap-app[data-ready] .map"


@pytest.fixture
def server(iris_model, iris):
    names = np.array(iris.target_names)[iris.target]
    with LocalServer(desk_of(iris_model, "serve", labels=names, title="</title><b>Iris")) as running:
        yield running


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    page.complaints, page.requested = complaints_of(page), []
    page.on("request", lambda request: page.requested.append(request.url))
    yield page
    context.close()


def ask_about_row_7(page, said="lies among"):
    page.get_by_label("Search features, rows and labels").fill("7")
    page.get_by_role("option").filter(has_text="row").first.dispatch_event("pointerdown")
    page.get_by_text(said).first.wait_for()


def test_the_page_opens_with_the_link_and_is_answered(page, server, iris_model):
    page.goto(server.url)
    page.wait_for_selector(READY)
    assert "token" not in page.url
    ask_about_row_7(page)
    page.get_by_text(iris_model.why(7).sentence.split(" whose")[0]).first.wait_for()
    page.wait_for_url("**/#row=7")  # the link follows
    page.reload()
    page.get_by_text("lies among").first.wait_for()
    own = f"http://127.0.0.1:{server.port}/"
    assert all(url.startswith(own) for url in page.requested)
    assert not any(server.token in url for url in page.requested)
    assert page.complaints == []


@pytest.mark.parametrize("end", ["", "#row=7", "#token=of-yesterday"], ids=["bare", "view", "old"])
def test_a_tab_without_the_token_says_what_to_do(page, server, end):
    page.goto(f"http://127.0.0.1:{server.port}/{end}")
    page.get_by_role("heading", name="This page could not be opened").wait_for()
    advice = "Open the link that was printed where the server was started. It begins with "
    assert advice + server.url.split("token=")[0] + "token=" in page.get_by_role("alert").text_content()
    page.goto("about:blank")
    page.goto(server.url)
    page.wait_for_selector(READY)


def test_the_page_says_that_the_server_is_gone(page, iris_model):
    with LocalServer(desk_of(iris_model, "serve")) as server:
        page.goto(server.url)
        page.wait_for_selector(READY)
    ask_about_row_7(page, said="The server does not answer")


@pytest.fixture
def slow_server(iris_model):
    """After one part of a column it waits until it may go on. It notes how many rows parts have."""
    desk, parts, may_go_on = desk_of(iris_model, "serve"), [], threading.Event()

    def answer(question):
        if question["kind"] == "column":
            parts.append(len(question["rows"]))
            assert len(parts) == 1 or may_go_on.wait(PATIENCE)
        return desk.answer(question)

    with LocalServer(Desk(desk.head, desk.parts, answer)) as running:
        yield running, parts, may_go_on


def test_a_long_colouring_says_how_far_it_is_and_is_the_librarys(page, slow_server, iris_model):
    server, parts, may_go_on = slow_server
    page.goto(f"{server.url}&colour=fidelity")
    page.locator(".legend .waiting").get_by_text("33 %").wait_for()
    may_go_on.set()
    page.locator(".legend .ramp").wait_for()
    assert parts == [50, 50, 50]
    menu = page.locator("details.take")
    menu.locator("> summary").click()
    with page.expect_download() as download:
        menu.get_by_role("button", name="All points (CSV)", exact=True).click()
    lines = csv.DictReader(io.StringIO(Path(download.value.path()).read_text(), newline=""))
    found = [float(line["how true the arrows are"]) for line in lines]
    np.testing.assert_allclose(found, iris_model.fidelity(None), atol=1e-6)


def test_a_long_colouring_can_be_stopped(page, slow_server):
    server, parts, may_go_on = slow_server
    page.goto(f"{server.url}&colour=fidelity")
    page.locator(".legend .waiting").get_by_text("33 %").wait_for()
    page.locator(".legend").get_by_role("button", name="Stop").click()
    page.get_by_text("Points are coloured by nothing.").wait_for()
    may_go_on.set()
    ask_about_row_7(page)  # its answer comes after that to any question that was asked before
    assert parts == [50, 50]
    assert page.locator(".legend .waiting").count() == 0


def test_another_page_cannot_reach_the_server(page, server):
    """Neither by a request nor in a frame: browsers refuse it, or the server does."""
    page.goto("data:text/html,<p>elsewhere</p>")
    address = f"http://127.0.0.1:{server.port}"
    fetched = "address => fetch(address + '/head').then(r => 'read ' + r.status, e => 'refused')"
    assert page.evaluate(fetched, address) == "refused"
    framed = """address => new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => resolve(frame.contentDocument === null);
      frame.src = address;
      document.body.append(frame);
    })"""
    assert page.evaluate(framed, address)
    assert not any(frame.query_selector("#featmap-app") for frame in page.frames)
