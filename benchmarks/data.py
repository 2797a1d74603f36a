"""The data the benchmarks run on, by the name that a job has for them."""

from __future__ import annotations

import numpy as np

from lab.data.images import digits, load_images
from lab.data.manifolds import curved_sheets


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of "mnist", of "digits", or of as many rows of curved sheets as the name says."""
    if name.isdigit():
        return curved_sheets(int(name))
    images = load_images("MNIST") if name == "mnist" else digits()
    return images.data, images.target
