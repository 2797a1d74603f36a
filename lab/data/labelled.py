"""The data sets with labels on which defaults are chosen, and those on which they are only confirmed."""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.utils import Bunch

from .cells import prepared_cells
from .images import as_float, digits, load_images
from .loaders import CELLS, TABLES
from .parts import part_of, random_rows

CHOOSING = ("digits", "COIL-20", "PBMC 3k", "Paul 2015", "MNIST 10k", "Fashion-MNIST 10k")
CONFIRMING = ("KMNIST", "letters", "CIFAR-10")
N_PART = 10_000
PART = " 10k"


@cache
def labelled(name: str) -> Bunch:
    """Rows as float32 and their labels. "MNIST 10k" has 10,000 random ones of its rows, in their order."""
    if name == "digits":
        return digits()
    if name in CELLS:
        return prepared_cells(name)
    if name in TABLES:
        return as_float(TABLES[name]())
    if name.endswith(PART):
        return part_in_order(load_images(name.removesuffix(PART)))
    return load_images(name)


def part_in_order(images: Bunch) -> Bunch:
    return part_of(images, np.sort(random_rows(len(images.target), N_PART)))
