"""Olivetti faces: forty people, ten times each."""

from __future__ import annotations

from typing import Any

import numpy as np

from .answers import answer, pixel_names
from .download import published
from .folder import kept_arrays

OLIVETTI = """
Olivetti (ORL) faces: 40 people, ten images of each, as 64 × 64 grey images with values from 0 to 1, sorted by person.

AT&T Laboratories Cambridge (1992-94); Samaria, Harter: Parameterisation of a stochastic model for human face
identification, IEEE Workshop on Applications of Computer Vision (1994). Licence: free for research with credit to
AT&T Laboratories Cambridge.
Downloads are checked by the checksum that scikit-learn publishes, and scaled as there.
"""
SIDE, N_PEOPLE, IMAGES_EACH = 64, 40, 10
SHAPES = {"X": (N_PEOPLE * IMAGES_EACH, SIDE * SIDE)}


def load_olivetti_faces(*, return_X_y: bool = False) -> Any:
    """Load the Olivetti faces; the target is the number of the person, from 0."""
    arrays = kept_arrays("olivetti_faces.npz", SHAPES)
    return answer(
        return_X_y,
        data=_downloaded() if arrays is None else arrays["X"],
        target=np.repeat(np.arange(N_PEOPLE), IMAGES_EACH),
        feature_names=pixel_names(SIDE, SIDE),
        image_shape=(SIDE, SIDE),
        DESCR=OLIVETTI,
    )


def _downloaded() -> np.ndarray:
    from scipy.io import loadmat

    with published("olivetti_faces", "olivettifaces.mat") as path:
        columns = loadmat(path)["faces"].astype(np.float32)  # one image each, its pixels column by column
        images = columns.T.reshape(N_PEOPLE * IMAGES_EACH, SIDE, SIDE).transpose(0, 2, 1)
    images = images - images.min()
    return (images / images.max()).reshape(len(images), -1)
