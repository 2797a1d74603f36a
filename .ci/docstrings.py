"""Hold the docstrings of the public surface to the checks that pyproject.toml names for numpydoc."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import get_validation_checks, validate

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from surface import RESULTS, public_surface  # noqa: E402 - from tests/, which the line above makes known


def main() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["numpydoc_validation"]
    checks = get_validation_checks(set(settings["checks"]))
    surface = dict(public_surface())
    faults = {name: list(faults_of(value, checks)) for name, value in surface.items()}
    for name, found in faults.items():
        for fault in found:
            print(f"{name}: {fault}")
    count = sum(map(len, faults.values()))
    print(f"{count} faults in the docstrings of {sum(map(bool, faults.values()))} of {len(surface)} public names")
    raise SystemExit(count > 0)


def faults_of(value: Any, checks: set[str]) -> Iterator[str]:
    excused = set()
    if isinstance(value, property):
        excused = {"EX01"}  # the example of the class shows its properties
    elif value in RESULTS:
        excused = {"PR01"}  # the parameters of a constructor that is not public
    for code, message in validate(get_doc_object(value))["errors"]:
        if code in checks - excused:
            yield f"{code} {message}"


if __name__ == "__main__":
    main()
