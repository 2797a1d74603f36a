"""Data sets to map, loaded as scikit-learn loads its own.

They are read from the folder that the environment variable FEATMAP_DATA names, if it is set. Otherwise the published
files are downloaded once and kept in the cache folder of the user, or in the folder FEATMAP_CACHE.
"""

from __future__ import annotations

from .cifar import load_cifar10
from .coil import load_coil20
from .faces import load_olivetti_faces
from .mammoth import load_mammoth
from .mnist import load_fashion_mnist, load_mnist
from .pancreas import load_pancreas
from .paul import load_paul15
from .pbmc import load_pbmc3k
from .penguins import load_penguins
from .swiss_roll import load_swiss_roll

__all__ = [
    "load_cifar10",
    "load_coil20",
    "load_fashion_mnist",
    "load_mammoth",
    "load_mnist",
    "load_olivetti_faces",
    "load_pancreas",
    "load_paul15",
    "load_pbmc3k",
    "load_penguins",
    "load_swiss_roll",
]
