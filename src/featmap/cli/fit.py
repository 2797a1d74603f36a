"""``featmap fit``: the model of a file."""

from __future__ import annotations

import sys
from typing import Any

import click

from .options import DATA, asked, fit_options


@click.command()
@click.argument("data", type=DATA)
@click.option("-o", "--output", type=click.Path(dir_okay=False), required=True, help="The file of the model.")
@fit_options
def fit(data: str, output: str, **options: Any) -> None:
    """Make a map of DATA and save the model, for the other commands and for FeatMAP.load."""
    from .fitting import fitted, shown_on_stderr
    from .output import check_outputs
    from .reading import read_source

    check_outputs(output)
    quiet = options["quiet"]
    with shown_on_stderr(quiet, None):
        source = read_source(data)
    mapped = fitted(source, asked(options), quiet)
    mapped.model.save(output)
    if not quiet:
        print(mapped.text, file=sys.stderr)
        print(f"{output} has the model of {len(mapped.model.embedding_):,} rows", file=sys.stderr)
