"""Density (figs. density, den_1, sparse): MNIST's digit 1 by the paper's featMAP and ours, UMAP and densMAP."""

from __future__ import annotations

from typing import Any

import numpy as np

from featmap import FeatMAP, explain, metrics, plot
from lab.peers import PEERS, Settings

from ..report import Claim, Report
from ..sets import digit_one
from .pictures import images_of, radii_against_radii, radii_by_direction
from .radii import Neighborhoods, correlation, radii_along_frames, two_digits
from .subgroups import Subgroups

QUICK_ROWS = 1000
PAPER, OURS, UMAP, DENSMAP = "featMAP (paper)", "featMAP", "UMAP", "densMAP"
ABOUT = """The paper maps the 7,877 images of the digit 1 by featMAP and by UMAP, compares local radii in the
data and on the map, and shows a subgroup that is sparse in the data. *featMAP (paper)* is the printed method
(`FeatMAP.paper()`), which decides about its claims; featMAP and densMAP at their defaults are beside it, all with
seed 0. Groups are Ward's clusters along the graph of nearest
neighbours of the data, 8 of them; the sparse subgroup is the one with the largest mean log radius in the data
that has at least 2 % of the images. A local radius is that of the weighted 15 nearest others in the data, on
the map over the same others with the same weights ([radii.py](radii.py)); along the local
directions it is `radii_` and `embedding_radii_` of the printed method, for the other maps with the frames that
`featmap.explain` fits to them. All this, and the rules of the verdicts, was set before the first run; it was for
the first version's map then, and is for that of the printed method now."""


def run(report: Report) -> None:
    ones = digit_one(QUICK_ROWS if report.quick else None)
    X = ones.data
    model = FeatMAP.paper(random_state=0).fit(X)
    maps = {PAPER: model.embedding_, OURS: FeatMAP(random_state=0).fit_transform(X)}
    maps |= {name: PEERS[name].make(X, Settings(seed=0)) for name in (UMAP, DENSMAP)}
    along = {name: radii_on(X, Y, model) for name, Y in maps.items()}
    near = Neighborhoods.of(X)
    on_maps = {name: near.on_map(Y) for name, Y in maps.items()}
    groups = Subgroups.among(X, near.in_data)
    sparse = groups.labels == groups.sparsest
    figures = {
        "rows": len(X),
        "maps": {
            name: figures_of(X, Y, model.radii_, along[name], near.in_data, on_maps[name], sparse)
            for name, Y in maps.items()
        },
        "sparse subgroup": facts_of(groups, near.in_data),
        "largest deviation of our radii from the model's": float(np.abs(along[PAPER] - model.embedding_radii_).max()),
    }
    draw(report, X, model.radii_, along, maps, groups, near.in_data, on_maps, ones.image_shape)
    report.write("Local density", ABOUT, claims_of(figures), figures)


def radii_on(X: np.ndarray, Y: np.ndarray, model: Any) -> np.ndarray:
    """Radii of a map along its frames: those of the printed method, or others' by `explain`."""
    frames = model.frames_ if Y is model.embedding_ else explain(X, Y, tangent_center="point").frames_
    return radii_along_frames(Y, frames, model.neighbors_[0])


def figures_of(
    X: np.ndarray,
    Y: np.ndarray,
    data_along: np.ndarray,
    along: np.ndarray,
    in_data: np.ndarray,
    on_map: np.ndarray,
    sparse: np.ndarray,
) -> dict[str, Any]:
    return {
        "correlation in all directions": correlation(in_data, on_map),
        "correlation of distances to the own 15th neighbour": metrics.density_correlation(X, Y),
        "correlation along each direction": [correlation(*pair) for pair in zip(data_along.T, along.T, strict=True)],
        "correlation in the sparse subgroup": correlation(in_data[sparse], on_map[sparse]),
        "radius of the sparse subgroup by that of all": float(np.exp(on_map[sparse].mean() - on_map.mean())),
    }


