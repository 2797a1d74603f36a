"""The figures of the other methods as they were published, for runs that measure only featMAP's maps.

Attacked digits are left out: their images depend on the processor on which the attacked network was trained, so that
every method has to be measured on the same ones.

``python -m experiments.published`` holds them against the maps of these methods that there are in experiments/cache,
seed 0: it prints by how much each metric differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lab.pages import table
from lab.quality import DENSITY

from .maps import COMPARED, DENSMAP_WEIGHTS, MAPS, densmap_at
from .report import HERE
from .scores import GLOBAL, LOCAL, Cell, scores_of
from .sets import ADVERSARIAL, SETS

PEERS = tuple(method for method in COMPARED if not method.startswith("featMAP"))
METRICS = (*LOCAL, *GLOBAL, DENSITY)
KEPT_SETS = tuple(data for data in SETS if data != ADVERSARIAL)
KEPT = f"""The figures of the other methods are those of an earlier run (`--published-peers`), except on
{ADVERSARIAL}, whose images were made again; ours were measured again on all data sets."""

Row = dict[str, Cell]  # by metric


def figures_of(experiment: str) -> Any:
    return json.loads((HERE / experiment / "figures.json").read_text())["figures"]


def sources() -> dict[str, str]:
    """The package and version behind the figures of each method."""
    return figures_of("comparison")["made by"]


def rows_of_peers() -> dict[str, dict[str, Row]]:
    """The other methods' rows of the comparison, by data set."""
    scores = figures_of("comparison")["scores"]
    return {data: {m: as_row(scores[data][m]) for m in PEERS if m in scores[data]} for data in KEPT_SETS}


def as_row(stored: dict[str, dict[str, Any]]) -> Row:
    return {metric: Cell(**cell) for metric, cell in stored.items()}


def densmap_curves() -> dict[str, dict[float, dict[str, float]]]:
    """The scores of UMAP, at weight 0, and densMAP with seed 0, by data set and weight."""
    stored = figures_of("density_weight")["densMAP"]
    return {data: {float(weight): scores for weight, scores in stored[data].items()} for data in KEPT_SETS}


def published_scores() -> Iterator[tuple[str, str, dict[str, float]]]:
    """Data set, method and scores: of seed 0 where they were published, otherwise means over seeds."""
    rows, curves = rows_of_peers(), densmap_curves()
    for data in KEPT_SETS:
        with_seed_0 = {"UMAP": curves[data][0.0]} | {densmap_at(w): curves[data][w] for w in DENSMAP_WEIGHTS}
        means = {method: {metric: cell.mean for metric, cell in row.items()} for method, row in rows[data].items()}
        for method, scores in (means | with_seed_0).items():
            yield data, method, scores


def main() -> None:
    rows = []
    for data, method, published in published_scores():
        if MAPS.has(data, method, 0):
            now = scores_of(data, method)
            rows.append([data, method, *(f"{now[metric] - published[metric]:+.4f}" for metric in METRICS)])
    print(table(("data", "method", *METRICS), rows))


if __name__ == "__main__":
    main()
