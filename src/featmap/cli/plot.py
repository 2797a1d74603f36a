"""``featmap plot``: a picture of a map."""

from __future__ import annotations

from typing import Any

import click

from .options import MODEL, labels_option


@click.command()
@click.argument("model", type=MODEL)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), required=True, help="The picture: a .png, .svg or .pdf file."
)
@labels_option
@click.option("--feature", help="Colour the map by how much this feature varies around each row.")
@click.option("--names", is_flag=True, help="Write features onto the regions that they set apart.")
def plot(model: str, output: str, labels: str | None, feature: str | None, names: bool) -> None:
    """Draw the map of a saved MODEL: grey, by labels, by a feature, or with names of features."""
    if sum((labels is not None, feature is not None, names)) > 1:
        raise click.UsageError("give one of --labels, --feature and --names")

    from .. import plot as pictures
    from .columns import read_column
    from .fitting import shown_on_stderr
    from .loading import answers_of
    from .output import check_picture, write_figure

    check_picture(output)
    answers = answers_of(model)
    values = None if labels is None else read_column(labels, len(answers.embedding_)).values
    with shown_on_stderr(False, begun=None):
        if feature is not None:
            chosen = _feature(answers, feature)
            write_figure(output, lambda ax: pictures.feature(answers, chosen, ax=ax), (8, 6.5))
        elif names:
            write_figure(output, lambda ax: pictures.features_on_map(answers, ax=ax), (9, 7.5))
        else:
            write_figure(output, lambda ax: pictures.embedding(answers, values, ax=ax), (8, 6.5))


def _feature(answers: Any, asked: str) -> str | int:
    """A feature by its name, else by its number."""
    names = getattr(answers, "feature_names_in_", None)
    is_name = names is not None and asked in {str(name) for name in names}
    return int(asked) if asked.isdecimal() and not is_name else asked
