"""``featmap map`` and ``featmap fit``: `map_table` of a file, its findings, a page to explore, and the model."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidParameterError
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
    from ..answers.values import Findings
    from ..tables.table_map import TableMap

FIT_OPTIONS = (
    click.option("--label", metavar="COLUMN", help="A column that is known of the rows, such as a diagnosis."),
    click.option("--id", metavar="COLUMN", help="The column that identifies rows; by default it is found."),
    click.option("--drop", metavar="COLUMN", multiple=True, help="A column to leave out; repeat for several."),
    click.option(
        "--scale/--no-scale",
        default=None,
        help="Scale numbers to standard deviation 1. Tables are by default, arrays and images are not.",
    ),
    click.option("--unit", help="What a row is, 'patient' for example."),
    click.option(
        "--image", "image_shape", type=ImageShape(), help="The shape of pictures whose pixels are the columns."
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
    click.option(
        "--seed", "random_state", type=click.IntRange(0), default=0, show_default=True, help="One seed gives one map."
    ),
    click.option("--jobs", "n_jobs", default=-1, show_default=True, help="Threads; -1 for all cores."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
)
NAMED = re.compile(r"^map_table\((\w+)='(.*?)'\)")  # how an error of `map_table` names a parameter


def fit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that makes a map: parameters of `map_table`, and ``quiet``."""
    for option in reversed(FIT_OPTIONS):
        command = option(command)
    return command


@commands.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=Output(), help="The page; by default DATA with .html.")
@click.option("--text", type=Output(), help="A file for the findings; by default they are printed.")
@click.option("--model", type=Output(), help="A file to save the model in, as fit does.")
@title_option
@fit_options
@json_option
def map(
    data: str,
    output: str | None,
    text: str | None,
    model: str | None,
    title: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a map of DATA: a page to explore it, and a short text of what it shows.

    DATA is a table (.csv, .tsv, .parquet), an array (.npy, .npz), an .h5ad file or a folder of images. Columns that
    identify rows are left out, gaps are filled, categories are encoded and numbers are scaled; the text says how.
    """
    from ..tables.told import what_was_done

    page = output or f"{data.rstrip('/').removesuffix(Path(data).suffix)}.html"
    check_writable(Path(page))
    found = _mapped(data, quiet, options)
    with shown_on_stderr(quiet, "explaining"):
        findings, about = found.findings(), "\n".join(what_was_done(found))
        if model is not None:
            found.save(model)
        found.to_html(page, title=title or Path(data).stem)
    whole = f"{about}\n\n{findings}\n"
    if text is not None:
        with replacing(Path(text)) as file:
            file.write(whole.encode())
    if as_json:
        print_json({"page": page, "rows": len(found), "about": about.splitlines(), **_as_json(findings)})
    elif text is None:
        click.echo(whole)
    if not quiet:
        print(f"{page} has the map; open it in a browser and click a point", file=sys.stderr)


@commands.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=Output(), required=True, help="The file of the model.")
@fit_options
def fit(data: str, output: str, quiet: bool, **options: Any) -> None:
    """Make a map of DATA and save it, for the other commands, featmap.load and FeatMAP.load."""
    found = _mapped(data, quiet, options)
    found.save(output)
    if not quiet:
        print(found.known.text, file=sys.stderr)
        print(f"{output} has the model of {len(found):,} rows", file=sys.stderr)


def _mapped(data: str, quiet: bool, options: dict[str, Any]) -> TableMap:
    """The map of a file. Errors name options rather than parameters."""
    from ..tables import reading
    from ..tables.making import map_table

    asked = {name: value for name, value in options.items() if value is not None}
    with shown_on_stderr(quiet):
        given = reading.read_source(data)
    try:
        with shown_on_stderr(quiet, "reading") as callback:
            return map_table(given, callback=callback, **asked)
    except InvalidParameterError as error:
        raise InvalidParameterError(NAMED.sub(r"--\1 \2", str(error))) from error


def _as_json(findings: Findings) -> dict[str, Any]:
    """Findings as plain values."""
    regions = [
        {
            "name": region.name,
            "rows": region.size,
            "labels": dict(region.labels),
            "rule": None if region.rule is None else region.rule.text,
            "precision": None if region.rule is None else region.rule.precision,
            "recall": None if region.rule is None else region.rule.recall,
            "differences": [str(difference) for difference in region.differences],
        }
        for region in findings.regions
    ]
    doubtful = [{"row": why.row, "name": why.name, "sentence": why.sentence} for why in findings.rows]
    columns = [vars(note) for note in findings.columns]
    return {"kept": findings.kept, "regions": regions, "doubtful": doubtful, "columns": columns}