def facts_of(groups: Subgroups, in_data: np.ndarray) -> dict[str, Any]:
    sparse = groups.labels == groups.sparsest
    return {
        "number": groups.sparsest,
        "images": int(sparse.sum()),
        "radius in the data by that of all": float(np.exp(in_data[sparse].mean() - in_data.mean())),
        "images of each group": np.bincount(groups.labels)[1:].tolist(),
        "mean log radius of each group": groups.mean_log_radius,
        "mean distance of two images of each group": groups.mean_distance,
    }


def claims_of(figures: dict[str, Any]) -> list[Claim]:
    papers, ours, umaps, dens = (figures["maps"][name] for name in (PAPER, OURS, UMAP, DENSMAP))
    group = figures["sparse subgroup"]
    distance = dict(group["mean distance of two images of each group"])
    own = distance.pop(group["number"])
    whole, along = "correlation in all directions", "correlation along each direction"
    within, ratio = "correlation in the sparse subgroup", "radius of the sparse subgroup by that of all"
    return [
        Claim(
            "The correlation of local radii is larger on featMAP's map than on UMAP's",
            against(papers[whole], umaps[whole], ours[whole], dens[whole]),
            papers[whole] > umaps[whole],
        ),
        Claim(
            "It is larger along each of the two local directions",
            "; ".join(
                against(*values) for values in zip(papers[along], umaps[along], ours[along], dens[along], strict=True)
            ),
            all(a > b for a, b in zip(papers[along], umaps[along], strict=True)),
        ),
        Claim(
            "Within the sparse subgroup it is positive on featMAP's map, and larger than on UMAP's",
            against(papers[within], umaps[within], ours[within], dens[within]),
            papers[within] > max(0.0, umaps[within]),
        ),
        Claim(
            "The sparse subgroup is drawn sparser by featMAP than by UMAP",
            f"its radius is {papers[ratio]:.2f} times that of all against {umaps[ratio]:.2f} times "
            f"(our default {ours[ratio]:.2f}, densMAP {dens[ratio]:.2f}; "
            f"in the data {group['radius in the data by that of all']:.2f})",
            papers[ratio] > umaps[ratio],
        ),
        Claim(
            "Its images are the most diverse of all groups",
            f"mean distance of two of its images {own:,.0f}, of the other {len(distance)} groups "
            f"{min(distance.values()):,.0f} to {max(distance.values()):,.0f}; larger in "
            f"{sum(other > own for other in distance.values())} of them",
            own > max(distance.values()),
        ),
    ]


def against(papers: float, umaps: float, ours: float, dens: float) -> str:
    beside = f"our default {two_digits(ours)}, densMAP {two_digits(dens)}"
    return f"{two_digits(papers)} against {two_digits(umaps)} ({beside})"


def draw(
    report: Report,
    X: np.ndarray,
    data_along: np.ndarray,
    along: dict[str, np.ndarray],
    maps: dict[str, np.ndarray],
    groups: Subgroups,
    in_data: np.ndarray,
    on_maps: dict[str, np.ndarray],
    image_shape: tuple[int, int],
) -> None:
    names = {groups.sparsest: f"{groups.sparsest} (sparse)", groups.densest: f"{groups.densest} (densest)"}
    labels = np.array([names.get(group, str(group)) for group in groups.labels.tolist()])
    ax = plot.compare(maps, labels=labels)
    report.picture(ax.figure, "maps", "Four maps of the digit 1; colours are the groups of the data")
    figure = radii_against_radii(in_data, on_maps, groups.labels == groups.sparsest)
    report.picture(figure, "radii", "Local radii in the data and on each map, with lines of regression")
    figure = radii_by_direction(data_along, along)
    report.picture(figure, "directions", "Local radii along the two local directions, in the data and on each map")
    rows = {f"group {names[group]}": np.flatnonzero(groups.labels == group) for group in names}
    figure = images_of(X, rows, image_shape)
    report.picture(figure, "images", "Ten random images of the sparse subgroup, ten of the densest group")
