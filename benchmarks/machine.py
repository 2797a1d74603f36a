"""Where and with what the figures were measured."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from .methods import METHODS

IMPORTS = ("import featmap", "from featmap import FeatMAP", "import sklearn.base")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def describe_machine() -> dict[str, str]:
    packages = [*dict.fromkeys(entry.method.package for entry in METHODS.values()), *LIBRARIES]
    return {
        "date": date.today().isoformat(),
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB",
        "system": platform.system(),
        "Python": platform.python_version(),
        **{package: installed_version(package) for package in packages},
    }


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def code_of_featmap() -> str:
    """A digest of featMAP's source: figures of ours hold for one code only."""
    spec = find_spec("featmap")
    assert spec is not None
    assert spec.origin is not None
    digest = hashlib.sha256()
    for path in sorted(Path(spec.origin).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def measure_imports(rounds: int = 3) -> dict[str, float]:
    """Seconds of each import in a fresh process: the median of some rounds, after one that fills the disk's cache."""
    seconds = [{statement: seconds_of(statement) for statement in IMPORTS} for _ in range(rounds + 1)][1:]
    return {statement: median(times[statement] for times in seconds) for statement in IMPORTS}


def seconds_of(statement: str) -> float:
    code = f"from time import perf_counter; start = perf_counter(); {statement}; print(perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
