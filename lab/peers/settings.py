"""What a comparison sets for every method alike; the rest stays at each package's defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Settings:
    """None leaves a setting to the package. A package that has no such setting ignores it.

    Only featMAP and umap-learn are given the metric; all other maps are of euclidean distances. Neighbours
    (each row, itself first) and their distances go to featMAP, umap-learn and ScaleMAP; all others search their own.
    """

    seed: int | None = None
    n_epochs: int | None = None
    n_jobs: int = -1
    metric: str = "euclidean"
    neighbors: tuple[np.ndarray, np.ndarray] | None = None


Make = Callable[[np.ndarray, Settings], np.ndarray]  # rows (m, n) to a map (m, 2)
