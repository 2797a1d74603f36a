"""What the weight of density does: the map, the correlation it buys and the price, beside densMAP's."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from featmap import plot
from lab.pages import table
from lab.quality import DENSITY, TEN_NEIGHBORS

from ..maps import DENSMAP_WEIGHTS, FEATMAP_WEIGHTS, MAPS, densmap_at, featmap_at
from ..published import KEPT, densmap_curves
from ..report import Claim, Report, counted
from ..scores import scores_of
from ..sets import QUICK_SET, SETS, prepared

PRICES = {TEN_NEIGHBORS: "10-NN accuracy", "trustworthiness": "trustworthiness"}
SHOWN = tuple(weight for weight in FEATMAP_WEIGHTS if weight <= 1.25)  # the paper's figure
ABOUT = """featMAP at density weights λ from 0 to 4, densMAP at its own from 0.5 to 4 (its default is 2) and UMAP,
which is densMAP without density; everything else at the defaults, seed 0. On both axes more is better. A point of
densMAP lies below our curve if somewhere on it (straight lines between our weights) both density correlation and
quality are at least as high."""

Curve = dict[float, dict[str, float]]  # weight → metric → value


def run(report: Report) -> None:
    names = (QUICK_SET,) if report.quick else SETS
    ours = {data: {w: scores_of(data, featmap_at(w)) for w in FEATMAP_WEIGHTS} for data in names}
    kept = densmap_curves() if report.published_peers else {}
    theirs = {data: kept.get(data) or densmap_curve(data) for data in names}
    main = QUICK_SET if report.quick else "MNIST"
    draw_maps(report, main, ours[main])
    draw_curves(report, ours, theirs)
    figures = {"featMAP": ours, "densMAP": theirs}
    about = f"{ABOUT}\n\n{KEPT}" if report.published_peers else ABOUT
    report.write("The weight of density", about, claims(main, ours, theirs), figures, tables=[table_of(ours)])


def densmap_curve(data: str) -> Curve:
    return {0.0: scores_of(data, "UMAP")} | {w: scores_of(data, densmap_at(w)) for w in DENSMAP_WEIGHTS}


def draw_maps(report: Report, data: str, curve: Curve) -> None:
    maps = {f"λ = {w:g}, correlation {curve[w][DENSITY]:.2f}": MAPS.load(data, featmap_at(w)) for w in SHOWN}
    report.picture(plot.compare(maps, labels=prepared(data).target).figure, "maps", f"{data} at six density weights")


def draw_curves(report: Report, ours: dict[str, Curve], theirs: dict[str, Curve]) -> None:
    figure, grid = plt.subplots(len(ours), 2, figsize=(8, 2.8 * len(ours)), squeeze=False, layout="constrained")
    for panels, data in zip(grid, ours, strict=True):
        for ax, (price, name) in zip(panels, PRICES.items(), strict=True):
            draw_curve(ax, theirs[data], price, "densMAP (0: UMAP)", "#d55e00", "s", (5, 4))
            draw_curve(ax, ours[data], price, "featMAP", "#0072b2", "o", (-18, -10))
            ax.set(title=data, xlabel="density correlation", ylabel=name)
            ax.margins(0.1)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    report.picture(figure, "price", "Quality against density correlation; the figures beside the curves are weights")


def draw_curve(
    ax: Axes, curve: Curve, price: str, label: str, colour: str, marker: str, beside: tuple[int, int]
) -> None:
    x, y = ([scores[metric] for scores in curve.values()] for metric in (DENSITY, price))
    ax.plot(x, y, color=colour, marker=marker, markersize=4, label=label)
    for weight in (0.0, 0.5, 2.0):
        here = (curve[weight][DENSITY], curve[weight][price])
        ax.annotate(f"{weight:g}", here, textcoords="offset points", xytext=beside, fontsize="small", color=colour)


def claims(main: str, ours: dict[str, Curve], theirs: dict[str, Curve]) -> list[Claim]:
    density = [ours[main][w][DENSITY] for w in SHOWN]
    accuracy = [ours[main][w][TEN_NEIGHBORS] for w in SHOWN]
    result = [
        Claim(
            f"the paper: the correlation of radii rises with λ, from 0 to 1.25 ({main})",
            ", ".join(f"{value:.3f}" for value in density),
            bool(np.all(np.diff(density) > 0)),
        ),
        Claim(
            f"the paper: clusters separate less clearly as λ grows ({main}, 10-NN accuracy falls)",
            ", ".join(f"{value:.3f}" for value in accuracy),
            accuracy[-1] < accuracy[0],
        ),
    ]
    return result + [price_claim(price, ours, theirs) for price in PRICES]


def price_claim(price: str, ours: dict[str, Curve], theirs: dict[str, Curve]) -> Claim:
    margins = {
        f"{data}, dens_lambda {weight:g}": margin(ours[data], theirs[data][weight], price)
        for data in ours
        for weight in DENSMAP_WEIGHTS
    }
    return counted(f"densMAP's points lie below our curve of {PRICES[price]} against density correlation", margins)


def margin(ours: Curve, point: dict[str, float], price: str) -> float:
    """The best of our curve where it has at least the point's density correlation, minus the point's value."""
    density, value = (np.array([scores[metric] for scores in ours.values()]) for metric in (DENSITY, price))
    if density.max() < point[DENSITY]:
        return float(density.max() - point[DENSITY])  # our curve does not reach that far
    beyond = value[density >= point[DENSITY]].tolist()
    starts, stops = np.stack([density[:-1], value[:-1]], 1), np.stack([density[1:], value[1:]], 1)
    for (left, low), (right, high) in zip(starts, stops, strict=True):
        if left < point[DENSITY] < right:
            beyond.append(low + (high - low) * (point[DENSITY] - left) / (right - left))
    return float(max(beyond) - point[price])


def table_of(ours: dict[str, Curve]) -> str:
    rows = []
    for weight in FEATMAP_WEIGHTS:
        cells = [" / ".join(f"{curve[weight][m]:.3f}" for m in (*PRICES, DENSITY)) for curve in ours.values()]
        rows.append([f"{weight:g}", *cells])
    return "Ours: 10-NN accuracy / trustworthiness / density correlation.\n\n" + table(("λ", *ours), rows)
