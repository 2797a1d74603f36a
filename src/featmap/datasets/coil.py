"""COIL-20: toys and cups on a turntable."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np

from .answers import answer, pixel_names
from .download import package, published
from .folder import kept_arrays

COIL20 = """
COIL-20, the processed images: 20 objects on a turntable, seen every 5 degrees, as 128 × 128 grey images, sorted by
object, then angle.

Nene, Nayar, Murase: Columbia Object Image Library (COIL-20), Tech. Rep. CUCS-005-96, Columbia University (1996).
Licence: offered for research, no formal licence is known.
Downloads are checked by the checksum in the loaders of the NEVIS'22 benchmark.
"""
N_OBJECTS, N_ANGLES, SIDE = 20, 72, 128
SHAPES = {"X": (1440, SIDE, SIDE), "y": (1440,), "angle": (1440,)}


def load_coil20(*, return_X_y: bool = False) -> Any:
    """Load COIL-20; the target is the number of the object, 1 to 20, ``angle`` how far it was turned, in degrees."""
    arrays = kept_arrays("coil20.npz", SHAPES) or _downloaded()
    return answer(
        return_X_y,
        data=arrays["X"].reshape(-1, SIDE * SIDE),
        target=arrays["y"].astype(np.int64),
        feature_names=pixel_names(SIDE, SIDE),
        image_shape=(SIDE, SIDE),
        angle=arrays["angle"].astype(np.int64),
        DESCR=COIL20,
    )


def _downloaded() -> dict[str, np.ndarray]:
    decoder = package("PIL.Image")
    objects = np.repeat(np.arange(1, N_OBJECTS + 1), N_ANGLES)
    turns = np.tile(np.arange(N_ANGLES), N_OBJECTS)
    images = np.empty((len(objects), SIDE, SIDE), np.uint8)
    with published("coil20", "coil-20-proc.zip") as path, zipfile.ZipFile(path) as archive:
        for row, (number, turn) in enumerate(zip(objects, turns, strict=True)):
            png = io.BytesIO(archive.read(f"coil-20-proc/obj{number}__{turn}.png"))
            with decoder.open(png, formats=["PNG"]) as image:
                images[row] = np.asarray(image)
    return {"X": images, "y": objects, "angle": turns * (360 // N_ANGLES)}
