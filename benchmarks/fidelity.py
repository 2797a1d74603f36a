"""How true are the arrows? Fidelity of every kind, and trust in words, on real data: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.fidelity`` puts the table there. Both frame solvers are fitted to
the same map, featMAP's at its default settings; medians over up to 500 rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featmap import FeatMAP, explain
from lab.data.cells import log_counts
from lab.data.images import digits, load_images
from lab.data.manifolds import swiss_roll
from lab.data.parts import random_rows
from lab.pages import line, put_between, table

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
SCORED_ROWS = 500
BEGIN, END = "<!-- kinds: begin -->", "<!-- kinds: end -->"
SCORED = ("random", "frame", "paper", "tangent", "map", "blend")
HEAD = (
    *("data", "rows", "chance", "frame, aligned", "frame, paper", "tangent", "map", "blend"),
    *("of a plane", "of all", "word"),
)
SETS: dict[str, Callable[[], Any]] = {
    "swiss roll": swiss_roll,
    "digits": lambda: digits().data,
    "MNIST": lambda: load_images("MNIST").data,
    "Fashion-MNIST": lambda: load_images("Fashion-MNIST").data,
    "COIL-20": lambda: load_images("COIL-20").data,
    "PBMC 3k": lambda: log_counts("PBMC 3k"),
}


def cells(name: str, X: Any) -> list[str]:
    model = FeatMAP(random_state=0, pca=50 if sp.issparse(X) else None).fit(X)
    rows = np.sort(random_rows(X.shape[0], min(SCORED_ROWS, X.shape[0])))
    found = {kind: model.fidelity(rows, kind) for kind in SCORED if kind != "paper"}
    of_paper = explain(X, model.embedding_, frames="paper", pca=model.pca)
    found["paper"] = of_paper.fidelity(rows, "frame")
    trust = model.trust()
    shares = [f"{share:.2f}" for share in (trust.share_of_flat, trust.share_of_all)]
    scores = [f"{np.median(found[kind]):.3f}" for kind in SCORED]
    return [name, f"{X.shape[0]:,}", *scores, *shares, trust.word]


def main() -> None:
    rows = []
    for name, load in SETS.items():
        X = load()
        rows.append(cells(name, X))
        print(line(rows[-1]), flush=True)
    put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
