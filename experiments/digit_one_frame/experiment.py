"""The paper's picture of a local frame, on images of digit 1: arrows of all pixels, the ten most important named."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.utils import Bunch

from featmap import FeatMAP, plot
from lab.data.parts import random_rows

from ..bootstrap import Interval, contest, median_of
from ..image_pictures import boxes
from ..report import Claim, Report
from ..sets import digit_one
from .corners import N_PIXELS, corners, distances, mean_by_digit, shares_within

N_MEASURED, N_MEASURED_QUICK = 500, 60
QUICK_ROWS = 1500
NEAR = 2  # pixels
RADII = (1, NEAR, 3, 4)
KINDS = {"frame": "through our frames", "blend": "the default", "map": "the regression", "random": "the floor"}
ABOUT = f"""FeatMAP at its defaults on the images of MNIST's digit 1, and for the claim on the paper's arrows the
printed method as well (`FeatMAP.paper()`), on its own map and through its own frames. The point that is shown is a
random one.
*Corners* are peaks of Harris and Stephens' response, which are at the angles and at the ends of a stroke. For random
digits the {N_PIXELS} most important pixels are compared with the {N_PIXELS} of largest gradient and with {N_PIXELS}
random ones of the stroke. They are *nearer* if the interval (95 %, bootstrap) of the median paired difference between
mean distances of a digit's pixels to the nearest corner is above 0 for both; they are *mainly at the corners* if more
than half of them lie within {NEAR} pixels of one. Arrows *tell how pixels change* if their fidelity (see
[fidelity](../../docs/fidelity.md)) is at least half-way from random frames to a linear regression on the map."""


def run(report: Report) -> None:
    ones = digit_one(QUICK_ROWS if report.quick else None)
    model = FeatMAP(random_state=0).fit(ones.data)
    rows = random_rows(len(ones.data), N_MEASURED_QUICK if report.quick else N_MEASURED)
    draw_point(report, model, ones, rows[0])
    draw_corners(report, model, ones, rows[:10])
    at_corners, corner_figures = claims_on_corners(report, model, ones, rows)
    papers, papers_figures = claim_on_papers_arrows(FeatMAP.paper(random_state=0).fit(ones.data), rows)
    true_arrows, fidelity_figures = claims_on_fidelity(model, rows, rows[0])
    fidelity_figures |= {"median on the map of the paper": papers_figures}
    figures = {"rows": len(ones.data), "shown": int(rows[0]), "corners": corner_figures, "fidelity": fidelity_figures}
    report.write("Digit 1: the local frame", ABOUT, [*at_corners, papers, *true_arrows], figures)


def draw_point(report: Report, model: FeatMAP, ones: Bunch, row: int) -> None:
    image = ones.data[row]
    page = plot.why(model, row, image_shape=ones.image_shape, image=image)
    caption = f"A random digit 1 (row {row} of the ones): the arrows of pixels around it, its place, its pixels."
    report.picture(page.figure, "point", caption)
    figure, axes = plt.subplots(1, 3, figsize=(24, 6), layout="constrained")
    for ax, kind in zip(axes, ("frame", "blend", "map"), strict=True):
        frame = plot.local_frame(model, row, kind=kind, image_shape=ones.image_shape, ax=ax)
        frame.set_title(f"{kind}: {KINDS[kind]}")
    report.picture(figure, "frames", "The same point with three kinds of arrows, and how true each is.")


def draw_corners(report: Report, model: FeatMAP, ones: Bunch, rows: np.ndarray) -> None:
    importance, top = model.feature_importance(rows), model.top_features(rows, N_PIXELS, by="varies")
    figure, axes = plt.subplots(2, 5, figsize=(11, 4.8), layout="constrained")
    for ax, row, pixels, important in zip(axes.ravel(), rows, importance, top, strict=True):
        image = ones.data[row].reshape(ones.image_shape)
        ax.imshow(pixels.reshape(ones.image_shape), cmap="Reds", vmin=0)
        ax.contour(image, levels=[image.max() / 2], colors="#222222", linewidths=1)
        down, across = np.unravel_index(important, ones.image_shape)
        ax.scatter(across, down, s=18, color="#0072b2", label="ten most important pixels")
        ax.scatter(*corners(image).T[::-1], s=90, marker="s", facecolor="none", edgecolor="#009e73", label="corners")
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"row {row}", fontsize=9)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    report.picture(
        figure, "corners", "Importance of ten random ones, outlined; their most important pixels and corners."
    )


def claims_on_corners(
    report: Report, model: FeatMAP, ones: Bunch, rows: np.ndarray
) -> tuple[list[Claim], dict[str, Any]]:
    images = ones.data[rows].reshape(-1, *ones.image_shape).astype(float)
    to_corners, to_ends = distances(images, model.top_features(rows, N_PIXELS, by="varies"))
    panels = {
        "to the nearest corner": mean_by_digit(to_corners),
        "to the nearer end of the stroke": mean_by_digit(to_ends),
    }
    draw_distances(report, panels, len(rows))
    # A contest is won by what is larger: nearness is minus the distance.
    by_corner, by_end = (contest({name: -far for name, far in panel.items()}) for panel in panels.values())
    near = {radius: shares_within(radius, to_corners) for radius in RADII}
    far = "; ".join(f"{name} {-nearness.value:.2f}" for name, nearness in by_corner.medians.items())
    leads = ", ".join(str(lead) for lead in by_corner.leads.values())
    shares = "; ".join(f"{name} {share:.0%}" for name, share in near[NEAR].items())
    claims = [
        Claim(
            "The ten most important pixels are nearer to the corners of the digit than others",
            f"median distance to a corner in pixels: {far}; leads {leads}",
            by_corner.is_won,
        ),
        Claim(
            "The ten most important pixels are mainly at the corners of the digit",
            f"within {NEAR} pixels of a corner: {shares}",
            near[NEAR]["important pixels"] > 0.5,
        ),
    ]
    figures = {
        "nearness to the nearest corner (decides)": by_corner.figures,
        "nearness to the nearer end": by_end.figures,
        "part of pixels within so many of a corner": near,
    }
    return claims, figures


def draw_distances(report: Report, panels: dict[str, dict[str, np.ndarray]], n_digits: int) -> None:
    caption = f"How far ten pixels each of {n_digits} ones are from corners and ends."
    report.picture(boxes(panels, "mean distance in pixels"), "distances", caption)


def claim_on_papers_arrows(model: FeatMAP, rows: np.ndarray) -> tuple[Claim, dict[str, Any]]:
    medians = {kind: median_of(model.fidelity(rows, kind)) for kind in ("frame", "map", "random")}
    claim = claim_on(medians, "frame", "The paper's arrows tell how pixels change on the paper's map")
    return claim, {kind: each.figures for kind, each in medians.items()}


def claims_on_fidelity(model: FeatMAP, rows: np.ndarray, shown: int) -> tuple[list[Claim], dict[str, Any]]:
    medians = {kind: median_of(model.fidelity(rows, kind)) for kind in KINDS}
    of_shown = {kind: round(float(model.fidelity([shown], kind)[0]), 4) for kind in KINDS}
    claims = [
        claim_on(medians, kind, f"The arrows of kind {kind} ({KINDS[kind]}) tell how pixels change on the map")
        for kind in ("frame", "blend")
    ]
    return claims, {"median": {kind: each.figures for kind, each in medians.items()}, "of the row shown": of_shown}


def claim_on(medians: dict[str, Interval], kind: str, said: str) -> Claim:
    """Arrows of a kind are at least half-way from random frames to the regression."""
    floor, regression = medians["random"].value, medians["map"].value
    way = (medians[kind].value - floor) / (regression - floor)
    beside = f"random frames {medians['random']}, regression {medians['map']}"
    return Claim(
        said,
        f"fidelity {medians[kind]}; {beside}; {way:.0%} of the way",
        medians[kind].value >= (floor + regression) / 2,
    )
