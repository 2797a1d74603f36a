"""Try each extra alone in a fresh environment: ``make test-extras``, or ``make test-extras EXTRAS="plot io"``.

The folder extras/ has a script for each extra that users install. Where the wheel is installed without any extra, it
must end with an error that names this extra. Where only this extra is installed, it must run to its end. Types of the
installed package are tried by mypy.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPTS = {path.stem: path for path in sorted((ROOT / ".ci" / "extras").glob("*.py"))}
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FOR_DEVELOPERS = {
    *("demo", "test", "browser", "peers", "scanpy", "bench", "experiments", "notebooks", "docs", "dist", "lint"),
}
EXTRA = re.compile(r"featmap\[([\w,]+)\]")
SMALL_MODEL = """
import numpy as np
from featmap import FeatMAP
FeatMAP(n_epochs=5, random_state=0).fit(np.random.default_rng(0).normal(size=(60, 3))).save("model.featmap")
"""
TYPED = "from featmap import FeatMAP, Why\nwhy: Why = FeatMAP(n_neighbors={}).why(0)\n"


def main(chosen: list[str]) -> None:
    check_that_all_are_known()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        without = environment(folder, "without", str(wheel))
        run(without, "-c", SMALL_MODEL, cwd=folder)
        for extra in chosen or SCRIPTS:
            check_that_it_is_named(without, extra, folder)
            run(environment(folder, extra, f"{wheel}[{extra}]"), SCRIPTS[extra], cwd=folder)
            print(f"{extra}: named where it is missing, works alone", flush=True)
        check_types(without, folder)


def check_that_all_are_known() -> None:
    """An extra that is new has a script, or is for developers."""
    unknown = DECLARED.keys() ^ (SCRIPTS.keys() | FOR_DEVELOPERS & DECLARED.keys())
    if unknown:
        raise SystemExit(f"pyproject.toml and .ci/extras do not agree on {', '.join(sorted(unknown))}")


def environment(folder: Path, name: str, requirement: str) -> Path:
    """The Python of a new environment with one thing installed."""
    run(sys.executable, "-m", "venv", folder / name)
    python = folder / name / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
    return python


def check_that_it_is_named(python: Path, extra: str, folder: Path) -> None:
    ended = tried(python, SCRIPTS[extra], cwd=folder)
    last = (ended.stderr.strip().splitlines() or ["nothing"])[-1]
    if ended.returncode == 0 or set(EXTRA.findall(last)) != {extra}:
        raise SystemExit(f"{extra}: without the extra the error must name featmap[{extra}]; it is: {last}")


def check_types(python: Path, folder: Path) -> None:
    """mypy knows the types of the package: it takes a right script and refuses a wrong one."""
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mypy")
    run(python, "-m", "mypy", "--strict", "-c", TYPED.format("15"), cwd=folder)
    refused = tried(python, "-m", "mypy", "--strict", "-c", TYPED.format("'many'"), cwd=folder)
    if "[arg-type]" not in refused.stdout:
        raise SystemExit(f"types: mypy must refuse n_neighbors='many'; it says: {refused.stdout}{refused.stderr}")
    print("types: mypy knows them", flush=True)


def tried(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    # Scripts must see the installed package and nothing of this folder.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PYTHONSAFEPATH": "1"}
    return subprocess.run([str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True)


def run(*command: object, cwd: Path | None = None) -> None:
    ended = tried(*command, cwd=cwd)
    if ended.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}")


if __name__ == "__main__":
    main(sys.argv[1:])
