"""The notebooks of the examples: their code runs, and they are kept with all outputs and small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples" / "notebooks").glob("*.ipynb"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list[dict]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"images", "table", "tsne"}


@by_name
def test_is_kept_as_it_was_run(path):
    """Every cell once, from top to bottom, without an error and without what is said on stderr."""
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"display_data", "execute_result", "stream"}
    assert not any(output.get("name") == "stderr" for output in outputs)
    assert any("<svg" in "".join(output.get("data", {}).get("text/html", "")) for output in outputs)


@by_name
def test_is_small(path):
    assert path.stat().st_size < 300_000


@pytest.mark.slow
@by_name
def test_its_code_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    with threadpool_limits(1):  # on a busy machine the threads of t-SNE wait for each other
        for number, cell in enumerate(code_cells(path), 1):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    assert not list(tmp_path.iterdir())
