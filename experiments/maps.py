"""The maps that are compared: every method at its defaults, featMAP with 500 epochs, made once and kept.

``python -m experiments.maps`` makes all that are missing, ``--methods`` and ``--sets`` only some of them; it can be
stopped and started again at any time. comparison/ measures them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from lab.kept_maps import KeptMaps
from lab.peers import FEATMAP, PEERS, densmap, featmap, featmap_of_paper

from .report import CACHE
from .sets import SETS, prepared

SEEDS = (0, 1, 2)
SLOW_SECONDS = 600  # of CPU; a method that takes longer than this on a data set gets one seed there
# Of featMAP. By default MNIST and Fashion-MNIST, the sets of more than 20,000 rows, would begin with a map of groups;
# docs/start.md has that beside 500 epochs.
N_EPOCHS = 500
DENSMAP_WEIGHT = 2.0
WITHOUT_DENSITY, OURS, OF_PAPER = "featMAP p=0", "featMAP", "featMAP (paper)"


def densmap_at(weight: float) -> str:
    return f"densMAP λ={weight:g}"


# The rows of the comparison, in the paper's order; beside our default, ours without density and the printed method.
COMPARED = (
    *("t-SNE", "FIt-SNE", "h-NNE", "UMAP", "TriMap", "PaCMAP"),
    *(densmap_at(DENSMAP_WEIGHT), "SpaceMAP", WITHOUT_DENSITY, OURS, OF_PAPER),
)
# In the order in which maps are made: the quick methods first.
METHODS = {
    "h-NNE": PEERS["h-NNE"],
    WITHOUT_DENSITY: replace(FEATMAP, make=featmap(density=0, n_epochs=N_EPOCHS)),
    OURS: replace(FEATMAP, make=featmap(n_epochs=N_EPOCHS)),
    OF_PAPER: replace(FEATMAP, make=featmap_of_paper),
    "PaCMAP": PEERS["PaCMAP"],
    "TriMap": PEERS["TriMap"],
    "UMAP": PEERS["UMAP"],
    densmap_at(DENSMAP_WEIGHT): replace(PEERS["densMAP"], make=densmap(dens_lambda=DENSMAP_WEIGHT)),
    "SpaceMAP": PEERS["SpaceMAP"],
    "FIt-SNE": PEERS["openTSNE"],  # its interpolation is FIt-SNE's
    "t-SNE": PEERS["t-SNE"],
}
MAPS = KeptMaps(CACHE, METHODS, prepared)


def seeds_of(data: str, method: str) -> tuple[int, ...]:
    """Three seeds for the methods compared, one for the others and for those that are slow on this set."""
    if method not in COMPARED or (
        MAPS.has(data, method, 0) and MAPS.cost(data, method, 0)["cpu_seconds"] > SLOW_SECONDS
    ):
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
                if seed in seeds_of(data, method) and not MAPS.has(data, method, seed):
                    MAPS.make(data, method, seed)


if __name__ == "__main__":
    main()
