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
import versions

ROOT = Path(featmap.__file__).parent

# Lower layers know nothing of higher ones. Within a layer, modules stand in the order in which they may import.
LAYERS = [
    ["kernels"],
    ["errors", "values", "docstrings"],
    ["checks", "run", "data"],
    ["neighbors", "graph", "tangents", "layout", "frames"],
    ["metrics"],
    ["pipeline", "memory"],
    ["explanation"],
    ["estimator"],
    ["paper"],
    ["preparation"],
    ["answers"],
    ["store", "plot", "datasets"],
    ["explorer"],
    ["tl", "pl"],
    ["tables"],
    ["dask"],
    ["cli"],
    ["__main__"],
]
STAGES = LAYERS[3]
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}
ORDER = {name: place for place, name in enumerate(name for layer in LAYERS for name in layer)}
# Stages meet in the pipeline. These parts of a stage serve others as well.
SHARED_BY_STAGES = {"graph", "tangents.polar", "tangents.consistency", "layout.similarity"}
# What a lower module offers but a higher package does is imported inside a function, when it is asked for.
LAZY_DOORS = {
    ("estimator", "store"),
    ("estimator", "paper"),
    ("metrics", "explanation"),
    ("explanation", "explorer"),
    ("explanation", "tables"),
}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")
TOP_LEVEL = {"__init__", "__main__", "docstrings", "errors", "estimator", "graph", "memory", "pipeline", "values"}


def module_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(path):
    """The featmap modules that a file imports, as dotted names below featmap, and whether a function does it."""
    package = path.relative_to(ROOT).parent.parts
    tree = ast.parse(path.read_text())
    lazy = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _is_for_type_checking(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = ".".join([*base, *(node.module.split(".") if node.module else [])])
            names = [target] if target else [alias.name for alias in node.names]
            yield from ((name, node in lazy) for name in names)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert not any(name.split(".")[0] == "featmap" for name in names), f"{path}: imports are relative"


def _is_for_type_checking(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_imports_point_one_way():
    faults = [f"{path.relative_to(ROOT)}: {fault}" for path in FILES for fault in faults_of(path)]
    assert not faults, "\n".join(faults)


def faults_of(path):
    """What is wrong with the imports of a file: they go up, or against the order of a layer, or join two stages."""
    module = module_of(path)
    if module not in LEVEL:
        yield f"{module} is in no layer"
        return
    for name, lazy in imported_modules(path):
        other = name.split(".")[0]
        if other in (module, "__version__") or (lazy and (module, other) in LAZY_DOORS):
            continue
        if LEVEL[other] > LEVEL[module]:
            yield f"{module} imports {name}, which is above it"
        elif LEVEL[other] == LEVEL[module] and ORDER[other] > ORDER[module]:
            yield f"{module} imports {name}, which comes after it"
        if module in STAGES and other in STAGES and name not in SHARED_BY_STAGES:
            yield f"the stages {module} and {name} meet in the pipeline, not here"


def test_the_import_test_sees_imports():
    seen = dict(imported_modules(ROOT / "frames" / "paper.py")) | dict(imported_modules(ROOT / "estimator.py"))
    assert {"graph", "kernels.frames", "layout.similarity", "checks.rows", "pipeline", "store.model"} <= set(seen)
    assert seen["store.model"]
    assert not seen["checks.rows"]


def test_the_top_level_shows_the_method():
    assert {path.stem for path in ROOT.glob("*.py")} == TOP_LEVEL
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages | TOP_LEVEL == set(LEVEL) | {"__init__"}


def test_stages_know_neither_threads_nor_bars_nor_files():
    paths = [path for path in FILES if module_of(path) in STAGES]
    assert len(paths) > len(STAGES)
    for path in paths:
        imported = {name for name, _ in imported_modules(path)}
        assert not imported & {"run.progress", "store"}, path
        of_run = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom) and node.level and node.module in ("run", "run.threads")
            for alias in node.names
        }
        assert of_run <= {"Run", "SERIAL", "BLOCK", "one_library_thread"}, path


HEAVY = ["matplotlib", "pandas", "tqdm", "torch", "numba", "scipy.sparse", "sklearn", "IPython", "umap"]
OF_ANNDATA = ["anndata", "scanpy", "h5py"]
OF_EXPLORER = ["starlette", "uvicorn", "anywidget", "click", "ipywidgets", "featmap.explorer.server"]


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import featmap", HEAVY + OF_EXPLORER + OF_ANNDATA),
        ("import featmap.explorer", HEAVY + OF_EXPLORER),
        ("import featmap.cli", HEAVY + OF_EXPLORER),
        ("from featmap.datasets import load_mnist", ["pandas", "matplotlib", "pooch", "PIL", "h5py", "sklearn"]),
        (
            "from featmap import FeatMAP",
            ["matplotlib", "tqdm", "torch", "numba", "IPython", "umap", *OF_EXPLORER, *OF_ANNDATA],
        ),
    ],
)
def test_importing_is_light(statement, forbidden):
    code = f"{statement}\nimport sys\nprint([name for name in {forbidden!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_public_names():
    for name in featmap.__all__:
        assert getattr(featmap, name) is not None
    raised = {name for name, value in vars(featmap.errors).items() if isinstance(value, type)}
    assert {*featmap._HOMES, *featmap._SUBPACKAGES, *raised, "__version__"} == set(featmap.__all__)
    assert dir(featmap) == sorted(featmap.__all__)
    with pytest.raises(AttributeError, match="no attribute 'UMAP'"):
        _ = featmap.UMAP


def test_subpackages_work_after_import_featmap_and_choose_no_backend():
    used = "featmap.plot.embedding, featmap.metrics.arrow_fidelity, featmap.datasets.load_penguins"
    code = f"import featmap, sys; {used}; sys.exit('matplotlib.pyplot' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


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


def test_the_tests_for_other_versions_exist():
    tests = Path(__file__).parent
    assert all((tests / file).exists() for file in versions.FILES)
    for file, names in versions.TESTS.items():
        text = (tests / file).read_text()
        for name in names:
            assert re.search(rf"def {name}\b", text), f"{file}::{name}"


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
