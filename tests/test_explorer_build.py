"""The page that is committed is the one that its sources make."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import featmap
from needed import absent, tool

WEB = Path(__file__).parent.parent / "web"
STATIC = Path(featmap.__file__).parent / "explorer" / "static"
NAMES = ["LICENSES.txt", "app.css", "app.js", "widget.js", "worker.js"]


@pytest.fixture(scope="module")
def node():
    path = tool("node")
    if not (WEB / "node_modules").exists():
        absent("needs web/node_modules: make web installs it")
    return path


def test_the_page_is_built_from_its_sources(node, tmp_path):
    subprocess.run([node, str(WEB / "build.mjs"), str(tmp_path)], check=True)
    assert sorted(path.name for path in STATIC.iterdir()) == NAMES
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), f"{name}: run make web and commit it"


def test_the_docs_state_the_size_of_the_page():
    text = (WEB.parent / "docs" / "explorer.md").read_text()
    stated = re.search(r"own code is (\d+) kB in every file", text)
    size = sum((STATIC / name).stat().st_size for name in ("app.js", "worker.js", "app.css"))
    assert abs(int(stated[1]) - size / 1000) < 1


def test_types_of_the_page_are_right(node):
    subprocess.run([node, str(WEB / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"], cwd=WEB, check=True)


def test_parts_of_the_page_pass_their_own_tests(node):
    done = subprocess.run([node, str(WEB / "test.mjs")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr


def test_the_lock_file_names_no_host():
    lock = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert "registry" not in lock


def test_licences_of_all_packages_are_shipped():
    text = (STATIC / "LICENSES.txt").read_text()
    for name in ("preact", "@preact/signals", "@preact/signals-core"):
        assert f"\n{name} " in f"\n{text}"


def test_no_script_can_end_the_element_that_holds_it():
    for name in ("app.js", "worker.js", "widget.js", "app.css"):
        text = (STATIC / name).read_text(encoding="utf-8").lower()
        assert "</script" not in text
        assert "</style" not in text
        assert "<!--" not in text
