"""COIL-20: objects on a turntable."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from .bunch import bunch_or_pair
from .download import optional_package, published
from .folder import arrays_in_folder
from .images import pixel_names

if TYPE_CHECKING:
    from sklearn.utils import Bunch

COIL20 = """
COIL-20, the processed images: 20 objects on a turntable, photographed every 5 degrees, as grey images of 128 × 128
pixels, sorted by object, then angle.

Nene, Nayar, Murase: Columbia Object Image Library (COIL-20), Tech. Rep. CUCS-005-96, Columbia University (1996).
Licence: offered for research; no formal licence is known.
Downloads are checked against the checksum in the loaders of the NEVIS'22 benchmark.
"""
N_OBJECTS, N_ANGLES, SIDE = 20, 72, 128
SHAPES = {"X": (1440, SIDE, SIDE), "y": (1440,), "angle": (1440,)}


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
    arrays = arrays_in_folder("coil20.npz", SHAPES) or _downloaded()
    return bunch_or_pair(
        return_X_y,
        data=arrays["X"].reshape(-1, SIDE * SIDE),
        target=arrays["y"].astype(np.int64),
        feature_names=pixel_names(SIDE, SIDE),
        image_shape=(SIDE, SIDE),
        angle=arrays["angle"].astype(np.int64),
        DESCR=COIL20,
    )


def _downloaded() -> dict[str, np.ndarray]:
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
