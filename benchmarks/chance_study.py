"""How often does a row have an arrow by chance? Maps whose rows were shuffled against the data: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.chance_study`` puts the table there. The map is that of the data,
with its rows in a random order, so that it has nothing to do with any feature. At most 5 % of the rows should have
an arrow that beats chance.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

from featmap import FeatMAP, explain
from lab.data.cells import log_counts
from lab.data.labelled import labelled
from lab.pages import line, put_between, table

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
BEGIN, END = "<!-- chance: begin -->", "<!-- chance: end -->"
HEAD = ("data", "features", "rows with an arrow, shuffled", "as it is", "arrows of a row, shuffled", "as it is")
N_ROWS = 300
SEEDS = (0, 1)


def components() -> np.ndarray:
    return TruncatedSVD(50, random_state=0).fit_transform(log_counts("PBMC 3k"))


SETS: dict[str, Callable[[], Any]] = {
    "MNIST 10k": lambda: labelled("MNIST 10k").data,
    "PBMC 3k, genes": lambda: log_counts("PBMC 3k"),
    "PBMC 3k, components": components,
}


def cells(name: str) -> list[str]:
    X = SETS[name]()
    embedding = FeatMAP(random_state=0, pca=50 if sp.issparse(X) else None).fit_transform(X)
    found = {"shuffled": [], "as it is": []}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        rows = rng.choice(X.shape[0], N_ROWS, replace=False)
        for kind, order in (("shuffled", rng.permutation(X.shape[0])), ("as it is", slice(None))):
            found[kind].append(explain(X, embedding[order]).significant_arrows(rows))
    shares = {kind: np.concatenate(parts) for kind, parts in found.items()}
    any_arrow = [f"{part.any(axis=1).mean():.1%}" for part in shares.values()]
    return [name, str(X.shape[1]), *any_arrow, *(f"{part.sum(axis=1).mean():.2f}" for part in shares.values())]


def main() -> None:
    rows = []
    for name in SETS:
        rows.append(cells(name))
        print(line(rows[-1]), flush=True)
    put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
