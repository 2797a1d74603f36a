"""The methods compared, by the name that a job has for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from lab.peers import FEATMAP, PEERS, Method, Settings, fit_featmap, fit_umap

from .data import Data
from .plan import WITH_FRAMES


@dataclass(frozen=True)
class Fit:
    """A map, and what else the method can tell of it: of ours the CPU seconds of its stages.

    Neighbours (m, k) and importance are to be asked for, since they take memory and time of their own. Of a missing
    neighbour the index is -1.
    """

    embedding: np.ndarray
    stages: dict[str, float] = field(default_factory=dict)
    importance: Callable[[], np.ndarray] | None = None
    neighbors: Callable[[], np.ndarray] | None = None


Make = Callable[[Any, Settings], Fit]
GEOMETRY = "tangents and frames"  # a stage of ours after the fit


@dataclass(frozen=True)
class Entry:
    """A method with the seed it gets. Without one, packages that have threads use them."""

    method: Method
    seed: int | None = None
    make: Make | None = None  # where more than the map is asked for

    def fit(self, data: Data, n_epochs: int | None, n_jobs: int) -> Fit:
        settings = Settings(self.seed, n_epochs, n_jobs, data.metric)
        return self.make(data.X, settings) if self.make else Fit(self.method.make(data.X, settings))


def fit_ours(X: Any, settings: Settings) -> Fit:
    """The map alone."""
    return fit_of(fit_featmap(X, settings))


def fit_of(model: Any) -> Fit:
    stages = {report.stage: report.cpu_seconds for report in model.fit_report_}
    return Fit(model.embedding_, stages, neighbors=partial(found_by_ours, model))


def fit_ours_with_frames(X: Any, settings: Settings) -> Fit:
    """The map with tangent spaces and frames, which a fit leaves to the first question."""
    model = fit_featmap(X, settings)
    began = time.process_time()
    model.frames_  # noqa: B018 - makes them
    fit, seconds = fit_of(model), time.process_time() - began
    return replace(fit, stages=fit.stages | {GEOMETRY: seconds}, importance=model.feature_importance)


def found_by_ours(model: Any) -> np.ndarray:
    indices, distances = model.neighbors_
    return np.where(np.isfinite(distances), indices, -1)


def fit_umap_learn(X: Any, settings: Settings) -> Fit:
    """Of fewer than 4,096 rows umap-learn keeps no neighbours. Of more the first is the row itself."""
    model = fit_umap(X, settings)
    return Fit(model.embedding_, neighbors=None if model._small_data else lambda: model._knn_indices[:, 1:])


METHODS = {
    "featMAP": Entry(FEATMAP, 0, fit_ours),
    WITH_FRAMES: Entry(FEATMAP, 0, fit_ours_with_frames),
    "featMAP (unseeded)": Entry(FEATMAP, None, fit_ours),
    "UMAP": Entry(PEERS["UMAP"], None, fit_umap_learn),
    "UMAP (seeded)": Entry(PEERS["UMAP"], 0, fit_umap_learn),
    "densMAP": Entry(PEERS["densMAP"]),
    "PaCMAP": Entry(PEERS["PaCMAP"]),
    "TriMap": Entry(PEERS["TriMap"]),
    "h-NNE": Entry(PEERS["h-NNE"]),
    "openTSNE": Entry(PEERS["openTSNE"], seed=0),
    "featuremap (authors)": Entry(PEERS["featuremap (authors)"]),
}
