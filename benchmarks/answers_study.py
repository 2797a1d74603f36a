"""Do answers survive noise? Planted clusters, tables with columns of noise, and markers of cells: docs/answers.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.answers_study`` prints the tables and puts them there; with names of
tables (noise, clusters, backing, own, platelets, failures, cells) only those. Maps are featMAP's at its defaults; for
cells with ``pca=50``, of the logarithms of all genes. No setting was chosen on these seeds, nor on these clusters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from experiments.single_cells.markers import markers_of
from featmap import Explanation, FeatMAP, in_original_units, prepare
from featmap.datasets import load_penguins
from featmap.explanation.apart import Comparison
from featmap.explanation.regression import default_neighbors
from featmap.run import Run
from lab.data.cells import log_counts
from lab.data.loaders import CELLS
from lab.data.planted import TABLES, clusters_with_own_features, with_noise
from lab.pages import line, put_between, table
from lab.rank_sums import rank_sum_scores

OUT = Path(__file__).parent.parent / "docs" / "answers.md"
ORDERS = ("apart", "shown", "varies")
SEEDS = range(200, 205)
CELL_SEEDS = (200, 201)
SHIFTS = (3.0, 4.0)  # how far the features of a cluster are from the rest, in standard deviations within clusters
N_TOP, N_GENES = 5, 10
NOISE_ROWS, NOISE_FEATURES = (200, 600, 2000), 40
ROWS_AT_ONCE = 200
PLATELET_GENES = ("PPBP", "PF4")

NOISE_HEAD = ("data", *(f"a row with noise in its first five, {by}" for by in ORDERS), "noise last on the map")
CLUSTER_HEAD = ("shift", "order", "of the own five", "in the cluster of 1 %", "noise first")
BACKING_HEAD = ("rows", "mean", "sd · √m", "counted as known")
OWN_HEAD = ("data", "rows with a value of their own", "rows where noise is one")
PLATELET_HEAD = ("seed", "how", "cells that were given them", *(f"{gene} is named" for gene in PLATELET_GENES))
FAILURE_HEAD = ("columns that are noise", "backing", "factor")
CELL_HEAD = ("cells", "seed", "z·f", "z·√sd·f", "z alone", "Wilcoxon", "markers")


def noise_in_tables() -> Iterator[list[str]]:
    """The part of the rows that have a column of noise among their first five, mean over seeds."""
    for name in TABLES:
        shares = []
        for seed in SEEDS:
            made = with_noise(name, seed)
            model = FeatMAP(random_state=seed).fit(made.data)
            tops = (model.top_features(k=N_TOP, by=by) for by in ORDERS)
            is_last = made.is_noise[model.map_variance().order[-np.count_nonzero(made.is_noise) :]].all()
            shares.append([*(made.is_noise[top].any(axis=1).mean() for top in tops), is_last])
        *shares_by_order, last = np.array(shares).T
        yield [name, *(f"{np.mean(share):.3f}" for share in shares_by_order), f"{last.sum():.0f} of {len(SEEDS)}"]


def own_features_of_clusters() -> Iterator[list[str]]:
    """The part of the five features of a row's cluster that are among its first five, smallest and largest seed."""
    for shift in SHIFTS:
        found: dict[str, list[tuple[float, ...]]] = {by: [] for by in ORDERS}
        for seed in SEEDS:
            made = clusters_with_own_features(seed, shift=shift)
            model = FeatMAP(random_state=seed).fit(made.data)
            is_small = made.target == made.target.max()
            for by in ORDERS:
                top = model.top_features(k=N_TOP, by=by)
                own = (top[:, :, None] == made.own[made.target][:, None, :]).any(axis=2).mean(axis=1)
                found[by].append((own.mean(), own[is_small].mean(), made.is_noise[top[:, 0]].mean()))
        for by, values in found.items():
            lowest, highest = np.min(values, axis=0), np.max(values, axis=0)
            yield [f"{shift:.0f}", by, *(f"{low:.2f}–{high:.2f}" for low, high in zip(lowest, highest, strict=True))]


