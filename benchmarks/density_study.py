"""What does density cost, and what of the method makes it cost that? docs/density.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.density_study`` prints the table and puts it there: the quality of
maps at the same density correlation, along the curves that density weights make, when one thing is changed at a
time; densMAP beside them. COIL-20 is at 32 × 32 pixels, the single cells have their 1,000 most variable genes,
as 50 principal components tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from featmap import FeatMAP
from featmap.checks.settings import fit_settings
from featmap.pipeline import approximate, lay_out
from featmap.run import Run
from lab.data.cells import few_genes_smoothed
from lab.data.images import digits, small_coil20
from lab.pages import put_between
from lab.peers import PEERS, Settings, densmap
from lab.quality import DENSITY, TEN_NEIGHBORS, Quality

OUT = Path(__file__).parent.parent / "docs" / "density.md"
BEGIN, END = "<!-- study: begin -->", "<!-- study: end -->"
WEIGHTS = (0.25, 0.5, 1.0, 2.0, 4.0)
DENSMAP_WEIGHTS = (0.5, 1.0, 2.0, 4.0, 8.0)
CORRELATIONS = (0.8, 0.85, 0.9)

Score = dict[str, float]
MakeMaps = Callable[[np.ndarray], Iterator[np.ndarray]]


def maps(**options: Any) -> MakeMaps:
    """Maps of all weights. They share neighbours, graph and tangents."""

    def make(X: np.ndarray) -> Iterator[np.ndarray]:
        settings = fit_settings("FeatMAP", FeatMAP(**options).get_params(), X.shape, seed=0)
        with Run(-1) as run:
            manifold = approximate(X, settings, run)
            for weight in (0.0, *WEIGHTS):
                yield lay_out(manifold, replace(settings, density_weight=weight), run).embedding

    return make


def densmap_maps(X: np.ndarray) -> Iterator[np.ndarray]:
    yield PEERS["UMAP"].make(X, Settings(seed=0))
    for weight in DENSMAP_WEIGHTS:
        yield densmap(dens_lambda=weight)(X, Settings(seed=0))


PAPER = ("tangent_center", "frames", "density_terms", "density_anisotropy")  # its choices besides the weight
TRIED: dict[str, MakeMaps] = {
    "default": maps(),
    "κ = 0": maps(density_anisotropy=0.0),
    "κ = 0.5": maps(density_anisotropy=0.5),
    "about the point": maps(tangent_center="point"),
    "directions": maps(density_terms="directions"),
    "the paper's": maps(**{name: FeatMAP.paper().get_params()[name] for name in PAPER}),
    "densMAP": densmap_maps,
}
QUALITIES = {"trustworthiness": "trustworthiness", "accuracy": TEN_NEIGHBORS}
HEAD = f"| data | | correlation | {' | '.join(TRIED)} |\n|---|---|---|{'---|' * len(TRIED)}\n"


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, images in (("digits", digits()), ("COIL-20", small_coil20())):
        yield name, images.data, images.target
    for name in ("PBMC 3k", "Paul 2015"):
        yield name, *few_genes_smoothed(name)


def lines(name: str, X: np.ndarray, labels: np.ndarray) -> Iterator[str]:
    quality = Quality(X, labels)
    curves = {tried: [quality.of(Y) for Y in make(X)] for tried, make in TRIED.items()}
    for name_of_metric, metric in QUALITIES.items():
        for level in CORRELATIONS:
            values = [best_at(curve, level, metric) for curve in curves.values()]
            yield f"| {name} | {name_of_metric} | {level} | {' | '.join(map(written, values))} |\n"


def written(value: float) -> str:
    return "—" if np.isnan(value) else f"{value:.3f}"


def best_at(curve: list[Score], level: float, quality: str) -> float:
    """The quality where a curve, straight between its points, first reaches a density correlation, if it does."""
    for low, high in pairwise(curve):
        begin, end = low[DENSITY], high[DENSITY]
        if begin < level <= end:
            return low[quality] + (high[quality] - low[quality]) * (level - begin) / (end - begin)
    return float("nan")


def main() -> None:
    text = HEAD
    for data in data_sets():
        for line in lines(*data):
            print(line, end="", flush=True)
            text += line
    put_between(OUT, BEGIN, END, text)


if __name__ == "__main__":
    main()
