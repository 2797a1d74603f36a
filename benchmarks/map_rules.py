"""The rules that a default density weight has to meet on every data set, as margins: a negative one breaks its rule.

A rule that does not apply to a data set has the margin None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from statistics import fmean

from experiments.density_weight.experiment import margin
from experiments.maps import DENSMAP_WEIGHTS, densmap_at, featmap_at
from lab.map_scores import OUTLIERS, TRUST, Scores
from lab.pages import table
from lab.quality import DENSITY, TEN_NEIGHBORS

from .peer_maps import COMPARED

NEAR_THE_BEST = 0.015
NEAR_OUR_OWN = 0.012
DENSITY_GAIN = 0.25
MORE_OUTLIERS = 1.3
PRICES = {TRUST: "trust", TEN_NEIGHBORS: "accuracy"}

BySeed = dict[str, Scores]  # seed → metric → value
ByMethod = dict[str, BySeed]  # of one data set
Rules = Callable[[ByMethod, float], dict[str, float | None]]  # the margins of a weight by the rules' names


def mean_of(seeds: BySeed, metric: str) -> float:
    return fmean(scores[metric] for scores in seeds.values())


def beside_the_best(scores: ByMethod, weight: float, price: str) -> float | None:
    """At most 0.015 below the best of the other methods, where our map without density is."""
    limit = max(mean_of(scores[method], price) for method in COMPARED) - NEAR_THE_BEST
    if mean_of(scores[featmap_at(0)], price) < limit:
        return None
    return mean_of(scores[featmap_at(weight)], price) - limit


def beside_our_own(scores: ByMethod, weight: float, price: str) -> float:
    """At most 0.012 below our map without density."""
    return mean_of(scores[featmap_at(weight)], price) - mean_of(scores[featmap_at(0)], price) + NEAR_OUR_OWN


def density_gained(scores: ByMethod, weight: float) -> float:
    """The density correlation at least 0.25 above UMAP's."""
    return mean_of(scores[featmap_at(weight)], DENSITY) - mean_of(scores["UMAP"], DENSITY) - DENSITY_GAIN


def outliers_kept(scores: ByMethod, weight: float) -> float:
    """HDBSCAN's outliers at most 1.3 times those of our map without density: a rule for digits, shown for all."""
    return MORE_OUTLIERS * mean_of(scores[featmap_at(0)], OUTLIERS) - mean_of(scores[featmap_at(weight)], OUTLIERS)


def above_densmap(scores: ByMethod, weights: list[float], price: str) -> dict[float, float]:
    """For each weight of densMAP how far its point lies below our curve, seed 0."""
    curve = {weight: scores[featmap_at(weight)]["0"] for weight in sorted(weights)}
    return {weight: margin(curve, scores[densmap_at(weight)]["0"], price) for weight in DENSMAP_WEIGHTS}


def margins_of_quality(
    scores: ByMethod, weight: float, prices: Mapping[str, str] = PRICES
) -> dict[str, float | None]:
    """The rules on quality and density for one data set; ``prices`` are the metrics of quality and their names."""
    return {
        **{f"best: {name}": beside_the_best(scores, weight, price) for price, name in prices.items()},
        **{f"λ = 0: {name}": beside_our_own(scores, weight, price) for price, name in prices.items()},
        "density": density_gained(scores, weight),
    }


def margins(scores: ByMethod, weight: float) -> dict[str, float | None]:
    """All rules on a weight for one data set."""
    return {**margins_of_quality(scores, weight), "outliers": outliers_kept(scores, weight)}


def written(value: float | None) -> str:
    if value is None:
        return "—"
    return f"{value:+.3f}" if value >= 0 else f"**{value:+.3f}**"


def verdicts(scores: dict[str, ByMethod], weights: list[float]) -> Iterator[str]:
    """A table of margins for each weight, then that of densMAP's points."""
    for weight in weights:
        yield verdict_on_weight(scores, weight)
    yield from verdict_on_densmap(scores, weights)


def verdict_on_weight(scores: dict[str, ByMethod], weight: float, rules: Rules = margins) -> str:
    found = {data: rules(methods, weight) for data, methods in scores.items()}
    head = ("data", *next(iter(found.values())))
    rows = [[data, *map(written, row.values())] for data, row in found.items()]
    return f"Margins at λ = {weight:g}, mean over seeds; negative ones break the rule.\n\n{table(head, rows)}"


def verdict_on_densmap(scores: dict[str, ByMethod], weights: list[float]) -> Iterator[str]:
    for price, name in PRICES.items():
        below = {data: above_densmap(methods, [0.0, *weights], price) for data, methods in scores.items()}
        held = [value >= 0 for row in below.values() for value in row.values()]
        rows = [[data, *map(written, row.values())] for data, row in below.items()]
        title = f"densMAP's points below our curve of {name}: {sum(held)} of {len(held)}."
        yield f"{title}\n\n{table(('data', *map(densmap_at, DENSMAP_WEIGHTS)), rows)}"
