"""Put the results of the full benchmark into benchmarks/README.md, and its pictures into docs/images."""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.pages import put_between

from .pictures import BY_METHOD, BY_ROWS
from .records import load_results
from .report import as_markdown

HERE = Path(__file__).parent
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def publish(folder: Path, readme: Path, images: Path) -> None:
    for name in (BY_METHOD, BY_ROWS):
        shutil.copyfile(folder / name, images / f"bench_{name}")
    text = as_markdown(load_results(folder / "results.json"), pictures="../docs/images/bench_")
    put_between(readme, BEGIN, END, text)


if __name__ == "__main__":
    publish(HERE / "results" / "full", HERE / "README.md", HERE.parent / "docs" / "images")
