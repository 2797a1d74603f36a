"""The methods compared: how each makes a two-dimensional map. Imports happen inside, so that they can be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Fit:
    """A map; of ours also the CPU seconds of its stages, and the importance of features, to be asked for."""

    map: np.ndarray
    stages: dict[str, float] = field(default_factory=dict)
    importance: Callable[[], np.ndarray] | None = None


@dataclass(frozen=True)
class Method:
    """How to fit (rows, epochs, threads), the module it takes, and the package that brings it."""

    fit: Callable[[np.ndarray, int, int], Fit]
    module: str
    package: str


def featmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    return featmap_of(X, n_epochs, n_jobs, seed=0)


def featmap_unseeded(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    return featmap_of(X, n_epochs, n_jobs, seed=None)


def featmap_of(X: np.ndarray, n_epochs: int, n_jobs: int, seed: int | None) -> Fit:
    from featmap import FeatMAP

    model = FeatMAP(n_epochs=n_epochs, random_state=seed, n_jobs=n_jobs).fit(X)
    stages = {report.stage: report.cpu_seconds for report in model.fit_report_}
    return Fit(model.embedding_, stages, model.feature_importance)


def umap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from umap import UMAP

    return Fit(UMAP(n_epochs=n_epochs, n_jobs=n_jobs).fit_transform(X))


def umap_seeded(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from umap import UMAP

    return Fit(UMAP(n_epochs=n_epochs, random_state=0, n_jobs=n_jobs).fit_transform(X))


def densmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from umap import UMAP

    return Fit(UMAP(n_epochs=n_epochs, densmap=True, n_jobs=n_jobs).fit_transform(X))


def opentsne(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from openTSNE import TSNE

    return Fit(np.asarray(TSNE(n_jobs=n_jobs, random_state=0).fit(X)))


def pacmap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from pacmap import PaCMAP

    return Fit(PaCMAP(n_components=2).fit_transform(X))


def trimap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from trimap import TRIMAP

    return Fit(TRIMAP(verbose=False).fit_transform(X))


def hnne(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from hnne import HNNE

    return Fit(HNNE(n_components=2).fit_transform(X))


def featuremap(X: np.ndarray, n_epochs: int, n_jobs: int) -> Fit:
    from featuremap import FeatureMAP

    return Fit(FeatureMAP(n_epochs=n_epochs).fit_transform(X))


METHODS = {
    "featMAP": Method(featmap, "featmap", "featmap"),
    "featMAP (unseeded)": Method(featmap_unseeded, "featmap", "featmap"),
    "UMAP": Method(umap, "umap", "umap-learn"),
    "UMAP (seeded)": Method(umap_seeded, "umap", "umap-learn"),
    "densMAP": Method(densmap, "umap", "umap-learn"),
    "PaCMAP": Method(pacmap, "pacmap", "pacmap"),
    "TriMap": Method(trimap, "trimap", "trimap"),
    "h-NNE": Method(hnne, "hnne", "hnne"),
    "openTSNE": Method(opentsne, "openTSNE", "openTSNE"),
    "featuremap (authors)": Method(featuremap, "featuremap", "featuremap"),
}
