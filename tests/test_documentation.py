"""The pages of the site: none is lost, and every name on them leads somewhere. `make docs` builds the site itself."""

from __future__ import annotations

import importlib.util
import inspect
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import featmap
from featmap import FeatMAP, metrics, plot
from surface import public_surface

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}


def listed(text: str, directive: str) -> list[str]:
    """The lines without options of all directives of this name."""
    blocks = re.findall(rf"{directive}(?:\}}|::)\n(.*?)```", text, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and not line.startswith(":")]


def named(text: str, pattern: str) -> set[str]:
    found = set(re.findall(pattern, text))
    assert found, pattern
    return found


def test_every_page_is_in_one_list():
    entries = [entry for text in PAGES.values() for entry in listed(text, "toctree")]
    pages = [entry for entry in entries if not entry.startswith("generated/")]
    assert sorted(pages) == sorted(set(PAGES) - {"index"})


def test_every_public_name_is_in_the_reference():
    modules = re.findall(r"currentmodule:: ([\w.]+)\n.*?autosummary::\n(.*?)```", PAGES["api"], re.DOTALL)
    entries = [f"{module}.{name}" for module, names in modules for name in re.findall(r"^   (\w+)$", names, re.M)]
    public = {f"featmap.{name}" for name, value in public_surface() if not is_member(name, value)}
    errors = {f"featmap.{name}" for name in featmap.__all__ if is_error(getattr(featmap, name))}
    assert sorted(entries) == sorted(public | errors)


def is_member(name: str, value: object) -> bool:
    owner = name.rpartition(".")[0]
    return bool(owner) and owner.rpartition(".")[2][0].isupper()


def is_error(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Exception)


def test_every_function_of_the_method_is_listed_and_there():
    linked = named(PAGES["method"], r"\}`~(featmap\.[\w.]+)`")
    assert linked == set(listed(PAGES["method"], "autosummary"))
    for function in linked:
        module, _, name = function.rpartition(".")
        assert callable(getattr(import_module(module), name)), function


def test_every_question_has_a_function():
    text = PAGES["questions"]
    assert named(text, r"`plot\.(\w+)") <= set(plot.__all__)
    assert named(text, r"`metrics\.(\w+)") <= set(metrics.__all__)
    assert named(text, r"`featmap\.(\w+)") <= set(featmap.__all__)
    asked = named(text, r"`model\.(\w+)")
    assert asked <= set(dir(FeatMAP))
    questions = {name.partition(".")[2] for name, _ in public_surface() if name.startswith("Explanation.")}
    derived = {"frames_", "intrinsic_dim_", "singular_values_", "loadings", "sampled_rows", "consistency", "to_frame"}
    assert questions - derived <= asked


def test_every_picture_on_a_page_is_made():
    specification = importlib.util.spec_from_file_location("computed", DOCS / "computed.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for page, pictures in (("quickstart", module.QUICKSTART), ("reading", module.READING)):
        shown = re.findall(rf"\(generated/{page}/(\w+)\.png\)", PAGES[page])
        assert shown == [draw.__name__ for draw in pictures]


@pytest.fixture(scope="module")
def five_minutes(tmp_path_factory):
    """The names that the quickstart's code leaves behind, up to the last piece, which writes files."""
    pieces = re.findall(r"```python\n(.*?)```", PAGES["quickstart"], re.DOTALL)
    names: dict[str, object] = {}
    for piece in pieces[:-1]:
        exec("\n".join(line for line in piece.splitlines() if not line.startswith("plot.")), names)
    return names


def test_the_quickstart_shows_what_its_code_gives(five_minutes):
    (shown,) = re.findall(r"```text\n(\[.*?\])\n```", PAGES["quickstart"])
    assert set(re.findall(r"'([\w ]+)'", shown)) == set(five_minutes["apart"].top(3))
    (value,) = re.findall(r'X.loc\[213, "smoothness error"\]  # ([\d.]+)', PAGES["quickstart"])
    assert value == f"{five_minutes['X'].loc[213, 'smoothness error']:.5f}"
    why = five_minutes["answers"].why(213)
    assert [line.feature for line in why.apart if line.feature.endswith("error")]
    assert {"smoothness error", "mean radius"} <= {line.feature for line in why.unlike}
    assert all(line.away > 0 for line in why.unlike)


def test_the_first_page_shows_what_its_code_gives():
    (code,) = re.findall(r"```python\n(.*?)```", PAGES["index"], re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", PAGES["index"], re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    answer = str(names["tumours"].why(213))
    assert shown.split(" (")[0] in answer
    features = re.findall(r"(?:Like \w+: )([a-z ]+) [\d.]+", " ".join(shown.split()))
    assert len(features) == 2
    assert any(feature in answer for feature in features)  # another version's map may lose one


def test_the_model_that_the_quickstart_saves_knows_its_columns(five_minutes, tmp_path):
    five_minutes["pipeline"][-1].save(tmp_path / "tumours.featmap")
    loaded = FeatMAP.load(tmp_path / "tumours.featmap")
    assert "smoothness error" in [line.feature for line in loaded.why(213).unlike]


def test_the_finding_of_the_quickstart_is_true(five_minutes):
    """Row 213 is malignant, most of its neighbours on the map are benign."""
    Y, diagnosis = five_minutes["answers"].embedding_, five_minutes["diagnosis"]
    near = np.argsort(((Y - Y[213]) ** 2).sum(axis=1), kind="stable")[1:16]
    assert diagnosis[213] == "malignant"
    assert (diagnosis[near] == "benign").mean() > 0.7
