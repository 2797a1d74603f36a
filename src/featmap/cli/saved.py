"""Commands that take a saved model: ``featmap explain``, ``transform``, ``explore``, ``plot`` and ``metrics``."""

from __future__ import annotations

import io
import os
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidParameterError, warn
from ..preparation.columns import text_of
from ..store.replacing import replacing
from ..tables.files import read_column
from .shared import (
    COLUMN,
    DATA,
    MODEL_FILE,
    PICTURE,
    ImageShape,
    Output,
    commands,
    json_option,
    labels_option,
    print_json,
    print_table,
    shown_on_stderr,
    title_option,
    write_figure,
)

if TYPE_CHECKING:
    from ..answers.values import Region, Why
    from ..explanation.contrast import Contrast
    from ..tables.table_map import TableMap


def _loaded(path: str) -> TableMap:
    """Load a map. One of a table answers in the columns of the table."""
    from ..tables.table_map import load

    return load(path)


@commands.command()
@click.argument("model", type=MODEL_FILE)
@click.option("--row", "rows", multiple=True, help="A row, by its number or its id; repeat for a group of rows.")
@labels_option
@click.option("--group", help="All rows with this label.")
@click.option("--against", help="Another label: what tells the two groups apart. 'rest' for all other rows.")
@click.option(
    "-k", type=click.IntRange(1), default=10, show_default=True, help="How many features of a contrast are named."
)
@click.option("-o", "--output", type=PICTURE, help="A picture (.png, .svg, .pdf) instead of text.")
@json_option
def explain(
    model: str,
    rows: tuple[str, ...],
    labels: str | None,
    group: str | None,
    against: str | None,
    k: int,
    output: str | None,
    as_json: bool,
) -> None:
    """Say why rows of a saved MODEL are where they are, or what tells two groups apart.

    Labels are those that the map was made with, or a column of another file.

    \b
    featmap explain m.featmap --row 213
    featmap explain m.featmap --group Gentoo
    featmap explain m.featmap --group Gentoo --against Adelie
    featmap explain m.featmap --labels data.csv:island --group Dream
    """
    if bool(rows) == (group is not None):
        raise click.UsageError("say which rows: --row, or --group")
    if against is not None and group is None:
        raise click.UsageError("--against needs --group, the label that is compared")

    found = _loaded(model)
    with shown_on_stderr():
        if labels is not None:
            found = found.labelled(read_column(labels, len(found)))
        if group is None:
            _tell_why(found, _rows(found, rows), output, as_json)
            return
        texts = _texts_of_labels(found)
        if against is None:
            chosen = np.flatnonzero(texts == group)
            if not len(chosen):
                there = listed(sorted(set(texts) - {""}))
                raise InvalidParameterError(f"--group {group}: no row has this label; there are {there}")
            _tell_why(found, chosen, output, as_json)
            return
        if against == "rest" and "rest" not in texts:  # all others that have a label
            against = "the rest"
            texts = np.where((texts == group) | (texts == ""), texts, against)
        _tell_contrast(found.contrast(group, against, labels=texts), k, output, as_json)


def _texts_of_labels(found: TableMap) -> np.ndarray:
    """The label of each row as a text, empty where it is missing."""
    label = found.known.label
    if label is None:
        raise click.UsageError("--group needs --labels, a column with the label of each row, as in data.csv:species")
    return np.array(["" if value is None else text_of(value) for value in label.tolist()], dtype=object)


def _rows(answers: Any, asked: tuple[str, ...]) -> Any:
    """Rows by their ids, else by their numbers."""
    names = getattr(answers, "row_names_in_", ())
    known = {str(name): number for number, name in enumerate(names)}
    rows = [known.get(one, int(one) if one.isdecimal() else one) for one in asked]
    return rows[0] if len(rows) == 1 else rows


