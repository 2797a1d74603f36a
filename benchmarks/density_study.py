"""What does density cost, and what of the method makes it cost that? docs/density.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.density_study`` prints the table and puts it there: the quality of
maps at the same density correlation, along the curves that density weights make, when one thing is changed at a
time; densMAP beside them. COIL-20 is at 32 × 32 pixels, the single cells have their 1,000 most variable genes,
as 50 principal components tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from featmap import FeatMAP
from featmap.alignment import connect
from featmap.curve import Curve
from featmap.frames import fit_frames
from featmap.kernels.layout import map_radii, stretch
from featmap.layout.density import Density
from featmap.layout.descent import State, descend
from featmap.layout.edges import sort_into_slots
from featmap.layout.forces import AddGradient, Attraction, Force, Repulsion
from featmap.layout.start import make_start
from featmap.parallel import Workers
from featmap.pipeline import approximate, density_epochs
from featmap.progress import Progress
from featmap.radii import ShiftedCorrelation, log_radii, radius_floor
from featmap.tangents import data_radii
from featmap.values import FloatArray, Frames
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
EPOCHS_BETWEEN = 10

Score = dict[str, float]
MakeMaps = Callable[[np.ndarray], Iterator[np.ndarray]]


class Isotropic(Density):
    """One radius in all directions instead of one along each: densMAP's quantity under our optimiser."""

    def prepare(self, coordinates: FloatArray, epoch: int, workers: Workers) -> AddGradient:
        dim, n_points = coordinates.shape
        radii, sums = np.empty(coordinates.shape), np.empty(n_points)
        similarity, pull = self.curve.similarity, self.curve.pull

        def measure(start: int, stop: int) -> None:
            map_radii(coordinates, self.slots, self.frames.axes, similarity, start, stop, radii, sums)

        workers.over_rows(n_points, measure)
        whole = radii.sum(axis=0, keepdims=True)
        floor = radius_floor(whole.T)
        logs = np.log(whole + floor)
        data = self._centered_rows
        agreement = ShiftedCorrelation.between(data, logs)
        slope = agreement.along * data[0] - agreement.against * (logs[0] - agreement.mean)
        worth = np.divide(slope, sums * (whole[0] + floor), out=np.zeros(n_points), where=sums > 0)
        tensors = np.zeros((dim * (dim + 1) // 2 + 1, n_points), np.float32)
        tensors[[axis * (axis + 3) // 2 for axis in range(dim)]] = worth  # the diagonal of a lower triangle
        tensors[-1] = worth * whole[0]
        weight = np.float32(dim * self.weight * self.total_weight)  # as much as that of all directions together

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(coordinates, self.slots, similarity, pull, tensors, weight, start, stop, gradient)

        return add_gradient


@dataclass
class Refitted:
    """The method's own force, with frames that follow the map."""

    density: Density
    refit: Callable[[FloatArray], Frames]

    def prepare(self, coordinates: FloatArray, epoch: int, workers: Workers) -> AddGradient:
        if epoch % EPOCHS_BETWEEN == 0:
            self.density = replace(self.density, frames=self.refit(np.ascontiguousarray(coordinates.T)))
        return self.density.prepare(coordinates, epoch, workers)


def maps(kind: str, **options: Any) -> MakeMaps:
    """Maps of all weights, by the stages of `featmap.pipeline`; they share all that comes before density."""

    def make(X: np.ndarray) -> Iterator[np.ndarray]:
        settings = FeatMAP(**options)._settings(len(X), seed=0)
        progress, dim = Progress(), settings.n_components
        with Workers(-1) as workers:
            manifold = approximate(X, settings, workers, progress)
            graph, tangents = manifold.graph, manifold.tangents
            connection = connect(manifold.features, tangents, graph, dim, workers)
            curve, slots = Curve.fit(settings.min_dist, settings.spread), sort_into_slots(graph)
            begin = make_start(settings.init, manifold.features, graph, dim, settings.seed, workers)
            local: list[Force] = [Attraction(graph, slots, curve), Repulsion(graph, curve, settings.seed)]
            n_epochs = settings.n_epochs
            before, last = State.start(begin), State.start(begin)
            descend(before, local, n_epochs - density_epochs(settings), n_epochs, workers, progress)
            descend(last, local, n_epochs, n_epochs, workers, progress)
            yield last.embedding

            def refit(places: FloatArray) -> Frames:
                return fit_frames(
                    settings.frames, places, graph, connection, settings.n_neighbors, settings.seed, workers
                )

            radii = data_radii(tangents, tangents.n_directions)
            radii = radii.sum(axis=1, keepdims=True) if kind == "isotropic" else radii[:, :dim]
            for weight in WEIGHTS:
                made = Isotropic if kind == "isotropic" else Density
                force: Force = made(graph, slots, curve, refit(before.embedding), log_radii(radii), weight)
                if kind == "refitted":
                    force = Refitted(force, refit)
                state = deepcopy(before)
                descend(state, [*local, force], n_epochs, n_epochs, workers, progress)
                yield state.embedding

    return make


def densmap_maps(X: np.ndarray) -> Iterator[np.ndarray]:
    yield PEERS["UMAP"].make(X, Settings(seed=0))
    for weight in DENSMAP_WEIGHTS:
        yield densmap(dens_lambda=weight)(X, Settings(seed=0))


TRIED: dict[str, MakeMaps] = {
    "as it is": maps("method"),
    "frames follow": maps("refitted"),
    "50 points": maps("method", n_tangent_neighbors=50),
    "all directions": maps("isotropic"),
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
