"""The data sets as they are published, by name; the one place that knows where their loaders are."""

from __future__ import annotations

from functools import partial

from featmap.datasets import load_cifar10, load_coil20, load_fashion_mnist, load_mnist

from .cell_files import load_paul15, load_pbmc3k
from .confirmation import load_kmnist

IMAGES = {
    "MNIST": load_mnist,
    "Fashion-MNIST": load_fashion_mnist,
    "COIL-20": load_coil20,
    "CIFAR-10": partial(load_cifar10, subset="test"),
    "KMNIST": load_kmnist,
}
CELLS = {"PBMC 3k": load_pbmc3k, "Paul 2015": load_paul15}
