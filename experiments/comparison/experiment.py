"""Every method on every data set by every metric: the paper's table, and its grid of maps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from featmap import plot
from lab.pages import table as markdown_table
from lab.quality import DENSITY

from ..maps import COMPARED, DEFAULT_WEIGHT, MAPS, METHODS, SEEDS, densmap_at, featmap_at
from ..report import Claim, Report, counted
from ..scores import GLOBAL, LOCAL, scores_of, seeds_to_score
from ..sets import QUICK_SET, SETS, prepared

OURS, WITHOUT, STRONG = featmap_at(DEFAULT_WEIGHT), featmap_at(0), featmap_at(2)
FAMILY = ("UMAP", densmap_at(2), "PaCMAP", "TriMap")
COLUMNS = LOCAL | GLOBAL | {DENSITY: "density"}
LESS_IS_MORE = {"normalized_stress", "scale_normalized_stress"}
TIE = 0.005  # of means over seeds; single seeds differ by about that
NEAR = 0.015
ABOUT = """Maps of six kinds of data by nine methods, measured by the paper's six metrics and the correlation of
local radii (`featmap.metrics`; ranks and pairs on 2,000 seeded points). Every package at its defaults, three seeds,
the mean and the standard deviation over them; † marks cells with one seed, ‡ with two, — maps that were not made.
Stress is taken with the map in its own units, and at the size that is best for it; less is better. Bold is the
best of a column."""

Table = dict[str, dict[str, list[float]]]  # method → metric → a value per seed


def run(report: Report) -> None:
    names = (QUICK_SET,) if report.quick else SETS
    tables = {data: measured(data, report) for data in names}
    for data, table in tables.items():
        maps = {method: MAPS.load(data, method) for method in table}
        ax = plot.compare(maps, labels=prepared(data).target)
        report.picture(ax.figure, data.lower().replace(" ", "_").replace(",", ""), f"{data}, seed 0", dpi=80)
    report.write(
        "Comparison with eight other methods",
        ABOUT + "\n\n" + versions(),
        claims(tables),
        {data: means(table) for data, table in tables.items()},
        tables=[f"## {data}\n\n{markdown(table)}" for data, table in tables.items()],
    )


def measured(data: str, report: Report) -> Table:
    """Scores of the methods that have a map of the data."""
    table: Table = {}
    for method in COMPARED:
        seeds = SEEDS[:1] if report.quick else seeds_to_score(data, method, report.only_made)
        by_seed = [scores_of(data, method, seed) for seed in seeds]
        if by_seed:
            table[method] = {metric: [scores[metric] for scores in by_seed] for metric in COLUMNS}
    return table


def means(table: Table) -> dict[str, dict[str, float]]:
    return {method: {metric: float(np.mean(v)) for metric, v in row.items()} for method, row in table.items()}


def versions() -> str:
    known = [f"{method} by {METHODS[method].source}" for method in COMPARED if not method.startswith("featMAP")]
    return "Made by: " + ", ".join(known) + "."


def markdown(table: Table) -> str:
    best = {metric: best_of(table, COMPARED, metric) for metric in COLUMNS}
    rows = []
    for method in COMPARED:
        row = table.get(method, {metric: [] for metric in COLUMNS})
        rows.append([method, *(cell(row[metric], best[metric]) for metric in COLUMNS)])
    return markdown_table(("method", *COLUMNS.values()), rows)


def cell(values: list[float], best: float) -> str:
    if not values:
        return "—"
    mean = f"**{np.mean(values):.3f}**" if np.mean(values) == best else f"{np.mean(values):.3f}"
    if len(values) == 1:
        return f"{mean} †"
    return f"{mean} ± {np.std(values, ddof=1):.3f}" + " ‡" * (len(values) < len(SEEDS))


def best_of(table: Table, methods: Iterable[str], metric: str) -> float:
    values = [np.mean(table[method][metric]) for method in methods if method in table]
    return min(values) if metric in LESS_IS_MORE else max(values)


def claims(tables: dict[str, Table]) -> list[Claim]:
    def mean(data: str, method: str, metric: str) -> float:
        return float(np.mean(tables[data][method][metric]))

    local = [(data, metric) for data in tables for metric in LOCAL]
    others = [method for method in COMPARED if not method.startswith(("featMAP", "densMAP"))]
    ties = {f"{d}, {m}": mean(d, WITHOUT, m) - mean(d, "UMAP", m) + TIE for d, m in local}
    denser = {d: mean(d, OURS, DENSITY) - best_of(tables[d], others, DENSITY) for d in tables}
    near = {f"{d}, {m}": mean(d, OURS, m) - best_of(tables[d], FAMILY, m) + NEAR for d, m in local}
    level = {d: mean(d, STRONG, DENSITY) - mean(d, densmap_at(2), DENSITY) + TIE for d in tables}
    within = {f"{d}, {m}": place_in_range(tables[d], m) for d in tables for m in (*LOCAL, *GLOBAL)}
    return [
        counted("the paper: comparable with others on local and global metrics (never the worst)", within),
        counted(f"λ = 0 ties UMAP on every local metric (no more than {TIE} below)", ties),
        counted("at the default λ local density is kept better than by every method but densMAP", denser),
        counted(f"at the default λ no local metric is more than {NEAR} below the best of UMAP's family", near),
        counted(f"at λ = 2 local density is kept as well as by densMAP (no more than {TIE} below)", level),
    ]


def place_in_range(table: Table, metric: str) -> float:
    """How far ours is from the worst of the others."""
    sign = -1 if metric in LESS_IS_MORE else 1
    others = [sign * np.mean(table[method][metric]) for method in table if not method.startswith("featMAP")]
    return float(sign * np.mean(table[OURS][metric]) - min(others))
