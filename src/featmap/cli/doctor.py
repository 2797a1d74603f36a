"""``featmap doctor``: versions, threads, the cache of compiled code, and whether a small fit works."""

from __future__ import annotations

import os
import platform
import sys
import time
from importlib import metadata
from pathlib import Path

import click

from .. import __version__
from .shared import commands, shown_on_stderr

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


@commands.command()
def doctor() -> None:
    """Show versions, threads and the cache of compiled code, and try a small fit of at most ten seconds."""
    from joblib import effective_n_jobs

    click.echo(f"featmap {__version__}, Python {platform.python_version()}, {platform.platform()}")
    click.echo("needed:   " + ", ".join(f"{name} {_version(name)}" for name in NEEDED))
    for extra, packages in EXTRAS.items():
        click.echo(f"{extra + ':':<10}" + ", ".join(f"{name} {_version(name)}" for name in packages))
    click.echo(f"threads:  {effective_n_jobs(-1)} of {os.cpu_count()} cores")
    click.echo(f"cache:    {_cache()}")
    is_well, words = _try_a_fit()
    click.echo(f"test:     {words}")
    if not is_well:
        sys.exit(1)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


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


def _try_a_fit() -> tuple[bool, str]:
    """Return whether a small fit works, with a sentence. A fit that still compiles after ten seconds works."""
    from sklearn.datasets import load_iris

    from ..errors import FitStopped
    from ..estimator import FeatMAP
    from ..metrics import trustworthiness

    X, begun = load_iris().data, time.monotonic()

    def is_late(stage: str, done: int, total: int) -> bool:
        return time.monotonic() > begun + SECONDS

    with shown_on_stderr():
        try:
            model = FeatMAP(random_state=0).fit(X, callback=is_late)
        except FitStopped:
            return True, f"kernels were being compiled for {SECONDS:.0f} s; try again, what is compiled stays"
        kept = trustworthiness(X, model.embedding_)
    seconds = time.monotonic() - begun
    is_good = kept >= TRUSTWORTHY
    verdict = "the map keeps its neighbours" if is_good else "THE MAP DOES NOT KEEP ITS NEIGHBOURS"
    return is_good, f"150 rows in {seconds:.1f} s; {verdict} (trustworthiness {kept:.3f})"
