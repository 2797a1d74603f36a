"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

Command = Callable[..., Any]
DATA = click.Path(exists=True)
MODEL = click.Path(exists=True, dir_okay=False)
COLUMN = "FILE[:COLUMN]"


class ImageShape(click.ParamType):
    """Height x width, and x 3 for colours."""

    name = "HEIGHTxWIDTH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Read a text such as 28x28."""
        if not re.fullmatch(r"\d{1,6}x\d{1,6}(x3)?", value):
            self.fail(f"{value!r} is not a height and a width, such as 28x28 or 32x32x3", param, ctx)
        return tuple(int(side) for side in value.split("x"))


@dataclass(frozen=True)
class Asked:
    """What the user says of the columns of a file and of the map."""

    label: str | None
    id: str | None
    drop: Sequence[str]
    scale: bool | None  # None: tables are scaled, arrays are not
    n_neighbors: int
    pca: int | None
    seed: int
    n_jobs: int


def fit_options(command: Command) -> Command:
    """Options of commands that make a map of a file."""
    for option in reversed(
        [
            click.option(
                "--label", metavar="COLUMN", help="A column that is known of the rows, such as a diagnosis."
            ),
            click.option("--id", metavar="COLUMN", help="The column that identifies rows; by default it is found."),
            click.option(
                "--drop", metavar="COLUMN", multiple=True, help="A column to leave out; repeat for several."
            ),
            click.option(
                "--scale/--no-scale",
                default=None,
                help="Scale numbers to standard deviation 1. Tables are by default, arrays and images are not.",
            ),
            click.option(
                "--neighbors", type=click.IntRange(3), default=15, show_default=True, help="Size of a neighbourhood."
            ),
            click.option("--pca", type=click.IntRange(1), help="Make the map of that many principal components."),
            click.option(
                "--seed", type=click.IntRange(0), default=0, show_default=True, help="One seed gives one map."
            ),
            click.option("--jobs", type=int, default=-1, show_default=True, help="Threads; -1 for all cores."),
            click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
        ]
    ):
        command = option(command)
    return command


def asked(options: dict[str, Any]) -> Asked:
    """The options of `fit_options`, as a command receives them; they are taken out of ``options``."""
    names = ("label", "id", "drop", "scale", "pca", "seed")
    return Asked(
        **{name: options.pop(name) for name in names},
        n_neighbors=options.pop("neighbors"),
        n_jobs=options.pop("jobs"),
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
labels_option = click.option(
    "--labels", metavar=COLUMN, help="A label for each row: a column of a CSV, TSV or .npy file."
)
