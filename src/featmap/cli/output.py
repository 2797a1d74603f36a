"""What commands print and write: text, JSON, tables and files, each as a whole or not at all; and their progress."""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..errors import InvalidParameterError, MissingExtraError
from ..store.replacing import replacing

Callback = Callable[[str, int, int], object]  # of a fit: stage, done, total
WIDTH_OF_FILES = 160


def print_json(value: Any) -> None:
    """Print plain values as JSON. NaN and infinity, which JSON does not have, become null."""
    click.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, str | int | bool) or value is None else str(value)


def print_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print a table; columns but the first are to the right."""
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
        console.width = WIDTH_OF_FILES
    console.print(table)


def check_outputs(*paths: str | None) -> None:
    """Files that are written at the end can be written, as far as one can tell at the start."""
    for path in paths:
        folder = None if path is None else Path(path).absolute().parent
        if folder is not None and not folder.is_dir():
            raise InvalidParameterError(f"{path} could not be written: there is no folder {folder}")
        if folder is not None and not os.access(folder, os.W_OK):
            raise InvalidParameterError(f"{path} could not be written: the folder {folder} is not writable")


def check_picture(path: str) -> str:
    """The kind of a picture that is written at the end."""
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in ("png", "svg", "pdf"):
        raise InvalidParameterError(f"{path}: a picture must be a .png, .svg or .pdf file")
    check_outputs(path)
    return kind


def write_text(path: str, text: str) -> None:
    """Write a text file as a whole."""
    with replacing(Path(path)) as file:
        file.write(text.encode())


def write_figure(path: str, draw: Any, size: tuple[float, float]) -> None:
    """Write a picture, which ``draw`` draws on an Axes, as a whole."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("pictures need matplotlib: pip install 'featmap[plot]'") from error
    kind = check_picture(path)
    figure = Figure(figsize=size, layout="constrained")
    draw(figure.add_subplot())
    with replacing(Path(path)) as file:
        figure.savefig(file, format=kind, dpi=150)


@contextmanager
def shown_on_stderr(quiet: bool = False, begun: str | None = None) -> Iterator[Callback | None]:
    """Show warnings and remarks on stderr, each as one sentence; with ``quiet`` none.

    If the first stage is named, a bar shows there how far the work is: give the callback to a fit.
    """
    remarks = logging.NullHandler() if quiet else _Remarks()
    logging.getLogger("featmap").addHandler(remarks)
    try:
        with warnings.catch_warnings(), _bar(None if quiet or not sys.stderr.isatty() else begun) as callback:
            if quiet:
                warnings.simplefilter("ignore")
            warnings.showwarning = _warned
            yield callback
    finally:
        logging.getLogger("featmap").removeHandler(remarks)


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
    try:
        yield
    except ImportError as error:
        raise MissingExtraError("featmap needs rich: pip install 'featmap[cli]'") from error


class _Remarks(logging.Handler):
    """What the library logs, on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        print("featmap:", record.getMessage(), file=sys.stderr)


def _warned(message: Warning | str, *_: Any, **__: Any) -> None:
    print("featmap: warning:", " ".join(str(message).split()), file=sys.stderr)
