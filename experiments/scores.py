"""The metrics of the maps that are compared, each measured once and kept beside its map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lab.files import write_text
from lab.quality import Quality

from .maps import MAPS, SEEDS, seeds_of
from .sets import prepared

LOCAL = {"trustworthiness": "trust.", "continuity": "cont.", "knn_accuracy": "k-NN acc."}
GLOBAL = {
    "shepard_goodness": "Shepard",
    "normalized_stress": "stress",
    "scale_normalized_stress": "stress, scaled",
    "centroid_triplet_accuracy": "triplets",
}


@dataclass(frozen=True)
class Cell:
    """One metric of one method on one data set: the mean over seeds and, of several, the standard deviation."""

    mean: float
    deviation: float | None
    n_seeds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Cell:
        deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
        return cls(float(np.mean(values)), deviation, len(values))


@lru_cache(maxsize=1)
def quality_of(data: str) -> Quality:
    """The data's own side of the metrics; one set at a time is kept, since it holds the data."""
    bunch = prepared(data)
    return Quality(bunch.data, bunch.target)


def scores_of(data: str, method: str, seed: int = 0) -> dict[str, float]:
    """Every metric of one map, which is made now if it was not made before."""
    path = MAPS.file(data, method, seed).with_suffix(".scores.json")
    if not path.exists():
        embedding = MAPS.load(data, method, seed)
        write_text(path, json.dumps(quality_of(data).of(embedding)))
        print(f"measured {data}: {method}, seed {seed}", flush=True)
    return json.loads(path.read_text())


def seeds_to_score(data: str, method: str, only_made: bool) -> list[int]:
    """The seeds that a map is wanted for, or, with ``only_made``, the seeds that have one."""
    if only_made:
        return [seed for seed in SEEDS if MAPS.has(data, method, seed)]
    MAPS.load(data, method)  # the seconds of the first seed decide about the others
    return list(seeds_of(data, method))
