"""Programs that tests of the explorer's page need: node and its packages, and browsers."""

from __future__ import annotations

import os
import shutil

import pytest


def absent(reason):
    """Skip the test, or let it fail where FEATMAP_NEEDS_PAGE says that all tests of the page must run."""
    (pytest.fail if os.environ.get("FEATMAP_NEEDS_PAGE") else pytest.skip)(reason)


def tool(*names):
    """The path of the first of these programs that there is."""
    found = [path for name in names if (path := shutil.which(name))]
    return found[0] if found else absent(f"needs {names[0]}, which a package manager installs")


def package(name, extra):
    """A package of Python that belongs to an extra."""
    try:
        return pytest.importorskip(name)
    except pytest.skip.Exception:
        return absent(f"needs {name}: pip install 'featmap[{extra}]'")
