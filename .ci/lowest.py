"""Print the lowest versions that pyproject.toml declares, as constraints for pip: ``numpy==2.0``.

Run it as ``python .ci/lowest.py test plot > constraints.txt``: the core and the extras that are named. An extra that
consists of other extras of this project brings those too.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN_EXTRAS = re.compile(rf"{PROJECT['name']}\[(.+)\]")
FLOOR = re.compile(r"([\w.-]+)(?:>=|==)([\w.]+)")


def requirements(extra: str) -> Iterator[str]:
    """What an extra requires, its extras of this project replaced by what they require."""
    for requirement in PROJECT["optional-dependencies"][extra]:
        own = OWN_EXTRAS.fullmatch(requirement)
        if own is None:
            yield requirement
        else:
            for name in own[1].split(","):
                yield from requirements(name)


def pin(requirement: str) -> str:
    floor = FLOOR.fullmatch(requirement)
    if floor is None:
        raise SystemExit(
            f"{requirement!r} in pyproject.toml: write it as name>=version, so that the floor can be tried"
        )
    return f"{floor[1]}=={floor[2]}"


def main(extras: list[str]) -> None:
    declared = [*PROJECT["dependencies"], *(need for extra in extras for need in requirements(extra))]
    print("\n".join(sorted({pin(requirement) for requirement in declared})))


if __name__ == "__main__":
    main(sys.argv[1:])
