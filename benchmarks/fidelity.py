"""How true are the arrows? Fidelity of every kind, beside its floor and its ceiling, on real data: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python benchmarks/fidelity.py`` puts the table there. Both frame solvers are fitted to
the same map, featMAP's at its default settings; medians over up to 1,000 rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from records import put_between
from sklearn.datasets import make_swiss_roll

from featmap import FeatMAP, explain
from featmap.datasets import load_coil20, load_fashion_mnist, load_mnist
from loaders import load_pbmc3k

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
SCORED_ROWS = 1000
BEGIN, END = "<!-- kinds: begin -->", "<!-- kinds: end -->"
HEAD = """| data | rows | chance | frame, aligned | frame, paper | tangent | map = ceiling |
|---|---|---|---|---|---|---|
"""


def log_counts(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Counts per 10,000 of each cell, as logarithms."""
    scaled = sp.diags_array(1e4 / np.asarray(counts.sum(axis=1)).ravel()) @ counts
    return scaled.tocsr().log1p().astype(np.float32)


SETS: dict[str, Callable[[], Any]] = {
    "swiss roll": lambda: make_swiss_roll(5000, random_state=0)[0],
    "MNIST": lambda: load_mnist().data.astype(np.float32),
    "Fashion-MNIST": lambda: load_fashion_mnist().data.astype(np.float32),
    "COIL-20": lambda: load_coil20().data.astype(np.float32),
    "PBMC 3k": lambda: log_counts(load_pbmc3k().data),
}


def scores(X: Any) -> dict[str, float]:
    model = FeatMAP(random_state=0).fit(X)
    n_rows = X.shape[0]
    rows = np.sort(np.random.default_rng(0).choice(n_rows, min(SCORED_ROWS, n_rows), replace=False))
    found = {kind: model.fidelity(rows, kind) for kind in ("random", "frame", "tangent", "map")}
    found["paper"] = explain(X, model.embedding_, frames="paper").fidelity(rows, "frame")
    return {kind: float(np.median(values)) for kind, values in found.items()}


def line(name: str, n_rows: int, found: dict[str, float]) -> str:
    cells = [f"{found['random']:.3f}"]
    cells += [f"{found[kind]:.3f} ({found[kind] / found['map']:.2f})" for kind in ("frame", "paper", "tangent")]
    return f"| {name} | {n_rows:,} | {' | '.join(cells)} | {found['map']:.3f} |\n"


def main() -> None:
    text = HEAD
    for name, load in SETS.items():
        X = load()
        text += line(name, X.shape[0], scores(X))
        print(text.splitlines()[-1], flush=True)
    put_between(OUT, BEGIN, END, text)


if __name__ == "__main__":
    main()
