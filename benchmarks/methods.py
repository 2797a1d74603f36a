"""The methods compared, by the name that a job has for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lab.peers import FEATMAP, PEERS, Method, Settings, fit_featmap


@dataclass(frozen=True)
class Fit:
    """A map; of ours also the CPU seconds of its stages, and the importance of features, to be asked for."""

    embedding: np.ndarray
    stages: dict[str, float] = field(default_factory=dict)
    importance: Callable[[], np.ndarray] | None = None


@dataclass(frozen=True)
class Entry:
    """A method with the seed it gets. Without one, packages that have threads use them."""

    method: Method
    seed: int | None = None

    def fit(self, X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
        settings = Settings(self.seed, n_epochs, n_jobs)
        return fit_ours(X, settings) if self.method is FEATMAP else Fit(self.method.make(X, settings))


def fit_ours(X: np.ndarray, settings: Settings) -> Fit:
    model = fit_featmap(X, settings)
    stages = {report.stage: report.cpu_seconds for report in model.fit_report_}
    return Fit(model.embedding_, stages, model.feature_importance)


METHODS = {
    "featMAP": Entry(FEATMAP, seed=0),
    "featMAP (unseeded)": Entry(FEATMAP),
    "UMAP": Entry(PEERS["UMAP"]),
    "UMAP (seeded)": Entry(PEERS["UMAP"], seed=0),
    "densMAP": Entry(PEERS["densMAP"]),
    "PaCMAP": Entry(PEERS["PaCMAP"]),
    "TriMap": Entry(PEERS["TriMap"]),
    "h-NNE": Entry(PEERS["h-NNE"]),
    "openTSNE": Entry(PEERS["openTSNE"], seed=0),
    "featuremap (authors)": Entry(PEERS["featuremap (authors)"]),
}
