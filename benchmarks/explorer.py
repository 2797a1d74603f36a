"""How large the explorer's files are, and how long page and server take: ``python -m benchmarks.explorer``.

It states every figure of docs/explorer.md. FEATMAP_DATA names the folder with the data; node, chromium and the
extras ``browser`` and ``explore`` are needed. ``--quick`` does the same with digits, to see that all of it runs.
Names of parts (mnist, fashion_mnist, pbmc3k, server, million) leave the others out.

- File: its size; in chromium without a window, without a graphics card, the time until the map is drawn and until the
  page is ready, from the beginning of the navigation on; of frames while the map is dragged the median that the page
  works for one and the median from one to the next; of 20 clicks the median until the answer is on the page; and the
  CPU time of the worker under node until it is ready and for 100 rows, the least and the median of the later half.
- Server: CPU seconds of its process until it has a link and for each kind of question, seconds until the answer is
  there, and memory. A million rows: the same, and the same of its page in chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from featmap import FeatMAP
from featmap.explorer.hashing import sampled

from .data import load
from .explorer_browser import Seen, chromium, look_at
from .explorer_served import asked, questions, serving

ASK_FILE = Path(__file__).parent.parent / "web" / "ask_file.mjs"
N_CLICKS = 100
N_EPOCHS = 40  # sizes and times do not depend on how good the map is
MILLION = 1_000_000
SERVER, LARGE = "server", "million"

Named = tuple[Any, np.ndarray | None]


def images(name: str) -> Named:
    stored = _stored(name)
    rows = np.concatenate([stored["X_train"], stored["X_test"]]).reshape(-1, 784)
    return rows, np.concatenate([stored["y_train"], stored["y_test"]])


def cells(name: str) -> Named:
    """Counts of a cell relative to their sum, as logarithms."""
    stored = _stored(name)
    counts = sp.csr_matrix((stored["data"], stored["indices"], stored["indptr"]), tuple(stored["shape"]))
    shares = counts.multiply(1e4 / np.asarray(counts.sum(axis=1))).tocsr()
    return shares.log1p().astype(np.float32), stored["cell_type"]


def _stored(name: str) -> Any:
    return np.load(Path(os.environ["FEATMAP_DATA"]) / f"{name}.npz")


def made(name: str) -> Named:
    found = load(name)
    return found.X, found.labels


FILES: dict[str, Callable[[str], Named]] = {"mnist": images, "fashion_mnist": images, "pbmc3k": cells}
PARTS = [*FILES, SERVER, LARGE]


def measure_file(name: str, data: Named, browser: Any, folder: Path) -> None:
    """The file of a map."""
    page = folder / f"{name}.html"
    rows, labels = data
    FeatMAP(random_state=0, n_epochs=N_EPOCHS).fit(rows).to_html(page, labels=labels)
    seen = look_at(browser, page.as_uri())
    opened, clicks = cpu_of_worker(page, rows.shape[0])
    later = np.median(clicks[N_CLICKS // 2 :])
    print(f"\n{name}, {rows.shape[0]:,} × {rows.shape[1]:,}: a file of {page.stat().st_size / 1e6:.1f} MB")
    _print_seen(seen)
    print(
        f"  worker, CPU time: ready in {opened / 1000:.1f} s; a click {min(clicks):.0f} to {later:.0f} ms", flush=True
    )


def cpu_of_worker(page: Path, n_rows: int) -> tuple[float, list[float]]:
    """Milliseconds until the worker of a file is ready, and of each of some clicks."""
    rows = sampled(np.arange(n_rows, dtype=np.int32), N_CLICKS, 0)
    asking, answers = page.with_suffix(".questions.json"), page.with_suffix(".answers.json")
    asking.write_text(json.dumps([{"kind": "point", "row": int(row)} for row in rows]))
    subprocess.run(["node", str(ASK_FILE), str(page), str(asking), str(answers)], check=True)
    opened, *found = (answer["milliseconds"] for answer in json.loads(answers.read_text()))
    return opened, found


def measure_server(title: str, data: Named, folder: Path, browser: Any = None) -> None:
    """The server of a saved map, and with a browser its page as well."""
    path, rows = folder / "model.featmap", data[0]
    model = FeatMAP(random_state=0, n_epochs=N_EPOCHS).fit(rows)
    model.frames_  # noqa: B018 - made and saved, so that the server need not
    model.save(path)
    with serving(path) as server:
        print(f"\nserver, {title}, {rows.shape[0]:,} × {rows.shape[1]:,}")
        print(f"  until the link is there: {server.until_link:.1f} CPU s")
        for name, asking in questions(rows.shape[0]).items():
            found = asked(server, name, asking)
            print(f"  {name}: {found.cpu:.3f} CPU s, {found.wall:.3f} s")
        if browser is not None:
            _print_seen(look_at(browser, server.url))
        held, most = server.gb("RssAnon"), server.gb("VmHWM")
        print(f"  memory: {held:.2f} GB beside the mapped file; {most:.2f} GB with its pages at the peak", flush=True)


def _print_seen(seen: Seen) -> None:
    drawn, ready = seen.drawn / 1000, seen.ready / 1000
    print(f"  chromium: drawn after {drawn:.2f} s, ready after {ready:.2f} s; a click {seen.click:.0f} ms")
    print(f"  chromium: while the map moves {seen.frame:.1f} ms of work a frame, every {seen.between:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="digits in the place of all data")
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {unknown.pop()!r}; the parts are {', '.join(PARTS)}")
    if shutil.which("node") is None:
        parser.error("there is no node: install it with a package manager")
    if not given.quick and "FEATMAP_DATA" not in os.environ:
        parser.error("FEATMAP_DATA must name the folder with the data; --quick needs none")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        run(given.parts or PARTS, given.quick, browser, Path(folder))


def run(parts: list[str], is_quick: bool, browser: Any, folder: Path) -> None:
    for name in parts:
        if name in FILES:
            measure_file(name, made("digits") if is_quick else FILES[name](name), browser, folder)
        elif name == SERVER:
            measure_server("digits" if is_quick else "mnist", made("digits") if is_quick else images("mnist"), folder)
        else:
            measure_server("sheets", made("3000" if is_quick else str(MILLION)), folder, browser)


if __name__ == "__main__":
    main()
