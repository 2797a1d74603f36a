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

from featmap import FeatMAP, plot

TEXT = """featMAP of scikit-learn's handwritten digits

map.png shows {rows} images of 8 by 8 pixels, one point each. Images that look alike lie together; the colour tells
the digit. The fit took {seconds:.1f} seconds. Where the data are dense, the map should be dense too: local radii of
the data and of the map correlate by {density:.2f} (1 would be perfect).

local_frame.png explains one point, row {row}, digit {digit}, which has a ring on the map. It was chosen because two
directions describe its neighbourhood best: they hold {held:.0%} of the local variance (median: {median:.0%}).
Left: the lines v1 and v2 are these directions as they lie on the map; they have no sign. An arrow points to where on
the map around the point its pixel gets more ink; the longer the arrow, the faster. Their fidelity is written below
them: the cosine between the changes that the arrows predict and the true ones.
Middle: how important every pixel is, that is, how much it varies among images like this one; the white line is the
outline of this image. Right: the image itself.

Around this point the data vary in {directions} directions (its intrinsic dimension). Importance counts all of them;
the map can show only two, so an important pixel can have a short arrow. The ten most important pixels, where r2c3 is
row 2 and column 3, counted from 0 at the top left:

{pixels}
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    names = [f"r{row}c{column}" for row in range(8) for column in range(8)]
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
        pixels="\n".join(f"  {names[pixel]}  {importance[pixel]:.3f}" for pixel in np.argsort(-importance)[:10]),
    )
    (folder / "README.txt").write_text(text, encoding="utf-8")

    figure = Figure(figsize=(8, 6.5), layout="constrained")
    draw_map(figure.add_subplot(), model, row, digits.target)
    figure.savefig(folder / "map.png", dpi=150)
    figure = Figure(figsize=(13, 4.8), layout="constrained")
    draw_point(*figure.subplots(1, 3, width_ratios=[1.4, 1, 1]), model, row, digits.images[row], names)
    figure.savefig(folder / "local_frame.png", dpi=150)
    print(
        f"{len(digits.data)} digits mapped in {seconds:.1f} s; map.png, local_frame.png, README.txt are in {folder}"
    )


def draw_map(ax: Axes, model: FeatMAP, row: int, labels: np.ndarray) -> None:
    plot.embedding(model, labels=labels, ax=ax)
    ax.set_title(f"featMAP of {len(labels)} handwritten digits; the ring marks row {row}, digit {labels[row]}")
    for colour, width in (("white", 4.5), ("black", 2)):
        ax.plot(*model.embedding_[row], "o", markersize=15, fillstyle="none", color=colour, markeredgewidth=width)


def draw_point(
    frame: Axes, importance: Axes, original: Axes, model: FeatMAP, row: int, image: np.ndarray, names: list[str]
) -> None:
    plot.local_frame(model, row, feature_names=names, ax=frame)
    frame.set_title(f"Row {row}: where its ten most important pixels point")
    plot.saliency(model, row, image_shape=image.shape, image=image.ravel(), ax=importance)
    importance.set_title("How important each pixel is")
    original.imshow(image, cmap="gray_r")
    original.set_title("The image itself")
    for ax in (importance, original):
        ax.set(xticks=range(8), yticks=range(8), xlabel="column (c)", ylabel="row (r)")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
