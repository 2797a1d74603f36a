"""The data of the experiments, prepared once and the same for every method."""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.utils import Bunch

from cells import prepared_cells
from featmap import datasets
from loaders import load_paul15, load_pbmc3k

IMAGES = {
    "MNIST": datasets.load_mnist,
    "Fashion-MNIST": datasets.load_fashion_mnist,
    "COIL-20": datasets.load_coil20,
    "CIFAR-10": lambda: datasets.load_cifar10(subset="test"),
}
CELLS = {"PBMC 3k": load_pbmc3k, "Paul 2015": load_paul15}
ADVERSARIAL = "MNIST adversarial"
QUICK_SET = "MNIST, 1,000 rows"
SETS = ("PBMC 3k", "Paul 2015", "COIL-20", "CIFAR-10", ADVERSARIAL, "MNIST", "Fashion-MNIST")


@cache
def prepared(name: str) -> Bunch:
    """Rows as float32, labels, names of features, image shape."""
    if name in CELLS:
        return prepared_cells(CELLS[name]())
    if name == ADVERSARIAL:
        from adversarial.attack import attacked

        return attacked()
    if name == QUICK_SET:
        return first_rows(prepared("MNIST"), 1000)
    bunch = IMAGES[name]()
    bunch.data = np.asarray(bunch.data, np.float32)
    return bunch


def first_rows(bunch: Bunch, n_rows: int) -> Bunch:
    return Bunch(**bunch | {"data": bunch.data[:n_rows], "target": bunch.target[:n_rows]})
