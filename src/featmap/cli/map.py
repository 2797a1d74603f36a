"""``featmap map``: a file in, a page to explore and a text of findings out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from .options import DATA, ImageShape, asked, fit_options, json_option


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
    from .fitting import fitted, shown_on_stderr
    from .output import check_outputs, print_json, write_text
    from .reading import read_source

    wanted, quiet, as_json = asked(options), options["quiet"], options["as_json"]
    page = output or f"{data.rstrip('/').removesuffix(Path(data).suffix)}.html"
    check_outputs(page, text, model)
    with shown_on_stderr(quiet, None):
        source = read_source(data)
    mapped = fitted(source, wanted, quiet)
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
        print_json({"page": page, "rows": source.n_rows, **found.as_json()})
    elif text is None:
        click.echo(f"{found}\n")
    _say(f"{page} has the map; open it in a browser and click a point", quiet)


def _say(sentence: str, quiet: bool) -> None:
    if not quiet:
        print(sentence, file=sys.stderr)
