"""CIFAR-10: small colour photographs."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DatasetError
from .bunch import bunch_or_pair
from .download import published
from .folder import DOWNLOAD, arrays_in_folder, data_folder
from .images import parts_of, pixel_names

if TYPE_CHECKING:
    from sklearn.utils import Bunch

CIFAR10 = """
CIFAR-10: 60,000 photographs of ten kinds of things as colour images of 32 × 32 pixels, 50,000 for training and 10,000
for testing.

Krizhevsky: Learning multiple layers of features from tiny images, University of Toronto (2009). No formal licence is
known; please cite the report.
Downloads are the binary version in its own order, checked against the checksum that TensorFlow Datasets publishes.
The folder FEATMAP_DATA holds only the test set, in a different order; there ``filename`` says which image is which.
"""
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
CHANNELS = (" red", " green", " blue")
SHAPES = {"X": (10_000, 32, 32, 3), "y": (10_000,), "filename": (10_000,)}
BATCHES = {
    "train": [f"cifar-10-batches-bin/data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["cifar-10-batches-bin/test_batch.bin"],
}
N_FEATURES = 32 * 32 * 3


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
    arrays = arrays_in_folder("cifar10_test.npz", SHAPES) or _downloaded(parts)
    names = arrays.get("filename")
    return bunch_or_pair(
        return_X_y,
        data=arrays["X"].reshape(-1, N_FEATURES),
        target=arrays["y"].astype(np.int64),
        target_names=CLASSES.copy(),
        feature_names=pixel_names(32, 32, CHANNELS),
        image_shape=(32, 32, 3),
        filename=None if names is None else names.astype(str),
        DESCR=CIFAR10,
    )


def _downloaded(parts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Read the binary version: one byte for the class of an image, then its red, its green and its blue pixels."""
    # The version for Python is pickled: reading it would run whatever code it contains.
    with published("cifar10", "cifar-10-binary.tar.gz") as path, tarfile.open(path) as archive:
        content = b"".join(_member(archive, batch) for part in parts for batch in BATCHES[part])
        records = np.frombuffer(content, np.uint8).reshape(-1, 1 + N_FEATURES)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return {"X": np.ascontiguousarray(images), "y": records[:, 0]}


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    """Read one file of an archive in memory; nothing is unpacked onto the disk."""
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is not a regular file")
    return file.read()
