"""Some of the rows of a data set."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

ROW_FIELDS = ("data", "target", "angle", "logs")


def part_of(data: Bunch, rows: np.ndarray | slice) -> Bunch:
    """The same data set with some of its rows."""
    return Bunch(**data | {field: data[field][rows] for field in ROW_FIELDS if field in data})


def random_rows(n_rows: int, n_wanted: int) -> np.ndarray:
    """Different row numbers in random order, always the same for the same numbers."""
    return np.random.default_rng(0).choice(n_rows, n_wanted, replace=False)


def random_part(data: Bunch, n_wanted: int) -> Bunch:
    return part_of(data, random_rows(len(data.target), n_wanted))
