"""Markdown: tables, and where they go in a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from .files import write_text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; rows with fewer cells than the head are filled up."""
    filled = [[*row, *[""] * (len(head) - len(row))] for row in rows]
    lines = [line(head), f"|{'---|' * len(head)}", *map(line, filled)]
    return "\n".join(lines)


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def put_between(path: Path, begin: str, end: str, text: str) -> None:
    """Replace what stands between two marks in a page."""
    before, rest = path.read_text().split(begin)
    after = rest.split(end)[1]
    write_text(path, f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")
