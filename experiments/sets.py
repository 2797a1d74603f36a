"""The data of the experiments by name, prepared once and the same for every method."""

from __future__ import annotations

from functools import cache

from sklearn.utils import Bunch

from lab.data.cells import prepared_cells
from lab.data.images import load_images
from lab.data.loaders import CELLS
from lab.data.parts import part_of

ADVERSARIAL = "MNIST adversarial"
QUICK_SET = "MNIST, 1,000 rows"
SETS = ("PBMC 3k", "Paul 2015", "COIL-20", "CIFAR-10", ADVERSARIAL, "MNIST", "Fashion-MNIST")


@cache
def prepared(name: str) -> Bunch:
    """Rows as float32, labels, names of features, image shape."""
    if name in CELLS:
        return prepared_cells(name)
    if name == ADVERSARIAL:
        from .adversarial.attack import attacked

        return attacked()
    if name == QUICK_SET:
        return part_of(prepared("MNIST"), slice(1000))
    return load_images(name)


def digit_one(n_rows: int | None = None) -> Bunch:
    """The images of MNIST's digit 1, or the first of them."""
    digits = prepared("MNIST")
    return part_of(digits, (digits.target == 1).nonzero()[0][:n_rows])
