"""docs/tables.md as a reader follows it: its table is made, its commands and Python run, its findings come out."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the page is about the extra cli")
pytest.importorskip("rich", reason="the page is about the extra cli")
pytest.importorskip("polars", reason="the page is about the extra io")
pytest.importorskip("matplotlib", reason="the page draws pictures")

from featmap.cli import main

PAGE = (Path(__file__).parent.parent / "docs" / "tables.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the first lines of the page have made the table."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(_python()[0], {})
    return folder


def _python():
    return [text for kind, text in BLOCKS if kind == "python"]


def _commands():
    return [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]


def test_the_page_has_what_is_run():
    assert len(_python()) == 5
    assert len(_commands()) == 10


def test_the_table_is_as_the_page_says(folder):
    lines = (folder / "patients.csv").read_text().splitlines()
    assert len(lines) == 801
    assert len(lines[0].split(",")) == 30


def test_commands_run_and_find_what_the_page_says(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    printed = {}
    for command in _commands():
        monkeypatch.setattr(sys, "argv", command.split())
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, command
        printed[command] = capsys.readouterr().out
    assert {"map.html", "patients.featmap", "why.png", "map.png", "places.csv"} <= {
        path.name for path in folder.iterdir()
    }
    text = next(text for kind, text in BLOCKS if kind == "text")
    found = next(iter(printed.values()))
    assert re.fullmatch(_pattern(text), found.rstrip("\n") + "\n", re.DOTALL), found


def _pattern(text):
    """The text of the page, in which "…" stands for anything, and a number for any: maps differ in last bits."""
    return ".*".join(re.sub(r"\d+(\\\.\d+)?", r"\\d+(\\.\\d+)?", re.escape(part)) for part in text.split("…"))


def test_the_python_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    namespace = {}
    exec("import polars as pl", namespace)
    for block in _python()[1:]:
        exec(block, namespace)
    printed = capsys.readouterr().out
    assert "25 features" in printed
    assert "glucose_mg_dl" in printed
