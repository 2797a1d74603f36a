"""Commands that take a saved model: ``featmap transform``, ``explore``, ``plot`` and ``metrics``."""

from __future__ import annotations

import io
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidDataError, InvalidParameterError, warn
from ..store.replacing import replacing
from .shared import (
    COLUMN,
    DATA,
    MODEL,
    OUTPUT,
    ImageShape,
    check_outputs,
    check_picture,
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
    from ..estimator import FeatMAP
    from ..explanation import Explanation
    from .reading import Source


def answers_of(path: str) -> FeatMAP | Explanation:
    """A saved model; if it was made of a table, what answers in the columns of that."""
    from ..estimator import FeatMAP
    from ..preparation.pipelines import in_original_units

    model = FeatMAP.load(path)
    return in_original_units(model) if hasattr(model, "recipe_") else model


@commands.command()
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=OUTPUT, help="A .csv or .npy file; by default CSV is printed.")
def transform(model: str, data: str, output: str | None) -> None:
    """Place the rows of DATA on the map of a saved MODEL.

    Every row gets its place and an outlier score: about 1 is usual, much more is unlike all rows of the model.
    """
    from ..estimator import FeatMAP
    from .reading import read_source

    if output is not None and Path(output).suffix.lower() not in (".csv", ".npy"):
        raise InvalidParameterError(f"-o {output}: the file must be a .csv or .npy file")
    check_outputs(output)
    loaded, source = FeatMAP.load(model), read_source(data)
    if source.text:
        click.echo(source.text, err=True)
    with shown_on_stderr(begun="reading"):
        rows = _as_fitted(loaded, source)
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


def _as_fitted(model: Any, source: Source) -> Any:
    """Rows of a file, prepared as those of the fit were, with columns in their order."""
    from .fitting import dense

    if hasattr(model, "recipe_"):
        return model.recipe_.prepared(dense(source.values), source.names)
    names = getattr(model, "feature_names_in_", None)
    known = source.values.columns if source.is_table else source.names
    if names is None or known is None:
        return source.values
    missing = [name for name in names if name not in known]
    if missing:
        raise InvalidDataError(f"{source.path} has no column {listed(missing)}, which the model was fitted to")
    places = {name: place for place, name in enumerate(known)}
    return source.values[:, [places[name] for name in names]]


def _csv(places: np.ndarray) -> str:
    dim = places.shape[1] - 1
    names = [*"xyz"[:dim]] if dim <= 3 else [f"y{h}" for h in range(dim)]
    text = io.StringIO()
    np.savetxt(text, places, fmt="%.9g", delimiter=",", header=",".join([*names, "outlier_score"]), comments="")
    return text.getvalue()


@commands.command()
@click.argument("model", type=MODEL)
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
    from .files import read_column

    answers = answers_of(model)
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
@click.argument("model", type=MODEL)
@click.option("-o", "--output", type=OUTPUT, required=True, help="The picture: a .png, .svg or .pdf file.")
@labels_option
@click.option("--feature", help="Colour the map by how much this feature varies around each row.")
@click.option("--names", is_flag=True, help="Write features onto the regions that they set apart.")
def plot(model: str, output: str, labels: str | None, feature: str | None, names: bool) -> None:
    """Draw the map of a saved MODEL: grey, by labels, by a feature, or with names of features."""
    if sum((labels is not None, feature is not None, names)) > 1:
        raise click.UsageError("give one of --labels, --feature and --names")

    from .. import plot as pictures
    from .files import read_column

    check_picture(output)
    answers = answers_of(model)
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
@click.argument("model", type=MODEL)
@labels_option
@json_option
def metrics(model: str, labels: str | None, as_json: bool) -> None:
    """Measure how well the map of a saved MODEL keeps its data: stress is best at 0, all else at 1."""
    from ..estimator import FeatMAP
    from ..explorer.part_of_model import user_rows
    from ..metrics import Benchmark
    from .files import read_column

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
    """Whether there are rows enough for the scores of labels; else it is said that they are left out."""
    from ..metrics.accuracy import checked_votes
    from ..metrics.checks import checked_labels

    groups = checked_labels("metrics", labels, len(labels))
    try:
        checked_votes("knn_accuracy", groups)
    except InvalidParameterError:
        warn(f"metrics: {len(labels)} rows are too few for scores of labels, which are left out")
        return False
    return True
