"""Is a map that begins with one of groups of points as good as 500 epochs of all points? docs/start.md.

``FEATMAP_DATA=/path/to/data python -m benchmarks.coarse_study`` prints the table and puts it there: quality and CPU
seconds of the layout, both ways, as means over three seeds, and the differences of single seeds. With ``--confirm``
it does so for data sets on which nothing was chosen. Sets of few rows begin with groups as well here, as they would
if the limit were lower. Maps of one data set share neighbours, graph and tangents.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from featmap import FeatMAP, FeatmapWarning
from featmap.checks.plan import COARSE_ABOVE, Plan
from featmap.checks.settings import Settings, fit_settings
from featmap.pipeline import Manifold, approximate, lay_out
from featmap.run import Run
from featmap.run.progress import COARSE_LAYOUT, LAYOUT, Progress
from lab.data.cells import few_genes_smoothed
from lab.data.images import small_coil20
from lab.data.labelled import CONFIRMING, labelled
from lab.data.loaders import CELLS
from lab.pages import put_between, table
from lab.quality import DENSITY, TEN_NEIGHBORS, Quality

OUT = Path(__file__).parent.parent / "docs" / "start.md"
CHOSEN_ON = ("<!-- coarse: begin -->", "<!-- coarse: end -->")
CONFIRMED_ON = ("<!-- coarse confirmation: begin -->", "<!-- coarse confirmation: end -->")
CHOOSING = ("digits", "MNIST", "Fashion-MNIST", "COIL-20", "PBMC 3k", "Paul 2015")
SEEDS = (0, 1, 2)
MEASURES = (TEN_NEIGHBORS, "trustworthiness", DENSITY)
STAGES = ("start", COARSE_LAYOUT, LAYOUT)
HEAD = ("data", "rows", "layout", "10-NN accuracy", "trustworthiness", "density", "CPU s")


class FromGroups(Settings):
    """The library's choice for many rows, whatever their number."""

    def plan(self, n_rows: int) -> Plan:
        return super().plan(max(n_rows, COARSE_ABOVE + 1))


def data_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels. COIL-20 is at 32 × 32 pixels; the single cells have their 1,000 most variable genes."""
    if name in CELLS:
        return few_genes_smoothed(name)
    images = small_coil20() if name == "COIL-20" else labelled(name)
    return images.data, images.target


def both_ways(X: np.ndarray) -> tuple[Settings, dict[str, Settings]]:
    """Settings of the manifold, and of the two layouts."""
    settings = fit_settings("FeatMAP", FeatMAP().get_params(), X.shape, seed=0)
    from_groups = FromGroups(**{field.name: getattr(settings, field.name) for field in fields(settings)})
    return settings, {"500 epochs": replace(settings, n_epochs=500), "from groups": from_groups}


def scored(manifold: Manifold, settings: Settings, quality: Quality) -> list[float]:
    """The measures of one map, and the CPU seconds of its layout."""
    progress = Progress()
    with Run(-1, progress) as run:
        scores = quality.of(lay_out(manifold, settings, run).embedding)
    seconds = sum(stage.cpu_seconds for stage in progress.report if stage.stage in STAGES)
    return [*(scores[measure] for measure in MEASURES), seconds]


def lines(name: str, warm: bool) -> Iterator[list[str]]:
    """The cells of one data set. The first set is laid out once before, so that no kernel is compiled in a figure."""
    X, labels = data_set(name)
    settings, ways = both_ways(X)
    with Run(-1) as run, warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatmapWarning)
        manifold = approximate(X, settings, run)
    quality, found = Quality(X, labels), {}
    for way, chosen in ways.items():
        if not warm:
            scored(manifold, chosen, quality)
        found[way] = np.array([scored(manifold, replace(chosen, seed=seed), quality) for seed in SEEDS])
        means = found[way].mean(axis=0)
        yield [name, f"{len(X):,}", way, *(f"{mean:.4f}" for mean in means[:-1]), f"{means[-1]:.1f}"]
    gain = np.subtract(*(found[way] for way in ("from groups", "500 epochs")))[:, :-1]
    ranges = (f"{low:+.4f} to {high:+.4f}" for low, high in zip(gain.min(axis=0), gain.max(axis=0), strict=True))
    ratio = np.divide(*(found[way][:, -1].sum() for way in ("from groups", "500 epochs")))
    yield [name, f"{len(X):,}", "difference, by seed", *ranges, f"× {ratio:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--confirm", action="store_true", help="measure the data sets on which nothing was chosen")
    confirm, rows = parser.parse_args().confirm, []
    for name in CONFIRMING if confirm else CHOOSING:
        for row in lines(name, warm=len(rows) > 0):
            print(*row, sep=" | ", flush=True)
            rows.append(row)
    put_between(OUT, *(CONFIRMED_ON if confirm else CHOSEN_ON), table(HEAD, rows))


if __name__ == "__main__":
    main()
