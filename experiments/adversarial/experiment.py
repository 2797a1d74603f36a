"""The paper's adversarial digits: what a fooled classifier reads, and whether feature importance explains it."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from featmap import FeatMAP

from ..image_pictures import Line, image_grid
from ..report import Report
from .attack import FULL, attacked
from .classifiers import attacked_ones, study_classifiers
from .clusters import study_clusters
from .judgement import claims_on_resemblance
from .pictures import IMAGE, IMPORTANCE, SHAPE, mean_grid, similarities, two_colourings
from .reading import study_reading
from .resemblance import Clean, Ones, Target, clean_digits, study_targets
from .strokes import study_strokes

N_LEAST, N_LEAST_QUICK = 30, 5
N_SHOWN = 5
ABOUT = """A LeNet trained here on MNIST's 60,000 digits is attacked by the fast gradient sign method with ε = 0.3 on
all 10,000 test digits. FeatMAP at its defaults maps the test digits before and after, and, as a control, after a step
of ±ε with random signs in every pixel. Figures of another classifier than the paper's count as the same within 0.02
(accuracy) and 0.05 (share of 8s). *Clusters* are those of k-means with ten centres on the map; they are similar if
10-NN accuracy of the original labels loses at most 0.05, and if they share at least 0.8 of the mutual information
(normalised) that two maps of the clean digits share. *Off the stroke* is a pixel more than one away from all ink of
the clean 1. *Similar* means Pearson's correlation of two means over all pixels; the figures are the correlation with
clean examples of the digit read minus that with clean 1s. Intervals hold 95 % of 1,000 bootstrap samples of the
examples. The digits studied are those that at least 30 attacked 1s are read as. Two more classifiers, of other seeds
and three epochs instead of ten, tell how far the findings are those of one network."""


def run(report: Report) -> None:
    digits = attacked(report.quick)
    before, again = (FeatMAP(random_state=seed).fit(digits.clean) for seed in (0, 1))
    after = FeatMAP(random_state=0).fit(digits.data)
    random = FeatMAP(random_state=0).fit(random_step(digits.clean))
    maps = {"before": before.embedding_, "again": again.embedding_, "after": after.embedding_}
    is_one = digits.target == 1
    importance = before.feature_importance()
    clean = clean_digits(importance, digits.clean, digits.target)
    ones = attacked_ones(digits, after, random.feature_importance(is_one))
    n_least = N_LEAST_QUICK if report.quick else N_LEAST
    targets = study_targets(ones, clean, n_least)
    by_step = {"before": importance[is_one], "after": ones.importance, "random": ones.random_importance}
    on_reading, reading = study_reading(digits)
    on_clusters, clusters = study_clusters(digits, maps)
    on_strokes, strokes = study_strokes(by_step, digits.clean[is_one])
    on_classifiers, classifiers = study_classifiers(report.quick, clean, ones.random_importance, n_least)
    draw_examples(report, digits, after, by_step)
    draw_means(report, ones, clean, targets)
    report.write(
        "Adversarial digits",
        ABOUT,
        [*on_reading, on_clusters, *on_strokes, *claims_on_resemblance(targets), on_classifiers],
        {
            "reading": reading,
            "clusters": clusters,
            "squared importance off the stroke": strokes,
            "1s read as": {str(target.digit): target.figures for target in targets},
            "other classifiers": classifiers,
        },
    )


def random_step(images: np.ndarray) -> np.ndarray:
    signs = np.random.default_rng(0).choice(np.array([-1, 1], np.float32), images.shape)
    return np.clip(images + np.float32(FULL.epsilon) * signs, 0, 1)


def draw_examples(report: Report, digits: Bunch, after: FeatMAP, importance: dict[str, np.ndarray]) -> None:
    report.picture(
        two_colourings(after, {"original label": digits.target, "label read after the attack": digits.predicted}),
        "map",
        f"FeatMAP's map of {len(digits.target):,} attacked digits.",
    )
    ones = np.flatnonzero(digits.target == 1)
    fooled = np.flatnonzero(digits.predicted[ones] != 1)
    shown = np.sort(np.random.default_rng(0).choice(fooled, N_SHOWN, replace=False))
    lines = {
        "before": on_one_scale(digits.clean[ones[shown]], IMAGE),
        "attacked": on_one_scale(digits.data[ones[shown]], IMAGE),
        "importance\nbefore": on_one_scale(importance["before"][shown], IMPORTANCE),
        "importance\nattacked": on_one_scale(importance["after"][shown], IMPORTANCE),
        "importance\nrandom step": on_one_scale(importance["random"][shown], IMPORTANCE),
    }
    report.picture(
        image_grid(lines, [f"read as {digit}" for digit in digits.predicted[ones[shown]]], SHAPE),
        "examples",
        "Five random 1s that fool the classifier; brighter is more important, on one scale in each line. A random "
        "step of the same size is the control.",
    )


def on_one_scale(images: np.ndarray, palette: str) -> Line:
    return Line(images, palette, float(images.max()))


def draw_means(report: Report, ones: Ones, clean: Clean, targets: list[Target]) -> None:
    eights, others = ([t.digit for t in targets if (t.digit == 8) == is_eight] for is_eight in (True, False))
    if eights:
        report.picture(
            mean_grid(ones, clean, eights),
            "eights",
            "1s read as 8, beside clean digits and attacked 1s still read as 1; each mean on its own scale.",
        )
    if others:
        report.picture(mean_grid(ones, clean, others), "others", "The same for other digits that 1s are read as.")
    if targets:
        report.picture(
            similarities(targets),
            "similarities",
            "What the means of attacked 1s are similar to, with intervals; on the right their differences.",
        )
