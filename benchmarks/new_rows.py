"""Where do new rows land, and which of them are far from the data? docs/new_rows.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.new_rows`` prints two tables and puts them there: the 10-NN accuracy
of test rows on the map of 2,500 training rows, and `outlier_score` of rows of other data sets. The placement was
chosen on MNIST and Fashion-MNIST. KMNIST and letters were looked at once, with everything fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from featmap import FeatMAP
from featmap.explanation.placement import memberships_of_new, nearest_rows
from featmap.run import Run
from lab.data.labelled import labelled
from lab.pages import line, put_between, table

OUT = Path(__file__).parent.parent / "docs" / "new_rows.md"
ACCURACY = "<!-- accuracy: begin -->", "<!-- accuracy: end -->"
FAR = "<!-- far: begin -->", "<!-- far: end -->"
N_ROWS = 2500  # to train with, and as many others to test with
WEIGHTS = (0.0, 0.25)
SEEDS = (0, 1)
N_VOTES = 10
LIMIT = 0.95  # the quantile of scores of test rows above which a score counts as far
NEAR = 0.01  # of the median distance on the map between neighbours in the data
SETS = ("MNIST", "Fashion-MNIST", "KMNIST", "letters")
ACCURACY_HEAD = ("data", "λ", "umap-learn", "average", "geometric median", "on a training row", "closer than 1 %")
FAR_HEAD = ("rows on the map of MNIST", "median score", "95 % quantile", "above the limit", "AUC")

Rows = tuple[np.ndarray, np.ndarray]


def data_set(name: str) -> Rows:
    found = labelled(name)
    return found.data, np.asarray(found.target)


@dataclass(frozen=True)
class Split:
    """Random training rows and as many random test rows, with their labels."""

    train: Rows
    test: Rows

    @classmethod
    def of(cls, X: np.ndarray, labels: np.ndarray, seed: int) -> Split:
        rows = np.random.default_rng(seed).choice(len(X), 2 * N_ROWS, replace=False)
        train, test = rows[:N_ROWS], rows[N_ROWS:]
        return cls((X[train], labels[train]), (X[test], labels[test]))

    def accuracy(self, embedding: np.ndarray, placed: np.ndarray) -> float:
        """The share of test rows whose nearest training rows on the map vote for their label."""
        return KNeighborsClassifier(N_VOTES).fit(embedding, self.train[1]).score(placed, self.test[1])


def average_places(model: FeatMAP, X: np.ndarray) -> np.ndarray:
    """The mean of the neighbours' places with weights P̃/d²."""
    mapped = model._points.mapped
    manifold = mapped.manifold
    with Run(-1) as run:
        near, _ = nearest_rows(X, manifold, run)
        strengths = memberships_of_new(near, manifold.n_neighbors, manifold, run)
    weights = strengths / np.maximum(near.distances.astype(np.float64), np.finfo(np.float32).tiny) ** 2
    shares = weights / weights.sum(axis=1, keepdims=True)
    return np.einsum("ij,ijc->ic", shares, mapped.embedding[near.indices])


def umap_accuracy(split: Split, seed: int) -> float:
    from umap import UMAP

    model = UMAP(random_state=seed, n_jobs=1).fit(split.train[0])
    return split.accuracy(model.embedding_, model.transform(split.test[0]))


def featmap_scores(split: Split, weight: float, seed: int) -> list[float]:
    """Accuracy of averages and of transform; the share of rows on a training row's place, exactly and nearly."""
    model = FeatMAP(density_weight=weight, random_state=seed).fit(split.train[0])
    placed, embedding = model.transform(split.test[0]), model.embedding_
    averages = average_places(model, split.test[0])
    gaps = np.linalg.norm(placed - embedding[nearest_places(placed, embedding)], axis=1)
    steps = np.linalg.norm(embedding[model.neighbors_[0]] - embedding[:, None], axis=2)
    shares = [float((gaps == 0).mean()), float((gaps < NEAR * np.median(steps)).mean())]
    return [split.accuracy(embedding, averages), split.accuracy(embedding, placed), *shares]


def nearest_places(placed: np.ndarray, embedding: np.ndarray) -> np.ndarray:
    return NearestNeighbors(n_neighbors=1).fit(embedding).kneighbors(placed, return_distance=False)[:, 0]


def accuracy_lines() -> Iterator[list[str]]:
    """One line for each data set and weight: means over the seeds."""
    for name in SETS:
        X, labels = data_set(name)
        splits = {seed: Split.of(X, labels, seed) for seed in SEEDS}
        of_umap = np.mean([umap_accuracy(split, seed) for seed, split in splits.items()])
        for weight in WEIGHTS:
            found = np.mean([featmap_scores(split, weight, seed) for seed, split in splits.items()], axis=0)
            *accuracies, exactly, nearly = found
            numbers = [f"{value:.3f}" for value in (of_umap, *accuracies)]
            yield [name, f"{weight:g}", *numbers, f"{exactly:.0%}", f"{nearly:.0%}"]


def far_lines() -> Iterator[list[str]]:
    """Scores of test rows of MNIST, which set the limit, and of rows of other sets on the same map."""
    split = Split.of(*data_set("MNIST"), 0)
    model = FeatMAP(random_state=0).fit(split.train[0])
    usual = model.outlier_score(split.test[0])
    limit = np.quantile(usual, LIMIT)
    others = {name: Split.of(*data_set(name), 0).test[0] for name in ("Fashion-MNIST", "KMNIST")}
    for name, rows in {"MNIST, training": split.train[0], "MNIST, test": split.test[0], **others}.items():
        scores = model.outlier_score(rows)
        auc = roc_auc_score(np.repeat([0, 1], [len(usual), len(scores)]), np.concatenate([usual, scores]))
        values = np.quantile(scores, [0.5, LIMIT])
        yield [
            name,
            *(f"{value:.2f}" for value in values),
            f"{(scores > limit).mean():.0%}",
            f"{auc:.3f}" if name in others else "",
        ]


def published(head: Sequence[str], lines: Iterator[list[str]], marks: tuple[str, str]) -> None:
    rows = []
    for cells in lines:
        print(line(cells), flush=True)
        rows.append(cells)
    put_between(OUT, *marks, table(head, rows))


def main() -> None:
    published(FAR_HEAD, far_lines(), FAR)
    published(ACCURACY_HEAD, accuracy_lines(), ACCURACY)


if __name__ == "__main__":
    main()
