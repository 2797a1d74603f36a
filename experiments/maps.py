"""The maps that are compared: every method at its defaults, made once and kept.

``python experiments/maps.py`` makes all that are missing, ``--methods`` and ``--sets`` only some of them; it can be
stopped and started again at any time. comparison/ and density_weight/ measure them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lab import CACHE, write
from sets import SETS, prepared
from spacemap import spacemap

SEEDS = (0, 1, 2)
SLOW_SECONDS = 600  # a method that takes longer than this on a data set gets one seed there
FEATMAP_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 4.0)
DENSMAP_WEIGHTS = (0.5, 1.0, 2.0, 4.0)
Fit = Callable[[np.ndarray, int], np.ndarray]


@dataclass(frozen=True)
class Method:
    """How it maps (rows, seed), and the package that does it, if it is not our own baseline."""

    fit: Fit
    package: str | None

    @property
    def source(self) -> str:
        return f"{self.package} {version(self.package)}" if self.package else "a baseline of our own"


def tsne(X: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.manifold import TSNE

    return TSNE(random_state=seed, n_jobs=-1).fit_transform(X)


def fitsne(X: np.ndarray, seed: int) -> np.ndarray:
    from openTSNE import TSNE

    return np.asarray(TSNE(random_state=seed, n_jobs=-1).fit(X))


def hnne(X: np.ndarray, seed: int) -> np.ndarray:
    from hnne import HNNE

    return HNNE(n_components=2, random_state=seed).fit_transform(X)


def umap(X: np.ndarray, seed: int) -> np.ndarray:
    from umap import UMAP

    return UMAP(random_state=seed, n_jobs=1).fit_transform(X)  # seeded, it runs on one thread anyway


def trimap(X: np.ndarray, seed: int) -> np.ndarray:
    """TriMap takes no seed of its own; numpy's is what its triplets come from."""
    from trimap import TRIMAP

    np.random.seed(seed)  # noqa: NPY002
    return TRIMAP(verbose=False).fit_transform(X)


def pacmap(X: np.ndarray, seed: int) -> np.ndarray:
    from pacmap import PaCMAP

    return PaCMAP(random_state=seed).fit_transform(X)


def densmap(weight: float) -> Fit:
    def fit(X: np.ndarray, seed: int) -> np.ndarray:
        from umap import UMAP

        return UMAP(densmap=True, dens_lambda=weight, random_state=seed, n_jobs=1).fit_transform(X)

    return fit


def featmap(weight: float) -> Fit:
    def fit(X: np.ndarray, seed: int) -> np.ndarray:
        from featmap import FeatMAP

        return FeatMAP(density_weight=weight, random_state=seed).fit(X).embedding_

    return fit


def featmap_at(weight: float) -> str:
    return f"featMAP λ={weight:g}"


def densmap_at(weight: float) -> str:
    return f"densMAP λ={weight:g}"


# The columns of the comparison, in the paper's order; the weights are the packages' defaults and two of ours beside.
COMPARED = (
    *("t-SNE", "FIt-SNE", "h-NNE", "UMAP", "TriMap", "PaCMAP"),
    *(densmap_at(2), "SpaceMAP", featmap_at(0), featmap_at(0.5), featmap_at(2)),
)
METHODS = {
    "h-NNE": Method(hnne, "hnne"),
    **{featmap_at(weight): Method(featmap(weight), "featmap") for weight in FEATMAP_WEIGHTS},
    "PaCMAP": Method(pacmap, "pacmap"),
    "TriMap": Method(trimap, "trimap"),
    "UMAP": Method(umap, "umap-learn"),
    **{densmap_at(weight): Method(densmap(weight), "umap-learn") for weight in DENSMAP_WEIGHTS},
    "SpaceMAP": Method(spacemap, None),
    "FIt-SNE": Method(fitsne, "openTSNE"),
    "t-SNE": Method(tsne, "scikit-learn"),
}


def map_file(data: str, method: str, seed: int) -> Path:
    return CACHE / data / f"{method}, seed {seed}.npy"


def facts_of(data: str, method: str, seed: int) -> dict[str, Any]:
    """What is known of the making of a map."""
    return json.loads(map_file(data, method, seed).with_suffix(".json").read_text())


def is_made(data: str, method: str, seed: int) -> bool:
    return map_file(data, method, seed).exists()


def load_map(data: str, method: str, seed: int = 0) -> np.ndarray:
    """A map that was made, or is made now."""
    if not is_made(data, method, seed):
        make_map(data, method, seed)
    return np.load(map_file(data, method, seed))


def make_map(data: str, method: str, seed: int) -> None:
    """One map into its file; the facts first, so that a map never lies there without them."""
    X = prepared(data).data
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers' warnings on seeds, threads and coming versions are theirs
        Y = METHODS[method].fit(X, seed)
    seconds = time.perf_counter() - began
    path = map_file(data, method, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path.with_suffix(".json"), json.dumps({"seconds": seconds}))
    part = path.with_suffix(".part.npy")
    np.save(part, np.asarray(Y, np.float32))
    os.replace(part, path)
    print(f"{data}: {method}, seed {seed}: {seconds:.1f} s", flush=True)


def seeds_of(data: str, method: str) -> tuple[int, ...]:
    """Three seeds of the methods compared, one of the others and of those that are slow on this set."""
    if method not in COMPARED or (is_made(data, method, 0) and facts_of(data, method, 0)["seconds"] > SLOW_SECONDS):
        return SEEDS[:1]
    return SEEDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    arguments = parser.parse_args()
    # All methods and sets with one seed first: a table that was stopped early has a figure in every cell.
    for seed in SEEDS:
        for data in arguments.sets:
            for method in arguments.methods:
                if seed in seeds_of(data, method) and not is_made(data, method, seed):
                    make_map(data, method, seed)


if __name__ == "__main__":
    main()
