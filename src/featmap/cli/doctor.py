"""``featmap doctor``: versions, threads, the cache of compiled code, and whether a small fit works."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import click

NEEDED = ("numpy", "scipy", "scikit-learn", "numba", "tqdm", "joblib", "threadpoolctl")
EXTRAS = {
    "cli": ("click", "rich"),
    "io": ("polars", "h5py", "zarr"),
    "plot": ("matplotlib",),
    "explore": ("starlette", "uvicorn"),
    "widget": ("anywidget",),
    "datasets": ("pooch", "pillow"),
    "anndata": ("anndata",),
    "dask": ("dask", "distributed"),
}
SECONDS = 10.0  # that the test may take
TRUSTWORTHY = 0.95


@click.command()
def doctor() -> None:
    """Show versions, threads and the cache of compiled code, and try a small fit of at most ten seconds."""
    from .. import __version__

    click.echo(f"featmap {__version__}, Python {platform.python_version()}, {platform.platform()}")
    click.echo("needed:   " + ", ".join(f"{name} {_version(name)}" for name in NEEDED))
    for extra, packages in EXTRAS.items():
        click.echo(f"{extra + ':':<10}" + ", ".join(f"{name} {_version(name)}" for name in packages))
    click.echo(f"threads:  {_threads()} of {os.cpu_count()} cores")
    click.echo(f"cache:    {_cache()}")
    problem, words = _tried()
    click.echo(f"test:     {words}")
    if problem:
        sys.exit(1)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cache() -> str:
    """Where compiled code is kept, and how much there is."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parents[1] / "kernels" / "__pycache__")
    compiled = list(folder.rglob("*.nbc"))
    size = sum(path.stat().st_size for path in compiled)
    state = (
        f"{len(compiled)} compiled kernels, {size / 2**20:.1f} MB" if compiled else "empty, the first fit compiles"
    )
    writable = folder if folder.exists() else folder.parent
    if not os.access(writable, os.W_OK):
        state += "; it cannot be written, so each start compiles"
    return f"{folder} ({state})"


def _tried() -> tuple[bool, str]:
    """Whether something is wrong, and how a small fit went."""
    from sklearn.datasets import load_iris

    from ..errors import FitStopped
    from ..estimator import FeatMAP
    from ..metrics import trustworthiness
    from .fitting import shown_on_stderr

    X, begun = load_iris().data, time.monotonic()
    with shown_on_stderr(False, begun=None):
        try:
            model = FeatMAP(random_state=0).fit(X, callback=_until(begun + SECONDS))
        except FitStopped:
            return False, f"kernels were being compiled for {SECONDS:.0f} s; try again, what is compiled stays"
        kept = trustworthiness(X, model.embedding_)
    seconds = time.monotonic() - begun
    is_good = kept >= TRUSTWORTHY
    verdict = "the map keeps its neighbours" if is_good else "THE MAP DOES NOT KEEP ITS NEIGHBOURS"
    return not is_good, f"150 rows in {seconds:.1f} s; {verdict} (trustworthiness {kept:.3f})"


def _until(end: float) -> Callable[[str, int, int], bool]:
    return lambda stage, done, total: time.monotonic() > end
