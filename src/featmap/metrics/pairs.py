"""Do distances between points on the map tell those in the data? Over all pairs of a sample of points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import rankdata

from ..data.scaling import ScaledData, scale_data
from ..errors import InvalidDataError
from ..layout.radii import correlation
from ..run.threads import one_library_thread
from ..values import DoubleArray, IntArray
from .checks import checked_pair, sample_rows
from .distances import DataDistances

N_PAIRED = 2000


@dataclass(frozen=True, repr=False)
class Pairs:
    """The distances between all pairs of some rows of the data, in its units."""

    rows: IntArray
    distances: DoubleArray

    @classmethod
    def of(cls, caller: str, data: ScaledData, rows: IntArray) -> Pairs:
        sample = replace(data, matrix=data.matrix[rows])
        with one_library_thread():
            squared = DataDistances.within(sample)(np.arange(len(rows), dtype=np.int32))
        distances = data.in_units(np.sqrt(squared[np.triu_indices(len(rows), 1)]))
        if not distances.any():
            raise InvalidDataError(f"{caller}: all sampled rows of X are equal; there are no distances to compare")
        return cls(rows, distances)

    def on_map(self, Y: DoubleArray) -> DoubleArray:
        return pdist(Y[self.rows])

    @cached_property
    def ranks(self) -> DoubleArray:
        return rankdata(self.distances)

    def rank_correlation(self, on_map: DoubleArray) -> float:
        return float(correlation(self.ranks[:, None], rankdata(on_map)[:, None])[0])

    def stress(self, on_map: DoubleArray) -> float:
        """Σ (Δ − Δ')²/Σ Δ²."""
        return float(((self.distances - on_map) ** 2).sum() / (self.distances**2).sum())

    def least_stress(self, on_map: DoubleArray) -> float:
        """The same for α Δ' with α = Σ Δ Δ'/Σ Δ'², where it is least."""
        size = on_map @ on_map
        return self.stress(on_map * (self.distances @ on_map / size if size > 0 else 0.0))


def shepard_goodness(X: Any, Y: Any, *, n_sample: int | None = N_PAIRED, random_state: int = 0) -> float:
    """Spearman's correlation between distances in the data and on the map (Espadoto et al. 2019): 1 is best.

    Over all pairs of ``n_sample`` random points (2,000; None for all, in 40·m² bytes).
    """
    pairs, on_map = _paired("shepard_goodness", X, Y, n_sample, random_state)
    return pairs.rank_correlation(on_map)


def normalized_stress(X: Any, Y: Any, *, n_sample: int | None = N_PAIRED, random_state: int = 0) -> float:
    """Σ (Δ − Δ')²/Σ Δ² for distances Δ in the data and Δ' on the map (Espadoto et al. 2019): 0 is best.

    The map is taken as it is, in its own units, as in the code of that survey: a map of another size has another
    stress. `scale_normalized_stress` is free of that. Over all pairs of ``n_sample`` random points (2,000; None for
    all).
    """
    pairs, on_map = _paired("normalized_stress", X, Y, n_sample, random_state)
    return pairs.stress(on_map)


def scale_normalized_stress(X: Any, Y: Any, *, n_sample: int | None = N_PAIRED, random_state: int = 0) -> float:
    """The least `normalized_stress` of the map at any size (Smelser, Miller and Kobourov 2024): from 0, best, to 1.

    That is at Σ Δ Δ'/Σ Δ'² times its size, and equals 1 − (Σ Δ Δ')²/(Σ Δ² Σ Δ'²).
    """
    pairs, on_map = _paired("scale_normalized_stress", X, Y, n_sample, random_state)
    return pairs.least_stress(on_map)


def _paired(caller: str, X: Any, Y: Any, n_sample: Any, seed: int) -> tuple[Pairs, DoubleArray]:
    X, Y = checked_pair(caller, X, Y)
    pairs = Pairs.of(caller, scale_data(X), sample_rows(caller, n_sample, len(Y), seed))
    return pairs, pairs.on_map(Y)
