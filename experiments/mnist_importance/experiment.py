"""The paper's picture of MNIST: ten clusters, and importance that detects the digits' edges."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.utils import Bunch

from featmap import FeatMAP, metrics, plot
from lab.data.parts import random_part, random_rows

from ..edges import EdgeStudy, study_edges
from ..image_pictures import boxes, images_with_importance, one_of_each
from ..report import Claim, Report
from ..sets import prepared
from .clusters import as_many_clusters, classes_with_a_cluster, found_clusters

QUICK_ROWS = 3000
N_MEASURED, N_MEASURED_QUICK = 1000, 200
ABOUT = """FeatMAP at its defaults on all images. *Edges* are Sobel's gradient magnitude; its correlation (Pearson,
over the pixels that vary in the data) with importance and with three controls is taken for each of a thousand random
digits. Importance detects edges if the interval (95 %, bootstrap) of the median paired difference to every control is
above 0. A digit has a *cluster* of its own if most of it lies in one cluster that consists mostly of that digit.
Clusters are HDBSCAN's (the smallest may have 1 % of the points), which is not told how many there are, and those of
k-means, which is."""


def run(report: Report) -> None:
    digits = random_part(prepared("MNIST"), QUICK_ROWS) if report.quick else prepared("MNIST")
    model = FeatMAP(random_state=0).fit(digits.data)
    n_measured = N_MEASURED_QUICK if report.quick else N_MEASURED
    rows = random_rows(len(digits.data), n_measured)
    study = study_edges(model, digits, rows)
    draw_map(report, model, digits)
    draw_digits(report, model, digits)
    report.picture(
        boxes({"": study.pearson}, "correlation with the image's gradient magnitude"),
        "correlations",
        f"What follows the edges of {n_measured:,} random digits: quartiles, whiskers from the 5th to the 95th "
        "percentile.",
    )
    clusters, cluster_figures = claims_on_clusters(model, digits)
    report.write(
        "MNIST: clusters and edges",
        ABOUT,
        [*clusters, claim_on_edges(study)],
        {"rows": len(digits.data), "clusters": cluster_figures, "edges": study.figures},
    )


def claim_on_edges(study: EdgeStudy) -> Claim:
    return Claim(
        "Importance detects the edges of each digit",
        f"median correlation with the gradient: {study.judged.said}",
        study.judged.is_won,
    )


def claims_on_clusters(model: FeatMAP, digits: Bunch) -> tuple[list[Claim], dict[str, Any]]:
    Y, target = model.embedding_, digits.target
    found = found_clusters(Y)
    own = classes_with_a_cluster(target, found)
    n_found, n_classes = int(found.max()) + 1, len(own)
    by_kmeans = classes_with_a_cluster(target, as_many_clusters(Y, n_classes))
    accuracy = metrics.knn_accuracy(Y, target, n_neighbors=10)
    claims = [
        Claim(
            "The map shows ten clusters apart from each other, one for each digit",
            f"HDBSCAN: {n_found} clusters; {sum(own.values())} of {n_classes} digits have one of their own",
            n_found == n_classes and all(own.values()),
        ),
        Claim(
            "Each digit has a part of the map to itself",
            f"k-means with ten centres: {sum(by_kmeans.values())} of {n_classes} digits have a cluster of their own; "
            f"10-NN accuracy on the map {accuracy:.3f}",
            all(by_kmeans.values()),
        ),
    ]
    figures = {
        "clusters found": n_found,
        "left out of clusters": round(float(np.mean(found < 0)), 4),
        "digit has a cluster": own,
        "digit has a cluster of k-means": by_kmeans,
        "10-NN accuracy": round(accuracy, 4),
    }
    return claims, figures


def draw_map(report: Report, model: FeatMAP, digits: Bunch) -> None:
    figure, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
    plot.embedding(model, labels=digits.target, ax=ax)
    for digit in np.unique(digits.target):
        place = np.median(model.embedding_[digits.target == digit], axis=0)
        name = ax.text(*place, str(digit), fontsize=18, fontweight="bold", ha="center", va="center")
        name.set_path_effects([withStroke(linewidth=4, foreground="white")])
    report.picture(figure, "map", f"FeatMAP's map of {len(digits.data):,} digits.")


def draw_digits(report: Report, model: FeatMAP, digits: Bunch) -> None:
    chosen = one_of_each(digits.target)
    report.picture(
        images_with_importance(model, digits, chosen, [f"row {row}" for row in chosen]),
        "saliency",
        "A random digit of each class: the image, its gradient magnitude, its importance (darker is more).",
    )
