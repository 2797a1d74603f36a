"""The demo, run as its readers run it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

SCRIPT = Path(__file__).parent.parent / "examples" / "demo.py"


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


def test_writes_three_files_and_nothing_else(folder):
    assert sorted(path.name for path in folder.iterdir()) == ["README.txt", "map.png", "why.png"]


@pytest.mark.parametrize("name", ["map.png", "why.png"])
def test_pictures_are_readable_and_not_blank(folder, name):
    image = imread(folder / name)[..., :3]
    assert min(image.shape[:2]) > 600
    assert 0.02 < (image < 0.98).any(axis=2).mean() < 0.7
    coloured = image.max(axis=2) - image.min(axis=2) > 0.3
    assert coloured.mean() > 0.01


def test_map_shows_all_ten_colours(folder):
    from matplotlib.colors import to_rgb

    from featmap.plot.parts.palette import COLOURS

    image = imread(folder / "map.png")[..., :3]
    for colour in COLOURS:
        assert (np.abs(image - to_rgb(colour)).max(axis=2) < 0.02).sum() > 500, colour


def test_readme_has_the_answer_of_this_run(folder):
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert "1,797 images" in text
    assert re.search(r"took \d+\.\d seconds", text)
    assert re.search(
        r"^Row \d+ lies among \d+ rows whose pixel \(\d, \d\) is \d\.\d spreads", text, flags=re.MULTILINE
    )
    assert len(re.findall(r"^  pixel \([0-7], [0-7]\): ", text, flags=re.MULTILINE)) == 5
    assert "pixel" in re.findall(r"^  (.*) grows ", text, flags=re.MULTILINE)[0]
    assert "Arrows are good" in text
    assert "trustworthiness 0.9" in text


def test_prints_one_line_that_says_where_the_files_are(demo, tmp_path, capsys, monkeypatch):
    for name in ("draw_map", "draw_why"):
        monkeypatch.setattr(demo, name, lambda *_: Figure())
    demo.main(tmp_path)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("1797 digits mapped in ")
    assert line.endswith(f"map.png, why.png, README.txt are in {tmp_path}")


def test_the_demo_stays_short():
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 100
