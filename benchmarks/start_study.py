"""From where should a map start? docs/start.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.start_study --peers FOLDER`` prints the table and puts it there: for
each start into how many pieces the map breaks the classes, and its quality, beside UMAP's. The folder keeps UMAP's
maps (``benchmarks.peer_maps``), and those that are missing are made. With ``--confirm`` it does so for data sets on
which nothing was chosen. Maps are without density, so that the start is all that differs.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from featmap import FeatMAP, FeatmapWarning
from featmap.checks.settings import fit_settings
from featmap.metrics import knn_accuracy, trustworthiness
from featmap.pipeline import approximate, lay_out
from featmap.run import Run
from lab.data.labelled import CHOOSING, CONFIRMING, labelled
from lab.kept_maps import KeptMaps
from lab.pages import put_between, table
from lab.pieces import pieces_per_class

from .peer_maps import kept_in

OUT = Path(__file__).parent.parent / "docs" / "start.md"
CHOSEN_ON = ("<!-- study: begin -->", "<!-- study: end -->")
CONFIRMED_ON = ("<!-- confirmation: begin -->", "<!-- confirmation: end -->")
STARTS = ("auto", "pca", "spectral")
PEER = "UMAP"
LARGE, N_SEEDS_OF_LARGE = "MNIST", 2  # a map of its 70,000 rows takes UMAP minutes
HEAD = ("data", "start", "seeds", "pieces", "trustworthiness", "10-NN accuracy")


def our_maps(X: np.ndarray, n_seeds: int) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Each start, and its maps with several seeds. They all share neighbours, graph and tangents."""
    settings = fit_settings("FeatMAP", FeatMAP(density_weight=0.0).get_params(), X.shape, seed=0)
    with Run(-1) as run, warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatmapWarning)  # a graph without a useful spectrum
        manifold = approximate(X, settings, run)
        for start in STARTS:
            tried = [replace(settings, init=start, seed=seed) for seed in range(n_seeds)]
            yield start, [lay_out(manifold, one, run).embedding for one in tried]


def peer_maps(name: str, kept: KeptMaps, n_seeds: int) -> Iterator[tuple[str, list[np.ndarray]]]:
    yield PEER, [kept.load(name, PEER, seed) for seed in range(n_seeds)]


def mean_scores(X: np.ndarray, labels: np.ndarray, maps: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of each class; trustworthiness and accuracy; means over the maps."""
    pieces, quality = [], []
    for embedding in maps:
        pieces.append(list(pieces_per_class(embedding, labels).values()))
        quality.append(
            [trustworthiness(X, embedding, n_neighbors=15), knn_accuracy(embedding, labels, n_neighbors=10)]
        )
    return np.mean(pieces, axis=0), np.mean(quality, axis=0)


def lines(name: str, kept: KeptMaps, n_seeds: int) -> Iterator[list[str]]:
    """The cells of one data set: a line for each start, and UMAP's."""
    X, labels = labelled(name).data, labelled(name).target
    for made_by, made in chain(our_maps(X, n_seeds), peer_maps(name, kept, n_seeds)):
        pieces, quality = mean_scores(X, labels, made)
        yield [name, made_by, str(n_seeds), counted(name, pieces), *(f"{value:.3f}" for value in quality)]


def counted(name: str, pieces: np.ndarray) -> str:
    """The pieces of all classes; of the digits also those of digit 1, which fell into three from the spectrum."""
    total = f"{pieces.sum():.1f} of {len(pieces)} classes"
    return f"{total}, {pieces[1]:.1f} of digit 1" if name == "digits" else total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, required=True, help="the folder of UMAP's maps")
    parser.add_argument("--confirm", action="store_true", help="measure the data sets on which nothing was chosen")
    parser.add_argument("--seeds", type=int, default=5, help="the number of maps of each kind")
    arguments = parser.parse_args()
    kept, rows = kept_in(arguments.peers), []
    for name in (*CONFIRMING, LARGE) if arguments.confirm else CHOOSING:
        n_seeds = min(arguments.seeds, N_SEEDS_OF_LARGE) if name == LARGE else arguments.seeds
        for row in lines(name, kept, n_seeds):
            print(*row, sep=" | ", flush=True)
            rows.append(row)
    put_between(OUT, *(CONFIRMED_ON if arguments.confirm else CHOSEN_ON), table(HEAD, rows))


if __name__ == "__main__":
    main()
