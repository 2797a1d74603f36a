"""What pyproject.toml declares: one version, and every package that the library imports."""

from __future__ import annotations

import ast
import io
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

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


def test_types_are_offered_to_users():
    assert (PACKAGE / "py.typed").exists()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_every_extra_is_tried_or_for_developers():
    """`make test-extras` begins with this check."""
    extras = runpy.run_path(str(ROOT / ".ci" / "extras.py"))
    extras["check_that_all_are_known"]()
    assert {"plot", "io", "widget"} <= extras["SCRIPTS"].keys()
    extras["DECLARED"]["new"] = []
    with pytest.raises(SystemExit, match=r"do not agree on new$"):
        extras["check_that_all_are_known"]()


def test_a_source_distribution_has_the_bytes_of_its_files_alone(tmp_path):
    """Neither order, times, owners nor modes of the files reach it; `make dist` compares whole builds."""
    dist = runpy.run_path(str(ROOT / ".ci" / "dist.py"))
    names = ["b.py", "a.py", "long/" * 30 + "c.py"]
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    pack(first, names, mtime=1.5, uid=0, mode=0o644)
    pack(second, names[::-1], mtime=2e9, uid=1000, mode=0o664)
    assert first.read_bytes() != second.read_bytes()
    packed = dist["packed_again"](first, 10**9)
    assert packed == dist["packed_again"](second, 10**9)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert archive.getnames() == sorted(names)
        assert {member.mtime for member in archive} == {10**9}
        assert archive.extractfile("a.py").read() == b"content of a.py"


def pack(path: Path, names: list[str], **given: float) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            content = f"content of {os.path.basename(name)}".encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for attribute, value in given.items():
                setattr(member, attribute, value)
            archive.addfile(member, io.BytesIO(content))
