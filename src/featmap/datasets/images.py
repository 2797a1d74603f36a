"""Sets of images: MNIST, Fashion-MNIST, COIL-20 and CIFAR-10."""

from __future__ import annotations

import gzip
import io
import math
import tarfile
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DatasetError, InvalidParameterError
from .loading import DOWNLOAD, arrays_in_folder, bunch_or_pair, data_folder, optional_package, published

if TYPE_CHECKING:
    from sklearn.utils import Bunch

PARTS = {"all": ("train", "test"), "train": ("train",), "test": ("test",)}
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
CLOTHES = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
MNIST_PARTS = {"train": ("train", 60_000), "test": ("t10k", 10_000)}  # how files begin, and how many images they have


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
    return _load("mnist", subset, return_X_y, list("0123456789"), MNIST)


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
    """MNIST and Fashion-MNIST have one format."""
    parts = []
    for part in parts_of(f"load_{name}", subset):
        X, y = f"X_{part}", f"y_{part}"
        prefix, n_rows = MNIST_PARTS[part]
        arrays = arrays_in_folder(f"{name}.npz", {X: (n_rows, 784), y: (n_rows,)})
        parts.append((arrays[X], arrays[y]) if arrays else _downloaded_mnist(name, prefix))
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


def _downloaded_mnist(name: str, prefix: str) -> tuple[np.ndarray, np.ndarray]:
    with published(name, f"{prefix}-images-idx3-ubyte.gz") as path:
        images = read_idx(gzip.decompress(path.read_bytes())).reshape(-1, 784)
    with published(name, f"{prefix}-labels-idx1-ubyte.gz") as path:
        labels = read_idx(gzip.decompress(path.read_bytes()))
    return images, labels


def read_idx(content: bytes) -> np.ndarray:
    """Return the array of an idx file: two zeros, the type, the number of dimensions, each of them, all values."""
    if content[:3] != bytes([0, 0, 8]):  # 8 stands for unsigned bytes
        raise ValueError("not an idx file of unsigned bytes")
    n_dimensions = content[3]
    shape = tuple(np.frombuffer(content, ">u4", n_dimensions, offset=4).tolist())
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_dimensions)
    if len(values) != math.prod(shape):
        raise ValueError(f"{len(values)} values, expected {shape}")
    return values.reshape(shape)


COIL20 = """
COIL-20, the processed images: 20 objects on a turntable, photographed every 5 degrees, as grey images of 128 × 128
pixels, sorted by object, then angle.

Nene, Nayar, Murase: Columbia Object Image Library (COIL-20), Tech. Rep. CUCS-005-96, Columbia University (1996).
Licence: offered for research; no formal licence is known.
Downloads are checked against the checksum in the loaders of the NEVIS'22 benchmark.
"""
N_OBJECTS, N_ANGLES, SIDE = 20, 72, 128
COIL_SHAPES = {"X": (1440, SIDE, SIDE), "y": (1440,), "angle": (1440,)}


def load_coil20(*, return_X_y: bool = False) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Load COIL-20, images of 20 objects on a turntable.

    The images of one object form a closed loop. They are read from ``coil20.npz`` in the folder that FEATMAP_DATA
    names, or downloaded once, which needs ``pip install 'featmap[datasets]'``.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return the pair (data, target) instead of a Bunch.

    Returns
    -------
    coil : :class:`~sklearn.utils.Bunch`
        A dictionary whose fields are also attributes:

        data : ndarray of shape (1440, 16384), uint8
            The pixels of each image, row by row, from 0 (black) to 255.
        target : ndarray of shape (1440,), int64
            The number of the object, 1 to 20.
        angle : ndarray of shape (1440,), int64
            The angle of the turntable in degrees: 0, 5, …, 355.
        feature_names : list of str
            ``"r2c3"`` for the pixel in row 2 and column 3.
        image_shape : tuple of int
            (128, 128), for ``featmap.plot.saliency``.
        DESCR : str
            Origin, citation and licence.
    (data, target) : tuple of ndarray
        Only these two if ``return_X_y=True``.

    Raises
    ------
    DatasetError
        If the file is missing or damaged, or cannot be downloaded.

    See Also
    --------
    load_cifar10 : Colour photographs of ten kinds of things.

    Examples
    --------
    >>> from featmap.datasets import load_coil20
    >>> coil = load_coil20()  # doctest: +SKIP
    >>> coil.data[coil.target == 4].shape  # doctest: +SKIP
    (72, 16384)
    """
    arrays = arrays_in_folder("coil20.npz", COIL_SHAPES) or _downloaded_coil()
    return bunch_or_pair(
        return_X_y,
        data=arrays["X"].reshape(-1, SIDE * SIDE),
        target=arrays["y"].astype(np.int64),
        feature_names=pixel_names(SIDE, SIDE),
        image_shape=(SIDE, SIDE),
        angle=arrays["angle"].astype(np.int64),
        DESCR=COIL20,
    )


def _downloaded_coil() -> dict[str, np.ndarray]:
    decoder = optional_package("PIL.Image")
    objects = np.repeat(np.arange(1, N_OBJECTS + 1), N_ANGLES)
    steps = np.tile(np.arange(N_ANGLES), N_OBJECTS)
    images = np.empty((len(objects), SIDE, SIDE), np.uint8)
    with published("coil20", "coil-20-proc.zip") as path, zipfile.ZipFile(path) as archive:
        for row, (number, step) in enumerate(zip(objects, steps, strict=True)):
            png = io.BytesIO(archive.read(f"coil-20-proc/obj{number}__{step}.png"))
            with decoder.open(png, formats=["PNG"]) as image:
                images[row] = np.asarray(image)
    return {"X": images, "y": objects, "angle": steps * (360 // N_ANGLES)}


CIFAR10 = """
CIFAR-10: 60,000 photographs of ten kinds of things as colour images of 32 × 32 pixels, 50,000 for training and 10,000
for testing.

