"""Palmer penguins: four measurements of three species."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from .loading import bunch_or_pair

if TYPE_CHECKING:
    from sklearn.utils import Bunch

PENGUINS = """
Palmer penguins: bill length, bill depth, flipper length and body mass of 342 penguins of three species. The published
table has two more penguins, which have no measurements and are left out.

Gorman, Williams, Fraser: Ecological sexual dimorphism and environmental variability within a community of Antarctic
penguins (genus Pygoscelis), PLoS ONE 9:e90081 (2014); Horst, Hill, Gorman: palmerpenguins (2020). Licence: CC0.
penguins.csv in this package is the table that palmerpenguins publishes, byte for byte.
"""
FEATURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]


def load_penguins(*, return_X_y: bool = False) -> Bunch | tuple[np.ndarray, np.ndarray]:
    """Load the Palmer penguins, four measurements of three species.

    The table comes with the package. Two of its 344 penguins have no measurements and are left out, so that no value
    is missing. The features have different units: scale them, for example with scikit-learn's ``StandardScaler``,
    or body mass in grams decides the map alone.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return the pair (data, target) instead of a Bunch.

    Returns
    -------
    penguins : :class:`~sklearn.utils.Bunch`
        A dictionary whose fields are also attributes:

        data : ndarray of shape (342, 4), float32
            Bill length, bill depth and flipper length in millimetres, body mass in grams.
        target : ndarray of shape (342,), int64
            The species, 0 to 2.
        target_names : list of str
            The three species: ``target_names[target[0]]`` is that of the first penguin.
        feature_names : list of str
            The names of the measurements with their units.
        island : ndarray of shape (342,), str
            The island on which the penguin was observed.
        sex : ndarray of shape (342,), str
            ``"female"``, ``"male"``, or ``"unknown"`` for nine penguins.
        year : ndarray of shape (342,), int64
            The year of observation, 2007 to 2009.
        image_shape : None
            The data are not images.
        DESCR : str
            Origin, citation and licence.
    (data, target) : tuple of ndarray
        Only these two if ``return_X_y=True``.

    See Also
    --------
    load_mnist : 70,000 images of handwritten digits.

    Examples
    --------
    >>> from featmap.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.data.shape
    (342, 4)
    >>> penguins.feature_names
    ['bill_length_mm', 'bill_depth_mm', 'flipper_length_mm', 'body_mass_g']
    >>> penguins.target_names
    ['Adelie', 'Chinstrap', 'Gentoo']
    >>> X, y = load_penguins(return_X_y=True)
    >>> [int((y == species).sum()) for species in range(3)]
    [151, 68, 123]
    """
    table = files("featmap.datasets").joinpath("penguins.csv").read_text(encoding="utf-8")
    birds = [bird for bird in csv.DictReader(table.splitlines()) if bird["body_mass_g"] != "NA"]
    species, codes = np.unique([bird["species"] for bird in birds], return_inverse=True)
    return bunch_or_pair(
        return_X_y,
        data=np.array([[bird[feature] for feature in FEATURES] for bird in birds], np.float32),
        target=codes,
        target_names=species.tolist(),
        feature_names=FEATURES.copy(),
        image_shape=None,
        island=np.array([bird["island"] for bird in birds]),
        sex=np.array([bird["sex"].replace("NA", "unknown") for bird in birds]),
        year=np.array([int(bird["year"]) for bird in birds], np.int64),
        DESCR=PENGUINS,
    )