def backing_of_noise() -> Iterator[list[str]]:
    """Of columns of noise beside as many that share three factors."""
    for n_rows in NOISE_ROWS:
        values, factors = [], []
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            known = rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, NOISE_FEATURES))
            X = np.column_stack([known, np.zeros_like(known)]) + rng.normal(size=(n_rows, 2 * NOISE_FEATURES))
            backing = FeatMAP(n_epochs=1, random_state=seed).fit(X).backing()
            values.append(backing.values[NOISE_FEATURES:])
            factors.append(backing.factors[NOISE_FEATURES:])
        spread = np.std(values) * np.sqrt(n_rows)
        counted = np.count_nonzero(factors)
        yield [f"{n_rows:,}", f"{np.mean(values):.4f}", f"{spread:.2f}", f"{counted} of {np.size(factors)}"]


def values_of_their_own() -> Iterator[list[str]]:
    """The part of the rows with a value unlike those around, and with noise among such values, mean over seeds."""
    for name in TABLES:
        found = []
        for seed in SEEDS:
            made = with_noise(name, seed)
            unlike = unlike_of(FeatMAP(random_state=seed).fit(made.data))
            found.append((unlike.any(axis=1).mean(), unlike[:, made.is_noise].any(axis=1).mean()))
        rows, noisy = np.mean(found, axis=0)
        yield [f"{name}, five columns of noise", f"{rows:.3f}", f"{noisy:.3f}"]
    penguins = load_penguins()
    frame = pd.DataFrame(penguins.data, columns=penguins.feature_names)
    frame["species"], frame["island"] = np.array(penguins.target_names)[penguins.target], penguins.island
    others = {
        "penguins, species and island": lambda seed: in_original_units(
            make_pipeline(prepare(frame), FeatMAP(random_state=seed)).fit(frame)
        ),
        "digits": lambda seed: FeatMAP(random_state=seed).fit(load_digits().data),
        "PBMC 3k": lambda seed: FeatMAP(pca=50, random_state=seed).fit(log_counts("PBMC 3k")),
    }
    for name, fitted in others.items():
        seeds = CELL_SEEDS if name in CELLS else SEEDS
        rows = np.mean([unlike_of(fitted(seed)).any(axis=1).mean() for seed in seeds])
        yield [name, f"{rows:.3f}", "–"]


def unlike_of(model: FeatMAP | Explanation) -> np.ndarray:
    """Whether each row is unlike those around it in each feature: (m, n)."""
    points = model._points
    with Run(model.n_jobs) as run:
        comparison = Comparison.of(points.mapped, run)
    rows, k = np.arange(len(points), dtype=np.int32), default_neighbors(len(points.mapped.embedding))
    blocks = np.split(rows, range(ROWS_AT_ONCE, len(rows), ROWS_AT_ONCE))
    return np.vstack([comparison.apart(points, block, k).unlike for block in blocks])


def platelets_among_others() -> Iterator[list[str]]:
    """B cells that are given PPBP and PF4, one for each platelet. How often these are named as their own.

    As new rows they do not change what is known of the genes. All in the fit, they are half of the cells with them.
    """
    cells = CELLS["PBMC 3k"]()
    genes = [list(cells.feature_names).index(gene) for gene in PLATELET_GENES]
    platelets = np.flatnonzero(cells.target == "Platelet")
    for seed in CELL_SEEDS:
        given = np.random.default_rng(seed).choice(np.flatnonzero(cells.target == "B"), len(platelets), replace=False)
        logs = log_counts("PBMC 3k")
        new = logs[given].toarray()
        new[:, genes] = logs[platelets][:, genes].toarray()
        changed = logs.tolil()
        changed[given] = new
        found = {
            "as new rows": unlike_of(FeatMAP(pca=50, random_state=seed).fit(logs).explain(new)),
            "all in the fit": unlike_of(FeatMAP(pca=50, random_state=seed).fit(changed.tocsr()))[given],
        }
        for how, unlike in found.items():
            yield [str(seed), how, str(len(given)), *(str(np.count_nonzero(unlike[:, gene])) for gene in genes)]


