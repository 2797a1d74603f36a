"""How long `transform` takes, in CPU milliseconds a row: one row at a time, and many at once.

``FEATMAP_DATA=/path/to/data python -m benchmarks.new_row_times`` fits models of 10,000 rows and prints a table. With
``--rows 2000`` they have fewer.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from featmap import FeatMAP
from lab.pages import table

from .data import load

HEAD = ("model", "one row alone, CPU ms", "10,000 rows, CPU ms a row")
N_ROWS = 10_000  # of a model, and of the new rows that are placed at once
N_ALONE = 200  # rows that are placed one by one; the median counts
ROUNDS = 3  # of placing many; the fastest counts
FEW_EPOCHS = 50  # the time of a new row does not depend on how good the map is
DATA = {"MNIST, 784 features": "mnist", "sheets, 50 features": "20000"}


def cpu_ms_of_new_rows(X: np.ndarray, n_rows: int) -> tuple[float, float]:
    """Milliseconds of a row that comes alone, and of one of many, on a model of the first rows."""
    model = FeatMAP(n_epochs=FEW_EPOCHS, random_state=0).fit(X[:n_rows])
    new = X[n_rows : 2 * n_rows]
    model.transform(new[:2])  # compiles, and makes what later calls need
    alone = [_cpu_ms(model, new[number : number + 1]) for number in range(min(N_ALONE, len(new)))]
    at_once = [_cpu_ms(model, new) / len(new) for _ in range(ROUNDS)]
    return float(np.median(alone)), min(at_once)


def _cpu_ms(model: FeatMAP, rows: np.ndarray) -> float:
    start = time.process_time()
    model.transform(rows)
    return 1000 * (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=N_ROWS, help="of a model")
    given = parser.parse_args()
    lines = []
    for name, data in DATA.items():
        alone, at_once = cpu_ms_of_new_rows(load(data).X, given.rows)
        lines.append((name, f"{alone:.2f}", f"{at_once:.3f}"))
    print(table(HEAD, lines))


if __name__ == "__main__":
    main()
