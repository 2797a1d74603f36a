"""Do the rules of the default density weight hold on all of MNIST and Fashion-MNIST, and on attacked digits?

``python -m benchmarks.large_sets`` reads the figures that experiments/comparison has published, prints them with the
margins of the rules, and puts both into docs/density.md. Accuracy is that of the comparison: the mean over
classifiers of 2, 4, …, 64 neighbours.
"""

from __future__ import annotations

from functools import partial

from experiments.maps import DEFAULT_WEIGHT
from experiments.published import figures_of
from experiments.sets import ADVERSARIAL
from lab.map_scores import TRUST
from lab.pages import put_between
from lab.quality import DENSITY

from .map_quality import PAGE, SHOWN, quality
from .map_rules import ByMethod, margins_of_quality, verdict_on_weight

SETS = ("MNIST", "Fashion-MNIST", ADVERSARIAL)
ACCURACY = "knn_accuracy"
MARKS = ("<!-- large: begin -->", "<!-- large: end -->")


def published(data: str) -> ByMethod:
    """The means over seeds, which take the place of the scores of one seed."""
    rows = figures_of("comparison")["scores"][data]
    return {method: {"mean": {metric: cell["mean"] for metric, cell in rows[method].items()}} for method in SHOWN}


def main() -> None:
    scores = {data: published(data) for data in SETS}
    rules = partial(margins_of_quality, prices={TRUST: "trust", ACCURACY: "accuracy"})
    text = f"{quality(scores, (TRUST, ACCURACY, DENSITY))}\n\n{verdict_on_weight(scores, DEFAULT_WEIGHT, rules)}"
    print(text)
    put_between(PAGE, *MARKS, text)


if __name__ == "__main__":
    main()
