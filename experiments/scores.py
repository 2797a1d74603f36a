"""The metrics of the maps that are compared, each measured once and kept beside its map."""

from __future__ import annotations

import json
from functools import lru_cache

from featmap import metrics
from lab import write
from maps import SEEDS, is_made, load_map, map_file, seeds_of
from sets import prepared

LOCAL = {"trustworthiness": "trust.", "continuity": "cont.", "knn_accuracy": "k-NN acc."}
GLOBAL = {
    "shepard_goodness": "Shepard",
    "normalized_stress": "stress",
    "scale_normalized_stress": "stress, scaled",
    "centroid_triplet_accuracy": "triplets",
}
DENSITY = "density_correlation"
TEN_NEIGHBORS = "accuracy_of_10"


@lru_cache(maxsize=1)
def benchmark_of(data: str) -> metrics.Benchmark:
    """The data's own side of the metrics; one set at a time is kept, since it holds the data."""
    bunch = prepared(data)
    return metrics.Benchmark(bunch.data, bunch.target)


def scores_of(data: str, method: str, seed: int = 0) -> dict[str, float]:
    """Every metric of one map, which is made now if it was not."""
    path = map_file(data, method, seed).with_suffix(".scores.json")
    if not path.exists():
        Y = load_map(data, method, seed)
        ten = metrics.knn_accuracy(Y, prepared(data).target, n_neighbors=10)
        write(path, json.dumps(benchmark_of(data).score(Y) | {TEN_NEIGHBORS: ten}))
        print(f"measured {data}: {method}, seed {seed}", flush=True)
    return json.loads(path.read_text())


def seeds_to_score(data: str, method: str, only_made: bool) -> list[int]:
    """The seeds there shall be maps of, or, with ``only_made``, there are."""
    if only_made:
        return [seed for seed in SEEDS if is_made(data, method, seed)]
    load_map(data, method)  # the seconds of the first seed decide on the others
    return list(seeds_of(data, method))