Krizhevsky: Learning multiple layers of features from tiny images, University of Toronto (2009). No formal licence is
known; please cite the report.
Downloads are the binary version in its own order, checked against the checksum that TensorFlow Datasets publishes.
The folder FEATMAP_DATA holds only the test set, in a different order; there ``filename`` says which image is which.
"""
CIFAR_CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
CHANNELS = (" red", " green", " blue")
CIFAR_SHAPES = {"X": (10_000, 32, 32, 3), "y": (10_000,), "filename": (10_000,)}
CIFAR_BATCHES = {
    "train": [f"cifar-10-batches-bin/data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["cifar-10-batches-bin/test_batch.bin"],
}
CIFAR_FEATURES = 32 * 32 * 3


def load_cifar10(*, subset: str = "all", return_X_y: bool = False) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Load CIFAR-10, colour photographs of ten kinds of things.

    The images are downloaded once (170 MB), which needs ``pip install 'featmap[datasets]'``. If FEATMAP_DATA is set,
    they are read from ``cifar10_test.npz`` in that folder, which holds only the test set, in a different order than
    the original: then ``subset="test"`` is required.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        The 50,000 training images, the 10,000 test images, or both, the training images first.
    return_X_y : bool, default=False
        If True, return the pair (data, target) instead of a Bunch.

    Returns
    -------
    cifar : :class:`~sklearn.utils.Bunch`
        A dictionary whose fields are also attributes:

        data : ndarray of shape (n_samples, 3072), uint8
            Red, green and blue of each pixel, row by row, from 0 to 255.
        target : ndarray of shape (n_samples,), int64
            The kind of thing, 0 to 9.
        target_names : list of str
            The ten kinds: ``target_names[target[0]]`` is that of the first image.
        feature_names : list of str
            ``"r2c3 red"`` for the red channel of the pixel in row 2 and column 3.
        image_shape : tuple of int
            (32, 32, 3), for ``featmap.plot.saliency``.
        filename : ndarray of shape (n_samples,), str, or None
            The original name of each image, None if the images were downloaded.
        DESCR : str
            Origin, citation and licence.
    (data, target) : tuple of ndarray
        Only these two if ``return_X_y=True``.

    Raises
    ------
    DatasetError
        If a file is missing or damaged, or cannot be downloaded; or if FEATMAP_DATA is set and ``subset`` is not
        ``"test"``.

    See Also
    --------
    load_coil20 : Grey images of 20 objects on a turntable.

    Examples
    --------
    >>> from featmap.datasets import load_cifar10
    >>> cifar = load_cifar10(subset="test")  # doctest: +SKIP
    >>> cifar.data.reshape(-1, *cifar.image_shape).shape  # doctest: +SKIP
    (10000, 32, 32, 3)
    """
    parts = parts_of("load_cifar10", subset)
    if data_folder() and parts != ("test",):
        raise DatasetError(
            f"load_cifar10(subset={subset!r}): the folder FEATMAP_DATA holds only the test set, in a different order "
            f"than the original; use subset='test', or {DOWNLOAD}"
        )
    arrays = arrays_in_folder("cifar10_test.npz", CIFAR_SHAPES) or _downloaded_cifar(parts)
    names = arrays.get("filename")
    return bunch_or_pair(
        return_X_y,
        data=arrays["X"].reshape(-1, CIFAR_FEATURES),
        target=arrays["y"].astype(np.int64),
        target_names=CIFAR_CLASSES.copy(),
        feature_names=pixel_names(32, 32, CHANNELS),
        image_shape=(32, 32, 3),
        filename=None if names is None else names.astype(str),
        DESCR=CIFAR10,
    )


def _downloaded_cifar(parts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Read the binary version: one byte for the class of an image, then its red, its green and its blue pixels."""
    content = b""
    # The version for Python is pickled: reading it would run whatever code it contains.
    with published("cifar10", "cifar-10-binary.tar.gz") as path, tarfile.open(path) as archive:
        for batch in (name for part in parts for name in CIFAR_BATCHES[part]):
            file = archive.extractfile(batch)  # in memory: nothing is unpacked onto the disk
            if file is None:
                raise ValueError(f"{batch} is not a regular file")
            content += file.read()
        records = np.frombuffer(content, np.uint8).reshape(-1, 1 + CIFAR_FEATURES)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return {"X": np.ascontiguousarray(images), "y": records[:, 0]}


def parts_of(loader: str, subset: str) -> tuple[str, ...]:
    """Return the parts of a data set that a subset consists of, in their order."""
    if not isinstance(subset, str) or subset not in PARTS:
        raise InvalidParameterError(f"{loader}(subset={subset!r}): subset must be 'all', 'train' or 'test'")
    return PARTS[subset]


def pixel_names(height: int, width: int, channels: tuple[str, ...] = ("",)) -> list[str]:
    """Return r2c3 for the pixel in row 2 and column 3, followed by the channel if there are several."""
    return [f"r{row}c{column}{channel}" for row in range(height) for column in range(width) for channel in channels]
