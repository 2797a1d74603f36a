"""The examples run as a reader runs them, and stay short enough to be copied."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

EXAMPLES = sorted(path for path in (Path(__file__).parent.parent / "examples").glob("*.py") if path.name != "demo.py")
LEAVES = {"digits": ["digits.png"], "any_map": ["any_map.png"], "groups": ["groups.png"], "new_rows": []}
LEAVES["save_and_resume"] = ["digits.featmap"]


def test_all_are_known():
    assert {path.stem for path in EXAMPLES} == set(LEAVES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with threadpool_limits(1):  # on a busy machine the threads of t-SNE wait for each other: 56 s instead of 5
        runpy.run_path(str(path), run_name="__main__")
    assert sorted(file.name for file in tmp_path.iterdir()) == LEAVES[path.stem]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_is_about_fifteen_lines(path):
    assert sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines()) <= 15
