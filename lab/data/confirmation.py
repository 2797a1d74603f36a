"""Four data sets on which settings are confirmed and never chosen, from the folder that FEATMAP_DATA names."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from .folder import data_file


def load_kmnist() -> Bunch:
    """Load the test part of Kuzushiji-MNIST: 10,000 cursive Japanese characters of 28 × 28 pixels in 10 classes.

    Clanuwat et al.: Deep learning for classical Japanese literature, arXiv:1812.01718 (2018). Licence: CC BY-SA 4.0.
    """
    with np.load(data_file("kmnist_test.npz")) as arrays:
        return Bunch(data=arrays["X"], target=arrays["y"].astype(np.int64), image_shape=(28, 28))


def load_letters() -> Bunch:
    """Load Letter Recognition: 16 measures, 0 to 15, of 20,000 printed capital letters, with the letter as target.

    Frey, Slate: Letter recognition using Holland-style adaptive classifiers, Machine Learning 6 (1991); the UCI
    repository. Licence: CC BY 4.0.
    """
    return table_in("letters.npz")


def load_satellite() -> Bunch:
    """Load Landsat Satellite: 6,435 squares of 3 × 3 pixels in four spectral bands, with one of 6 soils as target.

    Statlog (Landsat Satellite), the UCI repository, as distributed with the R package mlbench. Licence: CC BY 4.0.
    """
    return table_in("satellite.npz")


def load_segment() -> Bunch:
    """Load Image Segmentation: 19 measures of 2,310 patches of photographs, with one of 7 surfaces as target.

    Vision Group, University of Massachusetts (1990); the UCI repository. Licence: CC BY 4.0.
    """
    return table_in("segment.npz")


def table_in(name: str) -> Bunch:
    """Rows, labels and names of features of a table that is not of images."""
    with np.load(data_file(name)) as arrays:
        names = arrays["feature_names"].tolist()
        return Bunch(data=arrays["X"], target=arrays["y"], feature_names=names, image_shape=None)