def _tell_why(found: TableMap, chosen: Any, output: str | None, as_json: bool) -> None:
    if output is None:
        why = found.why(chosen)
        print_json(_why_as_json(why)) if as_json else click.echo(str(why))
        return

    from .. import plot

    if np.size(chosen) != 1:
        raise InvalidParameterError(
            "-o: a picture is of one row or of a contrast; leave -o out to read about a group"
        )
    write_figure(output, lambda ax: plot.why(found, chosen, ax=ax), (11, 5.6))


def _why_as_json(why: Why | Region) -> dict[str, Any]:
    """All fields of an answer, and its sentence."""
    fields = {"sentence": why.sentence, **asdict(why)}
    row: Any = None if fields.get("move") is None else fields["move"]["row"]
    if hasattr(row, "to_dict"):
        fields["move"]["row"] = row.to_dict()
    return fields


def _tell_contrast(found: Contrast, k: int, output: str | None, as_json: bool) -> None:
    if output is not None:
        from .. import plot

        write_figure(output, lambda ax: plot.contrast(found, k=k, ax=ax), (8, 1.5 + 0.4 * k))
    elif as_json:
        names = ("difference", "effect_size", "auc", "p_values", "q_values", "statistic")
        features = [
            {"feature": str(found.features[h]), **{name: getattr(found, name)[h] for name in names}}
            for h in found.order
        ]
        print_json({"groups": found.groups, "sizes": found.sizes, "features": features})
    else:
        _print_contrast(found, k)


def _print_contrast(found: Contrast, k: int) -> None:
    from ..explanation.numbers import named, number

    groups = " against ".join(f"{name} ({size:,} rows)" for name, size in zip(found.groups, found.sizes, strict=True))
    click.echo(groups)
    heads = ["feature", "difference", "effect size", "AUC", "p", "q"]
    lines = [
        [
            named(found.features[h]),
            number(found.difference[h]),
            f"{found.effect_size[h]:.2f}",
            f"{found.auc[h]:.2f}",
            f"{found.p_values[h]:.1g}",
            f"{found.q_values[h]:.1g}",
        ]
        for h in found.order[:k]
    ]
    print_table(heads, lines)
    click.echo(
        "Differences are in the units of the columns. p-values are too small for groups found on the same map."
    )


@commands.command()
@click.argument("model", type=MODEL_FILE)
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=Output(".csv", ".npy"), help="A .csv or .npy file; by default CSV is printed.")
def transform(model: str, data: str, output: str | None) -> None:
    """Place the rows of DATA on the map of a saved MODEL.

    Every row gets its place and an outlier score: about 1 is usual, much more is unlike all rows of the model.
    """
    from ..estimator import FeatMAP
    from ..tables.fitted import as_fitted
    from ..tables.reading import read_source

    loaded, source = FeatMAP.load(model), read_source(data)
    if source.text:
        click.echo(source.text, err=True)
    with shown_on_stderr(begun="reading"):
        rows = as_fitted(loaded, source)
        warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were compared
        places = np.column_stack([loaded.transform(rows), loaded.outlier_score(rows)])
    if output is None:
        click.echo(_csv(places), nl=False)
        return
    with replacing(Path(output)) as file:
        if Path(output).suffix.lower() == ".npy":
            np.save(file, places)
        else:
            file.write(_csv(places).encode())


def _csv(places: np.ndarray) -> str:
    dim = places.shape[1] - 1
    names = [*"xyz"[:dim]] if dim <= 3 else [f"y{h}" for h in range(dim)]
    text = io.StringIO()
    np.savetxt(text, places, fmt="%.9g", delimiter=",", header=",".join([*names, "outlier_score"]), comments="")
    return text.getvalue()


