"""The figures of the other methods as they were published, for runs that measure only featMAP's maps.

Attacked digits are left out: their images depend on the processor on which the attacked network was trained, so that
every method has to be measured on the same ones.

``python -m experiments.published`` holds them against the maps of these methods that there are in experiments/cache,
seed 0: it prints by how much each metric differs from the mean over the seeds.
"""

from __future__ import annotations

import json
from typing import Any

from lab.pages import table

from .maps import COMPARED, MAPS
from .report import HERE
from .scores import GLOBAL, LOCAL, Cell, scores_of
from .sets import ADVERSARIAL, SETS

PEERS = tuple(method for method in COMPARED if not method.startswith("featMAP"))
METRICS = (*LOCAL, *GLOBAL)
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


def main() -> None:
    rows = []
    for data, published in rows_of_peers().items():
        for method in published:
            if MAPS.has(data, method, 0):
                now = scores_of(data, method)
                differences = (now[metric] - published[method][metric].mean for metric in METRICS)
                rows.append([data, method, *(f"{difference:+.4f}" for difference in differences)])
    print(table(("data", "method", *METRICS), rows))


if __name__ == "__main__":
    main()
