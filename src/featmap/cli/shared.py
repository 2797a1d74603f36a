"""What the commands share: their group and options, and how they print, write and show progress."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from .. import __version__
from ..errors import InvalidParameterError, MissingExtraError
from ..store.replacing import replacing

Callback = Callable[[str, int, int], object]  # of a fit: stage, done, total
DATA = click.Path(exists=True)
MODEL_FILE = click.Path(exists=True, dir_okay=False)
COLUMN = "FILE[:COLUMN]"


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="featmap %(version)s")
def commands() -> None:
    """Maps of data that keep their features."""


class ImageShape(click.ParamType):
    """Height x width, and x 3 for colours."""

    name = "HEIGHTxWIDTH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Read a text such as 28x28."""
        if not re.fullmatch(r"\d{1,6}x\d{1,6}(x3)?", value):
            self.fail(f"{value!r} is not a height and a width, such as 28x28 or 32x32x3", param, ctx)
        return tuple(int(side) for side in value.split("x"))


class Output(click.Path):
    """A file that a command writes at its end, with one of these endings. It is checked at the start."""

    def __init__(self, *endings: str) -> None:
        super().__init__(dir_okay=False)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the name of a file that cannot be written."""
        given = os.fsdecode(super().convert(value, param, ctx))
        path = Path(given)
        if self.endings and path.suffix.lower() not in self.endings:
            kinds = f"{', '.join(self.endings[:-1])} or {self.endings[-1]}"
            self.fail(f"{given}: the file must be a {kinds} file", param, ctx)
        check_writable(path)
        return given


PICTURE = Output(".png", ".svg", ".pdf")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
title_option = click.option("--title", help="The title of the page.")
labels_option = click.option(
    "--labels", metavar=COLUMN, help="A label for each row: a column of a CSV, TSV or .npy file."
)


def print_json(value: Any) -> None:
    """Print values as JSON. NaN and infinity, which JSON does not have, become null."""
    text = json.dumps(value, default=_plain)
    known = json.loads(text, parse_constant=lambda _: None)
    click.echo(json.dumps(known, indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def print_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table. All columns but the first are aligned to the right."""
    with _needing_rich():
        from rich import box
        from rich.console import Console
        from rich.table import Table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for line in lines:
        table.add_row(*line)
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 160  # lines of a file need not fit a screen
    console.print(table)


def check_writable(path: Path) -> None:
    """Raise an error if the folder of an output file is missing or not writable."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InvalidParameterError(f"{path} could not be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InvalidParameterError(f"{path} could not be written: the folder {folder} is not writable")


def write_figure(path: str, draw: Callable[[Any], object], size: tuple[float, float]) -> None:
    """Write the picture that ``draw`` draws on an Axes. The file appears when it is complete."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.add_subplot())
    with replacing(Path(path)) as file:
        figure.savefig(file, format=Path(path).suffix[1:], dpi=150)


@contextmanager
def shown_on_stderr(quiet: bool = False, begun: str | None = None) -> Iterator[Callback | None]:
    """Show warnings and remarks on stderr, each as one sentence; with ``quiet`` none.

    If ``begun`` names the first stage, a progress bar is shown; pass the callback to a fit.
    """
    logger = logging.getLogger("featmap")
    with warnings.catch_warnings(), _bar(None if quiet or not sys.stderr.isatty() else begun) as callback:
        if quiet:
            warnings.simplefilter("ignore")
        warnings.showwarning = _show_warning
        remarks = logging.NullHandler() if quiet else logging.StreamHandler(sys.stderr)
        remarks.setFormatter(logging.Formatter("featmap: %(message)s"))
        logger.addHandler(remarks)
        try:
            yield callback
        finally:
            logger.removeHandler(remarks)


@contextmanager
def _bar(begun: str | None) -> Iterator[Callback | None]:
    if begun is None:
        yield None
        return
    with _needing_rich():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    columns = TextColumn("{task.description:<12}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(begun, total=None)
        yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)


@contextmanager
def _needing_rich() -> Iterator[None]:
    """Name the extra with rich. The extra explore has click alone, which is enough for ``featmap explore``."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError("featmap needs rich: pip install 'featmap[cli]'") from error


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print("featmap: warning:", " ".join(str(message).split()), file=sys.stderr)
