"""``featmap metrics``: how good a map is."""

from __future__ import annotations

import click
import numpy as np

from .options import MODEL, json_option, labels_option


@click.command()
@click.argument("model", type=MODEL)
@labels_option
@json_option
def metrics(model: str, labels: str | None, as_json: bool) -> None:
    """Measure how well the map of a saved MODEL keeps its data: stress is best at 0, all else at 1."""
    from ..estimator import FeatMAP
    from ..explorer.part_of_model import user_rows
    from ..metrics import Benchmark
    from .columns import read_column
    from .fitting import shown_on_stderr
    from .output import print_json, print_table

    loaded = FeatMAP.load(model)
    values = None if labels is None else read_column(labels, len(loaded.embedding_)).values
    with shown_on_stderr(False, begun=None):
        rows = user_rows(loaded._points.mapped.data, slice(None))
        votes = values if values is None or _can_vote(values) else None
        scores = Benchmark(rows, votes, n_jobs=loaded.n_jobs).score(loaded.embedding_)
    if as_json:
        print_json(scores)
    else:
        print_table(["metric", "score"], [[name.replace("_", " "), f"{score:.3f}"] for name, score in scores.items()])


def _can_vote(labels: np.ndarray) -> bool:
    """Whether there are rows enough for the scores of labels; else it is said that they are left out."""
    from ..errors import InvalidParameterError, warn
    from ..metrics.accuracy import checked_votes
    from ..metrics.checks import checked_labels

    groups = checked_labels("metrics", labels, len(labels))
    try:
        checked_votes("knn_accuracy", groups)
    except InvalidParameterError:
        warn(f"metrics: {len(labels)} rows are too few for scores of labels, which are left out")
        return False
    return True
