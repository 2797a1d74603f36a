"""``featmap map`` and ``featmap fit``: a file in, and a page to explore or the model of it out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import DATA, Asked, ImageShape, asked, fit_options, json_option

if TYPE_CHECKING:
    from .fitting import Mapped


@click.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="The page; by default DATA with .html.")
@click.option("--text", type=click.Path(dir_okay=False), help="A file for the findings; by default they are printed.")
@click.option("--model", type=click.Path(dir_okay=False), help="A file to save the model in, as fit does.")
@click.option("--image", "image_shape", type=ImageShape(), help="The shape of pictures whose pixels are the columns.")
@click.option("--title", help="The title of the page.")
@fit_options
@json_option
def map(
    data: str,
    output: str | None,
    text: str | None,
    model: str | None,
    image_shape: tuple[int, ...] | None,
    title: str | None,
    **options: Any,
) -> None:
    """Make a map of DATA: a page to explore it, and a short text of what it shows.

    DATA is a table (.csv, .tsv, .parquet), an array (.npy, .npz), an .h5ad file or a folder of images. Columns that
    identify rows are left out, gaps are filled, categories are encoded and numbers are scaled; the text says how.
    """
    from .findings import findings
    from .output import check_outputs, print_json, shown_on_stderr, write_text

    wanted, quiet, as_json = asked(options), options["quiet"], options["as_json"]
    page = output or f"{data.rstrip('/').removesuffix(Path(data).suffix)}.html"
    check_outputs(page, text, model)
    mapped = _mapped(data, wanted, quiet)
    with shown_on_stderr(quiet, "explaining"):
        found = findings(mapped, wanted.label)
        if model is not None:
            mapped.model.save(model)
        mapped.answers.to_html(
            page,
            labels=mapped.label,
            columns={name: values for name, values in mapped.columns.items() if name != wanted.label},
            ids=mapped.ids,
            image_shape=image_shape or mapped.image_shape,
            title=title or Path(data).stem,
        )
    if text is not None:
        write_text(text, f"{found}\n")
    if as_json:
        print_json({"page": page, "rows": len(mapped.model.embedding_), **found.as_json()})
    elif text is None:
        click.echo(f"{found}\n")
    if not quiet:
        print(f"{page} has the map; open it in a browser and click a point", file=sys.stderr)


@click.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True, help="The file of the model.")
@fit_options
def fit(data: str, output: str, **options: Any) -> None:
    """Make a map of DATA and save the model, for the other commands and for FeatMAP.load."""
    from .output import check_outputs

    check_outputs(output)
    mapped = _mapped(data, asked(options), options["quiet"])
    mapped.model.save(output)
    if not options["quiet"]:
        print(mapped.text, file=sys.stderr)
        print(f"{output} has the model of {len(mapped.model.embedding_):,} rows", file=sys.stderr)


def _mapped(data: str, wanted: Asked, quiet: bool) -> Mapped:
    from .fitting import fitted
    from .output import shown_on_stderr
    from .reading import read_source

    with shown_on_stderr(quiet):
        source = read_source(data)
    return fitted(source, wanted, quiet)
