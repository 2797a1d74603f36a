"""The maps of UMAP, densMAP, PaCMAP and TriMap that ``benchmarks.map_quality`` compares ours with.

``FEATMAP_DATA=/path/to/data python -m benchmarks.peer_maps FOLDER`` makes all that are missing in a folder; it can be
stopped and started again at any time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from experiments.maps import DENSMAP_WEIGHTS, METHODS, densmap_at
from lab.data.labelled import CHOOSING, CONFIRMING, labelled
from lab.kept_maps import KeptMaps

COMPARED = ("UMAP", densmap_at(2), "PaCMAP", "TriMap")  # each at its defaults
MADE = ("UMAP", "PaCMAP", "TriMap", *map(densmap_at, DENSMAP_WEIGHTS))
SEEDS = (0, 1)
SEEDS_OF_PIECES = (2, 3, 4)  # pieces per class are counted on five of UMAP's maps
SETS = CHOOSING + CONFIRMING  # the small ones come first


def kept_in(folder: Path) -> KeptMaps:
    return KeptMaps(folder, METHODS, labelled)


def wanted() -> Iterator[tuple[str, str, int]]:
    """Data set, method and seed in the order in which maps are made: one of each first."""
    first, *others = SEEDS
    yield from product(SETS, MADE, [first])
    for seed in others:
        yield from product(SETS, COMPARED, [seed])
    for seed in SEEDS_OF_PIECES:
        yield from product(SETS, ["UMAP"], [seed])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    kept = kept_in(parser.parse_args().folder)
    for data, method, seed in wanted():
        if not kept.has(data, method, seed):
            kept.make(data, method, seed)


if __name__ == "__main__":
    main()
