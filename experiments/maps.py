"""The maps that are compared: every method at its defaults, made once and kept.

``python -m experiments.maps`` makes all that are missing, ``--methods`` and ``--sets`` only some of them; it can be
stopped and started again at any time. comparison/ and density_weight/ measure them.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lab.files import save_embedding, write_text
from lab.peers import FEATMAP, PEERS, Settings, densmap, featmap

from .report import CACHE
from .sets import SETS, prepared

SEEDS = (0, 1, 2)
SLOW_SECONDS = 600  # a method that takes longer than this on a data set gets one seed there
FEATMAP_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 4.0)
DENSMAP_WEIGHTS = (0.5, 1.0, 2.0, 4.0)


def featmap_at(weight: float) -> str:
    return f"featMAP λ={weight:g}"


def densmap_at(weight: float) -> str:
    return f"densMAP λ={weight:g}"


# The columns of the comparison, in the paper's order; the weights are the packages' defaults and two of ours beside.
COMPARED = (
    *("t-SNE", "FIt-SNE", "h-NNE", "UMAP", "TriMap", "PaCMAP"),
    *(densmap_at(2), "SpaceMAP", featmap_at(0), featmap_at(0.5), featmap_at(2)),
)
# In the order in which maps are made: the quick methods first.
METHODS = {
    "h-NNE": PEERS["h-NNE"],
    **{featmap_at(weight): replace(FEATMAP, make=featmap(density_weight=weight)) for weight in FEATMAP_WEIGHTS},
    "PaCMAP": PEERS["PaCMAP"],
    "TriMap": PEERS["TriMap"],
    "UMAP": PEERS["UMAP"],
    **{densmap_at(weight): replace(PEERS["densMAP"], make=densmap(dens_lambda=weight)) for weight in DENSMAP_WEIGHTS},
    "SpaceMAP": PEERS["SpaceMAP"],
    "FIt-SNE": PEERS["openTSNE"],  # its interpolation is FIt-SNE's
    "t-SNE": PEERS["t-SNE"],
}


def map_file(data: str, method: str, seed: int) -> Path:
    return CACHE / data / f"{method}, seed {seed}.npy"


def facts_of(data: str, method: str, seed: int) -> dict[str, Any]:
    """What is known of the making of a map."""
    return json.loads(map_file(data, method, seed).with_suffix(".json").read_text())


def is_made(data: str, method: str, seed: int) -> bool:
    return map_file(data, method, seed).exists()


def load_map(data: str, method: str, seed: int = 0) -> np.ndarray:
    """A map that was made before, or is made now."""
    if not is_made(data, method, seed):
        make_map(data, method, seed)
    return np.load(map_file(data, method, seed))


def make_map(data: str, method: str, seed: int) -> None:
    """Write one map into its file; its facts come first, so that no map is without them."""
    X = prepared(data).data
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # packages warn about seeds, threads and coming versions
        embedding = METHODS[method].make(X, Settings(seed))
    seconds = time.perf_counter() - began
    path = map_file(data, method, seed)
    write_text(path.with_suffix(".json"), json.dumps({"seconds": seconds}))
    save_embedding(path, embedding)
    print(f"{data}: {method}, seed {seed}: {seconds:.1f} s", flush=True)


def seeds_of(data: str, method: str) -> tuple[int, ...]:
    """Three seeds for the methods compared, one for the others and for those that are slow on this set."""
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
