"""Maps that are made once and kept in a folder, with what they cost."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from .files import save_embedding, write_text
from .peers import Method, Settings


@dataclass(frozen=True)
class KeptMaps:
    """Maps of data sets by methods, both by name, with seeds: ``folder/data/method, seed 0.npy``."""

    folder: Path
    methods: Mapping[str, Method]
    data: Callable[[str], Bunch]
    neighbors: Callable[[str], tuple[np.ndarray, np.ndarray]] | None = None  # of the data, for methods that take them

    def file(self, data: str, method: str, seed: int) -> Path:
        return self.folder / data / f"{method}, seed {seed}.npy"

    def has(self, data: str, method: str, seed: int) -> bool:
        return self.file(data, method, seed).exists()

    def cost(self, data: str, method: str, seed: int) -> dict[str, float]:
        """Wall and CPU seconds of a map that was made before."""
        return json.loads(self.file(data, method, seed).with_suffix(".json").read_text())

    def load(self, data: str, method: str, seed: int = 0) -> np.ndarray:
        """A map that was made before, or is made now."""
        if not self.has(data, method, seed):
            self.make(data, method, seed)
        return np.load(self.file(data, method, seed))

    def make(self, data: str, method: str, seed: int) -> None:
        """Write one map into its file; its cost comes first, so that no map is without it."""
        X = self.data(data).data
        settings = Settings(seed, neighbors=self.neighbors(data) if self.neighbors else None)
        began, began_cpu = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # packages warn about seeds, threads and coming versions
            embedding = self.methods[method].make(X, settings)
        cost = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - began_cpu}
        path = self.file(data, method, seed)
        write_text(path.with_suffix(".json"), json.dumps(cost))
        save_embedding(path, embedding)
        print(f"{data}: {method}, seed {seed}: {cost['seconds']:.1f} s", flush=True)
