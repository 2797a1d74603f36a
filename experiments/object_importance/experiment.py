"""The paper's picture of Fashion-MNIST and COIL-20: importance detects objects, and on COIL-20 their rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import Bunch

from featmap import FeatMAP
from lab.data.parts import part_of, random_part, random_rows
from lab.peers import Settings

from ..bootstrap import contest
from ..edges import study_edges
from ..image_pictures import boxes, images_with_importance, one_of_each
from ..maps import MAPS, METHODS, OURS, SEEDS, WITHOUT_DENSITY
from ..report import Claim, Report
from ..sets import prepared
from .detection import detection
from .loops import LEAST_IN_ORDER, Loop, loop_of, pairs_in_order
from .pictures import loops_on_maps, loops_one_by_one
from .rotation import correlations_with_importance, views_in_order

N_MEASURED, N_MEASURED_QUICK = 1000, 60
QUICK_CLOTHES, QUICK_OBJECTS = 1000, 3
SHOWN = {"Fashion-MNIST": 10, "COIL-20": 6}
COMPARED = {"featMAP": OURS, "without density": WITHOUT_DENSITY, "UMAP": "UMAP"}
ABOUT = """FeatMAP at its defaults on Fashion-MNIST and COIL-20. Edges are measured as in
[mnist_importance](../mnist_importance/README.md), over random images of each set. An object is *detected* by
the area under the ROC curve of importance for the pixels of the object (brighter than a tenth of the brightest);
the controls are the importance of an image of another class and each pixel's spread over the data. *Rotation*: the
importance of each view of COIL-20 is correlated (Pearson) with how far each pixel is apart between the view before
and the view after, and with three controls. Such a claim holds if the interval (95 %, bootstrap; on COIL-20 whole
objects are drawn again, not views) of the median paired difference to every control is above 0. An object is a *loop*
on a map if its 72 views are in order, closed and around a hole, as [loops.py](loops.py) puts in figures."""


def run(report: Report) -> None:
    clothes, objects = sets_of(report)
    claims, figures = [], {}
    pearson = {}
    for name, data in {"Fashion-MNIST": clothes, "COIL-20": objects}.items():
        model = FeatMAP(random_state=0).fit(data.data)
        rows = measured_rows(report, data)
        groups = data.target[rows] if data is objects else None
        edges = study_edges(model, data, rows, groups)
        found = detection(model, data, rows, groups)
        pearson[name] = edges.pearson
        claims += [
            Claim(f"{name}: importance detects the objects", f"area under the curve: {found.said}", found.is_won),
            Claim(f"{name}: importance detects edges", f"correlation: {edges.judged.said}", edges.judged.is_won),
        ]
        figures[name] = {"rows": len(data.data), "detection": found.figures, "edges": edges.figures}
        draw_images(report, model, data, name)
    report.picture(boxes(pearson, "correlation with the image's gradient magnitude"), "edges", "What follows edges.")
    for claim, name, values in (claim_on_rotation(report, model, objects), *claims_on_loops(report, objects)):
        claims.append(claim)
        figures["COIL-20"][name] = values
    report.write("Objects: edges, rotation, loops", ABOUT, claims, figures)


def sets_of(report: Report) -> tuple[Bunch, Bunch]:
    clothes, objects = prepared("Fashion-MNIST"), prepared("COIL-20")
    if not report.quick:
        return clothes, objects
    return random_part(clothes, QUICK_CLOTHES), part_of(objects, objects.target <= QUICK_OBJECTS)


def measured_rows(report: Report, data: Bunch) -> np.ndarray:
    return random_rows(len(data.data), N_MEASURED_QUICK if report.quick else N_MEASURED)


def draw_images(report: Report, model: FeatMAP, data: Bunch, name: str) -> None:
    chosen = one_of_each(data.target)[: SHOWN[name]]
    names = data.get("target_names")
    titles = [f"object {label}" if names is None else str(names[label]) for label in data.target[chosen]]
    report.picture(
        images_with_importance(model, data, chosen, titles),
        f"saliency_{name.lower().replace('-', '_')}",
        f"{name}, a random image of each of {len(chosen)} classes: image, gradient, importance (darker is more).",
    )


def claim_on_rotation(report: Report, model: FeatMAP, objects: Bunch) -> tuple[Claim, str, Any]:
    values = correlations_with_importance(model, objects)
    rotation = contest(values, objects.target)
    report.picture(boxes({"COIL-20": values}, "correlation with importance"), "rotation", "What importance follows.")
    said = f"correlation with importance: {rotation.said}"
    return (
        Claim("COIL-20: it is the rotation that importance shows", said, rotation.is_won),
        "rotation",
        rotation.figures,
    )


def claims_on_loops(report: Report, objects: Bunch) -> list[tuple[Claim, str, Any]]:
    """Claims on the maps of all seeds; the pictures show those of the first."""
    maps = {name: maps_of(report, method, objects) for name, method in COMPARED.items()}
    loops = {name: [loops_of(Y, objects) for Y in several] for name, several in maps.items()}
    draw_loops(report, *({name: each[0] for name, each in some.items()} for some in (maps, loops)), objects)
    counts = {name: [sum(loop.is_found for loop in each) for each in several] for name, several in loops.items()}
    rings = {name: [sum(loop.is_ring for loop in each) for each in several] for name, several in loops.items()}
    n_objects = len(views_in_order(objects))
    in_data = [pairs_in_order(cdist(views, views)) for views in objects.data[views_in_order(objects)]]
    n_in_data = sum(pairs >= LEAST_IN_ORDER for pairs in in_data)
    ours, theirs = counts["featMAP"], counts["UMAP"]
    each = Claim(
        "COIL-20: each object is a loop on the map",
        f"loops of {n_objects} objects by seed: {listed(counts)}; in order in the data itself: {n_in_data}; "
        f"milder, rings in whatever order: {listed(rings)}",
        min(ours) == n_objects,
    )
    beside = Claim(
        "COIL-20: no fewer loops than on UMAP's map", f"by seed: {listed(counts)}", sum(ours) >= sum(theirs)
    )
    by_object = {name: [[loop.figures for loop in each] for each in several] for name, several in loops.items()}
    return [
        (each, "pairs in order in the data", np.round(in_data, 3).tolist()),
        (beside, "loops by seed and object", by_object),
    ]


def draw_loops(report: Report, maps: dict[str, np.ndarray], loops: dict[str, list[Loop]], objects: Bunch) -> None:
    report.picture(loops_on_maps(maps, loops, objects), "loops", "COIL-20, views joined in order (seed 0).")
    caption = "FeatMAP's map of COIL-20, object by object, and what those that are not loops lack (seed 0)."
    report.picture(loops_one_by_one(maps["featMAP"], loops["featMAP"], objects), "loops_by_object", caption)


def listed(counts: dict[str, list[int]]) -> str:
    return "; ".join(f"{name} {', '.join(map(str, each))}" for name, each in counts.items())


def maps_of(report: Report, method: str, objects: Bunch) -> list[np.ndarray]:
    if report.quick:
        return [METHODS[method].make(objects.data, Settings(seed=0))]
    return [MAPS.load("COIL-20", method, seed) for seed in SEEDS]


def loops_of(Y: np.ndarray, objects: Bunch) -> list[Loop]:
    return [loop_of(Y[views]) for views in views_in_order(objects)]