def noise_that_is_backed() -> Iterator[list[str]]:
    """A random category as one-hot columns, and noise with a near copy, beside the breast cancer table."""
    backed: dict[str, list[np.ndarray]] = {"one-hot, a random category of four": [], "noise and its near copy": []}
    for seed in SEEDS:
        known, rng = with_noise("breast cancer", seed, n_noise=0).data, np.random.default_rng(seed)
        one_hot = np.eye(4)[rng.integers(4, size=len(known))]
        noise = rng.normal(size=(len(known), 1))
        copies = np.hstack([noise, noise + 0.1 * rng.normal(size=noise.shape)])
        for name, columns in zip(backed, (one_hot / one_hot.std(axis=0), copies), strict=True):
            found = FeatMAP(n_epochs=1, random_state=seed).fit(np.hstack([known, columns])).backing()
            backed[name].append(np.array([found.values, found.factors])[:, known.shape[1] :])
    for name, values in backed.items():
        yield [name, *(f"{np.min(part):.2f}–{np.max(part):.2f}" for part in np.swapaxes(values, 0, 1))]


def markers_of_cells() -> Iterator[list[str]]:
    """Known markers among the first ten genes of each type, all types together."""
    for name, load in CELLS.items():
        cells, logs = load(), log_counts(name)
        types = np.array([kind.lstrip("0123456789") for kind in cells.target.tolist()])
        markers = markers_of(name, cells.feature_names)
        by_ranks = n_found(rank_sum_scores(logs, types), markers)
        for seed in CELL_SEEDS:
            model = FeatMAP(pca=50, random_state=seed).fit(logs)
            found = [n_found(scores, markers) for scores in scores_of_types(model, types, list(markers))]
            yield [name, str(seed), *map(str, found), str(by_ranks), str(sum(map(len, markers.values())))]


def scores_of_types(model: FeatMAP, types: np.ndarray, kinds: list[str]) -> Iterator[dict[str, np.ndarray]]:
    """Mean z·f of each type of cells, mean z·√sd·f, and mean z."""
    points, k = model._points, default_neighbors(len(types))
    with Run(model.n_jobs) as run:
        by_spread, by_units = (Comparison.of(points.mapped, run, scale) for scale in ("spread", "units"))
    cells = {kind: np.flatnonzero(types == kind).astype(np.int32) for kind in kinds}
    apart = {kind: by_spread.together(points, rows, k) for kind, rows in cells.items()}
    yield {kind: found.score[0] for kind, found in apart.items()}
    yield {kind: by_units.together(points, rows, k).score[0] for kind, rows in cells.items()}
    yield {kind: found.z[0] for kind, found in apart.items()}


def n_found(scores: dict[str, np.ndarray], markers: dict[str, list[int]]) -> int:
    tops = {kind: np.argsort(-scores[kind], kind="stable")[:N_GENES] for kind in markers}
    return sum(int(np.isin(tops[kind], wanted).sum()) for kind, wanted in markers.items())


STUDIES = {
    "noise": (NOISE_HEAD, noise_in_tables),
    "clusters": (CLUSTER_HEAD, own_features_of_clusters),
    "backing": (BACKING_HEAD, backing_of_noise),
    "own": (OWN_HEAD, values_of_their_own),
    "platelets": (PLATELET_HEAD, platelets_among_others),
    "failures": (FAILURE_HEAD, noise_that_is_backed),
    "cells": (CELL_HEAD, markers_of_cells),
}


def main(names: Sequence[str]) -> None:
    for name in names or STUDIES:
        head, study = STUDIES[name]
        rows = []
        for cells in study():
            print(line(cells), flush=True)
            rows.append(cells)
        put_between(OUT, f"<!-- {name}: begin -->", f"<!-- {name}: end -->", table(head, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
