"""Map handwritten digits, ask why one of them is where it is, and leave two pictures and a text in a folder.

Run it as ``python examples/demo.py [folder]``; the folder is demo/ when none is given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from featmap import FeatMAP, plot

ROW = 0  # the point that is asked about
TEXT = """featMAP of scikit-learn's handwritten digits

map.png shows {rows} images of 8 by 8 pixels, one point each. Images that look alike lie together; the colour tells
the digit. The fit took {seconds:.1f} seconds.

why.png is about one point, row {row}, digit {digit}, which has a ring on the map. It says why the point is there:
what sets the images around it apart from all images, and which pixels change across them on the map. In words
(a pixel is named by row and column, counted from 0 at the top left; a spread is a standard deviation):

{why}

How far can the map be trusted?

{trust}
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    started = time.perf_counter()
    model = FeatMAP(random_state=0).fit(digits.data)
    seconds = time.perf_counter() - started

    pixels = [f"pixel ({y}, {x})" for y in range(8) for x in range(8)]
    text = TEXT.format(
        rows=f"{len(digits.data):,}",
        seconds=seconds,
        row=ROW,
        digit=digits.target[ROW],
        why=model.why(ROW, feature_names=pixels),
        trust=model.trust(),
    )
    (folder / "README.txt").write_text(text, encoding="utf-8")

    draw_map(model, digits.target).savefig(folder / "map.png", dpi=150)
    draw_why(model, digits).savefig(folder / "why.png", dpi=130)
    print(f"{len(digits.data)} digits mapped in {seconds:.1f} s; map.png, why.png, README.txt are in {folder}")


def draw_map(model: FeatMAP, labels: np.ndarray) -> Figure:
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    ax = plot.embedding(model, labels=labels, rows=ROW, ax=figure.add_subplot())
    ax.set_title(f"featMAP of {len(labels):,} handwritten digits; the ring marks a {labels[ROW]}")
    return figure


def draw_why(model: FeatMAP, digits: Bunch) -> Figure:
    figure = Figure(figsize=(11, 9.5), layout="constrained")
    labels = digits.target.astype(str)
    plot.why(model, ROW, image_shape=(8, 8), image=digits.data[ROW], labels=labels, ax=figure.add_subplot())
    return figure


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
