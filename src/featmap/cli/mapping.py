"""``featmap map`` and ``featmap fit``: a file in, and a page to explore or the model of it out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..store.replacing import replacing
from .shared import (
    DATA,
    ImageShape,
    Output,
    check_writable,
    commands,
    json_option,
    print_json,
    shown_on_stderr,
    title_option,
)

if TYPE_CHECKING:
    from .fitting import Mapped

FIT_OPTIONS = (
    click.option("--label", metavar="COLUMN", help="A column that is known of the rows, such as a diagnosis."),
    click.option("--id", metavar="COLUMN", help="The column that identifies rows; by default it is found."),
    click.option("--drop", metavar="COLUMN", multiple=True, help="A column to leave out; repeat for several."),
    click.option(
        "--scale/--no-scale",
        default=None,
        help="Scale numbers to standard deviation 1. Tables are by default, arrays and images are not.",
    ),
    click.option(
        "--neighbors",
        "n_neighbors",
        type=click.IntRange(3),
        default=15,
        show_default=True,
        help="Size of a neighbourhood.",
    ),
    click.option("--pca", type=click.IntRange(1), help="Make the map of that many principal components."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="One seed gives one map."),
    click.option("--jobs", "n_jobs", default=-1, show_default=True, help="Threads; -1 for all cores."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
)


def fit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of `fitting.Asked`, for a command that makes a map."""
    for option in reversed(FIT_OPTIONS):
        command = option(command)
    return command


@commands.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=Output(), help="The page; by default DATA with .html.")
@click.option("--text", type=Output(), help="A file for the findings; by default they are printed.")
@click.option("--model", type=Output(), help="A file to save the model in, as fit does.")
@click.option("--image", "image_shape", type=ImageShape(), help="The shape of pictures whose pixels are the columns.")
@title_option
@fit_options
@json_option
def map(
    data: str,
    output: str | None,
    text: str | None,
    model: str | None,
    image_shape: tuple[int, ...] | None,
    title: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a map of DATA: a page to explore it, and a short text of what it shows.

    DATA is a table (.csv, .tsv, .parquet), an array (.npy, .npz), an .h5ad file or a folder of images. Columns that
    identify rows are left out, gaps are filled, categories are encoded and numbers are scaled; the text says how.
    """
    from .findings import findings

    label, quiet = options["label"], options["quiet"]
    page = output or f"{data.rstrip('/').removesuffix(Path(data).suffix)}.html"
    check_writable(Path(page))
    mapped = _mapped(data, options)
    with shown_on_stderr(quiet, "explaining"):
        found = findings(mapped, label)
        if model is not None:
            mapped.model.save(model)
        mapped.answers.to_html(
            page,
            labels=mapped.label,
            columns={name: values for name, values in mapped.columns.items() if name != label},
            ids=mapped.ids,
            image_shape=image_shape or mapped.image_shape,
            title=title or Path(data).stem,
        )
    if text is not None:
        with replacing(Path(text)) as file:
            file.write(f"{found}\n".encode())
    if as_json:
        print_json({"page": page, "rows": len(mapped.model.embedding_), **found.as_json()})
    elif text is None:
        click.echo(f"{found}\n")
    if not quiet:
        print(f"{page} has the map; open it in a browser and click a point", file=sys.stderr)


@commands.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=Output(), required=True, help="The file of the model.")
@fit_options
def fit(data: str, output: str, **options: Any) -> None:
    """Make a map of DATA and save the model, for the other commands and for FeatMAP.load."""
    mapped = _mapped(data, options)
    mapped.model.save(output)
    if not options["quiet"]:
        print(mapped.text, file=sys.stderr)
        print(f"{output} has the model of {len(mapped.model.embedding_):,} rows", file=sys.stderr)


def _mapped(data: str, options: dict[str, Any]) -> Mapped:
    from .fitting import Asked, fitted
    from .reading import read_source

    with shown_on_stderr(options["quiet"]):
        source = read_source(data)
    return fitted(source, Asked(**options))
