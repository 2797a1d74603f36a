"""MNIST and Fashion-MNIST, which share their format."""

from __future__ import annotations

import gzip
import math
from typing import Any

import numpy as np

from .answers import answer, parts_of, pixel_names
from .download import published
from .folder import kept_arrays

MNIST = """
MNIST: 70,000 handwritten digits as 28 × 28 grey images, 60,000 to train and 10,000 to test, in the original order.

LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document recognition, Proc. IEEE 86 (1998);
LeCun, Cortes, Burges: the MNIST database of handwritten digits. Licence: usually quoted as CC BY-SA 3.0.
Downloads are checked by the checksums that TensorFlow Datasets publishes.
"""
FASHION = """
Fashion-MNIST: 70,000 articles of clothing as 28 × 28 grey images, 60,000 to train and 10,000 to test, in the
original order.

Xiao, Rasul, Vollgraf: Fashion-MNIST, a novel image dataset for benchmarking machine learning algorithms,
arXiv:1708.07747 (2017), Zalando SE. Licence: MIT.
Downloads are checked by the checksums that TensorFlow Datasets publishes.
"""
CLOTHES = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
]
N_ROWS = {"train": 60_000, "test": 10_000}
FILES = {"train": "train", "test": "t10k"}
UNSIGNED_BYTES = 8


def load_mnist(*, subset: str = "all", return_X_y: bool = False) -> Any:
    """Load MNIST, its training set before its test set."""
    return _load(
        "mnist", "load_mnist", subset, return_X_y, target_names=[str(digit) for digit in range(10)], DESCR=MNIST
    )


def load_fashion_mnist(*, subset: str = "all", return_X_y: bool = False) -> Any:
    """Load Fashion-MNIST, its training set before its test set."""
    return _load("fashion_mnist", "load_fashion_mnist", subset, return_X_y, target_names=CLOTHES, DESCR=FASHION)


def _load(name: str, caller: str, subset: str, return_X_y: bool, **known: Any) -> Any:
    parts = [_kept(name, part) or _downloaded(name, part) for part in parts_of(caller, subset)]
    images, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return answer(
        return_X_y,
        data=images,
        target=labels.astype(np.int64),
        feature_names=pixel_names(28, 28),
        image_shape=(28, 28),
        **known,
    )


def _kept(name: str, part: str) -> tuple[np.ndarray, np.ndarray] | None:
    n_rows = N_ROWS[part]
    arrays = kept_arrays(f"{name}.npz", {f"X_{part}": (n_rows, 784), f"y_{part}": (n_rows,)})
    return None if arrays is None else (arrays[f"X_{part}"], arrays[f"y_{part}"])


def _downloaded(name: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    with published(name, f"{FILES[part]}-images-idx3-ubyte.gz") as path:
        images = read_idx(gzip.decompress(path.read_bytes())).reshape(-1, 784)
    with published(name, f"{FILES[part]}-labels-idx1-ubyte.gz") as path:
        labels = read_idx(gzip.decompress(path.read_bytes()))
    return images, labels


def read_idx(content: bytes) -> np.ndarray:
    """The array of an idx file: two zeros, the type, the number of dimensions, each of them, all values."""
    if content[:3] != bytes([0, 0, UNSIGNED_BYTES]):
        raise ValueError("not an idx file of unsigned bytes")
    n_dimensions = content[3]
    shape = tuple(np.frombuffer(content, ">u4", n_dimensions, offset=4).tolist())
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_dimensions)
    if len(values) != math.prod(shape):
        raise ValueError(f"{len(values)} values, expected {shape}")
    return values.reshape(shape)
