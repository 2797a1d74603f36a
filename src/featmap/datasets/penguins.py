"""Palmer penguins: four measurements of three species."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from .answers import answer
from .download import published
from .folder import kept_arrays

PENGUINS = """
Palmer penguins: bill, flipper and mass of 342 penguins of three species; two more had no measurements.

Gorman, Williams, Fraser: Ecological sexual dimorphism and environmental variability within a community of Antarctic
penguins (genus Pygoscelis), PLoS ONE 9:e90081 (2014); Horst, Hill, Gorman: palmerpenguins (2020). Licence: CC0.
Downloads come from a fixed commit of palmerpenguins and are checked by a checksum that users of the file published.
"""
FEATURES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
SHAPES = {"X": (342, 4), "species": (342,), "island": (342,), "sex": (342,), "year": (342,)}


def load_penguins(*, return_X_y: bool = False) -> Any:
    """Load the penguins; the target is the species. A sex that was not found out is ``"unknown"``."""
    arrays = kept_arrays("penguins.npz", SHAPES) or _downloaded()
    species, codes = np.unique(arrays["species"], return_inverse=True)
    return answer(
        return_X_y,
        data=arrays["X"],
        target=codes,
        target_names=species.tolist(),
        feature_names=FEATURES,
        island=arrays["island"],
        sex=arrays["sex"],
        year=arrays["year"].astype(np.int64),
        DESCR=PENGUINS,
    )


def _downloaded() -> dict[str, np.ndarray]:
    with published("penguins", "penguins.csv") as path:
        with path.open(newline="", encoding="utf-8") as file:
            birds = [bird for bird in csv.DictReader(file) if bird["body_mass_g"] != "NA"]
        return {
            "X": np.array([[bird[feature] for feature in FEATURES] for bird in birds], np.float32),
            "species": np.array([bird["species"] for bird in birds]),
            "island": np.array([bird["island"] for bird in birds]),
            "sex": np.array([bird["sex"].replace("NA", "unknown") for bird in birds]),
            "year": np.array([bird["year"] for bird in birds], np.int64),
        }
