"""The maps of the study, made once and kept.

``python -m experiments.density_scale.maps`` makes those that are missing, ``--methods`` and ``--sets`` only some.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from lab.kept_maps import KeptMaps
from lab.peers import FEATMAP, PEERS, Method, densmap, featmap, scalemap

from ..report import CACHE
from .sets import CHOSEN, CONFIRMED, given_neighbors, studied

SEEDS = (0, 1)
DENSITIES = (0.0, 1.0, 1.5, 2.0)
DENSMAP_WEIGHTS = (0.5, 1.0, 2.0)
SCALEMAP_EXPONENTS = (0.5, 1.0)


def featmap_at(density: float) -> str:
    return f"featMAP p={density:g}"


DEFAULT = "featMAP"
OURS = {featmap_at(p): replace(FEATMAP, make=featmap(density=p)) for p in DENSITIES}
DENSMAP = {f"densMAP λ={w:g}": replace(PEERS["densMAP"], make=densmap(dens_lambda=w)) for w in DENSMAP_WEIGHTS}
SCALEMAP = {
    f"ScaleMAP λ={w:g}": replace(PEERS["ScaleMAP"], make=scalemap(scale_lambda=w)) for w in SCALEMAP_EXPONENTS
}
METHODS: dict[str, Method] = {
    "UMAP": PEERS["UMAP"],
    **DENSMAP,
    **SCALEMAP,
    "PaCMAP": PEERS["PaCMAP"],
    **OURS,
    DEFAULT: FEATMAP,
}
MAPS = KeptMaps(CACHE / "density_scale", METHODS, studied, given_neighbors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--sets", nargs="+", default=[*CHOSEN, *CONFIRMED], choices=[*CHOSEN, *CONFIRMED])
    arguments = parser.parse_args()
    for data in arguments.sets:
        for seed in SEEDS:
            for method in arguments.methods:
                if not MAPS.has(data, method, seed):
                    MAPS.make(data, method, seed)


if __name__ == "__main__":
    main()
