"""Images as rows of float32, with their labels."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from .loaders import IMAGES


def load_images(name: str) -> Bunch:
    """All images of a set; those of MNIST and Fashion-MNIST have the test set last."""
    return as_float(IMAGES[name]())


def digits() -> Bunch:
    """The 1,797 digits of 8 × 8 pixels that come with scikit-learn."""
    return as_float(load_digits())


def as_float(images: Bunch) -> Bunch:
    images.data = np.asarray(images.data, np.float32)
    return images
