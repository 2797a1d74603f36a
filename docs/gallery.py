"""Draw the pictures of featmap.plot, from scikit-learn's digits and, where a table is needed, its wines.

Run it as ``python docs/gallery.py [folder]``. It writes the pictures of docs/gallery.md, by default into
docs/images/gallery/.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA

from featmap import FeatMAP, TableMap, map_table, metrics, plot

DOTS_PER_INCH = 110
ROW, PIXEL = 42, 28


def main(arguments: Sequence[str] | None = None) -> None:
    folder = parse(arguments)
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib.use("Agg")
    for name, draw in pictures().items():
        ax = draw()
        ax.figure.savefig(folder / f"{name}.png", dpi=DOTS_PER_INCH)
        pyplot.close(ax.figure)
        print(folder / f"{name}.png")


def parse(arguments: Sequence[str] | None) -> Path:
    parser = argparse.ArgumentParser(description="Draw the pictures of featmap.plot.")
    here = Path(__file__).parent / "images" / "gallery"
    parser.add_argument("folder", nargs="?", type=Path, default=here, help="where to write")
    return parser.parse_args(arguments).folder


def pictures() -> dict[str, Callable[[], Axes]]:
    """Return the calls that docs/gallery.md shows: at least one of each function."""
    digits = load_digits()
    X, y = digits.data, digits.target
    model = FeatMAP(random_state=0).fit(X)
    shape = (8, 8)
    principal = PCA(2, random_state=0).fit_transform(X)
    digits_map = model.labelled(pd.Series(y, name="digit"), unit="image", image_shape=shape)
    one_of_each = [np.flatnonzero(y == digit)[0] for digit in range(10)]

    def of_density(density: float) -> FeatMAP:
        return FeatMAP(density=density, random_state=0).fit(X)

    return {
        "findings": lambda: plot.findings(wines()),
        "embedding": lambda: plot.embedding(model, y, rows=ROW),
        "features_on_map": lambda: plot.features_on_map(model, image_shape=shape),
        "local_frame": lambda: plot.local_frame(model, ROW, image_shape=shape),
        "why": lambda: plot.why(model, ROW, image_shape=shape, image=X[ROW], labels=y),
        "why_of_a_labelled_map": lambda: plot.why(digits_map, ROW),
        "arrow_field": lambda: plot.arrow_field(model, PIXEL, image_shape=shape),
        "feature": lambda: plot.feature(model, PIXEL, image_shape=shape),
        "saliency": lambda: plot.saliency(model, ROW, shape, images=X[ROW]),
        "saliency_of_several": lambda: plot.saliency(model, one_of_each, shape, images=X[one_of_each]),
        "importance": lambda: plot.importance(model, y == 4, image_shape=shape),
        "importance_of_groups": lambda: plot.importance(model, labels=y, image_shape=shape),
        "contrast": lambda: plot.contrast(
            model.contrast(4, 9, labels=y), groups=("fours", "nines"), image_shape=shape
        ),
        "density": lambda: plot.density(model, y),
        "density_of_several": lambda: plot.density([of_density(density) for density in (0, 1, 2)], y),
        "compare": lambda: plot.compare({"featMAP": model, "principal components": principal}, y),
        "perturbation": lambda: plot.perturbation(metrics.perturbation(model)),
        "consistency": lambda: plot.consistency(model),
    }


def wines() -> TableMap:
    wine = load_wine(as_frame=True)
    return map_table(wine.data.assign(cultivar=wine.target_names[wine.target]), label="cultivar", unit="wine")


if __name__ == "__main__":
    main()
