"""The explorer's widget in real notebooks, in a browser: `make test-notebooks` has what is needed."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from waiting import PATIENCE, lasting_port, wait_until

pytestmark = pytest.mark.slow

FRAME = "iframe[title='featMAP explorer']"
MOST_BYTES = 200_000  # of a saved notebook

MAKE_WIDGET = """from pathlib import Path
from sklearn.datasets import load_iris
from featmap import FeatMAP
iris = load_iris(as_frame=True)
names = iris.target_names[iris.target]
widget = FeatMAP(n_epochs=30, random_state=0).fit(iris.data).explore(labels=names, title="Iris")
told = Path({told!r})
widget.observe(lambda change: told.write_text(str(change["new"].tolist())), "selection")
"""
SELECT = "widget.selection = [3, 4]"


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1300, "height": 1000})
    page.set_default_timeout(1000 * PATIENCE)
    yield page
    page.close()


@contextmanager
def serving(command, folder, url):
    """A notebook server, once it answers."""
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stdout=log, stderr=log)
        try:
            wait_until(lambda: answers(url), lambda: (folder / "log.txt").read_text()[-2000:])
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def check_frame(page, told):
    """The page is drawn, a question is answered, and Python knows what is selected."""
    frame = page.frame_locator(FRAME)
    frame.locator("#featmap-app[data-ready] .map").wait_for()
    search = frame.get_by_label("Search features, rows and labels")
    search.fill("7")
    frame.get_by_role("option").filter(has_text="row").first.dispatch_event("pointerdown")
    frame.get_by_text("lies among").first.wait_for()
    search.fill("virginica")
    search.press("Enter")
    wait_until(lambda: told.exists() and told.read_text() == str(list(range(100, 150))), "the selection in Python")
    return frame


def test_jupyterlab(page, tmp_path):
    pytest.importorskip("jupyterlab", reason="needs jupyterlab: make test-notebooks")
    told, notebook = tmp_path / "told.txt", tmp_path / "iris.ipynb"
    cells = [MAKE_WIDGET.format(told=str(told)) + "widget", SELECT]
    notebook.write_text(json.dumps(notebook_of(cells)))
    port = lasting_port()
    options = ["--no-browser", f"--ServerApp.port={port}", "--IdentityProvider.token=", "--allow-root"]
    with serving(["jupyterlab", *options, "--ServerApp.ip=127.0.0.1"], tmp_path, f"http://127.0.0.1:{port}/api"):
        page.goto(f"http://127.0.0.1:{port}/lab/tree/iris.ipynb?reset")
        run_cell(page, 0)
        frame = check_frame(page, told)
        run_cell(page, 1)
        frame.get_by_text("2 rows").first.wait_for()
        page.keyboard.press("Control+s")
        wait_until(lambda: "image/png" in notebook.read_text(), lambda: "the notebook was not saved")
    saved = notebook.read_text()
    assert len(saved) < MOST_BYTES
    assert "application/vnd.jupyter.widget-view+json" in saved


def notebook_of(sources):
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [
        {
            "cell_type": "code",
            "id": f"cell{i}",
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for i, source in enumerate(sources)
    ]
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def run_cell(page, number):
    page.locator(".jp-CodeCell .jp-InputArea-editor .cm-content").nth(number).click()
    page.wait_for_timeout(500)
    page.keyboard.press("Control+Enter")


MARIMO = """import marimo
app = marimo.App()

@app.cell
def _():
{cell}
    return (widget,)

@app.cell
def _(widget):
    widget
    return
"""


def test_marimo(page, tmp_path):
    pytest.importorskip("marimo", reason="needs marimo: make test-notebooks")
    told = tmp_path / "told.txt"
    cell = "".join(f"    {line}\n" for line in MAKE_WIDGET.format(told=str(told)).splitlines())
    (tmp_path / "iris.py").write_text(MARIMO.format(cell=cell))
    port = lasting_port()
    command = ["marimo", "run", "iris.py", "--headless", "--no-token", f"--port={port}", "--host=127.0.0.1"]
    with serving(command, tmp_path, f"http://127.0.0.1:{port}/"):
        page.goto(f"http://127.0.0.1:{port}/")
        check_frame(page, told)
