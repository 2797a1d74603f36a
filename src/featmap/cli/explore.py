"""``featmap explore``: look at a saved map in a browser and ask it why."""

from __future__ import annotations

import os
import sys

import click

from .columns import read_column
from .loading import in_its_columns
from .options import COLUMN, ImageShape


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option("--labels", metavar=COLUMN, help="A label for each row: a column of a CSV, TSV or .npy file.")
@click.option("--column", "columns", metavar=COLUMN, multiple=True, help="A further column; may be given repeatedly.")
@click.option("--ids", metavar=COLUMN, help="A name for each row.")
@click.option(
    "--image", "image_shape", type=ImageShape(), help="The shape of pictures whose pixels are the features."
)
@click.option("--title", help="The title of the page.")
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
    from ..estimator import FeatMAP
    from ..explorer import serve

    loaded = in_its_columns(FeatMAP.load(model))
    n_rows = len(loaded.embedding_)
    named = [read_column(said, n_rows) for said in columns]
    serve(
        loaded,
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
