"""docs/gallery.md shows every picture that docs/gallery.py makes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from matplotlib import pyplot
from matplotlib.image import imread
from threadpoolctl import threadpool_limits

from featmap import plot

DOCS = Path(__file__).parent.parent / "docs"
SHORT = ["../README", "design", "faq", "from_umap", "gallery", "index", "models", "quickstart", "reading", "scale"]
LONG = [pytest.param(name, marks=pytest.mark.slow) for name in ("datasets", "density")]
TEXT = (DOCS / "gallery.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"\(images/gallery/(\w+)\.png\)", TEXT)


def test_every_function_is_described_called_and_shown():
    assert sorted(re.findall(r"^\*\*`(\w+)`\*\*: ", TEXT, re.MULTILINE)) == plot.__all__
    assert sorted(set(re.findall(r"^plot\.(\w+)\(", TEXT, re.MULTILINE))) == plot.__all__
    assert {name.split("_of_")[0] for name in SHOWN} == set(plot.__all__)


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_there_and_small(name):
    path = DOCS / "images" / "gallery" / f"{name}.png"
    assert path.stat().st_size < 250_000
    assert (imread(path)[..., :3] < 0.98).any(axis=2).mean() > 0.01


def test_the_script_makes_those_pictures():
    specification = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert sorted(module.pictures()) == sorted(SHOWN)


NOT_HERE = ("import BERTopic", "tcp://scheduler")  # the one needs torch, the other a cluster


@pytest.mark.parametrize("page", [*SHORT, *LONG])
def test_every_piece_of_code_on_the_page_runs(page, tmp_path, monkeypatch, data_set):
    """Run them one after the other as a reader would."""
    if page == "datasets":
        data_set("mnist")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    pieces = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    pieces = [piece for piece in pieces if not any(words in piece for words in NOT_HERE)]
    assert pieces
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with threadpool_limits(1):  # on a busy machine the threads of t-SNE wait for each other
        for piece in pieces:
            exec(piece, names)
    pyplot.close("all")


def test_the_readme_shows_the_answer_that_its_code_gives():
    """Orders and last digits follow the map, whose bits are those of the versions installed."""
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from sklearn.datasets import load_breast_cancer.*?)```", readme, re.DOTALL)
    (shown,) = re.findall(r"```text\n(Row 213 lies among .*?)```", readme, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    why = names["answers"].why(213, k=12)
    headings = [line for line in shown.splitlines() if line.endswith(":")]
    assert len(headings) == 4
    assert all(heading in str(why).splitlines() for heading in headings)
    for pattern, lines in (
        (r"^  ([\w ]+): [\d.]+ spreads ", why.apart),
        (r"^  ([\w ]+): [\d.]+, theirs ", why.unlike),
        (r"^  ([\w ]+) grows ", why.changes),
        (r"^  ([\w ]+) \(imp", why.hidden),
    ):
        features = re.findall(pattern, shown, re.MULTILINE)
        assert len(features) == 3
        assert len({*features} & {line.feature for line in lines}) >= 2  # another version's map may lose one
    assert "Arrows are good" in str(why)
