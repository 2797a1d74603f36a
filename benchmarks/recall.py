"""How many of the true neighbours are found, and how fast, on easy and hard data.

``FEATMAP_DATA=/path/to/data python -m benchmarks.recall [names]`` prints a table: the recall of the 14 nearest others
that the search measured itself, the recall on 300 other rows by `lab.recall`, CPU seconds of one thread, and how
widely it searched. All data sets have more than 10,000 rows, up to which the search is exact. Settings were chosen on
the sets of CHOSEN_ON, those of CONFIRMED_ON had no part in it. The peer is pynndescent with umap-learn's settings.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from featmap.data.scaling import ScaledData, scale_data
from featmap.neighbors import find_neighbors, make_search
from featmap.run import Run
from lab.data.confirmation import load_letters
from lab.data.documents import documents
from lab.data.images import load_images
from lab.data.manifolds import curved_sheets, gaussian
from lab.data.survey import survey
from lab.pages import line
from lab.recall import recall

N_OTHERS = 14
PEER = "pynndescent on the Gaussian, 100,000 rows"


@dataclass(frozen=True)
class Set:
    """Rows as users have them, and as the search sees them."""

    X: Any
    metric: str = "euclidean"

    @cached_property
    def scaled(self) -> ScaledData:
        return scale_data(self.X, unit_rows=self.metric == "cosine")


CHOSEN_ON: dict[str, Callable[[], Set]] = {
    "sheets, 100,000 rows": lambda: Set(curved_sheets(100_000)[0]),
    "Gaussian, 100,000 rows": lambda: Set(gaussian(100_000)),
    "MNIST": lambda: Set(load_images("MNIST").data),
}
CONFIRMED_ON: dict[str, Callable[[], Set]] = {
    "Gaussian, 1,000,000 rows": lambda: Set(gaussian(1_000_000)),
    "harder Gaussian, 100,000 rows": lambda: Set(gaussian(100_000, power=0.25, seed=1)),
    "survey": lambda: Set(survey()[0]),
    "survey, another seed": lambda: Set(survey(seed=1)[0]),
    "tf-idf, cosine": lambda: Set(documents()[0], "cosine"),
    "tf-idf, cosine, another seed": lambda: Set(documents(seed=1)[0], "cosine"),
    "Fashion-MNIST": lambda: Set(load_images("Fashion-MNIST").data),
    "letters": lambda: Set(load_letters().data.astype(np.float32)),
    "KMNIST and mirror images": lambda: Set(with_mirror_images("KMNIST", 28, 28)),
    "CIFAR-10 test and mirror images": lambda: Set(with_mirror_images("CIFAR-10", 32, 32, 3)),
}


def with_mirror_images(name: str, *shape: int) -> np.ndarray:
    """Images and their mirror images, since 10,000 alone would be searched exactly."""
    rows = load_images(name).data
    return np.concatenate([rows, rows.reshape(-1, *shape)[:, :, ::-1].reshape(rows.shape)])


def measured(name: str, data: Set, run: Run) -> list[str]:
    """A line of the table."""
    search = make_search(data.scaled, data.X, data.metric, N_OTHERS + 1)
    before = time.process_time()
    found = find_neighbors(search, data.scaled.matrix, N_OTHERS, run)
    seconds = time.process_time() - before
    report = search.report
    assert report is not None
    others = recall(data.X, found.indices, data.metric)
    return [name, f"{report.recall:.3f}", f"{others:.3f}", f"{seconds:.1f}", report.way]


def measured_peer(X: np.ndarray) -> list[str]:
    """The same of pynndescent, as umap-learn calls it."""
    from pynndescent import NNDescent

    options = {"n_neighbors": N_OTHERS + 1, "n_trees": 21, "n_iters": 17, "max_candidates": 60, "n_jobs": 1}
    NNDescent(X[:2000], random_state=0, **options)  # compiles
    before = time.process_time()
    index = NNDescent(X, random_state=0, **options)
    seconds = time.process_time() - before
    found = index.neighbor_graph[0][:, 1:]
    return [PEER, "", f"{recall(X, found):.3f}", f"{seconds:.1f}", "21 trees, up to 17 rounds, 60 candidates"]


def main(names: list[str]) -> None:
    sets = CHOSEN_ON | CONFIRMED_ON
    print(line(["data", "recall measured", "recall on other rows", "CPU s", "search"]))
    with Run(1) as run:
        measured("", Set(survey(10_001, seed=2)[0]), run)  # compiles
        for name in names or (*sets, PEER):
            row = measured_peer(gaussian(100_000)) if name == PEER else measured(name, sets[name](), run)
            print(line(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
