"""Map the tumours of scikit-learn's breast cancer data, and leave a page to explore, pictures and a text of findings.

Run it as ``python examples/demo.py [folder]``; the folder is demo/ when none is given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline

from featmap import Explanation, FeatMAP, Prepare, in_original_units, metrics, plot

TEXT = """featMAP of scikit-learn's breast cancer data: {rows} tumours, {features} measurements of each

map.html is the map as a page: open it, click a point and ask why it is there. map.png is the same map as a picture,
and why.png the answer about one tumour, which has a ring on the map.

1. The fit took {seconds:.1f} seconds and did not know the diagnoses. Still a tumour's ten neighbours on the map tell
   its own diagnosis in {accuracy:.0%} of the cases.
2. What tells malignant from benign tumours best: {apart}.
3. Row {row} is malignant, but {others:.0%} of its {near} neighbours on the map are benign. Of its {k} neighbours in
   the data {alike} are malignant: a plane cannot keep all of them near, and the page shows where they are. Why?

{why}

(A spread is a standard deviation of the measurement over all tumours. Values are those of the table.)

How far can the map be trusted?

{trust}
"""
NEAR = 30  # neighbours on the map that tell whether a tumour lies among others of its kind


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    X, diagnosis = tumours()
    started = time.perf_counter()
    pipeline = make_pipeline(Prepare(), FeatMAP(random_state=0)).fit(X)
    seconds = time.perf_counter() - started

    model = in_original_units(pipeline)
    row, others = among_others(model.embedding_, diagnosis, "malignant")
    contrast = model.contrast("malignant", "benign", labels=diagnosis)
    in_data = diagnosis[pipeline[-1].neighbors_[0][row]]
    text = TEXT.format(
        rows=len(X),
        features=X.shape[1],
        seconds=seconds,
        accuracy=metrics.knn_accuracy(model.embedding_, diagnosis, n_neighbors=10),
        apart=", ".join(contrast.top(3)),
        row=row,
        others=others,
        near=NEAR,
        k=len(in_data),
        alike=(in_data == "malignant").sum(),
        why=model.why(row),
        trust=model.trust(),
    )
    (folder / "README.txt").write_text(text, encoding="utf-8")
    model.to_html(folder / "map.html", labels=diagnosis, title="Breast cancer: why is this tumour here?")
    draw(model, diagnosis, row, folder)
    print(f"{len(X)} tumours mapped in {seconds:.1f} s; map.html, map.png, why.png, README.txt are in {folder}")
    print(f"open {folder / 'map.html'} in a browser and search for {row}: a malignant tumour among benign ones")


def tumours() -> tuple[pd.DataFrame, np.ndarray]:
    """Measurements and diagnoses."""
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


def among_others(embedding: np.ndarray, labels: np.ndarray, label: str) -> tuple[int, float]:
    """The row of a label that has most neighbours of other labels on the map, and their part."""
    rows = np.flatnonzero(labels == label)
    distances = np.linalg.norm(embedding[rows][:, None] - embedding[None], axis=2)
    near = np.argsort(distances, axis=1, kind="stable")[:, 1 : NEAR + 1]
    others = (labels[near] != label).mean(axis=1)
    return int(rows[others.argmax()]), float(others.max())


def draw(model: Explanation, labels: np.ndarray, row: int, folder: Path) -> None:
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    ax = plot.embedding(model, labels=labels, rows=row, ax=figure.add_subplot())
    ax.set_title(f"featMAP of {len(labels):,} tumours; the ring marks row {row}")
    figure.savefig(folder / "map.png", dpi=150)
    figure = Figure(figsize=(11, 9.5), layout="constrained")
    plot.why(model, row, labels=labels, ax=figure.add_subplot())
    figure.savefig(folder / "why.png", dpi=130)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
