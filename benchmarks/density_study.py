"""What does density cost, and what of the method makes it cost that? docs/density.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.density_study`` prints the table and puts it there: the quality of
maps at the same density correlation, along the curves that density weights make, when one thing is changed at a
time; densMAP beside them. COIL-20 is at 32 × 32 pixels, the single cells have their 1,000 most variable genes,
as 50 principal components tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from featmap import FeatMAP
from featmap.checks.settings import fit_settings
from featmap.kernels.layout import map_radii, stretch
from featmap.layout.density import Density, FitFrames, MakeDensity, density_along_frames
from featmap.layout.edges import Edges
from featmap.layout.forces import AddGradient
from featmap.layout.radii import log_radii, radius_floor
from featmap.pipeline import approximate, lay_out
from featmap.run import Run
from featmap.values import DoubleArray, FloatArray, Frames
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

    def prepare(self, transposed: FloatArray, epoch: int, run: Run) -> AddGradient:
        dim, n_points = transposed.shape
        slots, curve = self.edges.slots, self.edges.curve
        radii, sums = np.empty(transposed.shape), np.empty(n_points)

        def measure(start: int, stop: int) -> None:
            map_radii(transposed, slots, self.frames.axes, curve.similarity, start, stop, radii, sums)

        run.over_rows(n_points, measure)
        whole = radii.sum(axis=0, keepdims=True)
        floor = radius_floor(whole.T, self.edges.graph.is_connected)
        logs = np.log(whole + floor)
        data, agreement = self._centered_rows, self._agreement(logs)
        slope = agreement.along * data[0] - agreement.against * (logs[0] - agreement.mean)
        worth = np.divide(slope, sums * (whole[0] + floor), out=np.zeros(n_points), where=sums > 0)
        tensors = np.zeros((dim * (dim + 1) // 2 + 1, n_points), np.float32)
        tensors[[axis * (axis + 3) // 2 for axis in range(dim)]] = worth  # the diagonal of a lower triangle
        tensors[-1] = worth * whole[0]
        weight = np.float32(dim * self.weight * self.total_weight)  # as much as that of all directions together

        def add_gradient(start: int, stop: int, gradient: FloatArray) -> None:
            stretch(transposed, slots, curve.similarity, curve.pull, tensors, weight, start, stop, gradient)

        return add_gradient


def density_in_all_directions(
    edges: Edges, frames: Frames, data_radii: DoubleArray, weight: float, fit: FitFrames
) -> Isotropic:
    whole = data_radii.sum(axis=1, keepdims=True)
    return Isotropic(edges, frames, log_radii(whole, edges.graph.is_connected), weight)


@dataclass
class Refitted:
    """The method's own force, with frames that follow the map."""

    density: Density
    fit: FitFrames

    def value(self, transposed: FloatArray) -> float:
        return self.density.value(transposed)

    def prepare(self, transposed: FloatArray, epoch: int, run: Run) -> AddGradient:
        if epoch % EPOCHS_BETWEEN == 0:
            self.density = replace(self.density, frames=self.fit(np.ascontiguousarray(transposed.T)))
        return self.density.prepare(transposed, epoch, run)


def following_frames(
    edges: Edges, frames: Frames, data_radii: DoubleArray, weight: float, fit: FitFrames
) -> Refitted:
    return Refitted(density_along_frames(edges, frames, data_radii, weight, fit), fit)


def maps(make_density: MakeDensity, **options: Any) -> MakeMaps:
    """Maps of all weights, by the pipeline with another density force. They share neighbours, graph and tangents."""

    def make(X: np.ndarray) -> Iterator[np.ndarray]:
        settings = fit_settings("FeatMAP", FeatMAP(**options).get_params(), X.shape, seed=0)
        with Run(-1) as run:
            manifold = approximate(X, settings, run)
            for weight in (0.0, *WEIGHTS):
                yield lay_out(manifold, replace(settings, density_weight=weight), run, make_density).embedding

    return make


def densmap_maps(X: np.ndarray) -> Iterator[np.ndarray]:
    yield PEERS["UMAP"].make(X, Settings(seed=0))
    for weight in DENSMAP_WEIGHTS:
        yield densmap(dens_lambda=weight)(X, Settings(seed=0))


TRIED: dict[str, MakeMaps] = {
    "as it is": maps(density_along_frames),
    "frames follow": maps(following_frames),
    "50 points": maps(density_along_frames, n_tangent_neighbors=50),
    "all directions": maps(density_in_all_directions),
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
