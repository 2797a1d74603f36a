"""How true are the arrows? Fidelity of every kind, beside its floor and its ceiling, on real data: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.fidelity`` puts the table there. Both frame solvers are fitted to
the same map, featMAP's at its default settings; medians over up to 1,000 rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from featmap import FeatMAP, explain
from lab.data.cells import log_counts
from lab.data.images import load_images
from lab.data.manifolds import swiss_roll
from lab.data.parts import random_rows
from lab.pages import line, put_between, table

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
SCORED_ROWS = 1000
BEGIN, END = "<!-- kinds: begin -->", "<!-- kinds: end -->"
HEAD = ("data", "rows", "chance", "frame, aligned", "frame, paper", "tangent", "map = ceiling")
SETS: dict[str, Callable[[], Any]] = {
    "swiss roll": swiss_roll,
    "MNIST": lambda: load_images("MNIST").data,
    "Fashion-MNIST": lambda: load_images("Fashion-MNIST").data,
    "COIL-20": lambda: load_images("COIL-20").data,
    "PBMC 3k": lambda: log_counts("PBMC 3k"),
}


def scores(X: Any) -> dict[str, float]:
    model = FeatMAP(random_state=0).fit(X)
    rows = np.sort(random_rows(X.shape[0], min(SCORED_ROWS, X.shape[0])))
    found = {kind: model.fidelity(rows, kind) for kind in ("random", "frame", "tangent", "map")}
    found["paper"] = explain(X, model.embedding_, frames="paper").fidelity(rows, "frame")
    return {kind: float(np.median(values)) for kind, values in found.items()}


def cells(name: str, n_rows: int, found: dict[str, float]) -> list[str]:
    kinds = [f"{found[kind]:.3f} ({found[kind] / found['map']:.2f})" for kind in ("frame", "paper", "tangent")]
    return [name, f"{n_rows:,}", f"{found['random']:.3f}", *kinds, f"{found['map']:.3f}"]


def main() -> None:
    rows = []
    for name, load in SETS.items():
        X = load()
        rows.append(cells(name, X.shape[0], scores(X)))
        print(line(rows[-1]), flush=True)
    put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
