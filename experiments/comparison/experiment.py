"""Every method on every data set by every metric: the paper's table, and its grid of maps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from featmap import plot
from lab.pages import table as markdown_table

from ..maps import COMPARED, MAPS, METHODS, OURS, SEEDS, WITHOUT_DENSITY, densmap_at
from ..published import KEPT, PEERS, Row, rows_of_peers, sources
from ..report import Claim, Report, counted
from ..scores import GLOBAL, LOCAL, Cell, scores_of, seeds_to_score
from ..sets import QUICK_SET, SETS, prepared

FAMILY = ("UMAP", densmap_at(2), "PaCMAP", "TriMap")
COLUMNS = LOCAL | GLOBAL
LESS_IS_MORE = {"normalized_stress", "scale_normalized_stress"}
TIE = 0.005  # of means over seeds; single seeds differ by about that
NEAR = 0.015
ABOUT = """Maps of six kinds of data by nine methods, measured by the paper's six metrics (`featmap.metrics`; ranks
and pairs on 2,000 seeded points); [density](../density_scale/README.md) has a study of its own. Every package at its
defaults, three seeds, the mean and the standard deviation over them; † marks cells with one seed, ‡ with two, — maps
that were not made. Stress is taken with the map in its own units, and at the size that is best for it; less is
better. Bold is the best of a column."""

Table = dict[str, Row]  # by method


def run(report: Report) -> None:
    names = (QUICK_SET,) if report.quick else SETS
    kept = rows_of_peers() if report.published_peers else {}
    tables = {data: measured(data, kept.get(data, {}), report) for data in names}
    made_by = sources() if report.published_peers else {method: METHODS[method].source for method in PEERS}
    packages = f"Made by: {', '.join(f'{method} by {source}' for method, source in made_by.items())}."
    for data, table in tables.items():
        draw(report, data, table)
    report.write(
        "Comparison with eight other methods",
        "\n\n".join([ABOUT, packages, KEPT] if report.published_peers else [ABOUT, packages]),
        claims(tables),
        {"made by": made_by, "scores": {data: stored(table) for data, table in tables.items()}},
        tables=[f"## {data}\n\n{markdown(table)}" for data, table in tables.items()],
    )


def measured(data: str, kept: Table, report: Report) -> Table:
    """The rows that are kept from an earlier run, and those of all other methods that have a map."""
    table: Table = {}
    for method in COMPARED:
        row = kept.get(method) or row_of(data, method, report)
        if row:
            table[method] = row
    return table


def row_of(data: str, method: str, report: Report) -> Row:
    """The metrics over the seeds; none if there is no map, and none is to be made."""
    seeds = SEEDS[:1] if report.quick else seeds_to_score(data, method, report.only_made)
    by_seed = [scores_of(data, method, seed) for seed in seeds]
    return {metric: Cell.of([scores[metric] for scores in by_seed]) for metric in COLUMNS} if by_seed else {}


def draw(report: Report, data: str, table: Table) -> None:
    """The maps that there are: of rows that were kept from an earlier run the maps may be gone."""
    maps = {method: MAPS.load(data, method) for method in table if MAPS.has(data, method, 0)}
    missing = [method for method in COMPARED if method not in maps]
    ax = plot.compare(maps, labels=prepared(data).target)
    caption = f"{data}, seed 0" + (f"; not drawn: {', '.join(missing)}" if missing else "")
    report.picture(ax.figure, data.lower().replace(" ", "_").replace(",", ""), caption, dpi=80)


def stored(table: Table) -> dict[str, dict[str, dict[str, float]]]:
    return {method: {metric: asdict(cell) for metric, cell in row.items()} for method, row in table.items()}


def markdown(table: Table) -> str:
    best = {metric: best_of(table, COMPARED, metric) for metric in COLUMNS}
    rows = [[method, *(written(table.get(method, {}).get(m), best[m]) for m in COLUMNS)] for method in COMPARED]
    return markdown_table(("method", *COLUMNS.values()), rows)


def written(cell: Cell | None, best: float) -> str:
    if cell is None:
        return "—"
    mean = f"**{cell.mean:.3f}**" if cell.mean == best else f"{cell.mean:.3f}"
    if cell.deviation is None:
        return f"{mean} †"
    return f"{mean} ± {cell.deviation:.3f}" + " ‡" * (cell.n_seeds < len(SEEDS))


def best_of(table: Table, methods: Iterable[str], metric: str) -> float:
    values = [table[method][metric].mean for method in methods if method in table]
    return min(values) if metric in LESS_IS_MORE else max(values)


def claims(tables: dict[str, Table]) -> list[Claim]:
    def mean(data: str, method: str, metric: str) -> float:
        return tables[data][method][metric].mean

    local = [(data, metric) for data in tables for metric in LOCAL]
    ties = {f"{d}, {m}": mean(d, WITHOUT_DENSITY, m) - mean(d, "UMAP", m) + TIE for d, m in local}
    near = {f"{d}, {m}": mean(d, OURS, m) - best_of(tables[d], FAMILY, m) + NEAR for d, m in local}
    level = {f"{d}, {m}": mean(d, OURS, m) - mean(d, WITHOUT_DENSITY, m) + TIE for d, m in local}
    within = {f"{d}, {m}": place_in_range(tables[d], m) for d in tables for m in (*LOCAL, *GLOBAL)}
    return [
        counted("the paper: comparable with others on local and global metrics (never the worst)", within),
        counted(f"p = 0 ties UMAP on every local metric (no more than {TIE} below)", ties),
        counted(f"at the default p no local metric is more than {NEAR} below the best of UMAP's family", near),
        counted(f"at the default p no local metric is more than {TIE} below that of p = 0", level),
    ]


def place_in_range(table: Table, metric: str) -> float:
    """How far ours is from the worst of the others."""
    sign = -1 if metric in LESS_IS_MORE else 1
    others = [sign * table[method][metric].mean for method in PEERS if method in table]
    return sign * table[OURS][metric].mean - min(others)
