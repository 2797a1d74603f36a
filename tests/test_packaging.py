"""What pyproject.toml declares: one version, and every package that the library imports."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import featmap

ROOT = Path(__file__).parent.parent
PACKAGE = Path(featmap.__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}


def test_the_version_is_written_in_one_place():
    """CITATION.cff needs a copy of its own: those who read it run nothing."""
    assert "version" in PROJECT["dynamic"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == featmap.__version__


def test_every_import_is_declared():
    extras = PROJECT["optional-dependencies"].values()
    requirements = [*PROJECT["dependencies"], *(requirement for extra in extras for requirement in extra)]
    declared = {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}
    imported = {name for path in PACKAGE.rglob("*.py") for name in imports_of(path)} - set(sys.stdlib_module_names)
    assert {"numpy", "sklearn", "joblib"} < imported
    assert {DISTRIBUTIONS.get(name, name) for name in imported} <= declared


def imports_of(path: Path) -> set[str]:
    """The top-level packages that a file imports anywhere, except by relative imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found


def test_lowest_versions_are_those_declared():
    script = ROOT / ".ci" / "lowest.py"
    run = subprocess.run([sys.executable, script, "test"], capture_output=True, text=True, check=True)
    pins = dict(line.split("==") for line in run.stdout.splitlines())
    core = dict(requirement.split(">=") for requirement in PROJECT["dependencies"])
    assert core.items() <= pins.items()
    assert {"pytest", "pandas", "matplotlib", "pooch"} <= set(pins)
