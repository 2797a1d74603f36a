"""docs/first_answer.md as a reader follows it: its Python runs, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the page draws pictures")
pytest.importorskip("pandas", reason="the page begins with a frame")

import matplotlib
from matplotlib import pyplot

PAGE = (Path(__file__).parent.parent / "docs" / "first_answer.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_its_python_prints_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    namespace = {}
    n_compared = 0
    for kind, text in BLOCKS:
        if kind == "python":
            capsys.readouterr()
            exec(text, namespace)
        else:
            printed = capsys.readouterr().out
            assert re.match(_pattern(text.rstrip("\n")), printed, re.DOTALL), printed
            n_compared += 1
    pyplot.close("all")
    assert n_compared == 3
    assert {path.name for path in tmp_path.iterdir()} == {"tumours.html", "tumours.featmap"}


def _pattern(text):
    """The text of the page, in which "…" stands for anything, and a number for any: maps differ in last bits."""
    return ".*".join(re.sub(r"\d+(\\\.\d+)?", r"\\d+(\\.\\d+)?", re.escape(part)) for part in text.split("…"))
