"""The shape of the code: imports point one way, importing is light, the public names are all there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import featmap

ROOT = Path(featmap.__file__).parent

# Lower layers know nothing of higher ones; modules of one layer may not import each other, except helpers, which
# are listed in the order in which they may.
LAYERS = [
    ["kernels"],
    ["errors", "values", "parallel"],
    [
        "parameters",
        "inputs",
        "progress",
        "rows",
        "features",
        "projection",
        "orthogonal",
        "radii",
        "curve",
        "memberships",
        "loadings",
    ],
    ["neighbors", "graph", "tangents", "alignment", "frames", "layout", "regression"],
    [
        "manifold",
        "scene",
        "arrows",
        "contrast",
        "perturbation",
        "turning",
        "memory",
        "store",
        "checkpoint",
        "pipeline",
    ],
    ["explanation"],
    ["questions", "estimator"],
    ["metrics"],
    ["plot", "datasets"],
]
STAGES = set(LAYERS[3])
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}


def module_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(path):
    """The featmap modules that a file imports, by their top-level names."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] if node.level > 1 else package
            target = [*base, *(node.module.split(".") if node.module else [])]
            names = [target[0]] if target else [alias.name for alias in node.names]
            yield from names
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("featmap"):
            yield node.module.split(".")[1] if "." in node.module else "featmap"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "featmap")


FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    module = module_of(path)
    assert module in LEVEL, f"{module} is in no layer"
    for other in imported_modules(path):
        if other in (module, "__version__"):
            continue
        assert LEVEL[other] <= LEVEL[module], f"{module} imports {other}, which is above it"
        if LEVEL[other] == LEVEL[module]:
            layer = LAYERS[LEVEL[module]]
            assert layer.index(other) < layer.index(module), f"{module} imports {other}, which comes after it"
        if module in STAGES:
            assert other not in STAGES, f"the stages {module} and {other} meet in the pipeline, not here"


def test_the_import_test_sees_imports():
    seen = set(imported_modules(ROOT / "frames" / "paper.py")) | set(imported_modules(ROOT / "pipeline.py"))
    assert {"memberships", "kernels", "neighbors", "layout", "values"} <= seen


HEAVY = ["matplotlib", "pandas", "faiss", "torch", "numba", "scipy.sparse", "sklearn", "IPython", "umap"]


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import featmap", HEAVY),
        ("from featmap.datasets import load_mnist", ["pandas", "matplotlib", "pooch", "PIL", "h5py", "sklearn"]),
        ("from featmap import FeatMAP", ["matplotlib", "faiss", "torch", "numba", "IPython", "umap"]),
    ],
)
def test_importing_is_light(statement, forbidden):
    code = f"{statement}\nimport sys\nprint([name for name in {forbidden!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_public_names():
    for name in featmap.__all__:
        assert getattr(featmap, name) is not None
    assert set(featmap._HOMES) | {"__version__"} == set(featmap.__all__)
    assert dir(featmap) == sorted(featmap.__all__)
    with pytest.raises(AttributeError, match="no attribute 'UMAP'"):
        _ = featmap.UMAP


def test_kernels_never_use_numbas_threads():
    for path in (ROOT / "kernels").glob("*.py"):
        text = path.read_text()
        assert "prange" not in text
        assert "parallel=True" not in text


def test_equations_name_functions_and_tests_that_exist():
    """docs/equations.md is kept true: every test it names is there, every function can be found."""
    tests = Path(__file__).parent
    text = (tests.parent / "docs" / "equations.md").read_text()
    named = re.findall(r"`(?:(test_\w+\.py))?::(\w+)", text)
    assert len(named) > 30
    file = ""
    for new_file, name in named:
        file = new_file or file
        assert re.search(rf"(def|class) {name}\b", (tests / file).read_text()), f"{file}::{name}"
    functions = re.findall(r"`((?:\w+\.)+\w+)`", text)
    assert len(functions) > 15
    for function in functions:
        home, name = function.rsplit(".", 1)
        owner = featmap.FeatMAP if home == "FeatMAP" else import_module(f"featmap.{home}")
        assert hasattr(owner, name), function


def test_guarantees_name_tests_that_exist():
    """docs/guarantees.md is kept true: behind every promise stands a test."""
    tests = Path(__file__).parent
    text = (tests.parent / "docs" / "guarantees.md").read_text()
    named = re.findall(r"`(test_\w+\.py)::(\w+)`", text)
    assert len(named) > 30
    for file, name in named:
        assert re.search(rf"def {name}\b", (tests / file).read_text()), f"{file}::{name}"
    for row in re.findall(r"^\| (?!promise|-).*$", text, re.MULTILINE):
        assert "::" in row, f"no test behind: {row[:80]}"
