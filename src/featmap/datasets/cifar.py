"""CIFAR-10: small photographs in colour."""

from __future__ import annotations

import tarfile
from typing import Any

import numpy as np

from ..errors import DatasetError
from .answers import CHANNELS, answer, parts_of, pixel_names
from .download import published
from .folder import DOWNLOAD, data_folder, kept_arrays
from .reading import tar_member

CIFAR10 = """
CIFAR-10: 60,000 photographs of ten kinds of things as 32 × 32 images in colour, 50,000 to train and 10,000 to test.

Krizhevsky: Learning multiple layers of features from tiny images, University of Toronto (2009). No formal licence is
known; please cite the report.
Downloads, in the binary version and its order, are checked by the checksum that TensorFlow Datasets publishes. The
folder FEATMAP_DATA holds the test set only, in an order of its own; there ``filename`` says which image is which.
"""
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
SHAPES = {"X": (10_000, 32, 32, 3), "y": (10_000,), "filename": (10_000,)}
BATCHES = {
    "train": [f"cifar-10-batches-bin/data_batch_{number}.bin" for number in range(1, 6)],
    "test": ["cifar-10-batches-bin/test_batch.bin"],
}
BYTES_OF_AN_IMAGE = 3 * 32 * 32


def load_cifar10(*, subset: str = "all", return_X_y: bool = False) -> Any:
    """Load CIFAR-10, its training set before its test set.

    The folder FEATMAP_DATA holds the test set only, in another order than the original: where it is set,
    ``subset="test"`` must be asked for.
    """
    parts = parts_of("load_cifar10", subset)
    if data_folder() and parts != ("test",):
        raise DatasetError(
            f"load_cifar10(subset={subset!r}): the folder FEATMAP_DATA holds the test set only, in another order "
            f"than the original; ask for subset='test', or {DOWNLOAD}"
        )
    arrays = kept_arrays("cifar10_test.npz", SHAPES) or _downloaded(
        [batch for part in parts for batch in BATCHES[part]]
    )
    names = arrays.get("filename")
    return answer(
        return_X_y,
        data=arrays["X"].reshape(-1, BYTES_OF_AN_IMAGE),
        target=arrays["y"].astype(np.int64),
        target_names=CLASSES,
        feature_names=pixel_names(32, 32, CHANNELS),
        image_shape=(32, 32, 3),
        filename=None if names is None else names.astype(str),
        DESCR=CIFAR10,
    )


def _downloaded(batches: list[str]) -> dict[str, np.ndarray]:
    """The binary version: a byte for the class of an image, then its red, its green and its blue pixels."""
    # The version for Python is pickled: reading it would run whatever it says.
    with published("cifar10", "cifar-10-binary.tar.gz") as path, tarfile.open(path) as archive:
        content = b"".join(tar_member(archive, batch) for batch in batches)
        records = np.frombuffer(content, np.uint8).reshape(-1, 1 + BYTES_OF_AN_IMAGE)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return {"X": np.ascontiguousarray(images), "y": records[:, 0]}
