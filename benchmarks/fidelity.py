"""How true are the arrows? Fidelity of every kind, beside its floor and its ceiling, on real data: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python benchmarks/fidelity.py`` puts the table there. Both frame solvers are fitted to
the same map, featMAP's at its default settings; medians over up to 1,000 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from data import mnist_file
from records import put_between
from sklearn.datasets import make_swiss_roll

from featmap import FeatMAP, explain

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
SCORED_ROWS = 1000
BEGIN, END = "<!-- kinds: begin -->", "<!-- kinds: end -->"
HEAD = """| data | rows | chance | frame, aligned | frame, paper | tangent | map = ceiling |
|---|---|---|---|---|---|---|
"""


def both_parts(file: Any) -> np.ndarray:
    return np.concatenate([file["X_train"], file["X_test"]]).astype(np.float32)


def log_counts(file: Any) -> sp.csr_matrix:
    """Counts per 10,000 of each cell, as logarithms."""
    counts = sp.csr_matrix((file["data"], file["indices"], file["indptr"]), shape=tuple(file["shape"]), dtype=float)
    scaled = sp.diags_array(1e4 / np.asarray(counts.sum(axis=1)).ravel()) @ counts
    return scaled.tocsr().log1p().astype(np.float32)


SETS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "MNIST": ("mnist", both_parts),
    "Fashion-MNIST": ("fashion_mnist", both_parts),
    "COIL-20": ("coil20", lambda file: file["X"].reshape(1440, -1).astype(np.float32)),
    "PBMC 3k": ("pbmc3k", log_counts),
}


def data_sets() -> Iterator[tuple[str, Any]]:
    folder = mnist_file().parent
    yield "swiss roll", make_swiss_roll(5000, random_state=0)[0]
    for name, (file, read) in SETS.items():
        yield name, read(np.load(folder / f"{file}.npz"))


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
    for name, X in data_sets():
        text += line(name, X.shape[0], scores(X))
        print(text.splitlines()[-1], flush=True)
    put_between(OUT, BEGIN, END, text)


if __name__ == "__main__":
    main()
