"""Data sets to map, loaded the way scikit-learn loads its own.

The penguins come with the package. The images are read from the folder that the environment variable FEATMAP_DATA
names, if it is set. Otherwise the published files are downloaded once and kept in the cache folder of the user, or in
the folder that FEATMAP_CACHE names.
"""

from __future__ import annotations

from .images import load_cifar10, load_coil20, load_fashion_mnist, load_mnist
from .penguins import load_penguins

__all__ = ["load_cifar10", "load_coil20", "load_fashion_mnist", "load_mnist", "load_penguins"]
