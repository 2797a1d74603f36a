"""Map handwritten digits, explain one of them, and leave map.png, local_frame.png and README.txt in a folder.

Run it as ``python examples/demo.py [folder]``; the folder is demo/ when none is given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from featmap import FeatMAP, plot

TEXT = """featMAP of scikit-learn's handwritten digits

map.png shows {rows} images of 8 by 8 pixels, one point each. Images that look alike lie together; the colour tells
the digit. The fit took {seconds:.1f} seconds. Where the data are dense, the map should be dense too: local radii of
the data and of the map correlate by {density:.2f} (1 would be perfect).

local_frame.png explains one point, row {row}, digit {digit}, which has a ring on the map. It was chosen because two
directions describe its neighbourhood best: they hold {held:.0%} of the local variance (median: {median:.0%}).
Upper left: the map around this point. An arrow points to where its pixel gets more ink; the longer the arrow, the
faster. Only pixels that change with the place on the map have one. The last line below says how far to trust arrows.
Upper right: the whole map. Lower left: how much of the change of each of these pixels the map shows.
Lower right: how much every pixel varies among images like this one; the white line is the outline of this image, and
squares are around the pixels that have an arrow.

Around this point the data vary in {directions} directions, and the map can show only two. So a pixel that varies
a lot may have no arrow. The ten pixels that vary most (importance), counted from 0 at the top left:

{pixels}
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    started = time.perf_counter()
    model = FeatMAP(random_state=0).fit(digits.data)
    seconds = time.perf_counter() - started

    variances = model.singular_values_**2
    held = variances[:, :2].sum(axis=1) / variances.sum(axis=1)
    row = int(held.argmax())  # where two directions hold the most, a flat picture says the most
    importance = model.feature_importance([row])[0]
    text = TEXT.format(
        rows=len(digits.data),
        seconds=seconds,
        density=model.total_density_correlation_,
        row=row,
        digit=digits.target[row],
        held=held[row],
        median=np.median(held),
        directions=model.intrinsic_dim_[row],
        pixels="\n".join(
            f"  row {pixel // 8}, column {pixel % 8}  {importance[pixel]:.3f}"
            for pixel in np.argsort(-importance)[:10]
        ),
    )
    (folder / "README.txt").write_text(text, encoding="utf-8")

    figure = Figure(figsize=(8, 6.5), layout="constrained")
    draw_map(figure.add_subplot(), model, row, digits.target)
    figure.savefig(folder / "map.png", dpi=150)
    figure = Figure(figsize=(11, 9), layout="constrained")
    draw_point(figure.add_subplot(), model, row, digits)
    figure.savefig(folder / "local_frame.png", dpi=130)
    print(
        f"{len(digits.data)} digits mapped in {seconds:.1f} s; map.png, local_frame.png, README.txt are in {folder}"
    )


def draw_map(ax: Axes, model: FeatMAP, row: int, labels: np.ndarray) -> None:
    plot.embedding(model, labels=labels, rows=row, ax=ax)
    ax.set_title(f"featMAP of {len(labels):,} handwritten digits; the ring marks a {labels[row]}")


def draw_point(ax: Axes, model: FeatMAP, row: int, digits: Bunch) -> None:
    plot.explain_point(
        model, row, image_shape=(8, 8), image=digits.data[row], labels=digits.target.astype(str), ax=ax
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
