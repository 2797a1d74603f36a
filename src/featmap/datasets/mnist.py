"""MNIST and Fashion-MNIST, which share their format."""

from __future__ import annotations

import gzip
import math
from typing import TYPE_CHECKING

import numpy as np

from .bunch import bunch_or_pair
from .download import published
from .folder import arrays_in_folder
from .images import parts_of, pixel_names

if TYPE_CHECKING:
    from sklearn.utils import Bunch

MNIST = """
MNIST: 70,000 handwritten digits as grey images of 28 × 28 pixels, 60,000 for training and 10,000 for testing, in the
original order.

LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document recognition, Proc. IEEE 86 (1998);
LeCun, Cortes, Burges: the MNIST database of handwritten digits. Licence: usually quoted as CC BY-SA 3.0.
Downloads are checked against the checksums that TensorFlow Datasets publishes.
"""
FASHION = """
Fashion-MNIST: 70,000 articles of clothing as grey images of 28 × 28 pixels, 60,000 for training and 10,000 for
testing, in the original order.

Xiao, Rasul, Vollgraf: Fashion-MNIST, a novel image dataset for benchmarking machine learning algorithms,
arXiv:1708.07747 (2017), Zalando SE. Licence: MIT.
Downloads are checked against the checksums that TensorFlow Datasets publishes.
"""
DIGITS = [str(digit) for digit in range(10)]
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


def load_mnist(*, subset: str = "all", return_X_y: bool = False) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Load MNIST, images of handwritten digits.

    The images are read from ``mnist.npz`` in the folder that FEATMAP_DATA names, or downloaded once (12 MB), which
    needs ``pip install 'featmap[datasets]'``.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        The 60,000 training images, the 10,000 test images, or both, the training images first.
    return_X_y : bool, default=False
        If True, return the pair (data, target) instead of a Bunch.

    Returns
    -------
    mnist : :class:`~sklearn.utils.Bunch`
        A dictionary whose fields are also attributes:

        data : ndarray of shape (n_samples, 784), uint8
            The pixels of each image, row by row, from 0 (background) to 255.
        target : ndarray of shape (n_samples,), int64
            The digit, 0 to 9.
        target_names : list of str
            The digits as text.
        feature_names : list of str
            ``"r2c3"`` for the pixel in row 2 and column 3.
        image_shape : tuple of int
            (28, 28), for ``featmap.plot.saliency``.
        DESCR : str
            Origin, citation and licence.
    (data, target) : tuple of ndarray
        Only these two if ``return_X_y=True``.

    Raises
    ------
    DatasetError
        If a file is missing or damaged, or cannot be downloaded.

    See Also
    --------
    load_fashion_mnist : Images of clothes in the same format.

    Examples
    --------
    >>> from featmap.datasets import load_mnist
    >>> mnist = load_mnist()  # doctest: +SKIP
    >>> mnist.data.shape  # doctest: +SKIP
    (70000, 784)
    """
    return _load("mnist", subset, return_X_y, DIGITS, MNIST)


def load_fashion_mnist(*, subset: str = "all", return_X_y: bool = False) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Load Fashion-MNIST, images of clothes.

    The images are read from ``fashion_mnist.npz`` in the folder that FEATMAP_DATA names, or downloaded once (31 MB),
    which needs ``pip install 'featmap[datasets]'``.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        The 60,000 training images, the 10,000 test images, or both, the training images first.
    return_X_y : bool, default=False
        If True, return the pair (data, target) instead of a Bunch.

    Returns
    -------
    clothes : :class:`~sklearn.utils.Bunch`
        A dictionary whose fields are also attributes:

        data : ndarray of shape (n_samples, 784), uint8
            The pixels of each image, row by row, from 0 (background) to 255.
        target : ndarray of shape (n_samples,), int64
            The kind of clothing, 0 to 9.
        target_names : list of str
            The ten kinds: ``target_names[target[0]]`` is that of the first image.
        feature_names : list of str
            ``"r2c3"`` for the pixel in row 2 and column 3.
        image_shape : tuple of int
            (28, 28), for ``featmap.plot.saliency``.
        DESCR : str
            Origin, citation and licence.
    (data, target) : tuple of ndarray
        Only these two if ``return_X_y=True``.

    Raises
    ------
    DatasetError
        If a file is missing or damaged, or cannot be downloaded.

    See Also
    --------
    load_mnist : Images of digits in the same format.

    Examples
    --------
    >>> from featmap.datasets import load_fashion_mnist
    >>> clothes = load_fashion_mnist(subset="test")  # doctest: +SKIP
    >>> clothes.target_names[clothes.target[0]]  # doctest: +SKIP
    'Ankle boot'
    """
    return _load("fashion_mnist", subset, return_X_y, CLOTHES, FASHION)


def _load(
    name: str, subset: str, return_X_y: bool, target_names: list[str], description: str
) -> Bunch | tuple[np.ndarray, np.ndarray]:
    parts = [_from_folder(name, part) or _downloaded(name, part) for part in parts_of(f"load_{name}", subset)]
    images, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return bunch_or_pair(
        return_X_y,
        data=images,
        target=labels.astype(np.int64),
        target_names=target_names.copy(),
        feature_names=pixel_names(28, 28),
        image_shape=(28, 28),
        DESCR=description,
    )


def _from_folder(name: str, part: str) -> tuple[np.ndarray, np.ndarray] | None:
    n_rows = N_ROWS[part]
    arrays = arrays_in_folder(f"{name}.npz", {f"X_{part}": (n_rows, 784), f"y_{part}": (n_rows,)})
    return None if arrays is None else (arrays[f"X_{part}"], arrays[f"y_{part}"])


def _downloaded(name: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    with published(name, f"{FILES[part]}-images-idx3-ubyte.gz") as path:
        images = read_idx(gzip.decompress(path.read_bytes())).reshape(-1, 784)
    with published(name, f"{FILES[part]}-labels-idx1-ubyte.gz") as path:
        labels = read_idx(gzip.decompress(path.read_bytes()))
    return images, labels


def read_idx(content: bytes) -> np.ndarray:
    """Return the array of an idx file: two zeros, the type, the number of dimensions, each of them, all values."""
    if content[:3] != bytes([0, 0, UNSIGNED_BYTES]):
        raise ValueError("not an idx file of unsigned bytes")
    n_dimensions = content[3]
    shape = tuple(np.frombuffer(content, ">u4", n_dimensions, offset=4).tolist())
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_dimensions)
    if len(values) != math.prod(shape):
        raise ValueError(f"{len(values)} values, expected {shape}")
    return values.reshape(shape)
