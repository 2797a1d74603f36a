"""``featmap explain``: why is a row here, what is a group, what tells two groups apart."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..checks.arguments import listed
from ..errors import InvalidParameterError
from .files import read_column
from .saved import answers_of
from .shared import (
    MODEL,
    OUTPUT,
    check_picture,
    commands,
    json_option,
    labels_option,
    print_json,
    print_table,
    shown_on_stderr,
    write_figure,
)

if TYPE_CHECKING:
    from ..explanation.contrast import Contrast
    from ..explanation.why import Why


@commands.command()
@click.argument("model", type=MODEL)
@click.option("--row", "rows", multiple=True, help="A row, by its number or its id; repeat for a group of rows.")
@labels_option
@click.option("--group", help="All rows with this label.")
@click.option("--against", help="Another label: what tells the two groups apart. 'rest' for all other rows.")
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="How many features are named.")
@click.option("-o", "--output", type=OUTPUT, help="A picture (.png, .svg, .pdf) instead of text.")
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

    \b
    featmap explain m.featmap --row 213
    featmap explain m.featmap --labels data.csv:species --group Gentoo
    featmap explain m.featmap --labels data.csv:species --group Gentoo --against Adelie
    """
    if bool(rows) == (group is not None):
        raise click.UsageError("say which rows: --row, or --group with --labels")
    if group is not None and labels is None:
        raise click.UsageError("--group needs --labels, a column with the label of each row, as in data.csv:species")
    if against is not None and group is None:
        raise click.UsageError("--against needs --group, the label that is compared")

    if output is not None:
        check_picture(output)
    answers = answers_of(model)
    with shown_on_stderr():
        if group is None or labels is None:
            _tell_why(answers, _rows(answers, rows), k, output, as_json)
            return
        texts = np.array(read_column(labels, len(answers.embedding_)).texts, dtype=object)
        if against is None:
            chosen = np.flatnonzero(texts == group)
            if not len(chosen):
                there = listed(sorted(set(texts)))
                raise InvalidParameterError(f"--group {group}: no row has this label; there are {there}")
            _tell_why(answers, chosen, k, output, as_json)
            return
        if against == "rest" and "rest" not in texts:  # all others that have a label
            against = "the rest"
            texts = np.where((texts == group) | (texts == ""), texts, against)
        _tell_contrast(answers.contrast(group, against, labels=texts), k, output, as_json)


def _rows(answers: Any, asked: tuple[str, ...]) -> Any:
    """Rows by their ids, else by their numbers."""
    names = getattr(answers, "row_names_in_", ())
    known = {str(name): number for number, name in enumerate(names)}
    rows = [known.get(one, int(one) if one.isdecimal() else one) for one in asked]
    return rows[0] if len(rows) == 1 else rows


def _tell_why(answers: Any, chosen: Any, k: int, output: str | None, as_json: bool) -> None:
    if output is None:
        why = answers.why(chosen, k)
        print_json(_why_as_json(why)) if as_json else click.echo(str(why))
        return

    from .. import plot

    if np.size(chosen) != 1:
        raise InvalidParameterError(
            "-o: a picture is of one row or of a contrast; leave -o out to read about a group"
        )
    write_figure(output, lambda ax: plot.why(answers, chosen, k=min(k, 8), ax=ax), (11, 9.5))


def _why_as_json(why: Why) -> dict[str, Any]:
    from ..explanation.why import LISTS

    lists = {name: [asdict(one) for one in getattr(why, name)] for name in LISTS}
    return {
        "subject": why.subject,
        "rows": why.rows,
        "n_around": why.n_around,
        "sentence": why.sentence,
        **lists,
        "alone": [str(name) for name in why.alone],
        "trust": why.trust.sentence,
    }


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
