"""What density as a change of variables does to maps and what it costs, beside densMAP, ScaleMAP, UMAP and PaCMAP."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.pages import table as markdown_table

from ..report import Claim, Report, counted
from ..sets import QUICK_SET
from .maps import DEFAULT, DENSMAP, MAPS, METHODS, OURS, SCALEMAP, SEEDS, featmap_at
from .pictures import curves, side_by_side
from .scores import MEASURES, scores_of
from .sets import CHOSEN, CONFIRMED, studied

PRICES = {
    "accuracy": "10-NN accuracy",
    "trustworthiness": "trustworthiness",
    "neighbors_kept": "share of neighbours kept",
}
OWN_DENSITY = "density_b"
WITHOUT = featmap_at(0)
TIE = 0.005
FAMILIES = {
    "featMAP": {method: method.removeprefix("featMAP ") for method in OURS},
    "densMAP": {"UMAP": "", **{method: method.removeprefix("densMAP ") for method in DENSMAP}},
    "ScaleMAP": {"UMAP": "", **{method: method.removeprefix("ScaleMAP ") for method in SCALEMAP}},
    "PaCMAP": {"PaCMAP": ""},
    "UMAP": {"UMAP": ""},
    "featMAP, its default": {DEFAULT: ""},
}
DRAWN = ("UMAP", "densMAP λ=2", "ScaleMAP λ=0.5", "ScaleMAP λ=1", "PaCMAP", *OURS, DEFAULT)
ABOUT = f"""`density` (p) divides every displacement on the map by the data's own length to the power p: p = 0 is
UMAP, p = 1 isometric. The row featMAP is the default: p = 1.5, or less where local scales differ much. It was chosen
on {", ".join(CHOSEN)}, and then measured once
on {", ".join(CONFIRMED)}. Every set has at most 10,000 rows; figures are means of the
seeds 0 and 1. All methods but PaCMAP were given the same 15 neighbours (with the row itself), everything else is at
each package's defaults. `purchases` is made: counts with heavy tails.

- 10-NN acc.: accuracy of a 10-NN classifier, leaving one out; trust.: trustworthiness at 15, over all rows; kept: the
  share of the data's 15 neighbours that are among the map's.
- Density, which no loss holds: (a) correlation of the log mean squared distance to the data's own 15 neighbours, in
  the data and on the map; (b) of the log distance to the own 15th neighbour of each side; (c) the ranks of
  (b). Slope: that of (b), log distance on the map by log distance in the data.
- Farthest: the largest distance from the map's centre by the median one."""
KEPT = "The figures of the other methods are those of an earlier run (`--published-peers`)."

CONTESTS = (
    (OWN_DENSITY, DEFAULT, ("UMAP",), "density (b) is above that of UMAP"),
    (OWN_DENSITY, DEFAULT, DENSMAP, "density (b) is above that of densMAP"),
    ("neighbors_kept", DEFAULT, DENSMAP, "more neighbours are kept than by densMAP"),
    (OWN_DENSITY, featmap_at(2), SCALEMAP, "at p = 2 density (b) is above that of ScaleMAP"),
    ("neighbors_kept", featmap_at(2), SCALEMAP, "at p = 2 more neighbours are kept than by ScaleMAP"),
)

Row = dict[str, float]  # by measure
Table = dict[str, Row]  # by method


def run(report: Report) -> None:
    parts = {"quick": (QUICK_SET,)} if report.quick else {"choice": CHOSEN, "confirmation": CONFIRMED}
    kept = published(report) if report.published_peers else {}
    seeds = SEEDS[:1] if report.quick else SEEDS
    tables = {data: measured(data, seeds, kept.get(data, {})) for names in parts.values() for data in names}
    figure = curves(tables, FAMILIES, (OWN_DENSITY, "density (b)"), without("trustworthiness"))
    report.picture(
        figure,
        "curves",
        "Accuracy, and neighbours kept, against density (b); more is better. Curves begin at p = 0 and at UMAP",
        dpi=110,
    )
    for part, names in parts.items():
        report.picture(drawn(names), f"maps_{part}", f"Maps of the {part}, seed 0; all points are within the panels")
    report.write(
        "Density as a change of variables",
        f"{ABOUT}\n\n{KEPT}" if report.published_peers else ABOUT,
        [claim for part, names in parts.items() for claim in claims(part, {data: tables[data] for data in names})],
        {"scores": tables},
        tables=[f"## {data}\n\n{markdown(table)}" for data, table in tables.items()],
    )


def without(price: str) -> dict[str, str]:
    return {name: title for name, title in PRICES.items() if name != price}


def published(report: Report) -> dict[str, Table]:
    stored: dict[str, Any] = json.loads((report.home / "figures.json").read_text())
    return stored["figures"]["scores"]


def measured(data: str, seeds: Sequence[int], kept: Table) -> Table:
    """The rows that are kept from an earlier run, which has no say about ours, and those of all other methods."""
    return {
        method: kept[method] if method in kept and method not in (*OURS, DEFAULT) else mean_row(data, method, seeds)
        for method in METHODS
    }


def mean_row(data: str, method: str, seeds: Sequence[int]) -> Row:
    by_seed = [scores_of(data, method, seed) for seed in seeds]
    return {measure: float(np.mean([scores[measure] for scores in by_seed])) for measure in MEASURES}


def drawn(names: Sequence[str]) -> Any:
    """The maps that there are: of rows that were kept from an earlier run the maps may be gone."""
    maps = {data: {m: MAPS.load(data, m) for m in DRAWN if MAPS.has(data, m, 0)} for data in names}
    return side_by_side(maps, {data: studied(data).target for data in names}, DRAWN)


def markdown(table: Table) -> str:
    rows = []
    for method, row in table.items():
        cells = [f"{row[measure]:.1f}" if measure == "farthest" else f"{row[measure]:.3f}" for measure in MEASURES]
        rows.append([f"**{method}**" if method == DEFAULT else method, *cells])
    return markdown_table(("method", *MEASURES.values()), rows)


def claims(part: str, tables: Mapping[str, Table]) -> list[Claim]:
    """The rules, written down before the default was measured, and how we do beside densMAP and ScaleMAP."""
    result = []
    for rival in (WITHOUT, "UMAP"):
        leads = {(d, m): table[DEFAULT][m] - table[rival][m] for d, table in tables.items() for m in PRICES}
        means = {m: float(np.mean([leads[d, m] for d in tables])) for m in PRICES}
        result += [
            Claim(
                f"{part}: accuracy, trustworthiness and neighbours kept are at least those of {rival} on the mean",
                ", ".join(f"{PRICES[m]} {mean:+.3f}" for m, mean in means.items()),
                min(means.values()) >= 0,
            ),
            counted(
                f"{part}: none of them is more than {TIE} below that of {rival}",
                {f"{d}, {PRICES[m]}": lead + TIE for (d, m), lead in leads.items()},
            ),
        ]
    for measure, method, family, what in CONTESTS:
        margins = {
            f"{d}, {rival}": table[method][measure] - table[rival][measure]
            for d, table in tables.items()
            for rival in family
        }
        result.append(counted(f"{part}: {what}", margins))
    return result
