"""A map of handwritten digits, and the pixels that matter at one of its points.

Run it as ``python examples/digits.py [folder]``; it writes map.png, local_frame.png and README.txt (into demo/).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from featmap import FeatMAP, plot

IMAGE_SHAPE = (8, 8)
DOTS_PER_INCH = 150


def main(arguments: Sequence[str] | None = None) -> None:
    folder = parse(arguments)
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    names = [short_name(name) for name in digits.feature_names]
    started = time.perf_counter()
    model = FeatMAP(random_state=0).fit(digits.data)
    seconds = time.perf_counter() - started
    row = flattest_row(model)

    pictures = {
        "map.png": draw_map(model, row, digits.target),
        "local_frame.png": draw_point(model, row, digits.data[row], digits.target[row], names),
    }
    for name, figure in pictures.items():
        write(folder / name, partial(figure.savefig, format="png", dpi=DOTS_PER_INCH))
    text = explanation(model, row, digits.target[row], names, seconds)
    write(folder / "README.txt", lambda path: path.write_text(text, encoding="utf-8"))

    for name in [*pictures, "README.txt"]:
        print(folder / name)
    print(f"{len(digits.data)} digits mapped in {seconds:.1f} s; density correlation {density(model)}")


def parse(arguments: Sequence[str] | None) -> Path:
    parser = argparse.ArgumentParser(description="Draw a map of handwritten digits and explain one of its points.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path("demo"), help="where to write (default: demo)")
    return parser.parse_args(arguments).folder


def short_name(pixel: str) -> str:
    """r2c3 for pixel_2_3."""
    _, row, column = pixel.split("_")
    return f"r{row}c{column}"


def variance_held(model: FeatMAP) -> np.ndarray:
    """Part of each point's local variance that its two leading directions hold."""
    variances = model.singular_values_**2
    return variances[:, :2].sum(axis=1) / variances.sum(axis=1)


def flattest_row(model: FeatMAP) -> int:
    """The point whose neighbourhood is best described by two directions: there a flat picture says most."""
    return int(variance_held(model).argmax())


def density(model: FeatMAP) -> str:
    return " and ".join(f"{value:.2f}" for value in model.density_correlation_)


def draw_map(model: FeatMAP, row: int, labels: np.ndarray) -> Figure:
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    ax = plot.embedding(model, labels=labels, ax=figure.add_subplot())
    ax.set_title(f"featMAP of {len(labels)} handwritten digits; the ring marks row {row}, digit {labels[row]}")
    for colour, width in (("white", 4.5), ("black", 2)):
        ax.plot(*model.embedding_[row], "o", markersize=15, fillstyle="none", color=colour, markeredgewidth=width)
    return figure


def draw_point(model: FeatMAP, row: int, image: np.ndarray, digit: int, names: list[str]) -> Figure:
    figure = Figure(figsize=(13, 4.8), layout="constrained")
    frame, importance, original = figure.subplots(1, 3, width_ratios=[1.4, 1, 1])
    plot.local_frame(model, row, feature_names=names, ax=frame)
    frame.set_title(f"Row {row}: where its ten most important pixels point")
    plot.saliency(model, row, image_shape=IMAGE_SHAPE, image=image, ax=importance)
    importance.set_title("How important each pixel is")
    original.imshow(image.reshape(IMAGE_SHAPE), cmap="gray_r")
    original.set_title(f"The image itself, digit {digit}")
    for ax in (importance, original):
        ax.set(xticks=range(8), yticks=range(8), xlabel="column (c)")
    importance.set_ylabel("row (r)")
    return figure


def explanation(model: FeatMAP, row: int, digit: int, names: list[str], seconds: float) -> str:
    held = variance_held(model)
    importance = model.feature_importance([row])[0]
    pixels = "\n".join(f"  {names[pixel]}  {importance[pixel]:.3f}" for pixel in model.top_features([row], 10)[0])
    return f"""featMAP of scikit-learn's handwritten digits

map.png shows {len(model.embedding_)} images of 8 by 8 pixels, one point each. Images that look alike lie together;
colour tells the digit. The fit took {seconds:.1f} seconds. Crowded places of the data should be crowded on the map
too: along the two local directions, density here and there correlate by {density(model)} (1 would be perfect).

local_frame.png explains one point, row {row}, digit {digit}, ringed on the map. It was chosen because
two directions describe its neighbourhood best: they hold {held[row]:.0%} of the local variance (median of all points:
{np.median(held):.0%}).
Left: the lines v1 and v2 are these directions as they lie on the map; they have no sign. An arrow points to where on
the map around the point its pixel gets more ink; the longer the arrow, the faster. How true the arrows are is written
below them: their fidelity, the cosine between the changes that they predict and the true ones.
Middle: how important every pixel is, that is how much it varies among images like this one; the white line is the
outline of this image. Right: the image itself.

Around this point the data vary in {model.intrinsic_dim_[row]} directions (its intrinsic dimension). Importance counts
all of them, the map can show only two, so an important pixel can have a short arrow. The ten most important pixels,
where r2c3 is row 2 and column 3, counted from 0 at the top left:

{pixels}
"""


def write(path: Path, fill: Callable[[Path], object]) -> None:
    """Write a file at once: readers see the old one or the whole new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        fill(Path(name))
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


if __name__ == "__main__":
    main()