@commands.command()
@click.argument("model", type=MODEL_FILE)
@labels_option
@click.option("--column", "columns", metavar=COLUMN, multiple=True, help="A further column; may be given repeatedly.")
@click.option("--ids", metavar=COLUMN, help="A name for each row.")
@click.option(
    "--image", "image_shape", type=ImageShape(), help="The shape of pictures whose pixels are the features."
)
@title_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; by default one that is free.")
@click.option("--no-browser", is_flag=True, help="Print the link only.")
def explore(
    model: str,
    labels: str | None,
    columns: tuple[str, ...],
    ids: str | None,
    image_shape: tuple[int, ...] | None,
    title: str | None,
    port: int,
    no_browser: bool,
) -> None:
    """Look at the map of a saved MODEL in a browser and ask it why.

    The page and its answers come from this machine and can be had on this machine only. Ctrl-C ends it.
    """
    from ..explorer import serve

    answers = _loaded(model)
    n_rows = len(answers.embedding_)
    named = [read_column(said, n_rows) for said in columns]
    serve(
        answers,
        labels=None if labels is None else read_column(labels, n_rows),
        columns={column.name: column for column in named},
        ids=None if ids is None else read_column(ids, n_rows).texts,
        image_shape=image_shape,
        title=title or os.path.basename(model).removesuffix(".featmap"),
        port=port,
        open_browser=not no_browser,
    )
    sys.stdout.flush()
    os._exit(0)  # an answer that is still being computed does not hold up the end


@commands.command()
@click.argument("model", type=MODEL_FILE)
@click.option("-o", "--output", type=PICTURE, required=True, help="The picture: a .png, .svg or .pdf file.")
@labels_option
@click.option("--feature", help="Colour the map by how much this feature varies around each row.")
@click.option("--names", is_flag=True, help="Write features onto the regions that they set apart.")
def plot(model: str, output: str, labels: str | None, feature: str | None, names: bool) -> None:
    """Draw the map of a saved MODEL: grey, by labels, by a feature, or with names of features."""
    if sum((labels is not None, feature is not None, names)) > 1:
        raise click.UsageError("give one of --labels, --feature and --names")

    from .. import plot as pictures

    answers = _loaded(model)
    values = None if labels is None else read_column(labels, len(answers.embedding_)).values
    with shown_on_stderr():
        if feature is not None:
            known = {str(name) for name in getattr(answers, "feature_names_in_", ())}
            chosen = int(feature) if feature.isdecimal() and feature not in known else feature
            write_figure(output, lambda ax: pictures.feature(answers, chosen, ax=ax), (8, 6.5))
        elif names:
            write_figure(output, lambda ax: pictures.features_on_map(answers, ax=ax), (9, 7.5))
        else:
            write_figure(output, lambda ax: pictures.embedding(answers, values, ax=ax), (8, 6.5))


@commands.command()
@click.argument("model", type=MODEL_FILE)
@labels_option
@json_option
def metrics(model: str, labels: str | None, as_json: bool) -> None:
    """Measure how well the map of a saved MODEL keeps its data: stress is best at 0, all else at 1."""
    from ..estimator import FeatMAP
    from ..explorer.part_of_model import user_rows
    from ..metrics import Benchmark

    loaded = FeatMAP.load(model)
    values = None if labels is None else read_column(labels, len(loaded.embedding_)).values
    with shown_on_stderr():
        rows = user_rows(loaded._points.mapped.data, slice(None))
        votes = values if values is None or _can_vote(values) else None
        scores = Benchmark(rows, votes, n_jobs=loaded.n_jobs).score(loaded.embedding_)
    if as_json:
        print_json(scores)
    else:
        print_table(["metric", "score"], [[name.replace("_", " "), f"{score:.3f}"] for name, score in scores.items()])


def _can_vote(labels: np.ndarray) -> bool:
    """Whether there are enough rows for the scores of labels. If not, a warning says that they are left out."""
    from ..metrics.accuracy import checked_votes
    from ..metrics.checks import checked_labels

    groups = checked_labels("metrics", labels, len(labels))
    try:
        checked_votes("knn_accuracy", groups)
    except InvalidParameterError:
        warn(f"metrics: {len(labels)} rows are too few for scores of labels, which are left out")
        return False
    return True
