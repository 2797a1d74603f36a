"""Which density weight? Our maps at some weights beside UMAP, densMAP, PaCMAP and TriMap, and the rules of a default.

``FEATMAP_DATA=/path/to/data python -m benchmarks.map_quality --peers FOLDER --out FILE`` measures what is missing in
the file and prints figures and verdicts; it can be stopped and started again at any time. The folder keeps the maps
of the other methods (``benchmarks.peer_maps``), and those that are missing are made. Ours are made anew for every
file, so give another file when the method has changed. ``--publish`` puts the tables into docs/density.md: those of
the sets on which the default was chosen, and those of the sets on which it was only confirmed.

COIL-20 has all its pixels, single cells have their 2,000 most variable genes as 50 principal components tell them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from experiments.maps import DEFAULT_WEIGHT, DENSMAP_WEIGHTS, densmap_at, featmap_at
from featmap import FeatMAP
from featmap.checks.settings import fit_settings
from featmap.pipeline import approximate, lay_out
from featmap.run import Run
from lab.data.labelled import CHOOSING, CONFIRMING, labelled
from lab.files import write_text
from lab.kept_maps import KeptMaps
from lab.map_scores import OF_QUALITY, OUTLIERS, PIECES, MapScores, Scores
from lab.pages import put_between, table
from lab.shape import Shapes

from .map_rules import ByMethod, mean_of, verdict_on_densmap, verdict_on_weight, verdicts
from .peer_maps import COMPARED, SETS, kept_in

WEIGHTS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
SHAPE = "shape"
PAGE = Path(__file__).parent.parent / "docs" / "density.md"
PARTS = {"choosing": CHOOSING, "confirming": CONFIRMING}  # of the page
SHOWN = (*COMPARED, *map(featmap_at, (0.0, DEFAULT_WEIGHT)))
METRICS = (*OF_QUALITY, OUTLIERS, PIECES)


@dataclass
class Study:
    """The scores that were measured so far, kept in a file: data set → method → seed → metric → value."""

    file: Path
    scores: dict[str, ByMethod]

    @classmethod
    def in_file(cls, file: Path) -> Study:
        return cls(file, json.loads(file.read_text()) if file.exists() else {})

    def has(self, data: str, method: str, seed: int) -> bool:
        return str(seed) in self.scores.get(data, {}).get(method, {})

    def add(self, data: str, method: str, seed: int, scores: dict[str, Any]) -> None:
        self.scores.setdefault(data, {}).setdefault(method, {})[str(seed)] = scores
        write_text(self.file, json.dumps(self.scores, indent=1, ensure_ascii=False))
        shown = ", ".join(f"{metric} {scores[metric]:.3f}" for metric in METRICS)
        print(f"{data}: {method}, seed {seed}: {shown}", flush=True)


class Measures:
    """What is measured of a data set once, when it is needed."""

    def __init__(self, data: str) -> None:
        bunch = labelled(data)
        self.X, self.labels = bunch.data, bunch.target

    @cached_property
    def scores(self) -> MapScores:
        return MapScores(self.X, self.labels)

    @cached_property
    def shapes(self) -> Shapes:
        return Shapes(self.X)


def our_maps(X: np.ndarray, wanted: list[tuple[int, float]]) -> Iterator[np.ndarray]:
    """Our maps by seed and weight. They share neighbours, graph and tangents."""
    given = FeatMAP().get_params()
    with Run(-1) as run:
        manifold = approximate(X, fit_settings("FeatMAP", given, X.shape, seed=0), run)
        for seed, weight in wanted:
            settings = fit_settings("FeatMAP", given, X.shape, seed=seed)
            yield lay_out(manifold, replace(settings, density_weight=weight), run).embedding


def measure_ours(study: Study, data: str, measures: Measures, seeds: list[int], weights: list[float]) -> None:
    missing = [
        (seed, weight) for seed in seeds for weight in weights if not study.has(data, featmap_at(weight), seed)
    ]
    if not missing:
        return
    for (seed, weight), embedding in zip(missing, our_maps(measures.X, missing), strict=True):
        scores: dict[str, Any] = measures.scores.of(embedding)
        if weight in (0.0, DEFAULT_WEIGHT):
            scores[SHAPE] = asdict(measures.shapes.of(embedding))
        study.add(data, featmap_at(weight), seed, scores)


def measure_peers(study: Study, data: str, measures: Measures, seeds: list[int], peers: KeptMaps) -> None:
    """The others at their defaults with every seed, densMAP at the weights of its curve with seed 0."""
    compared = [(method, seed) for method in COMPARED for seed in seeds]
    curve = [(densmap_at(weight), 0) for weight in DENSMAP_WEIGHTS]
    for method, seed in dict.fromkeys(compared + curve):
        if not study.has(data, method, seed):
            study.add(data, method, seed, scores_of_peer(data, method, seed, measures, peers))


def scores_of_peer(data: str, method: str, seed: int, measures: Measures, peers: KeptMaps) -> Scores:
    """Kept beside the map, for other files."""
    embedding = peers.load(data, method, seed)
    path = peers.file(data, method, seed).with_suffix(".scores.json")
    if not path.exists():
        write_text(path, json.dumps(measures.scores.of(embedding)))
    return json.loads(path.read_text())


def figures(scores: ByMethod) -> str:
    """The means over seeds of every method of a data set."""
    rows = [
        [method, str(len(seeds)), *(f"{mean_of(seeds, metric):.3f}" for metric in METRICS)]
        for method, seeds in scores.items()
    ]
    return table(("method", "seeds", *METRICS), rows)


def shapes(scores: dict[str, ByMethod]) -> str:
    """Shape of neighbourhoods, mean over seeds, each figure beside its floor."""
    rows = []
    for data, methods in scores.items():
        for method, seeds in methods.items():
            found = [of_seed[SHAPE] for of_seed in seeds.values() if SHAPE in of_seed]
            if found:
                mean = {name: np.mean([shape[name] for shape in found]) for name in found[0]}
                rows.append([data, method, *shape_cells(mean)])
    return table(("data", "method", "correlation of r_1 − r_2", "its mean", "angle, °", "median angle, °"), rows)


def shape_cells(mean: dict[str, Any]) -> list[str]:
    return [
        f"{mean['correlation']:.2f} (floor {mean['correlation_floor']:.2f})",
        f"{mean['elongation']:.2f} (floor {mean['elongation_floor']:.2f}; data {mean['elongation_of_data']:.2f})",
        f"{mean['angle']:.1f} (floor {mean['angle_floor']:.1f})",
        f"{mean['median_angle']:.1f} (floor {mean['median_angle_floor']:.1f})",
    ]


def quality(scores: dict[str, ByMethod], metrics: Sequence[str] = OF_QUALITY) -> str:
    """The figures of every method on every set, mean over seeds."""
    rows = [
        [data, *(" / ".join(f"{mean_of(methods[name], metric):.3f}" for metric in metrics) for name in SHOWN)]
        for data, methods in scores.items()
    ]
    return table(("data", *SHOWN), rows)


def publish(scores: dict[str, ByMethod], weights: list[float]) -> None:
    """The tables of those sets that were measured, in their parts of the page."""
    for part, names in PARTS.items():
        found = {data: scores[data] for data in names if data in scores}
        if found:
            pieces = [quality(found), verdict_on_weight(found, DEFAULT_WEIGHT)]
            pieces += verdict_on_densmap(found, weights)
            pieces.append(shapes(found))
            put_between(PAGE, f"<!-- {part}: begin -->", f"<!-- {part}: end -->", "\n\n".join(pieces))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--weights", nargs="+", type=float, default=list(WEIGHTS))
    parser.add_argument("--peers", type=Path, required=True, help="the folder of the others' maps")
    parser.add_argument("--out", type=Path, required=True, help="the file of the scores")
    parser.add_argument("--publish", action="store_true", help="put the tables into docs/density.md")
    arguments = parser.parse_args()
    # The rules need our map without density, and densMAP's curve is of seed 0.
    seeds, weights = sorted({0, *arguments.seeds}), sorted({0.0, *arguments.weights})
    study = Study.in_file(arguments.out)
    for data in arguments.sets:
        measures = Measures(data)
        measure_peers(study, data, measures, seeds, kept_in(arguments.peers))
        measure_ours(study, data, measures, seeds, weights)
        print(f"\n{data}\n\n{figures(study.scores[data])}\n", flush=True)
    chosen = {data: study.scores[data] for data in arguments.sets}
    print(f"{shapes(chosen)}\n")
    for verdict in verdicts(chosen, weights[1:]):
        print(f"{verdict}\n")
    if arguments.publish:
        publish(chosen, weights[1:])


if __name__ == "__main__":
    main()
