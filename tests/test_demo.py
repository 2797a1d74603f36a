"""The demo, run as its readers run it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

SCRIPT = Path(__file__).parent.parent / "examples" / "demo.py"
FILES = ["README.txt", "map.html", "map.png", "why.png"]


@pytest.fixture(scope="module")
def demo():
    specification = importlib.util.spec_from_file_location("demo", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "made" / "by it"
    demo.main(folder)
    return folder


def test_writes_four_files_and_nothing_else(folder):
    assert sorted(path.name for path in folder.iterdir()) == FILES


@pytest.mark.parametrize("name", ["map.png", "why.png"])
def test_pictures_are_readable_and_not_blank(folder, name):
    image = imread(folder / name)[..., :3]
    assert min(image.shape[:2]) > 600
    assert 0.02 < (image < 0.98).any(axis=2).mean() < 0.7
    coloured = image.max(axis=2) - image.min(axis=2) > 0.3
    assert coloured.mean() > 0.01


def test_map_shows_both_diagnoses(folder):
    from matplotlib.colors import to_rgb

    from featmap.plot.parts.colours import COLOURS

    image = imread(folder / "map.png")[..., :3]
    for colour in COLOURS[:2]:
        assert (np.abs(image - to_rgb(colour)).max(axis=2) < 0.02).sum() > 500, colour


def test_readme_has_the_findings_of_this_run(folder):
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert "569 tumours, 30 measurements" in text
    assert re.search(r"took \d+\.\d seconds", text)
    assert float(re.search(r"own diagnosis in (\d+)% of the cases", text)[1]) > 90
    assert "best: worst" in text
    (row,) = re.findall(
        r"^3\. Row (\d+) is malignant, but \d+% of its 30 neighbours on the map are benign", text, re.M
    )
    assert re.search(rf"^Row {row} lies among \d+ rows whose .* is \d\.\d spreads", text, re.M)
    assert "Arrows are good" in text
    assert "trustworthiness 0.9" in text


def test_the_row_lies_among_others_on_the_map(demo, monkeypatch):
    places = np.array([[0.0, 0], [0.1, 0], [5, 0], [5.1, 0], [5.2, 0], [5.3, 0]])
    labels = np.array(["a", "a", "a", "b", "b", "b"])
    monkeypatch.setattr(demo, "NEAR", 2)
    assert demo.among_others(places, labels, "a") == (2, 1.0)


def test_the_page_has_the_diagnoses(folder):
    page = (folder / "map.html").read_text(encoding="utf-8")
    assert "why is this tumour here?" in page
    assert "malignant" in page
    assert "worst concave points" in page


def test_prints_where_the_files_are_and_what_to_click(demo, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "draw", lambda *_: None)
    demo.main(tmp_path)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("569 tumours mapped in ")
    assert first.endswith(f"map.html, map.png, why.png, README.txt are in {tmp_path}")
    assert re.fullmatch(
        r"open .*map\.html in a browser and search for \d+: a malignant tumour among benign ones", second
    )


def test_the_demo_stays_short():
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 100
