"""Are arrows true where a point has its neighbours? The strict test of every kind of arrow: docs/fidelity.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.strict_arrows`` puts the table there. The rows of a map are split at
random. Neighbours, tangent spaces and arrows are made of one half. Arrows then predict the change of the features
from a row to its 14 nearest rows, in the data, of the other half; the score is the cosine of all predicted and all
true changes. *Without walk* are tangent arrows fitted to all of the nearest rows on the map alike.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from featmap import Explanation, FeatMAP, explain
from featmap.explanation.arrows import SCORED, Arrows
from featmap.explanation.neighborhoods import Neighborhoods, RowsAround
from featmap.explanation.regression import default_neighbors
from featmap.explanation.spaces import SpacesOfFit
from lab.data.labelled import labelled
from lab.pages import line, put_between, table

OUT = Path(__file__).parent.parent / "docs" / "fidelity.md"
BEGIN, END = "<!-- strict: begin -->", "<!-- strict: end -->"
SETS = (
    *("digits", "COIL-20", "PBMC 3k", "Paul 2015", "MNIST 10k", "Fashion-MNIST 10k"),
    *("KMNIST", "letters", "CIFAR-10"),
)
N_SCORED, N_TRUE = 300, 14
FLAT = "tangent, without walk"
KINDS = ("random", "frame", "map", FLAT, "tangent", "blend")
HEAD = ("data", *KINDS, f"blend − {FLAT}")


def scores(X: Any, seed: int) -> dict[str, np.ndarray]:
    """The cosine of every scored row, by the kind of arrows."""
    embedding = FeatMAP(random_state=seed).fit_transform(X)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    known, others = np.sort(order[: len(X) // 2]), np.sort(order[len(X) // 2 :])
    explanation = explain(X[known], embedding[known])
    rows = np.sort(rng.choice(len(known), min(N_SCORED, len(known)), replace=False)).astype(np.int32)
    near = others[NearestNeighbors(n_neighbors=N_TRUE).fit(X[others]).kneighbors(X[known[rows]])[1]]
    steps = embedding[near].astype(np.float64) - embedding[known[rows], None]
    changes = X[near].astype(np.float64) - X[known[rows], None]
    return {kind: cosines(np.concatenate(list(drawn(explanation, kind, rows))), steps, changes) for kind in KINDS}


def drawn(explanation: Explanation, kind: str, rows: np.ndarray) -> Iterator[np.ndarray]:
    """The arrows of each row, (1, d', n), in unit size, which a cosine does not see."""
    points = explanation._points
    k = default_neighbors(len(points))
    draw: Arrows = SCORED["tangent" if kind == FLAT else kind]
    make = equally_weighted if kind == FLAT else Neighborhoods.around
    for row in rows[:, None]:
        yield draw(make(points, row, k, points.mapped.copies), SpacesOfFit(points, row))


def equally_weighted(points: Any, chosen: np.ndarray, k: int, units: np.ndarray) -> Neighborhoods:
    near = points.nearest_on_map(chosen, k)
    return Neighborhoods(RowsAround(points.mapped, near), np.full(near.shape, 1 / k), units[near])


def cosines(arrows: np.ndarray, steps: np.ndarray, changes: np.ndarray) -> np.ndarray:
    predicted = steps @ arrows
    sizes = np.linalg.norm(predicted, axis=(1, 2)) * np.linalg.norm(changes, axis=(1, 2))
    return np.divide((predicted * changes).sum(axis=(1, 2)), sizes, out=np.zeros(len(sizes)), where=sizes > 0)


def interval(differences: np.ndarray) -> str:
    """The mean and its 95 % interval, by the bootstrap over rows."""
    rng = np.random.default_rng(0)
    means = rng.choice(differences, (2000, len(differences))).mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def cells(name: str, seeds: int) -> list[str]:
    X = labelled(name).data
    by_seed = [scores(X, seed) for seed in range(seeds)]
    found = {kind: np.concatenate([one[kind] for one in by_seed]) for kind in KINDS}
    return [name, *(f"{found[kind].mean():.3f}" for kind in KINDS), interval(found["blend"] - found[FLAT])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.sets:
        rows.append(cells(name, arguments.seeds))
        print(line(rows[-1]), flush=True)
    if tuple(arguments.sets) == SETS:
        put_between(OUT, BEGIN, END, table(HEAD, rows))


if __name__ == "__main__":
    main()
