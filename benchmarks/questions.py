"""How long answers take on MNIST, in CPU seconds.

``FEATMAP_DATA=/path/to/data python -m benchmarks.questions`` fits the map of all 70,000 rows and prints a table. Each
question is asked twice, unless it takes long: the first time includes what is kept for the next. Compiled code is
loaded before, by asking the same of a small map. ``--rows 5000`` asks it of a part of the data.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from featmap import FeatMAP
from lab.data.images import load_images
from lab.pages import line, table

HEAD = ("question", "first, CPU s", "again, CPU s")
LONG = 5.0  # seconds, which are not spent twice
SMALL = 1500  # rows of the map that compiled code is loaded with
Question = Callable[[], Any]


def questions(model: FeatMAP, labels: np.ndarray, folder: Path) -> dict[str, Question]:
    """What is asked, in this order: answers that others need come late."""
    path, two = folder / "model.featmap", np.unique(labels)[:2]
    return {
        "tangent spaces and frames (`frames_`)": lambda: model.frames_,
        "`feature_importance()`, all rows": model.feature_importance,
        "`arrows()`, all rows": model.arrows,
        '`arrows(kind="tangent")`, all rows': lambda: model.arrows(kind="tangent"),
        '`arrows(kind="map")`, all rows': lambda: model.arrows(kind="map"),
        '`arrows(kind="frame")`, all rows': lambda: model.arrows(kind="frame"),
        "`fidelity()`, its sample": model.fidelity,
        "`explained_variance()`, its sample": model.explained_variance,
        "`backing()`": model.backing,
        "`map_variance()`": model.map_variance,
        "`trust()`": model.trust,
        "`why(0)`": lambda: model.why(0),
        "`top_features([0])`": lambda: model.top_features([0]),
        "`contrast` of two digits": lambda: model.contrast(*two, labels=labels),
        "`rank_features`, ten digits": lambda: model.rank_features(labels),
        "`save`": lambda: model.save(path),
        "`FeatMAP.load`": lambda: FeatMAP.load(path),
    }


def cpu_seconds(question: Question) -> float:
    start = time.process_time()
    question()
    return time.process_time() - start


def lines(asked: dict[str, Question]) -> Iterator[list[str]]:
    for name, question in asked.items():
        first = cpu_seconds(question)
        yield [name, f"{first:.2f}", f"{cpu_seconds(question):.2f}" if first < LONG else ""]


def fitted(X: np.ndarray, n_jobs: int) -> FeatMAP:
    return FeatMAP(random_state=0, n_jobs=n_jobs).fit(X)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=None, help="how many rows of MNIST; all by default")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads")
    given = parser.parse_args()
    found = load_images("MNIST")
    X, labels = found.data[: given.rows], np.asarray(found.target)[: given.rows]
    with TemporaryDirectory() as folder:
        for question in questions(fitted(X[:SMALL], given.n_jobs), labels[:SMALL], Path(folder)).values():
            question()
        cells = []
        for cell in lines(questions(fitted(X, given.n_jobs), labels, Path(folder))):
            print(line(cell), flush=True)
            cells.append(cell)
    print(table(HEAD, cells))


if __name__ == "__main__":
    main()
